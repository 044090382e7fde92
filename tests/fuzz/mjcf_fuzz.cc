#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "stride/character/mjcf.h"
#include "stride/core/error.h"

namespace stride {
namespace {

// What was read can be written, and that can be read. Absurd sizes may leave the range of numbers.
void CheckRoundTrip(const Character& character) {
  try {
    const Character again = ParseMjcf(WriteMjcf(character), "again.xml", "").character;
    if (again.BodyCount() != character.BodyCount() || again.roles != character.roles ||
        again.contact_points != character.contact_points) {
      std::abort();
    }
  } catch (const InputError& error) {
    if (std::string_view(error.what()).find("too large") == std::string_view::npos) std::abort();
  }
}

}  // namespace
}  // namespace stride

// Any bytes: a character or an InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  stride::Character character;
  try {
    const std::string text(reinterpret_cast<const char*>(data), size);
    character = stride::ParseMjcf(text, "fuzz.xml", "").character;
  } catch (const stride::InputError&) {
    return 0;
  }
  stride::CheckRoundTrip(character);
  return 0;
}
