#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/control/controller.h"
#include "stride/record/recording.h"
#include "stride/scenario/metrics.h"
#include "stride/scenario/scenario.h"
#include "stride/sim/engine.h"

// One simulation of a character, or several, under a scenario, step by step: behind `simulate`,
// `reproduce` and the live viewer. A pure function of its setup and of the inputs it was given, so
// that a recording runs again bit for bit.
namespace stride {

// A controlled character and where it starts.
struct CharacterSetup {
  std::string character = "liu16";  // built-in name or MJCF file
  std::string controller = "hold";
  std::string skill;                 // built-in name or file; empty: none
  std::vector<std::string> motions;  // for the controller: names or files
  nlohmann::json controller_config = nlohmann::json::object();
  double x = 0, y = 0;  // m
  double heading = 0;   // rad; 0 where the ground is no plane
  std::vector<TimedCommand> commands;
};
inline constexpr std::size_t kMaxOthers = 63;

// A list of characters as JSON (docs/scenarios.md). Every key may be left out; with a skill the
// controller is "control_graph" unless given. Throws InputError.
std::vector<CharacterSetup> CharactersFromJson(const nlohmann::json& json,
                                               const std::string& source);
std::vector<CharacterSetup> ReadCharacters(const std::string& path);

struct RunSetup {
  std::string character = "liu16";  // built-in name or MJCF file
  std::string engine = "native";
  std::string controller = "hold";
  std::string skill;                 // built-in name or file; empty: none
  std::vector<std::string> motions;  // for the controller: names or files
  nlohmann::json controller_config = nlohmann::json::object();
  Scenario scenario;
  std::uint64_t seed = 0;
  // Further characters in the same world: actors 1, 2, ... Pushes, throws, loads and changes of the
  // scenario, its commands, its end and the metrics are about the first one, which starts at the
  // origin.
  std::vector<CharacterSetup> others;
};
// The first character and the others.
std::vector<CharacterSetup> CharactersOf(const RunSetup& setup);

nlohmann::ordered_json ToJson(const RunSetup& setup);
RunSetup RunSetupFromJson(const nlohmann::json& json, const std::string& source);

// What a person does to a live run. Recorded as events and replayed.
struct RunInput {
  enum class Kind { kPush, kThrow, kCommand, kFriction, kSlope };
  Kind kind = Kind::kPush;
  int actor = 0, body = 0;  // pushed or commanded
  Vec3d point;              // push: in the body's frame; throw: where it starts, world
  Vec3d vector;             // push: force, world, N; throw: velocity, m/s
  double duration = 0;      // push: s
  double mass = 1;          // throw: kg
  Command command;
  double value = 0;  // friction; slope, rad
};
nlohmann::ordered_json ToJson(const RunInput& input);
RunInput RunInputFromJson(const nlohmann::json& json);  // throws InputError

class Run {
 public:
  // Throws InputError for what does not exist or does not fit.
  explicit Run(const RunSetup& setup);
  ~Run();
  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;

  // Acts from the next step on, which reports it as an event. Friction and slope rebuild the
  // engine's world around its state; when the plane tilts, actors are lifted with it. A throw adds
  // a ball (event "actor"), 8 at most; then the one thrown longest ago is thrown again as it is.
  // Throws InputError: no such body, numbers out of range, a slope where the ground is no plane.
  void Apply(const RunInput& input);

  void Step();
  bool Finished()
      const;  // the scenario's seconds are over, the first fell (stop_at_fall) or failed
  // Of the first character unless another one is asked for.
  bool Fell(int actor = 0) const;
  bool Failed(int actor = 0) const;                   // the engine lost the character's numbers
  std::optional<double> FellAt(int actor = 0) const;  // first
  int Falls(int actor = 0) const;                     // more than one where it rises in between
  double Time() const;
  std::uint32_t StepCount() const;
  const RunSetup& Setup() const;
  const World& GetWorld() const;
  const State& ActorState(int actor = 0) const;
  const Command& CurrentCommand(int actor = 0) const;
  int CharacterCount() const;  // controlled: actors 0, 1, ...; then come balls
  const Controller& ControllerOf(int actor = 0) const;
  const std::vector<std::string>& Warnings() const;
  Metrics Measure() const;

  RecordingHeader Header() const;
  // What happened in the last step; `frame` keeps its memory.
  void ReadFrame(RecordedFrame* frame) const;
  // Events since the last call.
  std::vector<RecordedEvent> TakeEvents();

  // A copy that goes on exactly as this one would.
  Run Branch() const;

 private:
  struct Impl;
  explicit Run(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Runs a recording's setup with its inputs again and compares every frame. Empty if all are the
// same bit for bit; otherwise where and how they differ first.
std::string ReplayDifference(const Recording& recording);

}  // namespace stride
