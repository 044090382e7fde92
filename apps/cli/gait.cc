#include "stride/app/gait.h"

#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "verb.h"

namespace stride::cli {

Verb GaitVerb() {
  return {
      "gait",
      "Gait analysis of a recording or a motion: steps, cycle, joint angles over the cycle, forces "
      "and effort, alone or against what is usual",
      {"stride gait walk.stride --against walks --svg gait.svg", "stride gait capture.bvh --json",
       "stride gait walk --csv curves.csv",
       "stride gait run.stride --against captures/ --save-band captures.csv"},
      [](CLI::App* app, const CommonOptions*) {
        auto request = std::make_shared<GaitRequest>();
        GaitFileOptions& options = request->options;
        app->add_option("file", request->file,
                        "A recording, a built-in motion, a motion file, or motion capture")
            ->required();
        app->add_option("--actor", options.gait.actor, "Who of a recording")
            ->check(CLI::Range(0, 1000))
            ->capture_default_str();
        app->add_option("--from", options.gait.from,
                        "Where to begin, s; else at the start, of a recording of more than 6 s "
                        "after 2 s")
            ->check(CLI::Number);
        app->add_option("--to", options.gait.to, "Where to end, s; else at the end, or at a fall")
            ->check(CLI::Number);
        app->add_option(
            "--character", options.character,
            fmt::format("Who moves, for a motion: a name, or an MJCF or URDF file; else the "
                        "motion file's own, or {}",
                        kGaitHuman));
        app->add_option("--fps", options.fps,
                        "True rate of a motion capture, frames/s; else what it says")
            ->check(CLI::Range(0.001, 1e6));
        app->add_option("--against", request->against,
                        fmt::format("What to compare with: a folder of motions or recordings, one "
                                    "of them, a band's CSV, or a built-in band ({})",
                                    fmt::join(BuiltInGaitBands(), ", ")));
        app->add_option("--csv", request->csv, "Write the curves: mean and deviation, 101 rows");
        app->add_option("--svg", request->svg, "Draw the curves");
        app->add_option("--save-band", request->save_band,
                        "Write mean and deviation over the subjects of --against as CSV");
        app->add_option("--band-source", request->band_source,
                        "Where these come from, a line of text for --save-band");
        return [request]() -> Output {
          const GaitResult result = RunGait(*request);
          return {ToJson(result), GaitText(result), result.warnings};
        };
      }};
}

}  // namespace stride::cli
