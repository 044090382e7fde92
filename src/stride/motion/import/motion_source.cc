#include "stride/motion/import/motion_source.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "stride/character/library.h"
#include "stride/character/structure.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/motion/formats/formats.h"
#include "stride/motion/import/import.h"
#include "stride/motion/library.h"

namespace stride {
namespace {

bool IsBuiltIn(const std::string& name) {
  const std::vector<MotionInfo>& all = BuiltInMotions();
  return std::any_of(all.begin(), all.end(), [&](const MotionInfo& m) { return m.name == name; });
}

bool IsCapture(const std::string& bytes, const std::string& path) {
  const std::string extension = FileExtension(path);
  for (const FormatInfo& format : Formats()) {
    const auto& endings = format.read_extensions;
    if (!format.read) continue;
    if (format.recognise(bytes)) return true;
    if (std::find(endings.begin(), endings.end(), extension) != endings.end()) return true;
  }
  return false;
}

// A motion belongs to a body, whatever that is called: another of the same structure may be named.
void LoadBody(const std::string& file, const std::string& character, MotionSource* source) {
  const std::string own = source->motion.character;
  const bool another = !character.empty() && character != own;
  try {
    source->character = LoadCharacter(another ? character : own, &source->warnings);
  } catch (const InputError& error) {
    if (another) throw;
    throw InputError(file, 0,
                     fmt::format("is a motion of '{}', which cannot be loaded ({}); name its body "
                                 "with --character",
                                 own, error.what()));
  }
  if (!another) return;
  try {
    RequireSameStructure(source->motion, source->character);
  } catch (const InputError& error) {
    throw InputError(file, 0, error.what());
  }
  source->motion.character = character;
  std::optional<Character> first;
  try {
    first = LoadCharacter(own);
  } catch (const InputError&) {
    source->warnings.push_back(fmt::format(
        "{}: its own body '{}' cannot be loaded; its coordinates fit '{}'", file, own, character));
    return;
  }
  constexpr double kSameLength = 0.005;  // of the height
  const double lengths = LengthDifference(*first, source->character);
  if (lengths > kSameLength) {
    source->warnings.push_back(fmt::format(
        "{}: bones of '{}' and '{}' differ by up to {:.1f} % of the height: feet may sink or "
        "slide",
        file, own, character, 100 * lengths));
  }
}

}  // namespace

bool IsMotionFile(const std::string& bytes) {
  return bytes.substr(0, 256).find("\"stride_motion\"") != std::string::npos;
}

bool NamesMotion(const std::string& name_or_path) {
  if (IsBuiltIn(name_or_path)) return true;
  const std::string ending = FileExtension(name_or_path);
  return !ending.empty() && ending != ".xml" && ending != ".mjcf" && ending != ".urdf";
}

MotionSource LoadAnyMotion(const std::string& name_or_path, const std::string& character,
                           const CaptureOptions& capture) {
  MotionSource source;
  const std::string wanted = character.empty() ? kDefaultHuman : character;
  const auto refuse_capture_options = [&] {
    CaptureOptions asked = capture;
    asked.clean_up = true;
    if (asked == CaptureOptions{}) return;
    throw InputError(name_or_path +
                     " is no motion capture; range, fps, loop and in-place are for " +
                     "captures only, leave them out");
  };
  const bool is_file =
      !FileExtension(name_or_path).empty() || std::filesystem::exists(name_or_path);
  if (IsBuiltIn(name_or_path) || !is_file) {
    refuse_capture_options();
    source.format = "built-in";
    source.character = LoadCharacter(wanted, &source.warnings);
    source.motion = LoadMotion(name_or_path, source.character);
    source.motion.character = wanted;
    return source;
  }
  const std::string bytes = ReadFile(name_or_path);
  if (IsMotionFile(bytes)) {
    refuse_capture_options();
    source.format = "motion";
    source.motion = ParseMotion(bytes, name_or_path);
    LoadBody(name_or_path, character, &source);
    Validate(source.motion, source.character);
  } else if (IsCapture(bytes, name_or_path)) {
    ImportOptions options;
    options.file = name_or_path;
    options.character = wanted;
    options.first_frame = capture.first_frame;
    options.last_frame = capture.last_frame;
    options.fps = capture.fps;
    options.clean_up = capture.clean_up;
    options.in_place = capture.in_place;
    options.closing = capture.loop ? Closing::kYes : Closing::kIfStated;
    ImportResult imported = Import(options);
    source.format = imported.format;
    source.character = LoadCharacter(wanted);
    source.motion = std::move(imported.motion);
    source.warnings = std::move(imported.warnings);
  } else {
    refuse_capture_options();
    source.format = "keys";
    source.character = LoadCharacter(wanted, &source.warnings);
    source.motion = LoadMotion(name_or_path, source.character);
    source.motion.character = wanted;
  }
  return source;
}

}  // namespace stride
