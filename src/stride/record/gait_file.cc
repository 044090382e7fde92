#include "stride/record/gait_file.h"

#include <filesystem>

#include <fmt/format.h>

#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/motion/import/motion_source.h"

namespace stride {
namespace {

GaitSource SourceOf(const std::string& file, const GaitFileOptions& options,
                    std::vector<std::string>* warnings) {
  if (NamesRecording(file)) {
    if (!options.character.empty() || options.fps != 0) {
      throw InputError(file, 0,
                       "is a recording, which has its character and its times; leave "
                       "--character and --fps out");
    }
    const Recording recording = ReadRecording(file);
    if (!recording.complete) {
      warnings->push_back(fmt::format("{}: {}; {:.2f} s of it were read", file, recording.damage,
                                      recording.Duration()));
    }
    return GaitSourceOf(recording, options.gait);
  }
  if (options.gait.actor != 0) {
    throw InputError(file, 0, "is a motion of one character; --actor is for recordings");
  }
  std::string character = options.character;
  if (character.empty() &&
      !(std::filesystem::is_regular_file(file) && IsMotionFile(ReadFile(file))))
    character = kGaitHuman;
  // The angles as they were captured: cleaning up bends knees and feet to fit the character's sole.
  MotionSource source = LoadAnyMotion(file, character, {.fps = options.fps, .clean_up = false});
  GaitOptions gait = options.gait;
  gait.captured =
      source.format != "built-in" && source.format != "motion" && source.format != "keys";
  warnings->insert(warnings->end(), source.warnings.begin(), source.warnings.end());
  return GaitSourceOf(source.motion, source.character, gait);
}

}  // namespace

GaitAnalysis AnalyzeGaitFile(const std::string& file, const GaitFileOptions& options,
                             std::vector<std::string>* warnings) {
  GaitSource source = SourceOf(file, options, warnings);
  source.name = file;
  return AnalyzeGait(source);
}

}  // namespace stride
