#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/controllers/control_graph/learner.h"
#include "stride/motion/import/motion_source.h"

// From a clip to a skill file: behind `stride learn`.
namespace stride {

enum class Symmetry { kAuto, kYes, kNo };

struct LearnSkillRequest {
  std::string clip;                 // as LoadAnyMotion takes it
  CaptureOptions capture;           // what of it to take
  std::string character = "liu16";  // built-in name or MJCF file
  std::string out;   // the skill file; beside it OUT.checkpoint and OUT.history.jsonl
  std::string name;  // empty: the clip's
  bool resume = false;
  // Walking and running: half a cycle and its mirror image are the clip, and share policies.
  Symmetry symmetry = Symmetry::kAuto;
  LearnOptions options;
  std::uint64_t seed = 0;
  int threads = 0;
  std::function<bool()> stop;  // asked often; true: stop with the last checkpoint
  bool quiet = false;
};

struct LearnSkillResult {
  bool stopped = false;
  bool leader = true;  // the others of an MPI run print nothing
  std::string clip, character, out;
  std::uint64_t seed = 0;
  double wall_seconds = 0;  // of this run; a resumed one did not do all
  double lane_steps_per_second = 0;
  int iterations = 0, threads = 1, ranks = 1;
  bool symmetric = false;
  nlohmann::ordered_json metrics, settings;
  std::vector<std::string> warnings;
};

// What a run of the learner says about itself, and what the skill can do, over 32 lanes.
struct LearningRun;
void FillResult(const LearningRun& run, const Learner& learner, const Workers& workers,
                std::uint64_t seed, LearnSkillResult* result);
nlohmann::ordered_json MeasureSkill(const Learner& learner);

// Throws InputError: bad input, a checkpoint of another run. Files appear whole or not at all.
LearnSkillResult LearnSkill(const LearnSkillRequest& request);
nlohmann::ordered_json ToJson(const LearnSkillResult& result);

}  // namespace stride
