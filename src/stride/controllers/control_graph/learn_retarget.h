#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stride/controllers/control_graph/learn_skill.h"
#include "stride/scenario/scenario.h"

// A skill learned again on another body, beginning with what it knows (liu16, Section 6.1): behind
// `stride learn retarget`.
namespace stride {

struct LearnRetargetRequest {
  ClipSkill skill;        // of one clip
  std::string character;  // with the same joints; empty: that of the skill
  std::vector<BodyChange> changes;
  std::string name;
  LearnOptions options;  // those that say how clips are cut are the skill's
  std::uint64_t seed = 0;
  std::string out;
};

// Throws InputError: a body with other joints, a graph of clips.
std::unique_ptr<LearningJob> MakeRetargetJob(const LearnRetargetRequest& request,
                                             const Workers& workers,
                                             std::vector<std::string>* warnings);
LearningOutcome LearnRetarget(const LearnRetargetRequest& request, const LearningRunOptions& run,
                              int threads);
LearningMethod RetargetMethod();

// The clip on a body with the same joints: the same angles, its way scaled with the height of the
// root. Throws InputError.
Motion OntoBody(const Motion& motion, const Character& from, const Character& to);

}  // namespace stride
