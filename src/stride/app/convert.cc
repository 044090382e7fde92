#include "stride/app/convert.h"

#include "stride/character/library.h"
#include "stride/character/mjcf.h"
#include "stride/core/error.h"
#include "stride/core/file.h"

namespace stride {

ConvertResult Convert(const std::string& input, const std::string& output) {
  ConvertResult result{.input = input, .output = output, .format = "mjcf"};
  const std::string ending = FileExtension(output);
  if (ending != ".xml" && ending != ".mjcf") {
    throw InputError(
        output, 0,
        "has the ending '" + ending + "'; expected .xml or .mjcf (MJCF) for a character");
  }
  const Character character = LoadCharacter(input, &result.warnings);
  result.name = character.name;
  WriteFileWhole(output, WriteMjcf(character));
  return result;
}

nlohmann::ordered_json ToJson(const ConvertResult& r) {
  return {{"input", r.input},
          {"output", r.output},
          {"format", r.format},
          {"name", r.name},
          {"warnings", r.warnings}};
}

}  // namespace stride
