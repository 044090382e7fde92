#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stride/app/experiments/boeing08_gaits.h"
#include "stride/app/simulate.h"

// The gaits that the paper shows (Fig. 4 to 8), told by what they are.
namespace stride::experiments::boeing08_gaits {
namespace {

struct NamedGait {
  GaitPlan plan;
  const char* paper;
  const char* asked;
  bool (*is)(const GaitRun& run);
};

// Each joint about Z behind the one before, by the same sign and by less than half a cycle.
bool Travels(const std::vector<double>& wave) {
  if (wave.size() < 3) return false;
  int forwards = 0, backwards = 0;
  for (std::size_t k = 1; k < wave.size(); ++k) {
    const double later = wave[k] - wave[k - 1] - std::floor(wave[k] - wave[k - 1]);
    forwards += later > 0.05 && later < 0.45;
    backwards += later > 0.55 && later < 0.95;
  }
  const int steps = static_cast<int>(wave.size()) - 1;
  return forwards == steps || backwards == steps;
}

const std::vector<NamedGait>& NamedGaits() {
  static const std::vector<NamedGait> gaits = {
      {PlanOf("android"), "Fig. 4", "a walk: 5 m, hardly any flight (5 %)",
       [](const GaitRun& run) { return run.forwards >= 5 && run.flight <= 0.05; }},
      {JumpPlan(), "Fig. 6", "jumps: in flight for 10 % of the time, rises by 5 cm",
       [](const GaitRun& run) { return run.flight >= 0.1 && run.rise >= 0.05; }},
      {StaticPlan(), "Fig. 5",
       "static: 1 m, no flight, centre of mass over the feet for 95 % of the time, feet that slide "
       "by less than a quarter of the way",
       [](const GaitRun& run) {
         return run.forwards >= 1 && run.flight <= 0.001 && run.over_feet >= 0.95 &&
                run.slip * run.seconds < 0.25 * run.forwards;
       }},
      {GallopPlan(), "Fig. 7", "a gallop: 5 m, in flight for 5 % of the time",
       [](const GaitRun& run) { return run.forwards >= 5 && run.flight >= 0.05; }},
      {UndulationPlan(), "Fig. 8", "a travelling wave: 2 m, each joint behind the one before",
       [](const GaitRun& run) { return run.forwards >= 2 && Travels(run.wave); }},
  };
  return gaits;
}

}  // namespace

std::string Describe() {
  return "the paper's gaits: humanoid walk and jump, static walk, gallop of three legs, undulation";
}

Findings Measure(const ExperimentContext& context) {
  Findings findings;
  for (const NamedGait& gait : NamedGaits()) {
    const ObtainedWalker found = ObtainGait(gait.plan, context.seed, context);
    const RunSetup setup = GaitSetup(found.file, kGaitSeconds, -1);
    const GaitRun run = PerformGait(setup);
    std::string wave;
    for (const double delay : run.wave) wave += fmt::format(" {:.2f}", delay);
    Row row{.name = gait.plan.name,
            .paper_text = gait.paper,
            .ours = run.forwards,
            .unit = "m",
            .note = fmt::format(
                "{}stood {:.1f} of {:g} s, {:.0f} % in flight, centre of mass over "
                "the feet {:.0f} %, rose {:.2f} m, slides at {:.3f} m/s{}; asked: {}, no fall",
                context.quick ? "quick; " : "", run.seconds, kGaitSeconds, 100 * run.flight,
                100 * run.over_feet, run.rise, run.slip,
                wave.empty() ? "" : ", delays in cycles" + wave, gait.asked)};
    if (!context.quick) row.met = !run.fell && gait.is(run);
    findings.rows.push_back(row);
    findings.config[gait.plan.name] = gait.plan.settings;
    Simulate({.setup = GaitSetup(found.file, 6, -1),
              .sheet = fmt::format("{}/{}.png", context.folder, gait.plan.name)});
  }
  return findings;
}

}  // namespace stride::experiments::boeing08_gaits
