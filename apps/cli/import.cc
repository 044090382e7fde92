#include "stride/motion/import/import.h"

#include <map>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stride/character/library.h"
#include "stride/core/file.h"
#include "stride/draw/sheet.h"
#include "verb.h"

namespace stride::cli {
namespace {

std::string Text(const ImportResult& r) {
  std::string text = fmt::format("{} -> {} on {}\n", r.file, r.output, r.motion.character);
  const auto row = [&](const char* name, const std::string& value) {
    text += fmt::format("  {:<22} {}\n", name, value);
  };
  row("skeleton", fmt::format("{} ({})", r.skeleton, r.format));
  row("joints mapped", fmt::format("{}", r.mapped.size()));
  row("joints unmapped",
      r.unmapped.empty() ? "none" : fmt::format("{}", fmt::join(r.unmapped, ", ")));
  row("scale", fmt::format("{:.5g} m per unit, by leg length", r.scale));
  row("frames", fmt::format("{} at {:g}/s, {:.2f} s", r.motion.FrameCount(), r.motion.fps,
                            r.motion.Duration()));
  row("speed", fmt::format("{:.2f} m/s", r.travel.speed));
  if (r.in_place.recovered) row("in place", "yes, way recovered from the feet in stance");
  row("heading change", fmt::format("{:.0f} deg", r.travel.heading_change_deg));
  row("body height", fmt::format("{:.2f} m", r.body_height));
  row("foot contacts", fmt::format("{}", r.ground.after.contacts));
  std::map<std::string, int> others;
  for (const auto& contact : ContactsToJson(r.motion)) {
    const std::string part = contact["part"];
    if (part != "left_foot" && part != "right_foot") ++others[part];
  }
  std::vector<std::string> counts;
  for (const auto& [part, count] : others) counts.push_back(fmt::format("{} {}", part, count));
  if (!counts.empty()) {
    row("other contacts",
        fmt::format("{}; at most {:.1f} cm above the ground, nothing deeper than {:.1f} cm",
                    fmt::join(counts, ", "), 100 * r.ground.after.max_other_height,
                    100 * r.ground.after.max_body_depth));
  }
  std::string segments;
  for (const GaitSegment& segment : r.segments)
    segments += fmt::format(" {}-{}", PhaseLetter(segment.phase), segment.last);
  row("segments", segments.empty() ? "none" : segments.substr(1));
  row("cycle", r.cycle.found ? fmt::format("frames {} to {}, {:.2f} s", r.cycle.first, r.cycle.last,
                                           (r.cycle.last - r.cycle.first) / r.motion.fps)
                             : "none found");
  if (r.loop.closed) {
    row("loop",
        fmt::format(
            "frames {} to {} of the file ({}), {:.2f} s, ends {:.1f} cm apart, turns {:.0f} "
            "deg, goes {:.2f} m forwards and {:.2f} m to the left",
            r.loop.first, r.loop.last,
            r.loop.chosen == "cycle"  ? "the best cycle found"
            : r.loop.chosen == "file" ? "the file says that it wraps"
                                      : "the range",
            r.motion.Duration(), 100 * r.loop.distance, r.loop.turn_deg, r.loop.travel.x,
            r.loop.travel.y));
  }
  row("ground offset", fmt::format("{:.1f} cm", 100 * r.ground.ground_offset));
  row("largest foot slide",
      fmt::format("{:.1f} cm before, {:.1f} cm after", 100 * r.ground.before.max_slide,
                  100 * r.ground.after.max_slide));
  row("feet in contact",
      fmt::format("at most {:.1f} cm above the ground", 100 * r.ground.after.max_contact_height));
  row("deepest foot", fmt::format("{:.1f} cm before, {:.1f} cm after",
                                  100 * r.ground.before.max_depth, 100 * r.ground.after.max_depth));
  row("bone direction error", fmt::format("{:.1f} deg", r.bone_direction_error_deg));
  if (!r.flight.gravities.empty())
    row("fall in flight", fmt::format("{:.1f} m/s2", r.flight.gravity));
  return text;
}

void WritePreview(const ImportResult& result, const std::string& file) {
  SheetOptions sheet;
  sheet.title = result.motion.name;
  WritePng(ContactSheet(LoadCharacter(result.motion.character), result.motion, sheet), file);
}

}  // namespace

Verb ImportVerb() {
  return {
      "import",
      "A motion-capture file to a clean motion on a character",
      {"stride import walk.bvh -o walk.motion --preview walk.png",
       "stride import backflip.bvh -o backflip.motion --fps 60 --range 28:130 --character human",
       "stride import run.bvh -o run.motion --loop",
       "stride import walk_in_place.glb -o walk.motion --in-place yes"},
      [](CLI::App* app, const CommonOptions*) {
        auto options = std::make_shared<ImportOptions>();
        auto range = std::make_shared<std::string>();
        auto loop = std::make_shared<bool>(false);
        app->add_option("file", options->file, "BVH, AMC with its ASF, DeepMimic, glTF or GLB file")
            ->required();
        app->add_option("-o,--output", options->output, "Motion file to write")->required();
        app->add_option("--character", options->character,
                        "Human that shall move: a name, or an MJCF or URDF file")
            ->capture_default_str();
        app->add_option("--map", options->map, "JSON file that names the joint of each part");
        app->add_option("--fps", options->fps,
                        "True rate of the capture, frames/s, where the file is wrong");
        app->add_option("--rate", options->rate,
                        "Rate of the motion written, frames/s; else the capture's");
        app->add_option("--range", *range, "Frames of the file to take, first:last, from 0");
        app->add_option("--cutoff", options->cutoff, "Low-pass filter, Hz; 0: none")
            ->capture_default_str();
        CLI::Option* closes = app->add_flag(
            "--loop", *loop,
            "Close the motion to a loop: the range; else the whole file, if it says that it wraps; "
            "else the best cycle found");
        app->add_option("--loop-warp", options->loop_warp,
                        "Time on each side of the loop's seam that is changed to match, s")
            ->needs(closes)
            ->capture_default_str();
        auto in_place = std::make_shared<std::string>("auto");
        app->add_option("--in-place", *in_place,
                        "The root stays and feet slide, as in clips for games: recover the way "
                        "from the feet in stance; yes, no, or auto: if the clip looks so")
            ->capture_default_str();
        auto preview = std::make_shared<std::string>();
        app->add_option("--preview", *preview, "PNG file: the character over time");
        return [options, range, loop, in_place, preview]() -> Output {
          if (*loop) options->closing = Closing::kYes;
          options->in_place = InPlaceFromName(*in_place);
          if (!range->empty()) ParseFrameRange(*range, &options->first_frame, &options->last_frame);
          CheckWritable(options->output);
          if (!preview->empty()) CheckWritable(*preview);
          const ImportResult result = Import(*options);
          if (!preview->empty()) WritePreview(result, *preview);
          return {ToJson(result), Text(result), result.warnings};
        };
      }};
}

}  // namespace stride::cli
