#include <algorithm>

#include <fmt/format.h>

#include "stride/app/experiments/boeing08_gaits.h"
#include "stride/app/simulate.h"

// The paper's four bodies and three of ours: the same structure of control, evolved for each.
namespace stride::experiments::boeing08_morphologies {

std::string Describe() {
  return "gaits evolved for seven bodies, five seeds each: 20 s from rest to rest";
}

Findings Measure(const ExperimentContext& context) {
  Findings findings;
  const int seeds = context.quick ? 1 : 5;
  for (const GaitPlan& plan : MorphologyPlans()) {
    if (!context.only.empty() &&
        std::find(context.only.begin(), context.only.end(), plan.name) == context.only.end()) {
      continue;
    }
    for (int k = 0; k < seeds; ++k) {
      const std::uint64_t seed = context.seed + k;
      const ObtainedWalker gait = ObtainGait(plan, seed, context);
      const RunSetup setup = GaitSetup(gait.file, kGaitSeconds, kGaitStop);
      const GaitRun run = PerformGait(setup);
      Row row{.name = fmt::format("{}, seed {}", plan.name, seed),
              .ours = run.forwards,
              .unit = "m",
              .note = fmt::format("{}stood {:.1f} of {:g} s, {:.0f} degrees aside, at rest up to "
                                  "{:.3f} m/s; evolved in {:.0f} s",
                                  context.quick ? "quick; " : "", run.seconds, kGaitSeconds,
                                  run.AsideDegrees(), run.rest_speed, gait.learn_seconds)};
      if (!context.quick) {
        row.met = !run.fell && run.forwards >= plan.distance && run.AsideDegrees() <= kGaitAside &&
                  run.rest_speed <= kGaitRest;
        row.note += fmt::format("; asked: {:g} m without a fall, {:g} degrees, {:g} m/s",
                                plan.distance, kGaitAside, kGaitRest);
      }
      findings.rows.push_back(row);
      if (k == 0) {
        Simulate({.setup = setup, .sheet = fmt::format("{}/{}.png", context.folder, plan.name)});
      }
    }
    findings.config[plan.name] = plan.settings;
  }
  return findings;
}

}  // namespace stride::experiments::boeing08_morphologies
