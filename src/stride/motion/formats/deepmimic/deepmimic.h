#pragma once

#include <string>
#include <string_view>

#include "stride/motion/skeleton_clip.h"

// The humanoid motions of DeepMimic (Peng et al. 2018): JSON with "Loop" and "Frames", rows of 44
// numbers on one fixed skeleton. Metres, Y up, facing +X, right +Z.
namespace stride {

// Quaternions are normalised (files hold hand-edited ones) and rows of different duration resampled
// to a constant rate. `file` names the text in errors. Throws InputError.
SkeletonClip ReadDeepMimic(std::string_view text, const std::string& file);

}  // namespace stride
