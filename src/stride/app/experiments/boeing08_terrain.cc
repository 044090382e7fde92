#include <algorithm>

#include <fmt/format.h>

#include "stride/app/experiments/boeing08_gaits.h"
#include "stride/scenario/ground.h"

// Rugged terrain (Fig. 10): a surface over the torso's inclination against the open loop.
namespace stride::experiments::boeing08_terrain {
namespace {

constexpr int kTerrains = 10;
constexpr double kFirst = 0.01, kStep = 0.01;  // m, amplitudes of the fields
constexpr const char* kTaught = "field:100,0.05";

}  // namespace

std::string Describe() {
  return "ten rugged terrains of growing height: distance with feedback and without";
}

Findings Measure(const ExperimentContext& context) {
  Findings findings;
  GaitPlan open = PlanOf("biped"), closed = open;
  open.name = "rugged_open";
  closed.name = "rugged_feedback";
  open.settings = closed.settings = Join(open.settings, {"trials=8"});
  closed.settings = Join(closed.settings, {"feedback=inclination"});
  const std::string level = ObtainGait(PlanOf("biped"), context.seed, context).file;
  // Both begin with the gait on the level.
  const std::map<std::string, std::vector<std::string>> ground = {{"terrain", {kTaught}},
                                                                  {"from", {level}}};
  const std::string files[] = {level, ObtainGait(open, context.seed, context, ground).file,
                               ObtainGait(closed, context.seed, context, ground).file};
  constexpr const char* kNames[] = {"open loop, evolved on the level",
                                    "open loop, evolved on rugged ground",
                                    "feedback, evolved on rugged ground"};
  double mean[3] = {};
  int falls[3] = {};
  Plot plot{.title = "Distance over rugged ground", .x_label = "amplitude, m", .y_label = "m"};
  for (int who = 0; who < 3; ++who) {
    Series series{.name = kNames[who]};
    for (int k = 0; k < kTerrains; ++k) {
      RunSetup setup = GaitSetup(files[who], kGaitSeconds, -1);
      const double amplitude = kFirst + kStep * k;
      setup.scenario.world.terrain = RandomField(context.seed + 1 + k, amplitude);
      setup.scenario.chosen.push_back(kChosenGround);
      const GaitRun run = PerformGait(setup);
      mean[who] += run.forwards / kTerrains;
      falls[who] += run.fell;
      series.x.push_back(amplitude);
      series.y.push_back(run.forwards);
    }
    plot.series.push_back(series);
    findings.rows.push_back(
        {.name = kNames[who],
         .ours = mean[who],
         .unit = "m",
         .note = fmt::format("mean of {} terrains of 20 s, {} falls", kTerrains, falls[who])});
  }
  Row ratio{.name = "feedback against the open loop, both evolved on rugged ground",
            .paper_text = "Fig. 10: crosses",
            .ours = mean[2] / std::max(mean[1], 1e-3),
            .unit = "times",
            .note = fmt::format("{}asked: 2; against the one evolved on the level {:.2f} times",
                                context.quick ? "quick; " : "", mean[2] / std::max(mean[0], 1e-3))};
  if (!context.quick) ratio.met = ratio.ours >= 2;
  findings.rows.push_back(ratio);
  findings.plots.push_back(plot);
  findings.config = {{"taught", kTaught},
                     {"amplitudes", {kFirst, kFirst + kStep * (kTerrains - 1)}}};
  return findings;
}

}  // namespace stride::experiments::boeing08_terrain
