#pragma once

#include <array>
#include <string>
#include <vector>

#include "stride/character/character.h"
#include "stride/motion/skeleton_clip.h"

// Which joint of a clip's skeleton moves which part of a human.
namespace stride {

struct SkeletonMap {
  std::string skeleton;  // name of the convention recognised, or of the map
  // Joint at the near end of each part (the thigh's is the hip), -1 where there is none.
  std::array<int, static_cast<int>(Role::kCount)> joints;

  int JointOf(Role role) const { return joints[static_cast<int>(role)]; }
};

// Names of the conventions that are recognised.
std::vector<std::string> SkeletonConventions();

// By the names of the joints, whatever their case, separators and name space
// ("mixamorig:LeftUpLeg"). The trunk is the joint above both arms. Throws InputError with the names
// found when hips, knees or ankles cannot be told.
SkeletonMap RecogniseSkeleton(const SkeletonClip& clip);

// {"skeleton": "mine", "joints": {"pelvis": "Bone01", "left_thigh": "Bone02", ...}}: keys are the
// roles' names (pelvis, trunk, head, left_thigh, left_shank, left_foot, left_toe, left_upper_arm,
// left_forearm, left_hand and the same on the right); pelvis, thighs, shanks and feet are required.
// Throws InputError.
SkeletonMap ParseSkeletonMap(const std::string& text, const std::string& file_name,
                             const SkeletonClip& clip);

}  // namespace stride
