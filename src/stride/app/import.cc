#include "stride/app/import.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "stride/character/library.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/draw/sheet.h"
#include "stride/motion/feet.h"
#include "stride/motion/formats/formats.h"
#include "stride/motion/retarget.h"
#include "stride/motion/skeleton_map.h"
#include "stride/motion/source_clip.h"

namespace stride {
namespace {

void CheckRate(const char* option, double value) {
  if (value == 0 || (value >= 1 && value <= 1000)) return;
  throw InputError(
      fmt::format("--{} is {}; expected frames a second, from 1 to 1000", option, value));
}

// A motion file under another format's name would not be read again.
void CheckOutput(const std::string& path) {
  const std::string extension = FileExtension(path);
  for (const FormatInfo& format : Formats()) {
    for (const auto* list : {&format.read_extensions, &format.write_extensions}) {
      if (std::find(list->begin(), list->end(), extension) == list->end()) continue;
      throw InputError(path, 0,
                       "is named as a file of the format " + format.name +
                           "; expected another ending, such as .motion");
    }
  }
}

void WritePreview(const ImportOptions& options, const Character& character,
                  const ImportResult& result) {
  SheetOptions sheet;
  sheet.title = result.motion.name;
  WritePng(ContactSheet(character, result.motion, sheet), options.preview);
}

}  // namespace

void ParseFrameRange(const std::string& text, int* first, int* last) {
  const std::size_t colon = text.find(':');
  const auto parse = [&](std::string_view part, int* value) {
    if (part.empty()) return true;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), *value);
    return error == std::errc() && end == part.data() + part.size() && *value >= 0;
  };
  const std::string_view view = text;
  if (colon == std::string::npos || text.size() == 1 || !parse(view.substr(0, colon), first) ||
      !parse(view.substr(colon + 1), last)) {
    throw InputError("--range is '" + text.substr(0, 40) +
                     "'; expected first:last, frames of the file from 0 on");
  }
}

ImportResult Import(const ImportOptions& options) {
  CheckRate("fps", options.fps);
  CheckRate("rate", options.rate);
  if (!(options.cutoff == 0 || (options.cutoff >= 0.5 && options.cutoff <= 1000))) {
    throw InputError(
        fmt::format("--cutoff is {}; expected 0 (no filter) or 0.5 to 1000 Hz", options.cutoff));
  }
  CheckOutput(options.output);
  ImportResult result;
  const Character character = LoadCharacter(options.character, &result.warnings);
  SkeletonClip clip = ReadClip(options.file);
  result.file = options.file;
  result.output = options.output;
  result.format = clip.format;
  result.warnings.insert(result.warnings.end(), clip.warnings.begin(), clip.warnings.end());
  const SkeletonMap map = options.map.empty()
                              ? RecogniseSkeleton(clip)
                              : ParseSkeletonMap(ReadFile(options.map), options.map, clip);
  result.skeleton = map.skeleton;
  const bool says_loop = clip.loop;
  const SourceClip source(std::move(clip), map, options.first_frame, options.last_frame,
                          &result.warnings);

  RetargetOptions retarget;
  retarget.source_fps = options.fps;
  retarget.fps = options.rate;
  retarget.cutoff = options.cutoff;
  Retargeted retargeted = Retarget(source, character, retarget);
  result.motion = std::move(retargeted.motion);
  result.motion.name = std::filesystem::path(options.file).stem().string();
  result.motion.source = std::filesystem::path(options.file).filename().string();
  result.motion.character = options.character;
  result.scale = retargeted.scale;
  result.body_height = retargeted.source_height;
  const double height = StandingHeight(character);
  if (std::fabs(result.body_height / height - 1) > 0.25) {
    result.warnings.push_back(
        fmt::format("by its legs' scale the file's body is {:.2f} m high, the character {:.2f} m: "
                    "their proportions "
                    "differ much; is the skeleton mapped well?",
                    result.body_height, height));
  }
  result.mapped = std::move(retargeted.mapped);
  result.unmapped = std::move(retargeted.unmapped);

  result.ground = PutFeetOnGround(character, {}, &result.motion);
  result.warnings.insert(result.warnings.end(), result.ground.warnings.begin(),
                         result.ground.warnings.end());
  result.bone_direction_error_deg =
      BoneDirectionError(character, result.motion, retargeted.directions);
  result.segments = SegmentGait(AnkleLabels(character, result.motion), result.motion.fps);
  result.cycle = FindCycle(character, result.motion);
  result.travel = MeasureTravel(character, result.motion);

  result.flight = CheckFlights(character, result.motion);
  if (result.flight.suggested_fps > 0) {
    // The rate of the capture, also when the result has another.
    const double stated = options.fps > 0 ? options.fps : source.clip().fps;
    const double factor = result.flight.suggested_fps / result.motion.fps;
    result.warnings.push_back(
        fmt::format("in flight the body falls at {:.1f} m/s2 instead of 9.8: the clip was probably "
                    "captured at {:.0f} frames/s, "
                    "not {:.0f}; if so, use --fps {:.0f}",
                    result.flight.gravity, stated * factor, stated, stated * factor));
  }
  if (says_loop) {
    result.warnings.push_back(
        "the file says that the motion loops; it is kept as one round, not closed");
  }
  Validate(result.motion, character);
  if (!options.output.empty()) WriteMotion(result.motion, options.output);
  if (!options.preview.empty()) WritePreview(options, character, result);
  return result;
}

