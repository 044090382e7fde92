#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/core/json_text.h"

namespace stride {

// A value in a JSON document that knows its place, for errors: "run.stride: world.actors[0].name is
// 3; expected a text". All of it throws InputError.
class JsonNode {
 public:
  // The document must outlive the node.
  JsonNode(const nlohmann::ordered_json& json, std::string source)
      : json_(&json), source_(std::move(source)) {}

  JsonNode operator[](const char* key) const;  // of an object
  JsonNode At(std::size_t index) const;        // of an array
  std::size_t Size() const;                    // of an array
  const nlohmann::ordered_json& value() const { return *json_; }
  const std::string& source() const { return source_; }

  double Number() const;  // finite
  int Int(int min, int max) const;
  std::uint64_t Unsigned() const;
  bool Bool() const;
  std::string Text() const;
  std::vector<double> Numbers() const;
  std::vector<double> Numbers(std::size_t count) const;
  // Position in a list of names.
  int Choice(const std::vector<std::string>& names) const;

  [[noreturn]] void Fail(const std::string& expected) const;

 private:
  const nlohmann::ordered_json* json_;
  std::string source_, path_;
};

}  // namespace stride
