// Any bytes: a clip or one InputError. A clip that was read can be written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "stride/core/error.h"
#include "stride/motion/formats/bvh/bvh.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  stride::SkeletonClip clip;
  try {
    clip = stride::ReadBvh({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const stride::InputError&) {
    return 0;
  }
  const stride::SkeletonClip again = stride::ReadBvh(stride::WriteBvh(clip), "again");
  if (again.JointCount() != clip.JointCount() || again.FrameCount() != clip.FrameCount())
    std::abort();
  return 0;
}
