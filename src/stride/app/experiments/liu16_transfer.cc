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

// A rigid ground as engines of hard contact have it, ERP 0.2 and CFM 1e-5 at 5 ms: eighty times as
// stiff as what skills are learned on.
constexpr double kRigidStiffness = 4e6;  // N/m
constexpr double kRigidDamping = 8e4;    // N s/m

enum class Condition { kAlone, kPushed, kRigid };

const char* NameOf(Condition condition) {
  return condition == Condition::kPushed  ? ", 60 N pushes"
         : condition == Condition::kRigid ? ", rigid ground"
                                          : "";
}

struct Trial {
  std::string skill, engine;
  Condition condition = Condition::kAlone;
  SimulateResult result;
};

RunSetup SetupOf(const Trial& trial, double seconds, std::uint64_t seed) {
  RunSetup setup{
      .engine = trial.engine,
      .characters = {{.controller = ControllerOfSkill(trial.skill), .skill = trial.skill}},
      .seed = seed};
  setup.scenario.seconds = seconds;
  setup.scenario.stop_at_fall = true;
  if (trial.condition == Condition::kRigid) {
    setup.scenario.world.contact.stiffness = kRigidStiffness;
    setup.scenario.world.contact.damping = kRigidDamping;
    setup.scenario.chosen = {"contact.stiffness", "contact.damping"};
  }
  if (trial.condition != Condition::kPushed) return setup;
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
      for (const Condition condition : {Condition::kAlone, Condition::kPushed, Condition::kRigid}) {
        // The stiffness of its ground is MuJoCo's own.
        if (condition == Condition::kRigid && engine.name == "mujoco") continue;
        trials.push_back({skill.name, engine.name, condition, {}});
      }
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
    Row row{.name = fmt::format("{} in {}{}", trial.skill, trial.engine, NameOf(trial.condition)),
            .ours = r.metrics.seconds,
            .unit = "s",
            .note = fmt::format("of {:g} s; {:.1f} degrees off the clip, {:.2f} m/s{}", seconds,
                                error, r.metrics.speed, context.quick ? "; quick" : "")};
    const bool ours = trial.engine == "native" || trial.engine == "batch";
    if (trial.condition == Condition::kAlone && !ours && !context.quick) {
      row.met = r.metrics.seconds >= kFloor;
      row.note += fmt::format("; asked: {:g} s", kFloor);
    }
    findings.rows.push_back(row);
    if (trial.condition != Condition::kAlone) continue;
    for (Series& series : bars.series) {
      if (series.name == trial.engine) series.y.push_back(error);
    }
  }
  findings.plots.push_back(bars);
  findings.config = {{"seconds", seconds},
                     {"push", "60 N, 0.2 s, every 4 s, a quarter turn on each"},
                     {"rigid ground", "contact.stiffness 4e6, contact.damping 8e4"}};
  for (const SkillInfo& skill : BuiltInSkills()) {
    findings.inputs.push_back({"skill " + skill.name, InputHash(SkillText(LoadSkill(skill.name)))});
  }
  return findings;
}

}  // namespace stride::experiments::liu16_transfer
