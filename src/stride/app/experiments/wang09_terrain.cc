#include <fmt/format.h>

#include "stride/app/experiments/wang09_walkers.h"

// Uphill, downhill and onto ice, step by step: each walker goes on from the one before.
namespace stride::experiments::wang09_terrain {
namespace {

constexpr double kSeconds = 100;
constexpr double kStepLength = 0.65;  // m, of the paper's uphill walkers

struct Ground {
  const char* name;
  const char* from;
  double slope, friction;  // degrees; 0: the usual one
  const char* paper;
};
constexpr Ground kGrounds[] = {
    {"slope_3", "level", 3, 0, "walks"},
    {"slope_6", "slope_3", 6, 0, "walks"},
    {"slope_9", "slope_6", 9, 0, "walks"},
    {"slope_12", "slope_9", 12, 0, "walks"},
    {"down_3", "level", -3, 0, ""},
    {"down_6", "down_3", -6, 0, ""},
    {"friction_80", "level", 0, 0.8, "walks"},
    {"friction_30", "friction_80", 0, 0.3, "walks"},
};

}  // namespace

std::string Describe() {
  return "uphill to 12 degrees, downhill to 6, friction down to 0.3, each from the walker before";
}

Findings Measure(const ExperimentContext& context) {
  Findings findings;
  const double seconds = context.quick ? 2 : kSeconds;
  const auto verdict = [&](bool met) {
    return context.quick ? std::nullopt : std::optional<bool>(met);
  };
  const std::vector<std::string> base =
      Join(kNaturalOnly, {fmt::format("step_length={}", kStepLength)});
  const ObtainedWalker level = ObtainWalker(
      {.name = "level", .character = "wang09-short", .settings = base, .seed = context.seed},
      context);
  RunSetup uphill = WalkSetup(level.file, seconds);
  uphill.scenario.world.terrain.slope = 3 * 0.017453292519943295;
  const WalkRun tried = Walk(uphill);
  findings.rows.push_back({.name = "the level walker on 3 degrees",
                           .paper_text = "fails",
                           .ours = tried.seconds,
                           .unit = "s",
                           .note = fmt::format("of {:g} s in native", seconds)});
  for (const Ground& ground : kGrounds) {
    // One step each: what `stride learn walker --slope 12` does in one command.
    const ObtainedWalker walker = ObtainWalker(
        {.name = ground.name,
         .character = "wang09-short",
         .settings =
             Join(base, {"iterations=0", "slope_step=45", "friction_step=10",
                         fmt::format("slope={}", ground.slope),
                         fmt::format("friction={}", ground.friction > 0 ? ground.friction : 0.9)}),
         .options = {{"from", {fmt::format("{}/{}.skill", context.folder, ground.from)}}},
         .seed = context.seed},
        context);
    const WalkRun walk = Walk(WalkSetup(walker.file, seconds));
    findings.rows.push_back(
        {.name = fmt::format("{} {}", ground.friction > 0 ? "friction" : "slope",
                             ground.friction > 0 ? ground.friction : ground.slope),
         .paper_text = ground.paper,
         .ours = walk.seconds,
         .unit = "s",
         .met = verdict(!walk.fell),
         .note = fmt::format("of {:g} s in native at {:.2f} m/s, steps of {:.2f} m", seconds,
                             walk.speed, walk.step_length)});
  }
  return findings;
}

}  // namespace stride::experiments::wang09_terrain