nlohmann::ordered_json ContactsToJson(const Motion& motion) {
  nlohmann::ordered_json spans = nlohmann::ordered_json::array();
  const std::pair<const char*, ContactFlag> parts[] = {{"left_foot", kLeftFootDown},
                                                       {"right_foot", kRightFootDown},
                                                       {"left_hand", kLeftHandDown},
                                                       {"right_hand", kRightHandDown}};
  for (const auto& [name, flag] : parts) {
    for (const ContactSpan& span : ContactSpans(motion, flag)) {
      spans.push_back({{"part", name}, {"first", span.first}, {"last", span.last}});
    }
  }
  return spans;
}

nlohmann::ordered_json ToJson(const ImportResult& r) {
  nlohmann::ordered_json segments = nlohmann::ordered_json::array();
  for (const GaitSegment& segment : r.segments) {
    segments.push_back({{"phase", std::string(1, PhaseLetter(segment.phase))},
                        {"first", segment.first},
                        {"last", segment.last}});
  }
  nlohmann::ordered_json json;
  json["file"] = r.file;
  json["output"] = r.output;
  json["format"] = r.format;
  json["skeleton"] = r.skeleton;
  json["character"] = r.motion.character;
  json["scale"] = r.scale;
  json["frames"] = r.motion.FrameCount();
  json["fps"] = r.motion.fps;
  json["seconds"] = r.motion.Duration();
  json["speed"] = r.travel.speed;
  json["heading_change_deg"] = r.travel.heading_change_deg;
  json["body_height"] = r.body_height;
  json["mapped"] = r.mapped;
  json["unmapped"] = r.unmapped;
  json["contacts"] = ContactsToJson(r.motion);
  json["segments"] = segments;
  json["cycle"] = nullptr;
  if (r.cycle.found) {
    json["cycle"] = {{"first", r.cycle.first},
                     {"last", r.cycle.last},
                     {"seconds", (r.cycle.last - r.cycle.first) / r.motion.fps},
                     {"distance", r.cycle.distance}};
  }
  json["ground_offset"] = r.ground.ground_offset;
  json["max_foot_depth"] = r.ground.after.max_depth;
  json["max_foot_slide_before"] = r.ground.before.max_slide;
  json["max_foot_slide_after"] = r.ground.after.max_slide;
  json["max_contact_height"] = r.ground.after.max_contact_height;
  json["max_body_depth"] = r.ground.after.max_body_depth;
  json["root_lowered"] = r.ground.root_lowered;
  json["bone_direction_error_deg"] = r.bone_direction_error_deg;
  json["flight_gravity"] = r.flight.gravities.empty() ? nlohmann::ordered_json(nullptr)
                                                      : nlohmann::ordered_json(r.flight.gravity);
  json["warnings"] = r.warnings;
  return json;
}

}  // namespace stride
