#include "stride/motion/builtin/key_file.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stride/core/error.h"
#include "stride/core/json_text.h"

namespace stride {
namespace {

constexpr std::size_t kMaxKeys = 1000;

}  // namespace

KeyObject::KeyObject(const nlohmann::json& json, std::string file, std::string path)
    : json_(json), file_(std::move(file)), path_(std::move(path)) {
  if (!json_.is_object()) {
    throw InputError(file_, 0,
                     fmt::format("\"{}\" is {}; expected an object", path_, json_.type_name()));
  }
}

KeyObject KeyObject::Parse(const std::string& text, const std::string& file,
                           nlohmann::json* storage) {
  *storage = ParseJson(text, file, true);
  return {*storage, file, ""};
}

void KeyObject::Fail(const std::string& key, const std::string& message) const {
  throw InputError(file_, 0, fmt::format("\"{}{}\": {}", path_, key, message));
}

double KeyObject::Number(const char* key, double low, double high) const {
  if (!Has(key)) Fail(key, fmt::format("missing; expected a number from {} to {}", low, high));
  const nlohmann::json& value = json_.at(key);
  if (!value.is_number()) {
    Fail(key, fmt::format("{}; expected a number from {} to {}", value.type_name(), low, high));
  }
  const double number = value.get<double>();
  if (!(number >= low && number <= high)) {
    Fail(key, fmt::format("{}; expected {} to {}", number, low, high));
  }
  return number;
}

double KeyObject::Number(const char* key, double low, double high, double otherwise) const {
  return Has(key) ? Number(key, low, high) : otherwise;
}

bool KeyObject::Flag(const char* key, bool otherwise) const {
  if (!Has(key)) return otherwise;
  if (!json_.at(key).is_boolean()) Fail(key, "expected true or false");
  return json_.at(key).get<bool>();
}

std::string KeyObject::Text(const char* key) const {
  if (!Has(key) || !json_.at(key).is_string()) Fail(key, "expected a text");
  return json_.at(key).get<std::string>();
}

KeyList KeyObject::Keys(const char* key, double low_time, double high_time, double low,
                        double high) const {
  const auto expected = [&] {
    return fmt::format(
        "expected a list of [time, value], times ascending within {} to {}, values from {} to {}",
        low_time, high_time, low, high);
  };
  if (!Has(key) || !json_.at(key).is_array()) Fail(key, expected());
  const nlohmann::json& list = json_.at(key);
  if (list.empty() || list.size() > kMaxKeys) Fail(key, expected());
  KeyList keys;
  for (const nlohmann::json& pair : list) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number() || !pair[1].is_number()) {
      Fail(key, expected());
    }
    const double time = pair[0].get<double>(), value = pair[1].get<double>();
    const bool ascends = keys.empty() || time > keys.back().first + 1e-6;
    if (!ascends || !(time >= low_time && time <= high_time) || !(value >= low && value <= high)) {
      Fail(key, fmt::format("[{}, {}]; {}", time, value, expected()));
    }
    keys.emplace_back(time, value);
  }
  return keys;
}

std::vector<double> KeyObject::Numbers(const char* key, std::size_t count, double low,
                                       double high) const {
  const auto expected = [&] {
    return fmt::format("expected {} numbers from {} to {}", count, low, high);
  };
  if (!Has(key) || !json_.at(key).is_array() || json_.at(key).size() != count)
    Fail(key, expected());
  std::vector<double> numbers;
  for (const nlohmann::json& value : json_.at(key)) {
    if (!value.is_number() || !(value.get<double>() >= low && value.get<double>() <= high)) {
      Fail(key, expected());
    }
    numbers.push_back(value.get<double>());
  }
  return numbers;
}

KeyObject KeyObject::Object(const char* key) const {
  const std::string path = path_ + key + ".";
  return {Has(key) ? json_.at(key) : nlohmann::json::object(), file_, path};
}

std::vector<KeyObject> KeyObject::Objects(const char* key, std::size_t most) const {
  if (!Has(key)) return {};
  const nlohmann::json& list = json_.at(key);
  if (!list.is_array() || list.size() > most) {
    Fail(key, fmt::format("expected a list of at most {} objects", most));
  }
  std::vector<KeyObject> objects;
  for (std::size_t i = 0; i < list.size(); ++i) {
    objects.emplace_back(list[i], file_, fmt::format("{}{}[{}].", path_, key, i));
  }
  return objects;
}

std::vector<std::string> KeyObject::Names() const {
  std::vector<std::string> names;
  for (const auto& item : json_.items()) names.push_back(item.key());
  return names;
}

void KeyObject::AllowOnly(std::initializer_list<const char*> keys) const {
  for (const std::string& name : Names()) {
    if (std::find(keys.begin(), keys.end(), name) == keys.end()) {
      Fail(name, fmt::format("unknown key; expected one of {}", fmt::join(keys, ", ")));
    }
  }
}

}  // namespace stride
