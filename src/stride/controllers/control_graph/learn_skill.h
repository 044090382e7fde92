#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "stride/controllers/control_graph/clip_skill.h"
#include "stride/controllers/control_graph/learner.h"
#include "stride/learn/learning_job.h"
#include "stride/learn/learning_run.h"
#include "stride/motion/import/motion_source.h"

// From a clip to a skill: behind `stride learn skill`.
namespace stride {

enum class Symmetry { kAuto, kYes, kNo };

struct LearnSkillRequest {
  std::string clip;                 // as LoadAnyMotion takes it
  CaptureOptions capture;           // what of it to take
  std::string character = "liu16";  // built-in name or MJCF file
  std::string name;                 // empty: the clip's
  // Walking and running: half a cycle and its mirror image are the clip, and share policies.
  Symmetry symmetry = Symmetry::kAuto;
  LearnOptions options;
  std::uint64_t seed = 0;
  std::string out;
};

// The learner as a job that ends with a skill. `skill`: all of it but what is learned.
std::unique_ptr<LearningJob> MakeSkillJob(const ClipSkill& skill, const LearnOptions& options,
                                          std::uint64_t seed, const Workers& workers,
                                          const LearnStart& start, const std::string& out);

// Throws InputError: bad input.
std::unique_ptr<LearningJob> MakeSkillJob(const LearnSkillRequest& request, const Workers& workers,
                                          std::vector<std::string>* warnings);

// All of it in one call, for experiments and measurements.
LearningOutcome LearnSkill(const LearnSkillRequest& request, const LearningRunOptions& run,
                           int threads);

// What of a capture a user asked for: --range, --fps, --loop, --in-place.
CaptureOptions CaptureOf(const LearningRequest& request);
std::vector<LearningOption> CaptureOptionList();
LearningMethod SkillMethod();

}  // namespace stride
