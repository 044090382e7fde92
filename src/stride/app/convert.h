#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

// Between file formats: behind `stride convert`.
namespace stride {

struct ConvertOptions {
  std::string input, output;
  std::string character;  // who moves, for a motion (LoadAnyMotion)
};

struct ConvertResult {
  std::string input, output;
  std::string format;     // of the output
  std::string name;       // of what was converted
  std::string character;  // of a motion
  int frames = 0;         // of a motion
  std::vector<std::string> warnings;
};

// A character (built-in name or MJCF file) to MJCF; a motion (whatever LoadAnyMotion takes) to one
// of the formats that can be written, or to a motion file. The output's format follows from its
// ending. Throws InputError; the output then does not exist or is what it was before.
ConvertResult Convert(const ConvertOptions& options);
nlohmann::ordered_json ToJson(const ConvertResult& result);

// What OUT may end with, for help and errors: ".xml or .mjcf for a character; .motion, .bvh, ...".
std::string ConvertEndings();

}  // namespace stride
