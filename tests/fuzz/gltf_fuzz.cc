// Any bytes: a clip or one InputError. A clip that was read can be written.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "stride/core/error.h"
#include "stride/motion/formats/gltf/gltf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  stride::SkeletonClip clip;
  try {
    clip = stride::ReadGltf({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const stride::InputError&) {
    return 0;
  }
  // Long clips would only make the fuzzer slow.
  if (clip.rotations.size() < 4096 && stride::WriteGlb(clip).empty()) std::abort();
  return 0;
}
