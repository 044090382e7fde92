#pragma once

#include <vector>

#include "stride/motion/motion.h"

// Blending of several clips, and cross-fades.
//
// Roots are blended by their ways and turns from frame to frame, each along the clip's own heading,
// and added up, so that clips that turn apart blend too. Joints are blended as rotations, feet as
// in foot_hold.h.
namespace stride {

// Clips of the same gait at different speeds or turns, or of different gaits. First registered in
// time: cut at the changes of foot contact, or if these differ (walk and run) at the landings, each
// piece of the result lasts the weighted mean of its counterparts. Loops that start at different
// places are started at the same landing first. The result starts where the first clip does and has
// its rate. `weights` are one a clip, not negative, and are scaled to a sum of one. Throws
// InputError if they are not, if rates differ, or if the clips' contacts do not follow each other
// in the same order.
Motion BlendClips(const Character& character, const std::vector<Motion>& clips,
                  std::vector<double> weights);

// Weights of clips with the given parameters for a wanted parameter: linear between the two
// neighbours, and the nearest one's beyond the ends.
std::vector<double> WeightsFor(const std::vector<double>& parameters, double wanted);

// Mean speed over the ground along the root's path from start to end, m/s.
double MeanSpeed(const Motion& motion);

// The weights with which BlendClips travels at that speed (m/s) over a straight line: WeightsFor
// gives another one, since slow clips last longer. Beyond the ends: the slowest or fastest clip.
std::vector<double> WeightsForSpeed(const std::vector<Motion>& clips, double speed);

// Plays a up to `frame_a` and b from `frame_b` on, with the two faded into each other over
// `seconds` around those frames (or as far as there are frames; without any as in seam.h); b is
// laid over a. Labels are those of the clip with the larger share.
Motion CrossFade(const Character& character, const Motion& a, int frame_a, const Motion& b,
                 int frame_b, double seconds);

}  // namespace stride
