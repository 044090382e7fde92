#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stride/control/controller.h"
#include "stride/record/recording.h"
#include "stride/run/run_input.h"
#include "stride/run/run_setup.h"
#include "stride/scenario/metrics.h"
#include "stride/sim/engine.h"

// One simulation of a character, or several, under a scenario, step by step: behind `simulate`,
// `reproduce` and the live viewer. A pure function of its setup and of the inputs it was given, so
// that a recording runs again bit for bit.
namespace stride {

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
  // The scenario's seconds are over, actor 0 failed, or it fell and the scenario stops at a fall.
  bool Finished() const;
  // Of actor 0 unless another one is asked for.
  bool Fell(int actor = 0) const;
  bool Lies(int actor = 0) const;                     // fell, and is not up again for a second
  bool Failed(int actor = 0) const;                   // the engine lost the character's numbers
  std::optional<double> FellAt(int actor = 0) const;  // first
  int Falls(int actor = 0) const;                     // more than one where it rises in between
  int Recoveries(int actor = 0) const;                // of those falls: up again, and for a second
  double Time() const;
  std::uint32_t StepCount() const;
  const RunSetup& Setup() const;
  const World& GetWorld() const;
  const State& ActorState(int actor = 0) const;
  const Command& CurrentCommand(int actor = 0) const;
  int CharacterCount() const;  // controlled: actors 0, 1, ...; then come balls
  const Controller& ControllerOf(int actor = 0) const;
  const std::vector<std::string>& Warnings() const;
  // Commands of the setup that a controller does not take up at all, and why.
  const std::vector<std::string>& Unobeyed() const;
  Metrics Measure(int actor = 0) const;  // until it fell or failed

  RecordingHeader Header() const;  // without sources
  // What its names stand for, for a recording that is to run anywhere.
  std::vector<RecordedSource> Sources() const;
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
