#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

// Between file formats: behind `stride convert`.
namespace stride {

struct ConvertResult {
  std::string input, output;
  std::string format;  // of the output
  std::string name;    // of what was converted
  std::vector<std::string> warnings;
};

// A character (built-in name or MJCF file) to MJCF. The output's format follows from its ending.
// Throws InputError; the output then does not exist or is what it was before.
ConvertResult Convert(const std::string& input, const std::string& output);
nlohmann::ordered_json ToJson(const ConvertResult& result);

}  // namespace stride
