#include "stride/app/convert.h"

#include <algorithm>

#include <fmt/format.h>

#include "stride/app/motion_source.h"
#include "stride/character/library.h"
#include "stride/character/mjcf.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/motion/export.h"
#include "stride/motion/formats/formats.h"

namespace stride {
namespace {

constexpr const char* kMotionEnding = ".motion";

// Name of the format that a motion is written in, or empty.
std::string MotionFormat(const std::string& ending) {
  if (ending == kMotionEnding) return "motion";
  for (const FormatInfo& format : Formats()) {
    const auto& endings = format.write_extensions;
    if (std::find(endings.begin(), endings.end(), ending) != endings.end()) return format.name;
  }
  return "";
}

bool IsBuiltInCharacter(const std::string& name) {
  const std::vector<CharacterInfo>& all = BuiltInCharacters();
  return std::any_of(all.begin(), all.end(),
                     [&](const CharacterInfo& info) { return info.name == name; });
}

void ConvertCharacter(const ConvertOptions& options, ConvertResult* result) {
  const Character character = LoadCharacter(options.input, &result->warnings);
  result->name = character.name;
  WriteFileWhole(options.output, WriteMjcf(character));
}

void ConvertMotion(const ConvertOptions& options, ConvertResult* result) {
  MotionSource source = LoadAnyMotion(options.input, options.character);
  result->name = source.motion.name;
  result->character = source.motion.character;
  result->frames = source.motion.FrameCount();
  result->warnings = std::move(source.warnings);
  if (result->format == "motion") {
    WriteMotion(source.motion, options.output);
  } else {
    WriteClip(ClipFromMotion(source.motion, source.character), options.output);
  }
}

}  // namespace

std::string ConvertEndings() {
  std::string endings = kMotionEnding;
  for (const FormatInfo& format : Formats()) {
    for (const std::string& ending : format.write_extensions) endings += ", " + ending;
  }
  return ".xml or .mjcf (MJCF) for a character; " + endings + " for a motion";
}

ConvertResult Convert(const ConvertOptions& options) {
  const std::string ending = FileExtension(options.output);
  const bool to_character = ending == ".xml" || ending == ".mjcf";
  ConvertResult result{.input = options.input, .output = options.output};
  result.format = to_character ? "mjcf" : MotionFormat(ending);
  const bool is_motion = NamesMotion(options.input);
  const bool is_character =
      !is_motion && (IsBuiltInCharacter(options.input) || !FileExtension(options.input).empty());
  if (result.format.empty() || (to_character && is_motion) || (!to_character && is_character)) {
    const char* kind = is_motion ? "a motion" : "a character";
    throw InputError(
        options.output, 0,
        fmt::format("has the ending '{}'{}; expected {}", ending,
                    is_motion || is_character ? fmt::format(", but '{}' is {}", options.input, kind)
                                              : std::string(),
                    ConvertEndings()));
  }
  if (to_character && !options.character.empty()) {
    throw InputError("--character is for motions; a character is converted by IN alone");
  }
  if (to_character) {
    ConvertCharacter(options, &result);
  } else {
    ConvertMotion(options, &result);
  }
  return result;
}

nlohmann::ordered_json ToJson(const ConvertResult& r) {
  nlohmann::ordered_json json = {
      {"input", r.input}, {"output", r.output}, {"format", r.format}, {"name", r.name}};
  if (!r.character.empty()) {
    json["character"] = r.character;
    json["frames"] = r.frames;
  }
  json["warnings"] = r.warnings;
  return json;
}

}  // namespace stride
