#include "learn_openloop.h"

#include <cstdlib>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "learn_capture.h"
#include "stride/controllers/control_graph/learn_openloop.h"
#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/core/log.h"

namespace stride::cli {
namespace {

std::string Text(const LearnOpenLoopResult& r) {
  const OpenLoopPerformance& p = r.performance;
  std::string text;
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("{:<18}{}\n", name, value);
  };
  line("clip", fmt::format("{} on {}", r.clip, r.character));
  line("performed", fmt::format("{} of {} fragments, {:.2f} s{}", p.fragments, r.fragments_wanted,
                                p.motion.Duration(), p.complete ? "" : "; then it was lost"));
  line("rolled back", fmt::format("{} times", p.retries));
  line("cost", fmt::format("{:.2f} (path {}, pass {})", p.mean_cost, p.path + 1, p.pass + 1));
  line("sampled in",
       fmt::format("{:.1f} s, {} threads x {} ranks", r.wall_seconds, r.threads, r.ranks));
  line("written", r.out.empty() ? "nothing" : r.out);
  if (!r.sheet.empty()) line("sheet", r.sheet);
  return text;
}

struct Arguments {
  LearnOpenLoopRequest request;
  std::function<CaptureOptions()> capture;
  std::vector<std::string> settings;
};

}  // namespace

std::function<Output()> AddOpenLoop(CLI::App* app, const CommonOptions* common,
                                    std::function<bool()> stop) {
  auto arguments = std::make_shared<Arguments>();
  LearnOpenLoopRequest& r = arguments->request;
  OpenLoopOptions& o = r.options;
  app->add_option("clip", r.clip, "Built-in motion, motion file, or motion capture")->required();
  arguments->capture = AddCaptureOptions(app);
  app->add_option("-o,--out", r.out, "Motion file to write")->required();
  app->add_option("--character", r.character,
                  "Built-in name, or an MJCF file; liu16-strong has the paper's stronger gains for "
                  "stunts: kicks, spins, flips")
      ->capture_default_str();
  app->add_option("--samples", o.samples, "A fragment")->capture_default_str();
  app->add_option("--paths", o.paths, "Independent ones, of which the best is kept")
      ->capture_default_str();
  app->add_option("--passes", o.passes, "Over the clip; the sampling moves to what was good")
      ->capture_default_str();
  app->add_option("--cycles", o.cycles, "Rounds of a clip that loops")->capture_default_str();
  app->add_option("--sigma", o.sigma_deg,
                  "Exploration at first, degrees; every other path twice that")
      ->capture_default_str();
  app->add_option("--time-scale", o.time_scale, "The clip takes so many times as long")
      ->capture_default_str();
  app->add_option("--set", arguments->settings,
                  "KEY=VALUE: fragment, lead or any of the above by its name in the JSON")
      ->take_all()
      ->allow_extra_args(false);
  app->add_option("--threads", r.threads, "0: all of this machine")->capture_default_str();
  app->add_option("--sheet", r.sheet, "PNG file: the performed motion over time");
  return [arguments, common, stop = std::move(stop)]() -> Output {
    LearnOpenLoopRequest request = arguments->request;
    request.capture = arguments->capture();
    request.seed = common->seed;
    request.quiet = !spdlog::should_log(spdlog::level::info);
    request.stop = stop;
    for (const std::string& text : arguments->settings) SetConfigValue(text, &request.options);
    // Ranges hold for the options too.
    ConfigFromJson(ConfigToJson(request.options), "learn openloop", &request.options);
    const LearnOpenLoopResult result = LearnOpenLoop(request);
    if (!result.leader) std::exit(0);  // one of an MPI run speaks
    if (result.stopped) throw InputError("stopped; nothing was written");
    return {ToJson(result), Text(result), result.warnings};
  };
}

}  // namespace stride::cli
