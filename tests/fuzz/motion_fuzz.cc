// Any bytes: a motion or one InputError. A motion that was read survives being checked against a
// character.
#include <cstddef>
#include <cstdint>
#include <string>

#include "stride/character/library.h"
#include "stride/core/error.h"
#include "stride/motion/motion.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const stride::Character kCharacter = stride::LoadCharacter("snake");
  try {
    const stride::Motion motion =
        stride::ParseMotion(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
    Validate(motion, kCharacter);
    stride::SampleState(motion, kCharacter, 0.01);
  } catch (const stride::InputError&) {
  }
  return 0;
}
