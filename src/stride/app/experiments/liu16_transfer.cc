#include <fmt/format.h>

#include "stride/app/experiments/experiment.h"
#include "stride/app/simulate.h"
#include "stride/controllers/skill_library.h"
#include "stride/core/parallel.h"
#include "stride/sim/engine.h"

// Skills learned in lanes, performed in every engine: what was learned must be the skill, not the
// engine. No paper has this.
namespace stride::experiments::liu16_transfer {
namespace {

constexpr double kFloor = 20;  // s that skills must stand in engines that are not ours

struct Trial {
  std::string skill, engine;
  bool pushed = false;
  SimulateResult result;
};

RunSetup SetupOf(const Trial& trial, double seconds, std::uint64_t seed) {
  RunSetup setup{
      .engine = trial.engine,
      .characters = {{.controller = ControllerOfSkill(trial.skill), .skill = trial.skill}},
      .seed = seed};
  setup.scenario.seconds = seconds;
  setup.scenario.stop_at_fall = true;
  if (!trial.pushed) return setup;
  for (int k = 0; 4.0 * (k + 1) < seconds; ++k) {
    setup.scenario.pushes.push_back(
        {.force = 60, .heading = 1.5707963267948966 * k, .at = 4.0 * (k + 1), .duration = 0.2});
  }
  return setup;
}

}  // namespace

std::string Describe() {
  return "the built-in skills, learned in lanes, in every engine: seconds stood and tracking error";
}

Findings Measure(const ExperimentContext& context) {
  const double seconds = context.quick ? 5 : 60;
  std::vector<Trial> trials;
  for (const SkillInfo& skill : BuiltInSkills()) {
    for (const EngineInfo& engine : Engines()) {
      for (const bool pushed : {false, true})
        trials.push_back({skill.name, engine.name, pushed, {}});
    }
  }
  ForEachInParallel(static_cast<int>(trials.size()), context.threads, [&](int k) {
    trials[k].result = Simulate({.setup = SetupOf(trials[k], seconds, context.seed)});
  });

  Findings findings;
  Plot bars{.kind = Plot::Kind::kBars, .title = "Tracking error, no pushes", .y_label = "degrees"};
  for (const SkillInfo& skill : BuiltInSkills()) bars.categories.push_back(skill.name);
  for (const EngineInfo& engine : Engines()) bars.series.push_back({.name = engine.name});
  for (const Trial& trial : trials) {
    const SimulateResult& r = trial.result;
    const double error = r.metrics.tracking_error_deg.value_or(0);
    Row row{.name = fmt::format("{} in {}{}", trial.skill, trial.engine,
                                trial.pushed ? ", 60 N pushes" : ""),
            .ours = r.metrics.seconds,
            .unit = "s",
            .note = fmt::format("of {:g} s; {:.1f} degrees off the clip, {:.2f} m/s{}", seconds,
                                error, r.metrics.speed, context.quick ? "; quick" : "")};
    const bool ours = trial.engine == "native" || trial.engine == "batch";
    if (!trial.pushed && !ours && !context.quick) {
      row.met = r.metrics.seconds >= kFloor;
      row.note += fmt::format("; asked: {:g} s", kFloor);
    }
    findings.rows.push_back(row);
    if (trial.pushed) continue;
    for (Series& series : bars.series) {
      if (series.name == trial.engine) series.y.push_back(error);
    }
  }
  findings.plots.push_back(bars);
  findings.config = {{"seconds", seconds},
                     {"push", "60 N, 0.2 s, every 4 s, a quarter turn on each"}};
  for (const SkillInfo& skill : BuiltInSkills()) {
    findings.inputs.push_back({"skill " + skill.name, InputHash(SkillText(LoadSkill(skill.name)))});
  }
  return findings;
}

}  // namespace stride::experiments::liu16_transfer
