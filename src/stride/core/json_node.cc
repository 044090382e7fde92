#include "stride/core/json_node.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stride/core/error.h"

namespace stride {

using Json = nlohmann::ordered_json;

namespace {

// What was found, short enough for a message.
std::string Shown(const Json& json) {
  if (json.is_structured()) return json.is_array() ? "a list" : "an object";
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= 60 ? text : text.substr(0, 60) + "...";
}

}  // namespace

JsonNode JsonNode::operator[](const char* key) const {
  if (!json_->is_object()) Fail("an object");
  const auto found = json_->find(key);
  JsonNode child = *this;
  child.path_ += path_.empty() ? key : std::string(".") + key;
  if (found == json_->end()) {
    throw InputError(source_, 0, fmt::format("has no \"{}\"; expected one", child.path_));
  }
  child.json_ = &*found;
  return child;
}

JsonNode JsonNode::At(std::size_t index) const {
  STRIDE_CHECK(index < Size());
  JsonNode child = *this;
  child.path_ += fmt::format("[{}]", index);
  child.json_ = &(*json_)[index];
  return child;
}

std::size_t JsonNode::Size() const {
  if (!json_->is_array()) Fail("a list");
  return json_->size();
}

double JsonNode::Number() const {
  const double value = json_->is_number() ? json_->get<double>() : NAN;
  if (!std::isfinite(value)) Fail("a finite number");
  return value;
}

int JsonNode::Int(int min, int max) const {
  const double value = json_->is_number_integer() ? json_->get<double>() : NAN;
  if (!(value >= min && value <= max)) Fail(fmt::format("a whole number, {} to {}", min, max));
  return static_cast<int>(value);
}

std::uint64_t JsonNode::Unsigned() const {
  if (!json_->is_number_unsigned()) Fail("a whole number of 0 or more");
  return json_->get<std::uint64_t>();
}

bool JsonNode::Bool() const {
  if (!json_->is_boolean()) Fail("true or false");
  return json_->get<bool>();
}

std::string JsonNode::Text() const {
  if (!json_->is_string()) Fail("a text");
  return json_->get<std::string>();
}

std::vector<double> JsonNode::Numbers() const {
  std::vector<double> numbers;
  numbers.reserve(Size());
  for (const Json& json : *json_) {
    if (!json.is_number() || !std::isfinite(json.get<double>())) Fail("a list of finite numbers");
    numbers.push_back(json.get<double>());
  }
  return numbers;
}

std::vector<double> JsonNode::Numbers(std::size_t count) const {
  if (Size() != count) Fail(fmt::format("a list of {} numbers", count));
  return Numbers();
}

int JsonNode::Choice(const std::vector<std::string>& names) const {
  const auto found = json_->is_string()
                         ? std::find(names.begin(), names.end(), json_->get<std::string>())
                         : names.end();
  if (found == names.end()) Fail(fmt::format("one of: {}", fmt::join(names, ", ")));
  return static_cast<int>(found - names.begin());
}

void JsonNode::Fail(const std::string& expected) const {
  throw InputError(source_, 0,
                   fmt::format("{} is {}; expected {}", path_.empty() ? "the JSON" : path_,
                               Shown(*json_), expected));
}

}  // namespace stride
