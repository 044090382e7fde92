#pragma once

#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stride/core/error.h"

// Keys of the JSON of setups and inputs. All throw InputError with `source` and the key.
namespace stride {

inline const nlohmann::json& Need(const nlohmann::json& json, const char* key,
                                  const std::string& source) {
  if (!json.is_object()) throw InputError(source, 0, "expected an object");
  const auto found = json.find(key);
  if (found == json.end()) throw InputError(source, 0, fmt::format("'{}' is missing", key));
  return *found;
}

template <class Value>
Value Get(const nlohmann::json& json, const char* key, const std::string& source) {
  const nlohmann::json& value = Need(json, key, source);
  try {
    return value.get<Value>();
  } catch (const nlohmann::json::exception&) {
    throw InputError(source, 0, fmt::format("'{}' is {}, of the wrong type", key, value.dump()));
  }
}

}  // namespace stride
