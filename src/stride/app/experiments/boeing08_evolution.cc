#include <cmath>
#include <fstream>

#include <fmt/format.h>

#include "stride/app/experiments/boeing08_gaits.h"

// The paper's genetic algorithm (Table I) and what it costs; the rise of the fitness (Fig. 12).
namespace stride::experiments::boeing08_evolution {
namespace {

constexpr double kMostSeconds = 60;

struct Way {
  const char* name;
  std::vector<std::string> settings;
  bool judged;
};

// All phases one after the other: their returns are of different tests, so that a new phase may
// begin lower.
Series CurveOf(const std::string& name, const std::string& history) {
  Series series{.name = name};
  std::ifstream lines(history);
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object() || !json.contains("return")) continue;
    series.x.push_back(static_cast<double>(series.x.size()));
    series.y.push_back(json["return"].is_number() ? json["return"].get<double>() : NAN);
  }
  return series;
}

// Every hundredth generation, and the last.
std::string InWords(const Series& curve) {
  std::string text;
  for (std::size_t k = 0; k < curve.y.size(); k += 100) {
    text += fmt::format(" {:.2f}", curve.y[k]);
  }
  if (!curve.y.empty()) text += fmt::format(" {:.2f}", curve.y.back());
  return text;
}

}  // namespace

std::string Describe() {
  return "50 individuals x 500 generations for the biped, then 30 for the servos: time and fitness";
}

Findings Measure(const ExperimentContext& context) {
  Findings findings;
  Plot plot{.title = "Fitness", .x_label = "generation", .y_label = "best so far in its phase"};
  const std::vector<std::string> one_world = {"trials=1", "vary=0"};
  const Way ways[] = {{"ga", Join({"optimizer=ga"}, one_world), true},
                      {"ga_no_elite", Join({"optimizer=ga", "elite=0"}, one_world), false},
                      {"ga_rank", Join({"optimizer=ga", "selection=rank"}, one_world), false},
                      {"cma", Join({"optimizer=cma"}, one_world), false}};
  for (const Way& way : ways) {
    GaitPlan plan{fmt::format("biped_{}", way.name), "biped", way.settings, 5};
    const ObtainedWalker gait = ObtainGait(plan, context.seed, context);
    const GaitRun run = PerformGait(GaitSetup(gait.file, kGaitSeconds, kGaitStop));
    const Series curve = CurveOf(way.name, gait.file + ".history.jsonl");
    Row row{.name = fmt::format("{}: 50 x 500 + 30", way.name),
            .ours = gait.learn_seconds,
            .unit = "s",
            .note = fmt::format("{}stood {:.1f} of {:g} s, {:.2f} m, return {:.3f}; fitness every "
                                "100 generations:{}",
                                context.quick ? "quick; " : "", run.seconds, kGaitSeconds,
                                run.forwards, gait.Metric("return"), InWords(curve))};
    if (way.judged && !context.quick) {
      row.met = gait.learn_seconds <= kMostSeconds && !run.fell && run.forwards >= plan.distance;
      row.note += fmt::format("; asked: {:g} s on two cores, 5 m without a fall", kMostSeconds);
    }
    findings.rows.push_back(row);
    plot.series.push_back(curve);
  }
  findings.plots.push_back(plot);
  return findings;
}

}  // namespace stride::experiments::boeing08_evolution
