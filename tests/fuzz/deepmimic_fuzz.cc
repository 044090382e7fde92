// Any bytes: a clip or one InputError.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "stride/core/error.h"
#include "stride/motion/formats/deepmimic/deepmimic.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    stride::ReadDeepMimic({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const stride::InputError&) {
  }
  return 0;
}
