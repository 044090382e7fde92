#include <algorithm>

#include <fmt/format.h>

#include "stride/app/experiments/bisect.h"
#include "stride/app/experiments/wang09_walkers.h"

// Table 1: the largest push of 0.4 s every 4 s that is tolerated for 40 s, towards eight
// directions.
namespace stride::experiments::wang09_pushes {
namespace {

struct Column {
  const char* name;
  const char* skill;  // built in
  const char* character;
  std::vector<std::string> settings;  // where it is learned
  std::array<double, 8> paper;        // N
};
const std::vector<Column>& Columns() {
  static const std::vector<Column> columns = {
      {"short", "walker-short", "wang09-short", {}, {75, 75, 100, 50, 60, 40, 100, 75}},
      {"overweight", "walker-overweight", "wang09-overweight", {}, {1, 1, 25, 50, 75, 40, 20, 1}},
      {"tall", "walker-tall", "wang09-tall", {}, {20, 20, 200, 70, 120, 70, 200, 20}},
      {"short2",
       "",
       "wang09-short",
       {"step_length=0.65", "robust_iterations=300"},
       {10, 10, 50, 40, 75, 40, 75, 10}},
      {"stocky", "walker-stocky", "wang09-stocky", {}, {50, 65, 125, 75, 50, 50, 125, 50}},
      {"simbicon", "simbicon_robust", "", {}, {225, 150, 250, 100, 120, 100, 275, 125}}};
  return columns;
}
constexpr std::array<double, 8> kSimbicon = {225, 150, 250, 100, 120, 100, 275, 125};
constexpr double kLargest = 500;  // N

}  // namespace

std::string Describe() {
  return "Table 1: largest push (N) of 0.4 s every 4 s tolerated for 40 s, in eight directions";
}

Findings Measure(const ExperimentContext& context) {
  Findings findings;
  for (const Column& column : Columns()) {
    if (!context.only.empty() &&
        std::find(context.only.begin(), context.only.end(), column.name) == context.only.end()) {
      continue;
    }
    std::string skill = column.skill, note = "built-in " + skill;
    if (skill.empty()) {
      const ObtainedWalker walker = ObtainWalker({.name = column.name,
                                                  .character = column.character,
                                                  .settings = column.settings,
                                                  .seed = context.seed},
                                                 context);
      skill = walker.file;
      note = fmt::format(
          "learned in {:.0f} s; natural score {:.3f} before, {:.3f} after the robust "
          "stage",
          walker.learn_seconds, walker.Metric("objective_before.natural"),
          walker.Metric("objective.natural"));
    }
    Plot plot{.kind = Plot::Kind::kBars,
              .title = fmt::format("{}: tolerated", column.name),
              .y_label = "N",
              .series = {{.name = "paper"}, {.name = "ours"}, {.name = "paper's SIMBICON"}}};
    for (int k = 0; k < 8; ++k) {
      const auto survives = [&](double force, int) {
        RunSetup setup = WalkSetup(skill, 40);
        ApplyPushProtocol(fmt::format("wang09-{}:{:.3f}", kPushDirectionNames[k], force),
                          &setup.scenario);
        if (context.quick) setup.scenario.seconds = 2;
        return !Walk(setup).fell;
      };
      // The paper's own force first: a limit that is found above it might be an island.
      const bool paper_holds = survives(column.paper[k], 0);
      const Limit limit = FindLimit({.easy = 0,
                                     .hard = kLargest,
                                     .tolerance = context.quick ? 250.0 : 5.0,
                                     .samples = 1,
                                     .share = 1,
                                     .threads = context.threads},
                                    survives);
      const double ours = limit.holds.value_or(0);
      findings.rows.push_back(
          {.name = fmt::format("{} ({})", column.name, kPushDirectionNames[k]),
           .paper = column.paper[k],
           .ours = ours,
           .unit = "N",
           .met = context.quick ? std::nullopt : std::optional<bool>(paper_holds),
           .note = fmt::format("components; at the paper's force it {}; {}",
                               paper_holds ? "stands" : "falls", note)});
      plot.categories.push_back(kPushDirectionNames[k]);
      plot.series[0].y.push_back(column.paper[k]);
      plot.series[1].y.push_back(ours);
      plot.series[2].y.push_back(kSimbicon[k]);
    }
    context.Tell(fmt::format("{}: measured", column.name));
    findings.plots.push_back(std::move(plot));
  }
  return findings;
}

}  // namespace stride::experiments::wang09_pushes
