#include <cmath>

#include <fmt/format.h>

#include "stride/app/experiments/wang09_walkers.h"

// Wanted speeds and step lengths, usual and unusual; and the fastest walk.
namespace stride::experiments::wang09_targets {
namespace {

struct Pair {
  const char* name;
  double speed, step_length;  // 0: not wanted
};
constexpr Pair kPairs[] = {{"speed 1.0", 1.0, 0},
                           {"step 0.65", 0, 0.65},
                           {"1.4, 0.7", 1.4, 0.7},
                           {"1.8, 0.7", 1.8, 0.7},
                           {"slow, long: 1.0, 0.7", 1.0, 0.7},
                           {"quick, short: 1.3, 0.4", 1.3, 0.4}};
constexpr double kNear = 0.025;  // the paper's tolerance
constexpr double kSeconds = 100;

}  // namespace

std::string Describe() {
  return "wanted speeds and step lengths met within 0.025, and the fastest walk (cost 1/v)";
}

Findings Measure(const ExperimentContext& context) {
  Findings findings;
  const double seconds = context.quick ? 2 : kSeconds;
  for (const Pair& pair : kPairs) {
    std::vector<std::string> settings = kNaturalOnly;
    if (pair.speed > 0) settings.push_back(fmt::format("speed={}", pair.speed));
    if (pair.step_length > 0) settings.push_back(fmt::format("step_length={}", pair.step_length));
    const ObtainedWalker walker = ObtainWalker(
        {.name = fmt::format("target_{:g}_{:g}", 100 * pair.speed, 100 * pair.step_length),
         .character = "wang09-stocky",
         .settings = settings,
         .seed = context.seed},
        context);
    const WalkRun walk = Walk(WalkSetup(walker.file, seconds));
    const auto row = [&](const char* what, double wanted, double got, const char* unit) {
      if (wanted == 0) return;
      findings.rows.push_back(
          {.name = fmt::format("{}: {}", pair.name, what),
           .paper = wanted,
           .ours = got,
           .unit = unit,
           .met = context.quick
                      ? std::nullopt
                      : std::optional<bool>(!walk.fell && std::fabs(got - wanted) <= kNear),
           .note = fmt::format("wanted: the paper's column; stands {:.0f} of {:g} s in native",
                               walk.seconds, seconds)});
    };
    row("speed", pair.speed, walk.speed, "m/s");
    row("step length", pair.step_length, walk.step_length, "m");
  }
  const ObtainedWalker fastest =
      ObtainWalker({.name = "fastest",
                    .character = "wang09-stocky",
                    .settings = Join(kNaturalOnly, {"free=true", "fastest=true", "iterations=600"}),
                    .seed = context.seed},
                   context);
  const WalkRun walk = Walk(WalkSetup(fastest.file, seconds));
  findings.rows.push_back({.name = "fastest walk",
                           .paper_text = "extremely fast",
                           .ours = walk.speed,
                           .unit = "m/s",
                           .note = fmt::format("only 1/v costs; stands {:.0f} of {:g} s in native",
                                               walk.seconds, seconds)});
  return findings;
}

}  // namespace stride::experiments::wang09_targets
