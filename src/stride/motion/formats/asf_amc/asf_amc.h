#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stride/motion/skeleton_clip.h"

// Acclaim skeleton (.asf) and motion (.amc), Y up, skeletons at rest face +Z.
//
// A bone turns about its start, which is its parent's end (direction times length); it becomes a
// joint of its own name there. With C the rotation of the bone's `axis` and M that of its degrees
// of freedom, its rotation is C M C^-1. Both turn about fixed axes in the order listed: "rx ry rz"
// is Rz Ry Rx. Lengths are divided by the `length` of `:units`.
namespace stride {

struct AsfBone {
  std::string name;
  int parent = -1;  // index in Asf::bones; the root is bone 0
  Vec3d tail;       // from its start to its end at rest, file's axes, unscaled
  Quatd axis = Quatd::Identity();
  std::vector<Channel> dofs;  // in the order of the motion file's numbers; positions: root only
};

struct Asf {
  std::string file;
  double length_unit = 1;
  bool degrees = true;
  Vec3d root_position;         // added to the motion's, file's axes, unscaled
  std::vector<AsfBone> bones;  // depth-first
};

// `file` names the text in errors. All throw InputError.
Asf ReadAsf(std::string_view text, const std::string& file);
// AMC files do not state their rate.
SkeletonClip ReadAmc(std::string_view text, const std::string& file, const Asf& skeleton,
                     double fps = 120);
// With an empty asf_path the skeleton is looked for beside the motion: "07.asf" or "07_01.asf" for
// "07_01.amc", else the only .asf in the folder.
SkeletonClip ReadAmcFile(const std::string& amc_path, const std::string& asf_path = "",
                         double fps = 120);

}  // namespace stride
