#pragma once

#include <string>
#include <string_view>

#include "stride/motion/skeleton_clip.h"

// glTF 2.0, text (.gltf) or binary (.glb). Metres, Y up, facing +Z.
namespace stride {

struct GltfReadOptions {
  int animation = 0;   // which of the file's animations
  double fps = 0;      // 0: the rate of the densest keys if there are ten or more a second, else 30
  std::string folder;  // where external buffers are; empty: they are an error
};

// The joints are those of the skin that the animation moves (without skin: the moved nodes) and the
// nodes between them; unmoved nodes above are folded into the root, leaf nodes without mesh become
// end sites. Scale is folded into the offsets. `file` names the bytes in errors. Throws InputError.
SkeletonClip ReadGltf(std::string_view bytes, const std::string& file,
                      const GltfReadOptions& options = {});

// A binary file: node hierarchy, animation, and a skin whose mesh has an octahedron for every bone.
// Lengths become metres where the clip knows its unit.
std::string WriteGlb(const SkeletonClip& clip);

}  // namespace stride
