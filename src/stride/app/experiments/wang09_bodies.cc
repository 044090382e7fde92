#include <algorithm>

#include <fmt/format.h>

#include "stride/app/experiments/wang09_walkers.h"

// Six bodies, each with the gait that costs it least.
namespace stride::experiments::wang09_bodies {
namespace {

constexpr std::array<const char*, 6> kBodies = {"longarm", "thin",       "short",
                                                "stocky",  "overweight", "tall"};
constexpr double kSeconds = 200;

}  // namespace

std::string Describe() {
  return "Figure 8: six bodies walk without a wanted speed or step length; each finds its own gait";
}

Findings Measure(const ExperimentContext& context) {
  Findings findings;
  const double seconds = context.quick ? 2 : kSeconds;
  Plot plot{.kind = Plot::Kind::kBars,
            .title = "Preferred speed",
            .y_label = "m/s",
            .series = {{.name = "ours"}}};
  double tall = 0, others = 0;
  for (const std::string body : kBodies) {
    const ObtainedWalker walker = ObtainWalker(
        {.name = "free_" + body,
         .character = "wang09-" + body,
         .settings = Join(Join(kNaturalOnly, kSteady), {"free=true", "iterations=900"}),
         .seed = context.seed},
        context);
    const WalkRun walk = Walk(WalkSetup(walker.file, seconds));
    (body == "tall" ? tall : others) = std::max(body == "tall" ? tall : others, walk.speed);
    findings.rows.push_back(
        {.name = body + ": walks",
         .paper = 100,
         .ours = walk.seconds,
         .unit = "s",
         .met = context.quick ? std::nullopt : std::optional<bool>(!walk.fell),
         .note = fmt::format("of {:g} s alone in native; learned in {:.0f} s; objective {:.4f}",
                             seconds, walker.learn_seconds, walker.Metric("objective.total"))});
    findings.rows.push_back(
        {.name = body + ": preferred speed",
         .paper = body == "tall" ? std::optional<double>(1.79) : std::nullopt,
         .ours = walk.speed,
         .unit = "m/s",
         .note = fmt::format("steps of {:.2f} m, {:.0f} a minute, E_power {:.0f}", walk.step_length,
                             walker.Metric("figures.cadence"),
                             walker.Metric("figures.squared_torque"))});
    plot.categories.push_back(body);
    plot.series[0].y.push_back(walk.speed);
  }
  findings.rows.push_back({.name = "the tall one is the fastest",
                           .paper_text = "yes",
                           .ours = tall - others,
                           .unit = "m/s",
                           .met = context.quick ? std::nullopt : std::optional<bool>(tall > others),
                           .note = "ahead of the fastest of the others"});
  findings.plots.push_back(std::move(plot));
  return findings;
}

}  // namespace stride::experiments::wang09_bodies
