// Any bytes: further characters of a run (--others) or one InputError; then a run's whole setup, as
// recordings hold it.
#include <cstddef>
#include <cstdint>
#include <string>

#include "stride/core/error.h"
#include "stride/core/json_text.h"
#include "stride/run/run_setup.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const nlohmann::json json =
        stride::ParseJson({reinterpret_cast<const char*>(data), size}, "fuzz");
    stride::RunSetup setup;
    if (json.is_array()) {
      setup.characters = stride::CharactersFromJson(json, "fuzz");
    } else {
      setup = stride::RunSetupFromJson(json, "fuzz");
    }
    stride::Validate(setup);
    const std::string text = stride::ToJson(setup).dump();
    STRIDE_CHECK(stride::ToJson(stride::RunSetupFromJson(stride::ParseJson(text, "again"), "again"))
                     .dump() == text);
  } catch (const stride::InputError&) {
  }
  return 0;
}
