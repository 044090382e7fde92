#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "stride/app/experiments/experiment.h"
#include "stride/app/experiments/liu16_skills.h"
#include "stride/app/experiments/skill_trials.h"
#include "stride/controllers/control_graph/learn_retarget.h"
#include "stride/core/config.h"
#include "stride/core/file.h"

// Section 6.1, Figure 8: skills on bodies of other proportions, learned from warm starts.
namespace stride::experiments::liu16_retarget {
namespace {

constexpr double kAloneAtLeast = 100;  // s

struct OtherBody {
  const char* name;
  BodyChange change;
};
const OtherBody kBodies[] = {{"long legs", {"legs", 1.2, 1.1}},
                             {"short legs", {"legs", 0.85, 0.95}},
                             {"long arms", {"arms", 1.4, 1.2}},
                             {"heavy", {"all", 1, 1.3}}};

struct Config {
  int trials = 20;
  double longest = 400, alone_seconds = 100;  // s
  int evolve_iterations = 60;                 // less than from nothing
};

struct Measured {
  TrialResult alone;
  Survival pushed;
};

Measured MeasureFile(const std::string& file, const Config& config,
                     const ExperimentContext& context) {
  return {PerformSkill(PerformAlone(file, config.alone_seconds)),
          SurvivalOf(PerformSkills(GrowingPushes(file, config.longest, config.trials, context.seed),
                                   context.threads, !context.progress))};
}

std::string Text(const Measured& m, const Config& config) {
  return fmt::format("alone {:.0f} of {:g} s; pushed: mean of {} trials, +- {:.1f} s; {}",
                     m.alone.seconds, config.alone_seconds, m.pushed.trials,
                     m.pushed.standard_error, kGrowingPushesText);
}

}  // namespace

std::string Describe() {
  return "Figure 8: kick and dance spin on four bodies of other proportions, from warm starts";
}

Findings Measure(const ExperimentContext& context) {
  const Config config =
      context.quick ? Config{.trials = 2, .longest = 4, .alone_seconds = 3, .evolve_iterations = 1}
                    : Config{};
  Findings findings;
  Plot plot{.kind = Plot::Kind::kBars,
            .title = "Survived under growing pushes, mean",
            .y_label = "seconds"};
  for (const char* name : {"kick", "dance_spin"}) {
    const SkillClip& clip = FindSkillClip(name);
    const ObtainedSkill original = ObtainSkill(clip, context);
    const Measured own = MeasureFile(original.file, config, context);
    findings.rows.push_back({.name = fmt::format("{}: its own body", name),
                             .ours = own.pushed.mean,
                             .unit = "s",
                             .note = Text(own, config) + "; " + original.note});
    Series series{.name = name, .y = {own.pushed.mean}};
    for (const OtherBody& body : kBodies) {
      std::string file_name = fmt::format("{} {}", name, body.name);
      std::replace(file_name.begin(), file_name.end(), ' ', '_');
      LearnRetargetRequest request;
      request.skill = ReadClipSkill(original.file);
      request.changes = {body.change};
      request.out = fmt::format("{}/{}.skill", context.folder, file_name);
      request.name = file_name;
      request.seed = context.seed;
      ConfigFromJson(LearnSettings(clip), fmt::format("settings of {}", name), &request.options);
      if (context.quick) {
        ConfigFromJson(nlohmann::json::parse(kQuickLearning), "quick settings", &request.options);
      }
      request.options.evolve_iterations =
          std::min(request.options.evolve_iterations, config.evolve_iterations);
      context.Tell(fmt::format("{}: learning on {}", name, body.name));
      const LearningOutcome learned =
          LearnRetarget(request, {.out = request.out, .quiet = !context.progress}, context.threads);
      std::filesystem::remove(request.out + ".checkpoint");
      const Measured m = MeasureFile(request.out, config, context);
      context.Tell(fmt::format("{} on {}: alone {:.0f} s, pushed {:.1f} s", name, body.name,
                               m.alone.seconds, m.pushed.mean));
      Row row{.name = fmt::format("{}: {}", name, body.name),
              .paper_text = "as robust as before",
              .ours = m.pushed.mean,
              .unit = "s",
              .note = fmt::format("{} x{:g} long, x{:g} heavy; learned in {:.0f} s; {}; asked: "
                                  "{:g} s alone",
                                  body.change.body, body.change.length, body.change.mass,
                                  learned.wall_seconds, Text(m, config), kAloneAtLeast)};
      if (!context.quick) row.met = m.alone.seconds >= kAloneAtLeast;
      findings.rows.push_back(std::move(row));
      series.y.push_back(m.pushed.mean);
    }
    plot.series.push_back(std::move(series));
    findings.inputs.push_back({fmt::format("skill {}", name), InputHash(ReadFile(original.file))});
  }
  plot.categories = {"own"};
  for (const OtherBody& body : kBodies) plot.categories.emplace_back(body.name);
  findings.plots.push_back(std::move(plot));
  findings.config = {{"trials", config.trials},
                     {"longest", config.longest},
                     {"alone_seconds", config.alone_seconds},
                     {"evolve_iterations", config.evolve_iterations}};
  return findings;
}

}  // namespace stride::experiments::liu16_retarget
