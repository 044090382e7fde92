// Any bytes: a map from parts to the joints of a clip (--map) or one InputError.
#include <cstddef>
#include <cstdint>
#include <string>

#include "stride/character/library.h"
#include "stride/core/error.h"
#include "stride/motion/formats/export.h"
#include "stride/motion/import/skeleton_map.h"
#include "stride/motion/library.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const stride::Character kCharacter = stride::LoadCharacter("liu16");
  static const stride::SkeletonClip kClip = [] {
    stride::Motion walk = stride::LoadMotion("walk", kCharacter);
    walk.loops = false;
    walk.frames.resize(3);
    walk.contacts.resize(3);
    return stride::ClipFromMotion(walk, kCharacter);
  }();
  try {
    const std::string text(reinterpret_cast<const char*>(data), size);
    stride::ParseSkeletonMap(text, "fuzz", kClip);
  } catch (const stride::InputError&) {
  }
  return 0;
}
