// Any bytes as a message of the viewer: one of those there are, or one InputError.
#include <cstddef>
#include <cstdint>

#include "stride/app/live/live_message.h"
#include "stride/core/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    stride::ParseLiveMessage({reinterpret_cast<const char*>(data), size});
  } catch (const stride::InputError&) {
  }
  return 0;
}
