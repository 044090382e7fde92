#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stride/app/experiments/boeing08_gaits.h"
#include "stride/app/simulate.h"
#include "stride/scenario/ground.h"

// Rugged terrain (Fig. 10): a surface over the torso's inclination against the open loop.
namespace stride::experiments::boeing08_terrain {
namespace {

constexpr int kTerrains = 10;
constexpr double kFirst = 0.01, kStep = 0.01;  // m, amplitudes of the fields that grow
constexpr double kCrossed = 0.05;              // m, of the ten that do not
constexpr double kHalfSide = 30;               // m: none runs off the field
constexpr const char* kLevel = "spline-biped";

struct Arm {
  const char* name;
  std::string file;
};

// From the gait on the level, in two steps that are the same for all arms: on fields of up to 10
// cm, then on others of up to 7 cm, as many as candidates have trials, of growing height.
std::string EvolvedArm(const std::string& name, const std::vector<std::string>& more,
                       const ExperimentContext& context) {
  const std::vector<std::string> both = Join(
      {"optimizer=cma", "generations=60", "population=48", "seconds=20", "servo_generations=0"},
      more);
  const GaitPlan first{name + "_first", "biped", Join(both, {"fitness=wander", "trials=12"})};
  const GaitPlan then{name, "biped", Join(both, {"fitness=distance", "trials=10", "vary=0"})};
  const std::string begun =
      ObtainGait(first, context.seed, context, {{"terrain", {"field:100,0.1"}}, {"from", {kLevel}}})
          .file;
  return ObtainGait(then, context.seed + 1, context,
                    {{"terrain", {"field:100,0.07"}}, {"from", {begun}}})
      .file;
}

RunSetup OnField(const std::string& file, std::uint64_t seed, double amplitude) {
  RunSetup setup = GaitSetup(file, kGaitSeconds, -1);
  setup.scenario.world.terrain = RandomField(seed, amplitude, kHalfSide);
  setup.scenario.chosen.push_back(kChosenGround);
  return setup;
}

// From where it began, whichever way the ground has turned it: no gait steers.
double DistanceOf(const GaitRun& run) { return std::hypot(run.forwards, run.sideways); }

}  // namespace

std::string Describe() {
  return "ten rugged terrains of growing height, ten of 5 cm: distance and falls with feedback and "
         "without";
}

Findings Measure(const ExperimentContext& context) {
  Findings findings;
  const Arm arms[] = {
      {"open loop, evolved on the level", kLevel},
      {"open loop, evolved on rugged ground", EvolvedArm("rugged_open", {}, context)},
      {"feedback, evolved on rugged ground",
       EvolvedArm("rugged_feedback", {"feedback=inclination"}, context)}};
  double mean[3] = {};
  Plot plot{.title = "Distance over rugged ground", .x_label = "amplitude, m", .y_label = "m"};
  for (int who = 0; who < 3; ++who) {
    const Arm& arm = arms[who];
    int falls = 0;
    Series series{.name = arm.name};
    for (int k = 0; k < kTerrains; ++k) {
      const double amplitude = kFirst + kStep * k;
      const GaitRun run = PerformGait(OnField(arm.file, context.seed + 1 + k, amplitude));
      mean[who] += DistanceOf(run) / kTerrains;
      falls += run.fell;
      series.x.push_back(amplitude);
      series.y.push_back(DistanceOf(run));
    }
    plot.series.push_back(series);
    findings.rows.push_back(
        {.name = arm.name,
         .ours = mean[who],
         .unit = "m",
         .note = fmt::format("mean of {} terrains of growing height, 20 s each, {} falls",
                             kTerrains, falls)});
  }
  const std::string quick = context.quick ? "quick; " : "";
  // Of the open loops the better: one may be evolved to hardly move, and not to fall.
  const double open = std::max({mean[0], mean[1], 1e-3});
  Row ratio{.name = "feedback against the better open loop",
            .paper_text = "Fig. 10: crosses",
            .ours = mean[2] / open,
            .unit = "times",
            .note = fmt::format("{}asked: 2; against the one evolved on rugged ground {:.2f} times",
                                quick, mean[2] / std::max(mean[1], 1e-3))};
  if (!context.quick) ratio.met = ratio.ours >= 2;
  findings.rows.push_back(ratio);
  findings.plots.push_back(plot);

  // Ground of one height, other fields: who crosses where another falls.
  bool fell[3][kTerrains];
  double far[3] = {};
  for (int who = 0; who < 3; ++who) {
    for (int k = 0; k < kTerrains; ++k) {
      const GaitRun run = PerformGait(OnField(arms[who].file, context.seed + 51 + k, kCrossed));
      fell[who][k] = run.fell;
      far[who] += DistanceOf(run) / kTerrains;
    }
  }
  for (int who = 0; who < 2; ++who) {
    int falls = 0, crossed = 0;
    for (int k = 0; k < kTerrains; ++k) {
      falls += fell[who][k];
      crossed += fell[who][k] && !fell[2][k];
    }
    Row row{.name = fmt::format("crossed with feedback where falls: {}", arms[who].name),
            .paper_text = "Fig. 10: crosses",
            .ours = static_cast<double>(crossed),
            .unit = "terrains",
            .note = fmt::format(
                "{}of {} falls on {} fields of {:g} m; feedback falls on {}; {:.1f} against {:.1f} "
                "m; asked: 8 in 10 of them crossed",
                quick, falls, kTerrains, kCrossed,
                std::count(std::begin(fell[2]), std::end(fell[2]), true), far[2], far[who])};
    // Who hardly moves does not fall: no verdict.
    if (!context.quick && falls > 0) row.met = crossed >= 0.8 * falls;
    findings.rows.push_back(row);
  }
  Simulate({.setup = OnField(arms[2].file, context.seed + 51, kCrossed),
            .sheet = context.folder + "/rugged.png"});
  findings.config = {{"amplitudes", {kFirst, kFirst + kStep * (kTerrains - 1)}},
                     {"crossed", kCrossed}};
  return findings;
}

}  // namespace stride::experiments::boeing08_terrain
