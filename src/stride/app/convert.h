#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

// Between file formats: behind `stride convert`.
namespace stride {

struct ConvertOptions {
  std::string input, output;
  std::string character;  // who moves, for a motion (LoadAnyMotion); a recording has its own
};

struct ConvertResult {
  std::string input, output;
  std::string format;     // of the output
  std::string name;       // of what was converted
  std::string character;  // of a motion or recording
  int frames = 0;         // of what was written of them
  std::vector<std::string> warnings;
};

// A character (built-in name, MJCF or URDF file) to MJCF; a motion (whatever LoadAnyMotion takes)
// to one of the formats that can be written, to a motion file or to a recording; a recording (its
// first actor) to the same, where CSV is a table of all that was recorded (RecordingCsv). The
// output's format follows from its ending. Throws InputError; the output then does not exist or is
// what it was before.
ConvertResult Convert(const ConvertOptions& options);
nlohmann::ordered_json ToJson(const ConvertResult& result);

// What OUT may end with, for help and errors: ".xml or .mjcf (MJCF) for a character; .motion, ...".
std::string ConvertEndings();

}  // namespace stride
