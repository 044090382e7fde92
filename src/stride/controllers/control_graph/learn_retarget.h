#pragma once

#include <string>
#include <vector>

#include "stride/controllers/control_graph/learn_skill.h"
#include "stride/scenario/scenario.h"

// A skill learned again on another body, beginning with what it knows (liu16, Section 6.1): behind
// `stride learn retarget`.
namespace stride {

struct LearnRetargetRequest {
  std::string skill;      // a built-in name or a file, of one clip
  std::string character;  // with the same joints; empty: that of the skill
  std::vector<BodyChange> changes;
  std::string out, name;
  bool resume = false;
  LearnOptions options;  // those that say how clips are cut are the skill's
  std::uint64_t seed = 0;
  int threads = 0;
  std::function<bool()> stop;
  bool quiet = false;
};

// Throws InputError: a body with other joints, a graph of clips, a checkpoint of another run.
LearnSkillResult LearnRetarget(const LearnRetargetRequest& request);

// The clip on a body with the same joints: the same angles, its way scaled with the height of the
// root. Throws InputError.
Motion OntoBody(const Motion& motion, const Character& from, const Character& to);

}  // namespace stride
