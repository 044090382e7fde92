#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/app/live/live_queue.h"
#include "stride/app/live/live_run.h"

// A live session: one simulation (or an opened recording) that several clients watch and touch,
// paced by the wall clock in a thread of its own. Knows nothing of the network.
namespace stride {

// What goes to clients. A session's outputs come in order: a frame belongs to the head and the
// events before it.
struct LiveOutput {
  enum class Kind {
    kHead,    // chunk; a client that joined has received nothing before it
    kEvent,   // chunk
    kFrame,   // chunk; only the newest matters
    kStatus,  // JSON; only the newest matters
    kText     // JSON
  };
  Kind kind = Kind::kText;
  int client = 0;  // 0: everybody
  Bytes bytes;
};

class LiveSession {
 public:
  static constexpr double kTickSeconds = 1.0 / 60;

  // The simulation of `setup`; or, if `opened` is a recording's bytes, that until somebody asks for
  // the simulation. Throws InputError for a setup that cannot run (not where a recording is open).
  explicit LiveSession(const RunSetup& setup, Bytes opened = nullptr);
  ~LiveSession();
  LiveSession(const LiveSession&) = delete;
  LiveSession& operator=(const LiveSession&) = delete;

  // `sink` is called from the session's thread and must not wait. Simulated time begins with the
  // first client that joins.
  void Start(std::function<void(LiveOutput)> sink);
  void Stop();

  // From any thread. Clients are numbered from 1; a join is answered by catalog, status, and in a
  // live session head and frame.
  void Join(int client);
  // False if too much of this client waits already; the message is then lost.
  bool Post(int client, LiveMessage message);
  // The client is gone, and what it asked for is not done.
  void Leave(int client);
  // The first character performs a file. `done` is called from the session's thread. False, and
  // `done` is not called, if too much waits already.
  bool Perform(Performance what, std::function<void(const std::string& failure)> done);

  // The recording or motion that is open, and what was recorded last here; null if there is none.
  Bytes Opened() const;
  Bytes Recorded() const;
  // The skill that a character performs, with the curves as they were edited, as a file's text.
  // Reads the skill again: for a thread that may wait. Throws InputError where there is none.
  std::string EditedSkill(int actor) const;
  // Who shall perform a clip that a client brings: the first character, if it is human.
  std::string Performer() const;

  // For the status: clients there are, and what share of a core serving them takes.
  void ReportServer(int clients, double load);
  // Before Start(): clients are told that files may be brought.
  void TakeFiles(bool on) { takes_files_ = on; }

 private:
  void Loop();
  void Tick(double wall_seconds);
  void ServeQueue();
  void Serve(const LiveRequest& request);
  void Welcome(int client);
  void Handle(const PauseMessage& message);
  void Handle(const StepMessage& message);
  void Handle(const RateMessage& message);
  void Handle(const RestartMessage& message);
  void Handle(const RunInput& input);
  void Handle(const DragMessage& message);
  void Handle(const ReleaseMessage& message);
  void Handle(const SetupMessage& message);
  void Handle(const RecordMessage& message);
  void Handle(const PlayMessage& message);
  void Handle(const GoLiveMessage& message);
  void Handle(const Performance& performance);

  LiveRun& Live();  // throws InputError while a recording is open
  void Begin(const RunSetup& setup);
  void SendCurves(int actor, int client = 0);
  void SendAllCurves(int client = 0);
  void KeepCharacters();
  void Note(const std::string& message);
  void EndRecording();
  void Send(LiveOutput::Kind kind, std::string bytes, int client = 0);
  nlohmann::ordered_json Status() const;

  std::function<void(LiveOutput)> sink_;
  bool takes_files_ = false;
  std::thread thread_;

  mutable std::mutex mutex_;  // of what follows
  std::condition_variable wake_;
  bool stopping_ = false;
  LiveQueue queue_;
  Bytes opened_, recorded_;
  std::vector<CharacterSetup> characters_;  // of the run, as they were edited

  std::atomic<int> clients_{0};
  std::atomic<double> server_load_{0};

  // The rest belongs to the thread.
  RunSetup setup_;
  std::optional<LiveRun> run_;  // none while a recording is open
  bool watched_ = false;        // somebody joined
  bool frame_due_ = true, status_due_ = true;
  bool rebuilt_ = false;  // in this tick
  int opened_count_ = 0;  // motions played: tells the page that there is another to fetch
  int missed_ = 0;
  double asked_ = 0, done_ = 0;  // simulated time, of about the last second, s
  double since_status_ = 0;      // wall time, s
  std::set<int> curves_due_;     // actors whose curves were edited
  double since_curves_ = 0;      // wall time, s
  // CPU time of this thread beside the simulation and wall time, of about the last second, s.
  double load_cpu_ = 0, load_wall_ = 0;
};

// What there is, as the page gets it.
nlohmann::ordered_json LiveCatalog();

// A recording's bytes in another format: "recording" (as they are), "bvh", "glb" or "csv". Throws
// InputError.
std::string ExportRecordingBytes(const Bytes& recording, const std::string& format);

}  // namespace stride
