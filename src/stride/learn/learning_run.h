#pragma once

#include <functional>
#include <string>
#include <vector>

#include "stride/learn/learning_job.h"

// A learning job from its beginning, or from its checkpoint, to its end: a checkpoint and a history
// after every iteration (of quick ones, every second), progress, and a clean stop.
namespace stride {

struct LearningRunOptions {
  std::string out;
  std::vector<std::string> others;  // files that the method writes besides
  bool resume = false;              // go on from OUT.checkpoint if there is one
  bool quiet = false;
  // GivenOptions(): a run with others does not go on.
  nlohmann::ordered_json given = nlohmann::ordered_json::object();
  std::function<bool()> stop;  // asked often; true: stop with the last checkpoint
  // Throws InputError if a file of that name is not to be overwritten: asked where OUT exists, on
  // a resume too.
  std::function<void(const std::string& out)> check_existing;
};

struct LearningOutcome {
  bool stopped = false;
  bool leader = true;       // the others of an MPI run print nothing
  double wall_seconds = 0;  // of this run; a resumed one did not do all
  double lane_steps_per_second = 0;
  int iterations = 0, threads = 1, ranks = 1;
  LearningResult result;  // empty if it was stopped
};

// Writes OUT, OUT.checkpoint and OUT.history.jsonl on the leader, to which they belong as long as
// it runs. Throws InputError: before the work where they cannot be written or another run is at
// them.
LearningOutcome RunToEnd(const LearningRunOptions& options, const Workers& workers,
                         LearningJob* job);

// The options of the method that decide what is learned, by name: what was given, and a hash of its
// contents where that names a file.
nlohmann::ordered_json GivenOptions(const LearningMethod& method, const LearningRequest& request);

// What the outcome says for machines: the run's own numbers, then the method's.
nlohmann::ordered_json ToJson(const LearningOutcome& outcome);

}  // namespace stride
