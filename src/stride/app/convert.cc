#include "stride/app/convert.h"

#include <algorithm>

#include <fmt/format.h>

#include "stride/character/library.h"
#include "stride/character/mjcf.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/motion/formats/export.h"
#include "stride/motion/formats/formats.h"
#include "stride/motion/import/motion_source.h"
#include "stride/record/recording.h"

namespace stride {
namespace {

constexpr const char* kMotionEnding = ".motion";

enum class Kind { kUnknown, kCharacter, kMotion, kRecording };
constexpr const char* kKindNames[] = {"", "a character", "a motion", "a recording"};

// Name of the format that a motion or a recording is written in, or empty.
std::string MotionFormat(const std::string& ending) {
  if (ending == kMotionEnding) return "motion";
  if (ending == kRecordingEnding) return "recording";
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

Kind KindOf(const std::string& input) {
  if (NamesRecording(input)) return Kind::kRecording;
  if (NamesMotion(input)) return Kind::kMotion;
  return IsBuiltInCharacter(input) || !FileExtension(input).empty() ? Kind::kCharacter
                                                                    : Kind::kUnknown;
}

void ConvertCharacter(const ConvertOptions& options, ConvertResult* result) {
  const Character character = LoadCharacter(options.input, &result->warnings);
  result->name = character.name;
  WriteFileWhole(options.output, WriteMjcf(character));
}

void Describe(const Motion& motion, ConvertResult* result) {
  result->name = motion.name;
  result->character = motion.character;
  result->frames = motion.FrameCount();
}

// In any format but that of recordings.
void Write(const Motion& motion, const Character& character, const ConvertResult& result) {
  if (result.format == "motion") {
    WriteMotion(motion, result.output);
  } else {
    WriteClip(ClipFromMotion(motion, character), result.output);
  }
}

void ConvertMotion(const ConvertOptions& options, ConvertResult* result) {
  MotionSource source = LoadAnyMotion(options.input, options.character);
  Describe(source.motion, result);
  result->warnings = std::move(source.warnings);
  if (result->format == "recording") {
    WriteFileWhole(options.output,
                   EncodeRecording(RecordingFromMotion(source.motion, source.character)));
  } else {
    Write(source.motion, source.character, *result);
  }
}

void ConvertRecording(const ConvertOptions& options, ConvertResult* result) {
  const Recording recording = ReadRecording(options.input);
  if (!recording.complete) {
    result->warnings.push_back(fmt::format("{}: {}; {:.2f} s of it were read", options.input,
                                           recording.damage, recording.Duration()));
  }
  Motion motion = MotionFromRecording(recording);
  // A motion file names a character that can be loaded: what the run was asked for.
  const auto& setup = recording.header.setup;
  if (setup.is_object() && setup.contains("character") && setup["character"].is_string()) {
    motion.character = setup["character"].get<std::string>();
  }
  Describe(motion, result);
  if (result->format == "recording" || result->format == "csv") {
    result->frames = static_cast<int>(recording.frames.size());
    WriteFileWhole(options.output,
                   result->format == "csv" ? RecordingCsv(recording) : EncodeRecording(recording));
  } else {
    Write(motion, recording.header.world.actors[0], *result);
  }
}

}  // namespace

std::string ConvertEndings() {
  std::string endings = kMotionEnding;
  for (const FormatInfo& format : Formats()) {
    for (const std::string& ending : format.write_extensions) endings += ", " + ending;
  }
  return fmt::format(".xml or .mjcf (MJCF) for a character; {}, {} for a motion or a recording",
                     endings, kRecordingEnding);
}

ConvertResult Convert(const ConvertOptions& options) {
  const std::string ending = FileExtension(options.output);
  const bool to_character = ending == ".xml" || ending == ".mjcf";
  ConvertResult result{.input = options.input, .output = options.output};
  result.format = to_character ? "mjcf" : MotionFormat(ending);
  const Kind kind = KindOf(options.input);
  const bool moves = kind == Kind::kMotion || kind == Kind::kRecording;
  if (result.format.empty() || (to_character && moves) ||
      (!to_character && kind == Kind::kCharacter)) {
    const std::string what =
        kind == Kind::kUnknown
            ? ""
            : fmt::format(", but '{}' is {}", options.input, kKindNames[static_cast<int>(kind)]);
    throw InputError(
        options.output, 0,
        fmt::format("has the ending '{}'{}; expected {}", ending, what, ConvertEndings()));
  }
  if ((to_character || kind == Kind::kRecording) && !options.character.empty()) {
    throw InputError(
        "--character is for motions; a character is converted by IN alone, and a recording has its "
        "own");
  }
  if (to_character) {
    ConvertCharacter(options, &result);
  } else if (kind == Kind::kRecording) {
    ConvertRecording(options, &result);
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
