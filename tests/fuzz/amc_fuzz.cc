// Any bytes, the skeleton and the motion parted by a line "====": a clip or one InputError.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "stride/core/error.h"
#include "stride/motion/formats/asf_amc/asf_amc.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t border = text.find("\n====\n");
  if (border == std::string_view::npos) return 0;
  try {
    const stride::Asf skeleton = stride::ReadAsf(text.substr(0, border + 1), "fuzz.asf");
    stride::ReadAmc(text.substr(border + 6), "fuzz.amc", skeleton);
  } catch (const stride::InputError&) {
  }
  return 0;
}
