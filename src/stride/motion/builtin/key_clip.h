#pragma once

#include "stride/motion/builtin/human_rig.h"
#include "stride/motion/builtin/key_file.h"
#include "stride/motion/motion.h"

namespace stride {

// A motion from key poses: joint angles, a path of the centre of mass, and where hands and feet
// stand.
//
// Times are those of a human whose hips are 0.92 m above the ground and grow with the root of leg
// length. In flight, when nothing stands, the centre of mass follows the parabola that joins
// take-off and landing, and the body turns with constant angular momentum: slowly when stretched,
// fast when tucked.
Motion MakeKeyClip(const KeyObject& file, const HumanRig& rig);

}  // namespace stride
