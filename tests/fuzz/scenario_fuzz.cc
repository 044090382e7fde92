// Any bytes: a scenario or one InputError. What is read is valid, and is written and read again as
// the same; deep nesting is refused before anything walks it.
#include <cstddef>
#include <cstdint>
#include <string>

#include "stride/core/error.h"
#include "stride/core/json_text.h"
#include "stride/scenario/scenario.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const stride::Scenario scenario = stride::ScenarioFromJson(
        stride::ParseJson({reinterpret_cast<const char*>(data), size}, "fuzz"), "fuzz");
    stride::Validate(scenario);
    const std::string text = stride::ToJson(scenario).dump();
    STRIDE_CHECK(stride::ToJson(stride::ScenarioFromJson(stride::ParseJson(text, "again"), "again"))
                     .dump() == text);
  } catch (const stride::InputError&) {
  }
  return 0;
}
