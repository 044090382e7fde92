#include <fmt/format.h>

#include "stride/app/experiments/boeing08_gaits.h"
#include "stride/character/library.h"
#include "stride/controllers/registry.h"
#include "stride/core/file.h"

// The biped with a longer torso and longer legs (Fig. 9): the gait as it is, else evolved further.
namespace stride::experiments::boeing08_altered {
namespace {

constexpr int kMostGenerations = 30;

}  // namespace

std::string Describe() {
  return "the biped's gait on bipeds with a longer torso and longer legs: as it is, else after at "
         "most 30 generations more";
}

Findings Measure(const ExperimentContext& context) {
  Findings findings;
  const ObtainedWalker base = ObtainGait(PlanOf("biped"), context.seed, context);
  for (const char* name : {"biped-longtorso", "biped-longlegs"}) {
    Skill skill = ReadSkill(base.file);
    skill.character = LoadCharacter(name);
    skill.start = {};
    const std::string file = fmt::format("{}/{}-as-it-is.skill", context.folder, name);
    WriteSkill(skill, file);
    GaitRun run = PerformGait(GaitSetup(file, kGaitSeconds, -1));
    std::string how = "as it is";
    if (run.fell || run.forwards < 5) {
      const GaitRun before = run;
      GaitPlan plan = PlanOf("biped");
      plan.name = plan.character = name;
      plan.settings = Join(
          plan.settings, {fmt::format("generations={}", kMostGenerations), "servo_generations=0"});
      const ObtainedWalker more = ObtainGait(plan, context.seed, context, {{"from", {base.file}}});
      run = PerformGait(GaitSetup(more.file, kGaitSeconds, -1));
      how = fmt::format("after {} generations; as it is {:.1f} s and {:.1f} m", kMostGenerations,
                        before.seconds, before.forwards);
    }
    Row row{.name = name,
            .paper_text = "Fig. 9: walks",
            .ours = run.seconds,
            .unit = "s",
            .note = fmt::format("{}{}; {:.2f} m, {:.0f} degrees aside; asked: {:g} s",
                                context.quick ? "quick; " : "", how, run.forwards,
                                run.AsideDegrees(), kGaitSeconds)};
    if (!context.quick) row.met = !run.fell && run.forwards >= 1;
    findings.rows.push_back(row);
  }
  return findings;
}

}  // namespace stride::experiments::boeing08_altered
