#pragma once

#include <vector>

#include "stride/motion/kinematics.h"
#include "stride/motion/motion.h"

namespace stride {

// Gaussian low-pass filter of all coordinates without delay, -3 dB at `cutoff` Hz. At the ends the
// motion is continued by its point reflection, so that speeds there are kept.
void LowPass(const Kinematics& kinematics, double cutoff, double fps,
             std::vector<std::vector<double>>* frames);

// The motion at another rate, from its first frame on; labels are those of the nearest frame.
Motion Resampled(const Motion& motion, const Character& character, double fps);

}  // namespace stride
