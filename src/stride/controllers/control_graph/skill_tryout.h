#pragma once

#include "stride/controllers/control_graph/clip_skill.h"
#include "stride/scenario/metrics.h"

namespace stride {

// What a skill of one clip does when it is performed, undisturbed and uncommanded, in a lane.
struct SkillTryout {
  double seconds = 0;  // until the fall, or all that was asked for
  double speed = 0;    // m/s over ground, start to end of what was measured
  Metrics metrics;     // once it has settled
};
SkillTryout TryOut(const ClipSkill& skill, double seconds);

// The fastest of some rates, rad/s, at which trials that are told to turn by 90 to 180 degrees to
// either side, at any moment of a round, all stand; less a margin. 0: none of them.
double FindTurnRate(const ClipSkill& skill);

}  // namespace stride
