#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "stride/app/experiments/lee10_walks.h"
#include "stride/core/parallel.h"

// Section 5, "Effects of individual components": each feedback switched off in turn.
namespace stride::experiments::lee10_ablation {
namespace {

struct Part {
  const char* name;
  const char* setting;  // empty: all on
  const char* paper;
  int most_steps;  // of the paper's range; 0: it may walk on
};
constexpr Part kParts[] = {{"all on", "", "walks on", 0},
                           {"synchronisation", "synchronisation", "falls in 3 to 6 steps", 6},
                           {"stance hip", "stance_hip", "falls in 2 to 4 steps", 4},
                           {"swing hip", "swing_hip", "falls in 6 to 10 steps", 10},
                           {"stance ankle", "stance_ankle", "may walk on, unnaturally", 0},
                           {"swing height", "swing_height", "may walk on, unnaturally", 0}};

double Median(std::vector<int> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

std::string Describe() {
  return "steps until the fall with one component switched off, eight walks from five starts";
}

Findings Measure(const ExperimentContext& context) {
  Findings findings;
  const double seconds = context.quick ? 2 : 60;
  const int seeds = context.quick ? 1 : 5;
  const std::vector<Lee10Clip> walks = Lee10Walks(context);
  std::vector<std::string> motions;
  for (const Lee10Clip& clip : walks) {
    motions.push_back(Lee10Motion(clip, true, "lee10-round", context, &findings));
  }
  std::vector<double> medians;
  Plot plot{.kind = Plot::Kind::kBars,
            .title = "steps until the fall (median; those that stand count all their steps)",
            .y_label = "steps",
            .series = {{.name = "ours"}}};
  for (const Part& part : kParts) {
    const int count = static_cast<int>(walks.size()) * seeds;
    std::vector<int> steps(count);
    std::vector<char> fell(count);
    ForEachInParallel(count, context.threads, [&](int k) {
      const Lee10Clip& clip = walks[k / seeds];
      RunSetup setup =
          Lee10Setup(clip, motions[k / seeds], "lee10-round", GainsFor(clip.name), seconds);
      if (*part.setting) setup.characters[0].controller_config[part.setting] = false;
      PerturbStart(1000 * context.seed + k % seeds + 1, &setup);
      const Lee10Run run = Follow(setup);
      steps[k] = run.metrics.steps, fell[k] = run.fell;
    });
    const int falls = static_cast<int>(std::count(fell.begin(), fell.end(), 1));
    int soon = 0;  // fallen within twice the paper's range
    for (int k = 0; k < count; ++k) soon += fell[k] && steps[k] <= 2 * part.most_steps ? 1 : 0;
    const double median = Median(steps);
    medians.push_back(median);
    std::optional<bool> met;
    if (!context.quick && part.most_steps > 0) met = 2 * soon > count;
    if (!context.quick && !*part.setting) met = falls == 0;
    findings.rows.push_back(
        {.name = fmt::format("without {}", *part.setting ? part.name : "nothing"),
         .paper_text = part.paper,
         .ours = median,
         .unit = "steps",
         .met = met,
         .note = fmt::format("median; {} of {} fall within {:g} s{}", falls, count, seconds,
                             part.most_steps > 0
                                 ? fmt::format(", {} of them within {} steps, more than half asked",
                                               soon, 2 * part.most_steps)
                                 : "")});
    plot.categories.push_back(part.name);
    plot.series[0].y.push_back(median);
    context.Tell(
        fmt::format("without {}: median {} steps, {} of {} fall", part.name, median, falls, count));
  }
  // Stance hip worst, then synchronisation, then swing hip, then the other two.
  const bool ordered = medians[2] <= medians[1] && medians[1] <= medians[3] &&
                       medians[3] <= std::min(medians[4], medians[5]);
  findings.rows.push_back({.name = "order of severity",
                           .paper_text = "stance hip, synchronisation, swing hip, the rest",
                           .ours = ordered ? 1.0 : 0.0,
                           .unit = "",
                           .met = context.quick ? std::nullopt : std::optional<bool>(ordered),
                           .note = "by the medians"});
  findings.plots.push_back(std::move(plot));
  return findings;
}

}  // namespace stride::experiments::lee10_ablation
