#include "stride/draw/plot.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

#include "stride/core/error.h"

namespace stride {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kKinds[] = {"lines", "polar", "bars"};

Json NumbersToJson(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double v : values) list.push_back(std::isfinite(v) ? Json(v) : Json(nullptr));
  return list;
}

// What a plot of a file must hold; `where` names the file and the place.
const nlohmann::json& Member(const nlohmann::json& json, const char* key,
                             const std::string& where) {
  if (!json.is_object() || !json.contains(key)) {
    throw InputError(
        fmt::format("{}: no '{}'; expected a plot as `reproduce` writes it", where, key));
  }
  return json[key];
}
std::string TextMember(const nlohmann::json& json, const char* key, const std::string& where) {
  const nlohmann::json& value = Member(json, key, where);
  if (!value.is_string()) throw InputError(fmt::format("{}: '{}' is no text", where, key));
  return value.get<std::string>();
}
std::vector<double> NumbersMember(const nlohmann::json& json, const char* key,
                                  const std::string& where) {
  const nlohmann::json& list = Member(json, key, where);
  std::vector<double> values;
  if (!list.is_array()) throw InputError(fmt::format("{}: '{}' is no list", where, key));
  for (const nlohmann::json& v : list) {
    if (!v.is_number() && !v.is_null()) {
      throw InputError(fmt::format("{}: '{}' holds what is no number", where, key));
    }
    values.push_back(v.is_null() ? std::numeric_limits<double>::quiet_NaN() : v.get<double>());
  }
  return values;
}

// Length of the UTF-8 sequence at `text[i]`, 0 if it is none.
std::size_t SequenceLength(const std::string& text, std::size_t i) {
  const auto byte = [&](std::size_t k) {
    return k < text.size() ? static_cast<std::uint8_t>(text[k]) : std::uint8_t{0};
  };
  const std::uint8_t first = byte(i), second = byte(i + 1);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xc0) != 0x80) return 0;
  }
  // Too long forms, surrogates, and what lies beyond the last code point.
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
      (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f)) {
    return 0;
  }
  return length;
}

}  // namespace

nlohmann::ordered_json ToJson(const Plot& plot) {
  Json json = {{"kind", kKinds[static_cast<int>(plot.kind)]},
               {"title", plot.title},
               {"x_label", plot.x_label},
               {"y_label", plot.y_label},
               {"log_y", plot.log_y},
               {"zero_y", plot.zero_y},
               {"categories", plot.categories},
               {"series", Json::array()}};
  for (const Series& series : plot.series) {
    Json item = {
        {"name", series.name}, {"x", NumbersToJson(series.x)}, {"y", NumbersToJson(series.y)}};
    if (!series.low.empty()) {
      item["low"] = NumbersToJson(series.low);
      item["high"] = NumbersToJson(series.high);
    }
    json["series"].push_back(std::move(item));
  }
  return json;
}

Plot PlotFromJson(const nlohmann::json& json, const std::string& source) {
  Plot plot;
  const std::string kind = TextMember(json, "kind", source);
  int index = 0;
  while (index < 3 && kind != kKinds[index]) ++index;
  if (index == 3) {
    throw InputError(fmt::format("{}: kind '{}'; expected lines, polar or bars", source, kind));
  }
  plot.kind = static_cast<Plot::Kind>(index);
  plot.title = TextMember(json, "title", source);
  plot.x_label = TextMember(json, "x_label", source);
  plot.y_label = TextMember(json, "y_label", source);
  plot.log_y = Member(json, "log_y", source) == true;
  plot.zero_y = Member(json, "zero_y", source) == true;
  for (const nlohmann::json& name : Member(json, "categories", source)) {
    if (!name.is_string()) throw InputError(source + ": 'categories' holds what is no text");
    plot.categories.push_back(name.get<std::string>());
  }
  for (const nlohmann::json& item : Member(json, "series", source)) {
    Series series = {TextMember(item, "name", source), NumbersMember(item, "x", source),
                     NumbersMember(item, "y", source)};
    const std::size_t expected =
        plot.kind == Plot::Kind::kBars ? plot.categories.size() : series.x.size();
    if (series.y.size() != expected) {
      throw InputError(fmt::format("{}: series '{}' has {} values; expected {}", source,
                                   series.name, series.y.size(), expected));
    }
    if (item.contains("low") || item.contains("high")) {
      series.low = NumbersMember(item, "low", source);
      series.high = NumbersMember(item, "high", source);
      if (plot.kind != Plot::Kind::kLines || series.low.size() != expected ||
          series.high.size() != expected) {
        throw InputError(
            fmt::format("{}: band of series '{}' has {} and {} values; expected {}, "
                        "in a plot of lines",
                        source, series.name, series.low.size(), series.high.size(), expected));
      }
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

std::string NumberText(double value) {
  if (!std::isfinite(value)) return "–";
  const double size = std::fabs(value);
  if (size >= 1e9 || (size > 0 && size < 1e-4)) return fmt::format("{:.3g}", value);
  if (size < 999.5) {
    return value == std::round(value) ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
  }
  std::string digits = fmt::format("{:.0f}", size);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) digits.insert(at, ",");
  return (value < 0 ? "-" : "") + digits;
}

std::string EscapeMarkup(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = SequenceLength(text, i);
    const char c = text[i];
    if (length == 0 ||
        (length == 1 && (c == 0x7f || (c >= 0 && c < ' ' && c != '\n' && c != '\t')))) {
      out += "\xef\xbf\xbd";
      ++i;
      continue;
    }
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out.append(text, i, length);
    }
    i += length;
  }
  return out;
}

}  // namespace stride
