#pragma once

#include <string>

#include "stride/motion/skeleton_clip.h"

// Comma-separated values for spreadsheets and scripts.
namespace stride {

// One row a frame: frame, time_s, then for every joint its position in the world (NAME.x_m, in
// metres; NAME.x_units where the clip does not know its unit) and its orientation in the world
// (NAME.qw ... NAME.qz), then the positions of its end sites (NAME.end1.x_m). Axes: Z up.
std::string WriteCsv(const SkeletonClip& clip);

}  // namespace stride
