#pragma once

#include "stride/motion/motion.h"

namespace stride {

// A symmetric gait from a loop: its first half and that half's mirror image, joined to a loop
// (liu16, Section 6.1). The halves should begin with opposite feet; FindCycle and StartLoopAt help.
// Throws InputError if the motion is no loop or the character's sides differ.
Motion MakeSymmetric(const Character& character, const Motion& loop);

// Mean over the joints (not the root) of the angle between two poses, rad: how alike they are.
double MeanJointAngle(const Character& character, const std::vector<double>& a,
                      const std::vector<double>& b);

}  // namespace stride
