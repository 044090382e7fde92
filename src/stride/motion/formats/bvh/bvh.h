#pragma once

#include <string>
#include <string_view>

#include "stride/motion/skeleton_clip.h"

// Biovision hierarchy. Angles in degrees, lengths in any unit, Y up, skeletons at rest face +Z.
//
// A joint's rotation is the product of its channels' rotations as listed, applied to column
// vectors: "Zrotation Xrotation Yrotation" is Rz Rx Ry. Position channels replace the OFFSET (as
// the tools that write them assume), axis by axis; the OFFSET stays where an axis has no channel.
namespace stride {

// `file` names the text in errors. Throws InputError.
SkeletonClip ReadBvh(std::string_view text, const std::string& file);

struct BvhOptions {
  int decimals = 6;  // of offsets, positions and angles
};
// Every joint keeps its channels, except that rotation channels are added to a joint that could not
// be expressed otherwise. Angles run on from frame to frame instead of jumping by 360 degrees.
std::string WriteBvh(const SkeletonClip& clip, const BvhOptions& options = {});

}  // namespace stride
