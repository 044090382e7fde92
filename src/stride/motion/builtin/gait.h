#pragma once

#include "stride/motion/builtin/human_rig.h"
#include "stride/motion/builtin/key_file.h"
#include "stride/motion/motion.h"

namespace stride {

// A walk or run, one stride from left foot strike to left foot strike, as a loop.
//
// The file gives joint angles over the cycle as gait laboratories publish them, and what the body
// does with speed and cadence. Legs of another length walk the dynamically similar gait: lengths
// grow with the leg, times with its square root (equal Froude number). The stance foot rolls over
// heel, sole and ball without slipping; the height of the pelvis is what the stance leg's published
// knee angle asks for; in a run the centre of mass flies in a parabola between stances.
Motion MakeGait(const KeyObject& file, const HumanRig& rig);

}  // namespace stride
