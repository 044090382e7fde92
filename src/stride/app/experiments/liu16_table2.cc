#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "stride/app/experiments/experiment.h"
#include "stride/app/experiments/liu16_skills.h"
#include "stride/app/experiments/skill_trials.h"
#include "stride/core/error.h"
#include "stride/core/file.h"

// Table II: how long cyclic skills take to learn, and how long they last under random pushes that
// grow.
namespace stride::experiments::liu16_table2 {
namespace {

constexpr double kLearnAtMost = 300;   // s, on two cores
constexpr double kAloneAtLeast = 100;  // s

struct Config {
  int trials = 100;      // of the push test (paper: 100)
  double longest = 600;  // s, of a trial
  double alone_seconds = 200;
};

std::vector<SkillClip> ChosenClips(const std::vector<std::string>& only) {
  if (only.empty()) return {std::begin(kSkillClips), std::end(kSkillClips)};
  std::vector<SkillClip> chosen;
  for (const std::string& name : only) chosen.push_back(FindSkillClip(name));
  return chosen;
}

struct Measured {
  double learn_seconds = std::numeric_limits<double>::quiet_NaN();
  TrialResult alone;
  Survival pushed;
};

std::vector<Row> RowsOf(const SkillClip& clip, const Config& config, const Measured& m,
                        const std::string& note, bool verdicts) {
  std::vector<Row> rows = {
      {.name = fmt::format("{}: learned in", clip.name),
       .paper = 60 * clip.paper_minutes,
       .ours = m.learn_seconds,
       .unit = "s",
       .met = m.learn_seconds <= kLearnAtMost && m.alone.seconds >= kAloneAtLeast,
       .note = fmt::format("paper: on 20 cores; asked: {:g} s, and that it lasts alone; {}",
                           kLearnAtMost, note)},
      {.name = fmt::format("{}: alone", clip.name),
       .ours = m.alone.seconds,
       .unit = "s",
       .met = m.alone.seconds >= kAloneAtLeast,
       .note = fmt::format("of {:g} s{}; asked: {:g} s; {}", config.alone_seconds,
                           m.alone.lost ? ""
                                        : fmt::format(", at the end {:.1f} degrees off the clip",
                                                      m.alone.tracking_error_deg),
                           kAloneAtLeast, note)},
      {.name = fmt::format("{}: pushed", clip.name),
       .paper = clip.paper_seconds,
       .ours = m.pushed.mean,
       .unit = "s",
       .met = m.pushed.mean >= clip.paper_seconds,
       .note =
           fmt::format("mean of {} trials, +- {:.1f} s; {} lasted all of {:g} s; {}; {}",
                       m.pushed.trials, m.pushed.standard_error, m.pushed.trials - m.pushed.lost,
                       config.longest, kGrowingPushesText, note)}};
  if (std::isnan(m.learn_seconds)) rows[0].met.reset();  // not known of a skill that was given
  if (!verdicts) {
    for (Row& row : rows) row.met.reset();
  }
  return rows;
}

Row FailedRow(const SkillClip& clip, const InputError& error) {
  return {.name = clip.name,
          .paper = clip.paper_seconds,
          .ours = std::numeric_limits<double>::quiet_NaN(),
          .unit = "s",
          .note = fmt::format("not measured: {}", error.what())};
}

}  // namespace

std::string Describe() {
  return "Table II: six cyclic skills, time to learn them and seconds survived under growing "
         "pushes";
}

Findings Measure(const ExperimentContext& context) {
  const Config config =
      context.quick ? Config{.trials = 2, .longest = 4, .alone_seconds = 3} : Config{};
  Findings findings;
  Plot plot{.kind = Plot::Kind::kBars,
            .title = "Survived under growing pushes, mean",
            .y_label = "seconds",
            .series = {{.name = "paper"}, {.name = "ours"}}};
  for (const SkillClip& clip : ChosenClips(context.only)) {
    try {
      const ObtainedSkill skill = ObtainSkill(clip, context);
      const std::string note = skill.note + (context.quick ? "; quick" : "");
      Measured m;
      if (skill.learn_seconds) m.learn_seconds = *skill.learn_seconds;
      m.alone = PerformSkill(PerformAlone(skill.file, config.alone_seconds));
      context.Tell(fmt::format("{}: alone {:.0f} of {:g} s; push test", clip.name, m.alone.seconds,
                               config.alone_seconds));
      m.pushed = SurvivalOf(
          PerformSkills(GrowingPushes(skill.file, config.longest, config.trials, context.seed),
                        context.threads, !context.progress));
      context.Tell(fmt::format("{}: pushed {:.1f} s (paper: {:g})", clip.name, m.pushed.mean,
                               clip.paper_seconds));
      for (Row& row : RowsOf(clip, config, m, note, !context.quick)) {
        findings.rows.push_back(std::move(row));
      }
      plot.categories.push_back(clip.name);
      plot.series[0].y.push_back(clip.paper_seconds);
      plot.series[1].y.push_back(m.pushed.mean);
      findings.inputs.push_back(
          {fmt::format("skill {}", clip.name), InputHash(ReadFile(skill.file))});
    } catch (const InputError& error) {  // one clip that is missing does not spoil the others
      context.Tell(fmt::format("{}: {}", clip.name, error.what()));
      findings.rows.push_back(FailedRow(clip, error));
    }
    findings.config["settings"][clip.name] = LearnSettings(clip);
  }
  findings.plots.push_back(std::move(plot));
  findings.config["trials"] = config.trials;
  findings.config["longest"] = config.longest;
  findings.config["alone_seconds"] = config.alone_seconds;
  findings.config["pushes"] = kGrowingPushesText;
  return findings;
}

}  // namespace stride::experiments::liu16_table2
