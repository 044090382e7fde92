#include "stride/core/config.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stride/core/error.h"
#include "stride/core/nearest.h"

namespace stride {

ConfigField& ConfigVisitor::Add(const char* name, const char* help) {
  ConfigField& field = fields.emplace_back();
  field.key = prefix_ + name;
  field.help = help;
  return field;
}
void ConfigVisitor::operator()(const char* name, double& value, const ConfigRange& range,
                               const char* help) {
  ConfigField& field = Add(name, help);
  field.value = &value;
  field.range = range;
}
void ConfigVisitor::operator()(const char* name, int& value, const ConfigRange& range,
                               const char* help) {
  ConfigField& field = Add(name, help);
  field.value = &value;
  field.range = range;
}
void ConfigVisitor::operator()(const char* name, bool& value, const char* help) {
  Add(name, help).value = &value;
}
void ConfigVisitor::operator()(const char* name, std::string& value,
                               const std::vector<std::string>& choices, const char* help) {
  ConfigField& field = Add(name, help);
  field.value = &value;
  field.choices = choices;
}

namespace config_internal {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

std::string Expected(const ConfigField& field) {
  if (std::holds_alternative<bool*>(field.value)) return "true or false";
  if (std::holds_alternative<std::string*>(field.value)) {
    return field.choices.empty() ? "text"
                                 : fmt::format("one of: {}", fmt::join(field.choices, ", "));
  }
  std::string text = std::holds_alternative<int*>(field.value) ? "a whole number" : "a number";
  const ConfigRange &range = field.range, open;
  if (range.min != open.min && range.max != open.max) {
    text += fmt::format(" from {} to {}", range.min, range.max);
  } else if (range.min != open.min) {
    text += fmt::format(" of at least {}", range.min);
  } else if (range.max != open.max) {
    text += fmt::format(" of at most {}", range.max);
  }
  return range.unit.empty() ? text : text + " (" + range.unit + ")";
}

[[noreturn]] void Refuse(std::string_view source, const ConfigField& field,
                         std::string_view found) {
  throw InputError(source, 0,
                   fmt::format("{} is {}; expected {}", field.key, found, Expected(field)));
}

const ConfigField& Find(const ConfigFields& fields, std::string_view source, std::string_view key) {
  std::vector<std::string> keys;
  for (const ConfigField& field : fields) {
    if (field.key == key) return field;
    keys.push_back(field.key);
  }
  throw InputError(source, 0, NotAmong("setting", key, keys));
}

// A NaN is out of every range.
bool InRange(const ConfigField& field, double value) {
  return value >= field.range.min && value <= field.range.max;
}

void Assign(const ConfigField& field, std::string_view source, const Json& json) {
  if (double* const* number = std::get_if<double*>(&field.value)) {
    if (!json.is_number() || !InRange(field, json.get<double>()))
      Refuse(source, field, json.dump());
    **number = json.get<double>();
  } else if (int* const* whole = std::get_if<int*>(&field.value)) {
    constexpr double kLargest = std::numeric_limits<int>::max();
    const double value = json.is_number() ? json.get<double>() : 0.5;
    if (value != std::floor(value) || std::fabs(value) > kLargest || !InRange(field, value)) {
      Refuse(source, field, json.dump());
    }
    **whole = static_cast<int>(value);
  } else if (bool* const* flag = std::get_if<bool*>(&field.value)) {
    if (!json.is_boolean()) Refuse(source, field, json.dump());
    **flag = json.get<bool>();
  } else {
    const std::vector<std::string>& choices = field.choices;
    if (!json.is_string() ||
        (!choices.empty() && std::find(choices.begin(), choices.end(), json) == choices.end())) {
      Refuse(source, field, json.dump());
    }
    *std::get<std::string*>(field.value) = json.get<std::string>();
  }
}

void AssignAll(const ConfigFields& fields, const Json& json, std::string_view source,
               const std::string& prefix) {
  if (!json.is_object()) {
    throw InputError(source, 0,
                     fmt::format("{} is {}; expected an object of settings",
                                 prefix.empty() ? "the config" : prefix, json.dump()));
  }
  for (const auto& [name, value] : json.items()) {
    const std::string key = prefix.empty() ? name : prefix + "." + name;
    const bool group = std::any_of(fields.begin(), fields.end(), [&](const ConfigField& field) {
      return field.key.starts_with(key + ".");
    });
    if (group) {
      AssignAll(fields, value, source, key);
    } else {
      Assign(Find(fields, source, key), source, value);
    }
  }
}

}  // namespace

OrderedJson ToJson(const ConfigFields& fields) {
  OrderedJson json = OrderedJson::object();
  for (const ConfigField& field : fields) {
    std::string path = "/" + field.key;
    std::replace(path.begin(), path.end(), '.', '/');
    std::visit([&](const auto* value) { json[OrderedJson::json_pointer(path)] = *value; },
               field.value);
  }
  return json;
}

void FromJson(const ConfigFields& fields, const Json& json, std::string_view source) {
  AssignAll(fields, json, source, "");
}

void Set(const ConfigFields& fields, std::string_view assignment) {
  constexpr std::string_view kSource = "--set";
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    throw InputError(kSource, 0, fmt::format("got '{}'; expected key=value", assignment));
  }
  const ConfigField& field = Find(fields, kSource, assignment.substr(0, equals));
  const std::string_view text = assignment.substr(equals + 1);
  if (std::holds_alternative<std::string*>(field.value)) return Assign(field, kSource, text);
  if (text == "true" || text == "false") return Assign(field, kSource, text == "true");
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    Refuse(kSource, field, fmt::format("'{}'", text));
  }
  Assign(field, kSource, number);
}

OrderedJson Schema(const ConfigFields& fields) {
  OrderedJson schema = OrderedJson::object();
  const ConfigRange open;
  for (const ConfigField& field : fields) {
    OrderedJson entry;
    constexpr const char* kTypes[] = {"number", "integer", "boolean", "string"};
    entry["type"] = kTypes[field.value.index()];
    std::visit([&](const auto* value) { entry["default"] = *value; }, field.value);
    if (field.range.min != open.min) entry["min"] = field.range.min;
    if (field.range.max != open.max) entry["max"] = field.range.max;
    if (!field.range.unit.empty()) entry["unit"] = field.range.unit;
    if (!field.choices.empty()) entry["choices"] = field.choices;
    entry["help"] = field.help;
    schema[field.key] = std::move(entry);
  }
  return schema;
}

}  // namespace config_internal
}  // namespace stride
