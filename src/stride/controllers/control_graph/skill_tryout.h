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

// How fast it is led into a turn, up to which feedback, and how large it is shown what is left
// (`turn_rate`, `turn_action`, `turn_shown`): of those with which trials that are told to turn by
// 45 to 180 degrees to either side, at any moment of a round, all stand, the ones that have turned
// soonest; bolder ones only if they bear pushes on the way too. A rate of 0: none of them.
void FindTurns(ClipSkill* skill);

}  // namespace stride
