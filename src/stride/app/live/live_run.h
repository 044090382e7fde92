#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stride/app/live/live_message.h"
#include "stride/run/run.h"

// A run in a person's hands: paused, slowed, dragged, recorded. No threads and no network.
namespace stride {

using Bytes = std::shared_ptr<const std::string>;

class LiveRun {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr double kMinRate = 0.05, kMaxRate = 4;
  static constexpr double kMaxPush = 5000;            // N
  static constexpr double kMaxRecordedSeconds = 600;  // then the recording ends by itself
  static constexpr double kDragSeconds =
      1;  // a drag ends after so much wall time without a message

  // A live run does not end by itself: the scenario's seconds and its stop at a fall do not count.
  // Throws InputError.
  explicit LiveRun(const RunSetup& setup);

  // Each throws InputError for what cannot be done.
  void SetRate(double rate);
  void Apply(const RunInput& input);
  void Drag(const DragMessage& drag);
  void Release() { drag_.reset(); }
  void Pause(bool on) { paused_ = on; }
  void StepOnce();

  // Simulates what the wall time asks for at the rate, unless paused. What is not done by the
  // deadline is dropped: the run is then slower than asked, and the result false.
  bool Advance(double wall_seconds, Clock::time_point deadline);

  // A recording keeps all inputs since the run began, so that it runs again bit for bit.
  void StartRecording();
  // The whole recording as a file's bytes; null where none was begun or nothing happened in it.
  Bytes StopRecording();
  // It was as long as it may be, and waits for StopRecording().
  bool RecordingFull() const;
  bool Recording() const { return recorder_.has_value(); }
  double RecordedSeconds() const { return Recording() ? run_.Time() - recorder_->begun : 0; }

  // Header with the world as it is now; frame of the last step.
  std::string EncodeHead() const;
  std::string EncodeCurrentFrame() const;
  // Events since the last call, encoded; of a drag's pushes there are none.
  std::vector<std::string> TakeEvents();

  bool Paused() const { return paused_; }
  double Rate() const { return rate_; }
  const Run& GetRun() const { return run_; }
  // What a restart begins with: friction, slope and curves as they were set last.
  const RunSetup& Setup() const { return setup_; }

 private:
  struct Spring {
    DragMessage drag;
    double age = 0;             // wall time since the last message, s
    std::optional<Vec3d> last;  // where the point was a step ago, world
  };
  struct Recorder {
    double begun = 0;   // s of the run
    std::string bytes;  // all chunks so far
    std::size_t frames = 0;
  };

  void Step();
  void PullOnce();
  void KeepEvents();
  void RecordFrame();

  RunSetup setup_;
  Run run_;
  RecordingHeader header_;
  int steps_a_frame_ = 1;  // of a recording
  bool paused_ = false;
  double rate_ = 1;
  double owed_ = 0;  // simulated time that is asked for and not done, s
  std::optional<Spring> drag_;
  nlohmann::ordered_json pull_;  // the drag's push in this step; null: none
  std::optional<Recorder> recorder_;
  std::string history_;  // all events since the run began
  bool replayable_ = true;
  std::vector<std::string> shown_events_;
  mutable RecordedFrame frame_;
};

}  // namespace stride
