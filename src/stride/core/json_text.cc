#include "stride/core/json_text.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "stride/core/error.h"

namespace stride {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t kMaxTextMegabytes = 64;
constexpr int kMaxKeys = 512;

}  // namespace

int LineAt(std::string_view text, std::size_t position) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(position, text.size()));
  return 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
}

void CheckJsonDepth(int depth, const std::string& source) {
  if (depth <= kMaxJsonDepth) return;
  throw InputError(source, 0, fmt::format("holds JSON nested deeper than {}", kMaxJsonDepth));
}

Json ParseJson(std::string_view text, const std::string& file, bool comments) {
  if (text.size() > kMaxTextMegabytes << 20) {
    throw InputError(
        file, 0,
        fmt::format("holds more than {} MB of JSON; expected a few MB at most", kMaxTextMegabytes));
  }
  const auto bounded = [&](int depth, Json::parse_event_t, Json&) {
    CheckJsonDepth(depth, file);
    return true;
  };
  try {
    return Json::parse(text, bounded, true, comments);
  } catch (const Json::parse_error& error) {
    throw InputError(
        file, LineAt(text, error.byte),
        "is not valid JSON here; is it cut short, or does it hold a number such as NaN?");
  } catch (const Json::exception&) {
    throw InputError(file, 0, "is not valid JSON; a number is out of range");
  }
}

OrderedJson ParseBoundedJson(std::string_view text, const std::string& source) {
  if (text.size() > kMaxJsonBytes) {
    throw InputError(
        source, 0,
        fmt::format("holds {:.3g} MiB of JSON in one piece; expected at most {}",
                    static_cast<double>(text.size()) / (1 << 20), kMaxJsonBytes >> 20));
  }
  std::vector<int> keys;  // of the objects that are open
  const auto bounded = [&](int depth, OrderedJson::parse_event_t event, OrderedJson&) {
    CheckJsonDepth(depth, source);
    if (event == OrderedJson::parse_event_t::object_start) keys.push_back(0);
    if (event == OrderedJson::parse_event_t::object_end) keys.pop_back();
    if (event == OrderedJson::parse_event_t::key && ++keys.back() > kMaxKeys) {
      throw InputError(source, 0,
                       fmt::format("holds a JSON object of more than {} keys", kMaxKeys));
    }
    return true;
  };
  try {
    return OrderedJson::parse(text, bounded);
  } catch (const OrderedJson::exception&) {
    throw InputError(source, 0, "holds something that is not valid JSON");
  }
}

std::string ToUtf8(const std::string& text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace stride
