#include <fmt/format.h>

#include "stride/app/experiments/experiment.h"
#include "stride/app/experiments/liu16_skills.h"
#include "stride/app/experiments/skill_trials.h"
#include "stride/controllers/control_graph/clip_skill.h"
#include "stride/controllers/control_graph/learner.h"
#include "stride/core/config.h"
#include "stride/motion/edit/symmetry.h"
#include "stride/motion/import/motion_source.h"

// Figure 6: robustness against the iterations of guided learning; and, beyond the paper, of the
// evolution that follows it.
namespace stride::experiments::liu16_iterations {
namespace {

struct Clip {
  const char* motion;
  const char* settings;  // LearnOptions, as JSON over the defaults
};
constexpr Clip kClips[] = {{"walk", "{}"},
                           {"run", R"({"first_sigma_deg": 10, "guided_samples": 500})"}};

struct Config {
  int guided = 12;  // iterations without evolution (paper: 20)
  int guided_before = 2, evolved = 15;
  int trials = 20;
  double longest = 600;  // s, of a trial
};

// Learns one clip and tries it after every iteration.
class Course {
 public:
  Course(const Clip& clip, const Config& config, const ExperimentContext& context)
      : clip_(clip), config_(config), context_(context), workers_(context.threads) {
    const MotionSource source = LoadAnyMotion(clip.motion, kDefaultHuman);
    skill_.character = source.character;
    skill_.plan = PlanOf(MakeSymmetric(source.character, source.motion), true);
    options_.symmetric = true;
    ConfigFromJson(nlohmann::json::parse(clip.settings), clip.motion, &options_);
    if (context.quick) {
      ConfigFromJson(nlohmann::json::parse(kQuickLearning), "quick settings", &options_);
    }
    skill_.name = clip.motion;
    skill_.clip = {options_.fragment, options_.lead, options_.symmetric};
    skill_.time_step = World().time_step;
    skill_.keep_heading = options_.keep_heading;
  }

  // Mean seconds after each iteration of the last phase there is.
  Series Try(const std::string& name, int guided, int evolved, Findings* findings) {
    options_.guided_iterations = guided;
    options_.guided_enough = 1000;  // s; all of them, however good
    options_.evolve_iterations = evolved;
    const LearnPhase tried = evolved > 0 ? LearnPhase::kEvolve : LearnPhase::kGuided;
    Learner learner(GraphOf(skill_), options_, context_.seed, workers_);
    Series series{.name = fmt::format("{}, {}", clip_.motion, name)};
    while (!learner.Done()) {
      const bool counts = learner.Known().phase == tried;
      learner.Advance();
      if (!counts) continue;
      const int iteration = static_cast<int>(series.x.size()) + 1;
      skill_.policies = learner.Known().policies;
      skill_.start = learner.Start();
      const Survival survival = TrySkill(name);
      series.x.push_back(iteration);
      series.y.push_back(survival.mean);
      context_.Tell(fmt::format("{} {}: {:.1f} s", series.name, iteration, survival.mean));
      findings->rows.push_back(
          {.name = fmt::format("{} {}", series.name, iteration),
           .ours = survival.mean,
           .unit = "s",
           .note = fmt::format("mean of {} trials, +- {:.1f} s; {} lasted all of {:g} s{}",
                               survival.trials, survival.standard_error,
                               survival.trials - survival.lost, config_.longest,
                               context_.quick ? "; quick" : "")});
    }
    return series;
  }

  nlohmann::ordered_json Settings() const { return ConfigToJson(options_); }

 private:
  Survival TrySkill(const std::string& name) {
    // The last one stays with the result.
    const std::string file = fmt::format("{}/{}_{}.skill", context_.folder, clip_.motion, name);
    WriteSkill(skill_, file);
    return SurvivalOf(
        PerformSkills(GrowingPushes(file, config_.longest, config_.trials, context_.seed),
                      context_.threads, true));
  }

  const Clip& clip_;
  const Config& config_;
  const ExperimentContext& context_;
  Workers workers_;
  LearnOptions options_;
  ClipSkill skill_;
};

// The paper says it of its figure; the figure's own numbers are not in the text.
Row GrowthRow(const Series& series, bool verdict) {
  Row row{.name = series.name + ": last over first",
          .paper_text = "grows",
          .ours = series.y.back() / series.y.front(),
          .unit = "x",
          .note = fmt::format("asked: grows; {}", kGrowingPushesText)};
  if (verdict) row.met = series.y.back() > series.y.front();
  return row;
}

}  // namespace

std::string Describe() {
  return "Figure 6: seconds survived under growing pushes after each iteration of learning";
}

Findings Measure(const ExperimentContext& context) {
  const Config config =
      context.quick
          ? Config{.guided = 2, .guided_before = 1, .evolved = 1, .trials = 2, .longest = 3}
          : Config{};
  Findings findings;
  std::vector<Row> growth;
  Plot plot{.title = "Survived under growing pushes",
            .x_label = "iterations",
            .y_label = "seconds, mean",
            .zero_y = true};
  for (const Clip& clip : kClips) {
    Course course(clip, config, context);
    plot.series.push_back(course.Try("guided", config.guided, 0, &findings));
    growth.push_back(GrowthRow(plot.series.back(), !context.quick));
    plot.series.push_back(course.Try("evolved", config.guided_before, config.evolved, &findings));
    growth.push_back(GrowthRow(plot.series.back(), !context.quick));
    findings.config["settings"][clip.motion] = course.Settings();
  }
  findings.rows.insert(findings.rows.begin(), growth.begin(), growth.end());
  findings.plots.push_back(std::move(plot));
  findings.config["trials"] = config.trials;
  findings.config["longest"] = config.longest;
  findings.config["guided"] = config.guided;
  findings.config["evolved"] =
      fmt::format("{} iterations after {} guided ones", config.evolved, config.guided_before);
  return findings;
}

}  // namespace stride::experiments::liu16_iterations
