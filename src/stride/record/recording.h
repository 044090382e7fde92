#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/character/character.h"
#include "stride/control/controller.h"
#include "stride/motion/motion.h"
#include "stride/sim/world.h"

// What a run leaves behind. The file and the stream to the viewer are the same sequence of chunks
// (docs/recordings.md): "STRIDEREC" and a version, then chunks of
//   type (4 letters)   length of the payload (u32)   payload   CRC-32 of type, length and payload
// HEAD (JSON, first), FROM (what its names stand for), FRAM (binary), EVNT (JSON), DONE (JSON,
// last; absent after a kill). All little endian. Every chunk up to the first damaged one is good,
// so that a file cut anywhere opens.
namespace stride {

// Written. Version 1, which knew of the first actor's controller only and of no torques, is read.
inline constexpr int kRecordingVersion = 2;

struct RecordedChannel {
  std::string name, unit;
  int values = 1;  // 1 scalar, 3 point, 6 segment
  friend bool operator==(const RecordedChannel&, const RecordedChannel&) = default;
};

// Who drives an actor. Names are for people; what is needed to run again stands in
// RecordingHeader::setup.
struct RecordedController {
  std::string controller;     // empty where nothing was simulated (a motion)
  std::string motion, skill;  // what it follows or performs; empty: none
  std::vector<RecordedChannel> channels;
  std::vector<std::string> styles;
  BehaviourGraph graph;  // without nodes: it has none
  friend bool operator==(const RecordedController&, const RecordedController&) = default;
};

nlohmann::ordered_json ToJson(const RecordedController& driver);  // as in the file

// What a name in the setup stood for when the run was made, so that it runs again where the file is
// another or is not there.
struct RecordedSource {
  std::string kind;  // "skill", "character", "motion", "graph", "clip" (of a graph)
  std::string name;  // as the setup has it
  std::string of;    // the character of a motion, the graph of a clip; otherwise empty
  std::string text;  // the thing itself, as its own kind of file
  friend bool operator==(const RecordedSource&, const RecordedSource&) = default;
};

// All that is known when a run begins.
struct RecordingHeader {
  std::string title, engine;
  std::uint64_t seed = 0;
  World world;                                  // actors included
  double frame_interval = 0;                    // s of simulated time between frames
  std::vector<RecordedController> controllers;  // of actors 0, 1, ...; those after are not driven
  std::string version;                          // of stride
  // What run/run.h needs to run it again, bit for bit; null where it is no simulation (a motion).
  nlohmann::ordered_json setup;
  std::vector<RecordedSource> sources;  // in files only: the viewer has no use for them
  friend bool operator==(const RecordingHeader&, const RecordingHeader&) = default;
};

struct RecordedContact {
  int actor = 0, body = 0, other_actor = -1, other_body = -1;
  std::array<float, 3> position{}, force{};
  friend bool operator==(const RecordedContact&, const RecordedContact&) = default;
};
struct RecordedForce {
  int actor = 0, body = 0;
  std::array<float, 3> position{}, force{};  // world
  friend bool operator==(const RecordedForce&, const RecordedForce&) = default;
};

// What drove an actor in a step.
struct RecordedControl {
  std::vector<double> target_q;   // of the servos; empty: none
  std::vector<double> reference;  // State::q of what the controller follows; empty: none
  std::vector<float> torques;     // of the servos, N m, layout of State::v; empty: not known
  // NaN: not commanded.
  float speed = std::numeric_limits<float>::quiet_NaN();    // m/s
  float heading = std::numeric_limits<float>::quiet_NaN();  // rad
  int style = 0;
  std::vector<float> channels;
  // Those with NaN compare by bits.
  friend bool operator==(const RecordedControl& a, const RecordedControl& b);
};

struct RecordedFrame {
  std::uint32_t step = 0;
  double time = 0;                        // s
  std::vector<State> actors;              // exact
  std::vector<RecordedControl> controls;  // one for each of RecordingHeader::controllers
  std::vector<RecordedContact> contacts;
  std::vector<RecordedForce> forces;  // from outside: pushes
  // Numbers compare by bits.
  friend bool operator==(const RecordedFrame& a, const RecordedFrame& b);
};

// Something that happened: a push by hand, a throw, a command, a fall. `data` is the event itself
// (docs/recordings.md); what a person did has "input", a RunInput as JSON, and is replayed.
inline constexpr const char* kActorEvent = "actor";  // a ball joined: {"character": …}
struct RecordedEvent {
  std::uint32_t step = 0;
  double time = 0;
  std::string kind;  // "fall", "throw", "push", "command", "failed", kActorEvent, …
  nlohmann::ordered_json data = nlohmann::ordered_json::object();
  friend bool operator==(const RecordedEvent&, const RecordedEvent&) = default;
};

struct Recording {
  RecordingHeader header;
  std::vector<RecordedFrame> frames;
  std::vector<RecordedEvent> events;
  nlohmann::ordered_json summary;   // the run's result; null where the run did not end
  int version = kRecordingVersion;  // of the file it was read from
  bool complete = false;            // ends with DONE; otherwise it was cut
  std::string damage;               // of one that was read: why it is not complete, in words
  double Duration() const { return frames.empty() ? 0 : frames.back().time - frames.front().time; }
  friend bool operator==(const Recording&, const Recording&) = default;
};

// The header's actors, then those that joined (kActorEvent), in the order of RecordedFrame::actors.
std::vector<Character> ActorsOf(const Recording& recording);

// --- chunks, as bytes: for files, the stream, and shared pages ---
// The event that an actor joined comes before the first frame that has it.
std::string RecordingPreamble();                          // "STRIDEREC" and version
std::string EncodeHeader(const RecordingHeader& header);  // throws InputError: ground too large
std::string EncodeSources(const std::vector<RecordedSource>& sources);  // after the header
std::string EncodeEvent(const RecordedEvent& event);
std::string EncodeDone(const nlohmann::ordered_json& summary);
// Replaces what `bytes` holds; it keeps its memory from frame to frame.
void EncodeFrame(const RecordedFrame& frame, std::string* bytes);

// Whole recordings. A file that ends early or is damaged opens up to the last whole chunk
// (`complete` is false then); one whose header is not whole, or that is no recording, or of a newer
// version throws InputError. Survives hostile bytes: sizes are checked against the header's world.
inline constexpr std::size_t kMaxRecordingFileBytes = std::size_t{2} << 30;  // read and written
Recording ParseRecording(std::string_view bytes, const std::string& file_name);
Recording ReadRecording(const std::string& path);
std::string EncodeRecording(const Recording& recording);

// Whether a file is a recording: by its first bytes, or by its ending where it cannot be read.
inline constexpr const char* kRecordingEnding = ".stride";
bool NamesRecording(const std::string& path);

// Writes as the run goes: to PATH.part (kPartEnding), flushed to the system at least twice a second
// of wall time and of simulated time, renamed to PATH by Finish. After a kill PATH.part is a
// readable recording. One that would become larger than can be read is an error before that.
inline constexpr const char* kPartEnding = ".part";
class RecordingWriter {
 public:
  // All throw InputError. `most_bytes`: of the file.
  RecordingWriter(const std::string& path, const RecordingHeader& header,
                  std::size_t most_bytes = kMaxRecordingFileBytes);
  ~RecordingWriter();  // without Finish: leaves PATH.part
  RecordingWriter(const RecordingWriter&) = delete;
  RecordingWriter& operator=(const RecordingWriter&) = delete;
  void Add(const RecordedFrame& frame);
  void Add(const RecordedEvent& event);
  void Finish(const nlohmann::ordered_json& summary);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Actor 0 as a motion at a rate near the frames' (feet that carry weight labelled), for exporters
// and contact sheets. Throws InputError where there is no frame.
Motion MotionFromRecording(const Recording& recording, int actor = 0);
// A motion as a recording, played by the viewer: every frame, no forces. `loops` of a looping
// motion are repeated until at least `seconds`.
Recording RecordingFromMotion(const Motion& motion, const Character& character, double seconds = 0);

// Columns of time; of every actor each coordinate and velocity; of every driven one the total
// ground force, command, servo torques and channels.
std::string RecordingCsv(const Recording& recording);

}  // namespace stride
