#include "stride/motion/formats/json_text.h"

#include <algorithm>

#include "stride/core/error.h"

namespace stride {

int LineAt(std::string_view text, std::size_t position) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(position, text.size()));
  return 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
}

nlohmann::json ParseJson(std::string_view text, const std::string& file) {
  if (text.size() > std::size_t{64} << 20) {
    throw InputError(file, 0, "holds more than 64 MB of JSON; expected a motion of a few MB");
  }
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    throw InputError(
        file, LineAt(text, error.byte),
        "is not valid JSON here; is it cut short, or does it hold a number such as NaN?");
  } catch (const nlohmann::json::exception&) {
    throw InputError(file, 0, "is not valid JSON; a number is out of range");
  }
}

std::string ToUtf8(const std::string& text) {
  using nlohmann::json;
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace));
}

}  // namespace stride
