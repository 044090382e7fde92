#include <fmt/format.h>

#include "stride/app/experiments/boeing08_gaits.h"
#include "stride/controllers/skill_library.h"
#include "stride/sim/engine.h"

// Every gait, built in or evolved here, in every engine: distance as a share of that in the native
// one.
namespace stride::experiments::boeing08_engines {
namespace {

// Evolved in lanes: what the native engines do is the same mathematics.
bool IsForeign(const std::string& engine) { return engine != "native" && engine != "batch"; }
constexpr double kShare = 0.5, kHolding = 0.75;
constexpr double kLeast = 1;  // m that a built-in gait goes in any case: one of them jumps

struct Gait {
  std::string name, skill;
  double distance;  // m, at least
};

std::vector<Gait> GaitsOf(const ExperimentContext& context) {
  std::vector<Gait> gaits;
  for (const SkillInfo& skill : BuiltInSkills()) {
    if (skill.controller == "spline") gaits.push_back({skill.name, skill.name, kLeast});
  }
  std::vector<GaitPlan> plans = MorphologyPlans();
  plans.insert(plans.end(), {GallopPlan(), UndulationPlan()});
  for (const GaitPlan& plan : plans) {
    gaits.push_back({plan.name, ObtainGait(plan, context.seed, context).file, plan.distance});
  }
  return gaits;
}

}  // namespace

std::string Describe() {
  return "built-in gaits, those of seven bodies, a gallop and an undulation, evolved in lanes, in "
         "every engine: distance and falls in 20 s";
}

Findings Measure(const ExperimentContext& context) {
  Findings findings;
  int held = 0, tried = 0, count = 0, somewhere = 0;
  Plot bars{.kind = Plot::Kind::kBars, .title = "Distance in 20 s", .y_label = "m"};
  for (const EngineInfo& engine : Engines()) bars.series.push_back({.name = engine.name});
  for (const Gait& gait : GaitsOf(context)) {
    const double native = PerformGait(GaitSetup(gait.skill, kGaitSeconds, -1)).forwards;
    bool holds_somewhere = false;
    bars.categories.push_back(gait.name);
    for (std::size_t k = 0; k < Engines().size(); ++k) {
      const std::string& engine = Engines()[k].name;
      const GaitRun run = PerformGait(GaitSetup(gait.skill, kGaitSeconds, -1, engine));
      const bool holds = !run.fell && run.forwards >= kShare * native && native >= gait.distance;
      if (IsForeign(engine)) {
        ++tried;
        held += holds;
        holds_somewhere = holds_somewhere || holds;
      }
      bars.series[k].y.push_back(run.forwards);
      findings.rows.push_back(
          {.name = fmt::format("{} in {}", gait.name, engine),
           .ours = run.forwards,
           .unit = "m",
           .note = fmt::format("{:.0f} % of native, stood {:.1f} s{}", 100 * run.forwards / native,
                               run.seconds, holds ? "" : ": does not hold")});
    }
    ++count;
    somewhere += holds_somewhere;
  }
  Row row{
      .name = "gaits that hold in an engine they were not evolved in",
      .ours = tried > 0 ? static_cast<double>(held) / tried : 0,
      .note = fmt::format("{}{} of {} pairs, {} of {} gaits somewhere; holds: no fall in 20 s, "
                          "half of the native distance, which is enough; asked: {:g}",
                          context.quick ? "quick; " : "", held, tried, somewhere, count, kHolding)};
  if (!context.quick) row.met = row.ours >= kHolding;
  findings.rows.push_back(row);
  findings.plots.push_back(bars);
  return findings;
}

}  // namespace stride::experiments::boeing08_engines
