#include <cmath>

#include <fmt/format.h>

#include "stride/app/experiments/wang09_walkers.h"
#include "stride/record/gait.h"
#include "stride/record/gait_band.h"
#include "stride/run/run.h"

// Figure 6: thigh, knee and foot over the cycle beside captured walks.
namespace stride::experiments::wang09_mocap {
namespace {

constexpr std::array<const char*, 6> kWalkers = {"walker-tall",       "walker-stocky",
                                                 "walker-short",      "walker-thin",
                                                 "walker-overweight", "walker-longarm"};
constexpr const char* kSimbicon = "simbicon_walk";
constexpr std::array<const char*, 3> kCurves = {"thigh", "knee", "foot"};

GaitAnalysis GaitOf(const std::string& skill, double seconds) {
  Run run(WalkSetup(skill, seconds));
  Recording recording{.header = run.Header()};
  constexpr int kEvery = 2;
  recording.header.frame_interval = kEvery * run.GetWorld().time_step;
  while (!run.Finished()) {
    run.Step();
    if (run.StepCount() % kEvery != 0) continue;
    recording.frames.emplace_back();
    run.ReadFrame(&recording.frames.back());
  }
  return AnalyzeGait(recording, {});
}

}  // namespace

std::string Describe() {
  return "Figure 6: thigh, knee and foot over the walk cycle against captured walks";
}

Findings Measure(const ExperimentContext& context) {
  Findings findings;
  const double seconds = context.quick ? 8 : 20;
  const GaitBand band = LoadGaitBand(context.mocap.empty() ? "walks" : context.mocap + "/walks");
  std::array<Plot, 3> plots;
  for (int k = 0; k < 3; ++k) {
    plots[k] = {.title = fmt::format("{} over the cycle", kCurves[k]),
                .x_label = "% of the cycle",
                .y_label = "degrees"};
    const GaitCurve* curve = FindCurve(band.curves, kCurves[k]);
    Series& series = plots[k].series.emplace_back(
        Series{.name = fmt::format("{} captured walks, one deviation", band.subjects)});
    for (int i = 0; i < kGaitSamples; ++i) {
      series.x.push_back(i);
      series.y.push_back(curve->mean[i]);
      series.low.push_back(curve->mean[i] - curve->deviation[i]);
      series.high.push_back(curve->mean[i] + curve->deviation[i]);
    }
  }
  std::array<double, 3> mean{};
  std::array<double, 3> ratio{};
  const auto add = [&](const std::string& skill, bool counts) {
    const GaitAnalysis gait = GaitOf(skill, seconds);
    const GaitComparison comparison = Compare(gait, band);
    std::string text;
    for (int k = 0; k < 3; ++k) {
      for (const CurveDifference& curve : comparison.curves) {
        if (curve.name != kCurves[k]) continue;
        if (counts) mean[k] += curve.deviations / kWalkers.size();
        text += fmt::format("{} {:.2f} ({:.0f} degrees RMS)  ", curve.name, curve.deviations,
                            curve.rms);
      }
      Series& series = plots[k].series.emplace_back(Series{.name = skill});
      const GaitCurve* curve = FindCurve(gait.curves, kCurves[k]);
      for (int i = 0; i < kGaitSamples; ++i) {
        series.x.push_back(i);
        series.y.push_back(curve->mean[i]);
      }
    }
    if (gait.effort && counts) {
      for (int k = 0; k < 3; ++k) ratio[k] += gait.effort->ratio[k] / kWalkers.size();
    }
    findings.rows.push_back({.name = skill + ": knee at the strike",
                             .ours = FindCurve(gait.curves, "knee")->mean[0],
                             .unit = "degrees",
                             .note = fmt::format("deviations from the captured mean: {}", text)});
  };
  for (const char* skill : kWalkers) add(skill, true);
  add(kSimbicon, false);
  for (int k = 0; k < 3; ++k) {
    findings.rows.push_back(
        {.name = fmt::format("{}: deviations from the captured mean", kCurves[k]),
         .ours = mean[k],
         .met = context.quick ? std::nullopt : std::optional<bool>(mean[k] <= 1),
         .note = fmt::format("mean over the cycle and six walkers; {} subjects; asked: 1",
                             band.subjects)});
  }
  constexpr std::array<double, 3> kHuman = {0.43, 0.04, 0.53};
  constexpr std::array<const char*, 3> kJoints = {"hip", "knee", "ankle"};
  for (int k = 0; k < 3; ++k) {
    findings.rows.push_back(
        {.name = fmt::format("{}'s share of squared torque", kJoints[k]),
         .paper = kHuman[k],
         .ours = ratio[k],
         .met = context.quick ? std::nullopt
                              : std::optional<bool>(std::fabs(ratio[k] - kHuman[k]) <= 0.05),
         .note = "mean of six walkers in native; asked: within 0.05 of humans'"});
  }
  for (Plot& plot : plots) findings.plots.push_back(std::move(plot));
  return findings;
}

}  // namespace stride::experiments::wang09_mocap
