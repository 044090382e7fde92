#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "stride/app/experiments/experiment.h"
#include "stride/app/experiments/liu16_skills.h"
#include "stride/app/experiments/skill_trials.h"
#include "stride/character/library.h"
#include "stride/controllers/control_graph/clip_skill.h"
#include "stride/controllers/control_graph/learner.h"
#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/motion/edit/symmetry.h"
#include "stride/motion/import/motion_source.h"

// Figure 6: robustness against the iterations of guided learning, as published: nothing follows it,
// no heading is kept; all six cyclic skills of Table II.
namespace stride::experiments::liu16_iterations {
namespace {

struct Config {
  std::vector<int> tried = {1, 2, 4, 7, 10, 15, 20};  // after these iterations
  int trials = 20;
  double longest = 400;  // s, of a trial under growing pushes
  double alone = 200;    // s
};

class Course {
 public:
  Course(const SkillClip& clip, const Config& config, const ExperimentContext& context)
      : clip_(clip), config_(config), context_(context), workers_(context.threads) {
    skill_.name = clip.name;
    skill_.character = LoadCharacter(clip.character);
    Motion motion = LoadSkillMotion(clip, context, &note_);
    if (clip.symmetric) motion = MakeSymmetric(skill_.character, motion);
    options_.symmetric = clip.symmetric;
    ConfigFromJson(LearnSettings(clip), clip.name, &options_);
    if (context.quick) {
      ConfigFromJson(nlohmann::json::parse(kQuickLearning), "quick settings", &options_);
    }
    options_.guided_iterations = config.tried.back();
    options_.guided_enough = 1000;  // s; all of them, however good
    options_.evolve_iterations = 0;
    options_.keep_heading = false;
    skill_.plan = PlanOf(motion, options_.symmetric);
    skill_.clip = {options_.fragment, options_.lead, options_.symmetric};
    skill_.time_step = World().time_step;
    skill_.keep_heading = false;
  }

  void Try(Findings* findings, Plot* plot) {
    Learner learner(GraphOf(skill_), options_, context_.seed, workers_);
    Series series{.name = clip_.name};
    double second = 0, last = 0, alone = 0;
    int iteration = 0;
    while (!learner.Done()) {
      const bool guided = learner.Known().phase == LearnPhase::kGuided;
      learner.Advance();
      if (!guided) continue;
      ++iteration;
      if (std::find(config_.tried.begin(), config_.tried.end(), iteration) == config_.tried.end()) {
        continue;
      }
      skill_.policies = learner.Known().policies;
      skill_.start = learner.Start();
      const std::string file = fmt::format("{}/{}.skill", context_.folder, clip_.name);
      WriteSkill(skill_, file);  // the last one stays with the result
      const Survival survival = SurvivalOf(
          PerformSkills(GrowingPushes(file, config_.longest, config_.trials, context_.seed),
                        context_.threads, true));
      alone = PerformSkill(PerformAlone(file, config_.alone)).seconds;
      series.x.push_back(iteration);
      series.y.push_back(survival.mean);
      if (iteration <= 2) second = survival.mean;
      last = survival.mean;
      context_.Tell(fmt::format("{} {}: {:.1f} s, alone {:.1f} s", clip_.name, iteration,
                                survival.mean, alone));
      findings->rows.push_back(
          {.name = fmt::format("{}, {} guided iterations", clip_.name, iteration),
           .ours = survival.mean,
           .unit = "s",
           .note = fmt::format("mean of {} trials, +- {:.1f} s; alone {:.1f} of {:g} s{}",
                               survival.trials, survival.standard_error, alone, config_.alone,
                               Quick())});
    }
    plot->series.push_back(std::move(series));
    Row stands{.name = fmt::format("{}: alone after {} iterations", clip_.name, iteration),
               .paper_text = "without end",
               .ours = alone,
               .unit = "s",
               .note = fmt::format("{}; asked: {:g} s{}", note_, config_.alone, Quick())};
    // The paper says that it grows; the figure's own numbers are not in the text.
    Row grows{.name = fmt::format("{}: last over second", clip_.name),
              .paper_text = "grows",
              .ours = second > 0 ? last / second : 0,
              .unit = "x",
              .note = fmt::format("asked: 3; {}; trials end at {:g} s{}", kGrowingPushesText,
                                  config_.longest, Quick())};
    if (!context_.quick) {
      stands.met = alone >= config_.alone;
      grows.met = grows.ours >= 3;
    }
    findings->rows.push_back(stands);
    findings->rows.push_back(grows);
  }

  nlohmann::ordered_json Settings() const { return ConfigToJson(options_); }

 private:
  std::string Quick() const { return context_.quick ? "; quick" : ""; }

  const SkillClip& clip_;
  const Config& config_;
  const ExperimentContext& context_;
  Workers workers_;
  LearnOptions options_;
  ClipSkill skill_;
  std::string note_;
};

}  // namespace

std::string Describe() {
  return "Figure 6: guided learning alone, six skills: alone and under growing pushes after "
         "1 to 20 iterations";
}

Findings Measure(const ExperimentContext& context) {
  const Config config =
      context.quick ? Config{.tried = {1, 2}, .trials = 2, .longest = 3, .alone = 3} : Config{};
  for (const std::string& name : context.only) FindSkillClip(name);
  Findings findings;
  Plot plot{.title = "Survived under growing pushes",
            .x_label = "guided iterations",
            .y_label = "seconds, mean",
            .zero_y = true};
  for (const SkillClip& clip : kSkillClips) {
    if (!context.only.empty() &&
        std::find(context.only.begin(), context.only.end(), clip.name) == context.only.end()) {
      continue;
    }
    if (context.quick && findings.config.contains("settings")) break;
    if (context.mocap.empty() && !clip.built_in) {
      findings.rows.push_back({.name = clip.name, .note = "no motion stands in without --mocap"});
      continue;
    }
    Course course(clip, config, context);
    course.Try(&findings, &plot);
    findings.config["settings"][clip.name] = course.Settings();
  }
  findings.plots.push_back(std::move(plot));
  findings.config["trials"] = config.trials;
  findings.config["longest"] = config.longest;
  return findings;
}

}  // namespace stride::experiments::liu16_iterations
