#include "stride/motion/import/import.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "stride/character/library.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/motion/edit/point_cloud.h"
#include "stride/motion/edit/seam.h"
#include "stride/motion/feet.h"
#include "stride/motion/formats/formats.h"
#include "stride/motion/import/retarget.h"
#include "stride/motion/import/skeleton_map.h"
#include "stride/motion/import/source_clip.h"
#include "stride/motion/kinematics.h"

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

// Ends of a loop further apart than this are different poses, which no warp hides: lying and
// standing are 0.9 m apart, the ends of files that say they wrap up to 0.2 m.
constexpr double kFarthestEnds = 0.3;  // m
// Beside a range that becomes a loop so much is imported too, where the file has it: filter,
// contacts and speeds at its ends are then those of a motion that goes on.
constexpr double kBesideRange = 0.5;  // s

bool HasRange(const ImportOptions& options) {
  return options.first_frame >= 0 || options.last_frame >= 0;
}

bool Closes(const ImportOptions& options, bool stated) {
  return options.closing == Closing::kYes ||
         (options.closing == Closing::kIfStated && stated && !HasRange(options));
}

SourceClip TakeFrames(const ImportOptions& options, SkeletonClip clip, const SkeletonMap& map,
                      bool closes, std::vector<std::string>* warnings) {
  const int count = clip.FrameCount();
  int first = std::max(0, options.first_frame);
  int last = options.last_frame < 0 ? count - 1 : options.last_frame;
  if (closes && HasRange(options) && first <= last && last < count) {
    const double fps = options.fps > 0 ? options.fps : clip.fps;
    const int beside = static_cast<int>(std::lround(kBesideRange * fps));
    first = std::max(0, first - beside);
    last = std::min(count - 1, last + beside);
  }
  return SourceClip(std::move(clip), map, first, last, warnings);
}

// Starts the loop at the origin, facing +X, or going along +X if it goes straight on.
void PlaceLoop(const Character& character, LoopReport* report, Motion* loop) {
  const auto way = [&] { return Vec3At(loop->frames.back(), 0) - Vec3At(loop->frames.front(), 0); };
  PlaceStart(character, 0, 0, 0, loop);
  report->turn_deg = MeasureTravel(character, *loop).heading_change_deg;
  const double direction = std::atan2(way().y, way().x);
  const double straight = 30 * M_PI / 180;
  if (std::hypot(way().x, way().y) > 0.3 && std::fabs(direction) < straight &&
      std::fabs(report->turn_deg) < 30) {
    PlaceStart(character, 0, 0, -direction, loop);
  }
  report->travel = {way().x, way().y, 0};
}

// The motion of the source's frames as a loop. Not closed if only the file asks for it and its ends
// do not match.
void CloseLoop(const ImportOptions& options, const Character& character, const SourceClip& source,
               ImportResult* result) {
  Motion& motion = result->motion;
  LoopReport& report = result->loop;
  const std::vector<int>& numbers = source.frame_numbers();
  const double source_fps = options.fps > 0 ? options.fps : source.clip().fps;
  const double ratio = motion.fps / source_fps;
  SeamOptions seam;
  seam.warp = options.loop_warp;
  int first = 0, last = motion.FrameCount() - 1;  // of the motion
  if (HasRange(options)) {
    report.chosen = "range";
    const auto from = std::lower_bound(numbers.begin(), numbers.end(), options.first_frame);
    const auto to = options.last_frame < 0
                        ? numbers.end()
                        : std::upper_bound(numbers.begin(), numbers.end(), options.last_frame);
    first = static_cast<int>(std::lround(static_cast<double>(from - numbers.begin()) * ratio));
    last = std::min(
        last, first + static_cast<int>(std::lround(static_cast<double>(to - from - 1) * ratio)));
  } else if (source.clip().loop) {
    report.chosen = "file";
    // Rounds of a file that wraps are moved on by the root's way and not turned.
    const Vec3d way = Vec3At(motion.frames.back(), 0) - Vec3At(motion.frames.front(), 0);
    seam.next = GroundMove{0, {way.x, way.y, 0}};
  } else {
    report.chosen = "cycle";
    if (!result->cycle.found) {
      throw InputError(options.file, 0,
                       "no cycle was found to close: no two moments 0.4 to 3 s apart are alike; "
                       "give the frames to join with --range first:last");
    }
    first = result->cycle.first;
    last = result->cycle.last;
  }
  if (last < first + 2) {
    throw InputError(options.file, 0,
                     "has too few frames there for a loop; expected three or more");
  }
  const auto number = [&](int f) {
    return numbers[std::min(numbers.size() - 1, static_cast<std::size_t>(std::lround(f / ratio)))];
  };
  report.first = number(first);
  report.last = number(last);
  const WindowClouds clouds(character, motion, seam.half_window);
  report.distance = clouds.Distance(first, clouds, last);
  if (report.distance > kFarthestEnds) {
    const std::string apart = fmt::format(
        "frames {} and {} cannot be joined to a loop: their poses are {:.2f} m apart, expected at "
        "most {:g}",
        report.first, report.last, report.distance, kFarthestEnds);
    if (options.closing == Closing::kYes) {
      throw InputError(options.file, 0, apart + "; give other frames with --range first:last");
    }
    result->warnings.push_back("the file says that the motion loops, but " + apart +
                               "; kept as one round");
    return;
  }
  motion = MakeLoop(character, motion, first, last, seam);
  PlaceLoop(character, &report, &motion);
  report.closed = true;
  result->cycle = {true, 0, motion.FrameCount() - 1, report.distance};
  result->ground.after = MeasureFeet(character, motion);
}

void SayInPlace(InPlace asked, const InPlaceReport& report, std::vector<std::string>* warnings) {
  if (report.recovered) {
    warnings->push_back(
        asked == InPlace::kYes
            ? "taken as in place: the root was moved so that feet in stance stay where they are"
            : "the clip is in place (feet on the ground slide under a root that stays): its way "
              "was "
              "recovered from the feet; --in-place no leaves it as it is");
  } else if (asked == InPlace::kAuto && report.check.slides) {
    warnings->push_back(
        "feet on the ground slide under a root that stays: if this is a clip in place, use "
        "--in-place yes");
  }
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
  if (!(options.loop_warp >= 0.01 && options.loop_warp <= 10)) {
    throw InputError(fmt::format("--loop-warp is {}; expected 0.01 to 10 s", options.loop_warp));
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
  const bool closes = Closes(options, says_loop);
  SourceClip source = TakeFrames(options, std::move(clip), map, closes, &result.warnings);

  RetargetOptions retarget;
  retarget.source_fps = options.fps;
  retarget.fps = options.rate;
  retarget.cutoff = options.cutoff;
  Retargeted retargeted;
  result.in_place = RestoreWay(options.in_place, character, retarget, &source, &retargeted);
  SayInPlace(options.in_place, result.in_place, &result.warnings);
  result.motion = std::move(retargeted.motion);
  result.motion.name = std::filesystem::path(options.file).stem().string();
  result.motion.source = std::filesystem::path(options.file).filename().string();
  result.motion.character = options.character;
  result.motion.loops = false;  // until it is closed: a file's ends hardly ever match exactly
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

  result.ground = PutFeetOnGround(character, {.clean_up = options.clean_up}, &result.motion);
  result.warnings.insert(result.warnings.end(), result.ground.warnings.begin(),
                         result.ground.warnings.end());
  result.bone_direction_error_deg =
      BoneDirectionError(character, result.motion, retargeted.directions);
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
  result.cycle = FindCycle(character, result.motion);
  if (closes) {
    CloseLoop(options, character, source, &result);
  } else if (says_loop && !HasRange(options)) {
    result.warnings.push_back(
        "the file says that the motion loops; it is kept as one round: --loop closes it");
  }
  result.segments = SegmentGait(AnkleLabels(character, result.motion), result.motion.fps);
  result.travel = MeasureTravel(character, result.motion);
  Validate(result.motion, character);
  if (!options.output.empty()) WriteMotion(result.motion, options.output);
  return result;
}

nlohmann::ordered_json ContactsToJson(const Motion& motion) {
  nlohmann::ordered_json spans = nlohmann::ordered_json::array();
  const std::pair<const char*, ContactFlag> parts[] = {
      {"left_foot", kLeftFootDown},   {"right_foot", kRightFootDown}, {"left_hand", kLeftHandDown},
      {"right_hand", kRightHandDown}, {"trunk", kTrunkDown},          {"head", kHeadDown},
      {"left_knee", kLeftKneeDown},   {"right_knee", kRightKneeDown}};
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
  json["in_place"] = {{"recovered", r.in_place.recovered},
                      {"slide", r.in_place.check.slide},
                      {"way", r.in_place.check.way},
                      {"lesser_foot", r.in_place.check.lesser_foot},
                      {"steady", r.in_place.check.steady}};
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
  json["loop"] = nullptr;
  if (r.loop.closed) {
    json["loop"] = {{"chosen_by", r.loop.chosen},
                    {"first", r.loop.first},
                    {"last", r.loop.last},
                    {"seconds", r.motion.Duration()},
                    {"distance", r.loop.distance},
                    {"turn_deg", r.loop.turn_deg},
                    {"travel", {r.loop.travel.x, r.loop.travel.y}}};
  }
  json["ground_offset"] = r.ground.ground_offset;
  json["max_foot_depth"] = r.ground.after.max_depth;
  json["max_foot_slide_before"] = r.ground.before.max_slide;
  json["max_foot_slide_after"] = r.ground.after.max_slide;
  json["max_contact_height"] = r.ground.after.max_contact_height;
  json["max_body_depth"] = r.ground.after.max_body_depth;
  json["max_other_contact_height"] = r.ground.after.max_other_height;
  json["root_lowered"] = r.ground.root_lowered;
  json["bone_direction_error_deg"] = r.bone_direction_error_deg;
  json["flight_gravity"] = r.flight.gravities.empty() ? nlohmann::ordered_json(nullptr)
                                                      : nlohmann::ordered_json(r.flight.gravity);
  json["warnings"] = r.warnings;
  return json;
}

}  // namespace stride
