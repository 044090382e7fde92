#include "stride/app/experiments/skill_trials.h"

#include <cmath>
#include <limits>
#include <mutex>
#include <numbers>

#include <fmt/format.h>

#include "stride/core/parallel.h"
#include "stride/core/progress.h"
#include "stride/math/rotation.h"
#include "stride/motion/edit/symmetry.h"
#include "stride/scenario/fall.h"

namespace stride::experiments {
namespace {

constexpr std::uint32_t kJudgeEvery = 4;  // steps
// A flip that is a little late is tilted away from its reference for a moment.
constexpr double kLostFor = 0.2;  // s

bool IsLost(const std::vector<double>& q, const std::vector<double>& reference) {
  const auto root = [](const std::vector<double>& of) { return Quatd{of[3], of[4], of[5], of[6]}; };
  const double tilt = TiltBetween(root(q), root(reference));  // however far it has turned
  return IsFallen(kFallFromReference, q[2], reference[2], tilt * tilt);
}

}  // namespace

TrialResult PerformSkill(const RunSetup& setup) {
  Run run(setup);
  const Character& character = run.GetWorld().actors[0];
  RecordedFrame frame;
  double lost_since = -1;  // s; below 0: it follows
  double error = 0;
  int errors = 0;
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  while (!run.Finished()) {
    run.Step();
    if (run.Failed()) return {run.Time(), true, kNone};
    if (run.StepCount() % kJudgeEvery != 0) continue;
    run.ReadFrame(&frame);
    const std::vector<double>& q = frame.actors[0].q;
    if (!IsLost(q, frame.controls[0].reference)) {
      lost_since = -1;
    } else if (lost_since < 0) {
      lost_since = run.Time();
    } else if (run.Time() - lost_since > kLostFor) {
      return {lost_since, true, kNone};
    }
    if (run.Time() < setup.scenario.seconds - kTrackedSeconds) continue;
    error += MeanJointAngle(character, q, frame.controls[0].reference);
    ++errors;
  }
  return {run.Time(), false, errors > 0 ? error / errors * 180 / std::numbers::pi : kNone};
}

std::vector<TrialResult> PerformSkills(const std::vector<RunSetup>& setups, int threads,
                                       bool quiet) {
  std::vector<TrialResult> results(setups.size());
  Progress progress(quiet);
  std::mutex mutex;
  std::size_t done = 0;
  ForEachInParallel(static_cast<int>(setups.size()), threads, [&](int k) {
    results[k] = PerformSkill(setups[k]);
    const std::lock_guard lock(mutex);
    ++done;
    progress.Show(static_cast<double>(done), static_cast<double>(setups.size()),
                  fmt::format("trials, the last {:.0f} s long", results[k].seconds));
  });
  return results;
}

RunSetup PerformAlone(const std::string& skill, double seconds) {
  RunSetup setup{.characters = {{.controller = ControllerOfSkill(skill), .skill = skill}}};
  setup.scenario.seconds = seconds;
  return setup;
}

std::vector<RunSetup> GrowingPushes(const std::string& skill, double seconds, int trials,
                                    std::uint64_t seed) {
  constexpr std::uint64_t kSeedsApart = 1000;
  std::vector<RunSetup> setups(trials, PerformAlone(skill, seconds));
  for (int k = 0; k < trials; ++k) {
    setups[k].scenario.random_pushes = RandomPushes{};
    setups[k].seed = seed * kSeedsApart + static_cast<std::uint64_t>(k);
  }
  return setups;
}

Survival SurvivalOf(const std::vector<TrialResult>& trials) {
  Survival survival{.trials = static_cast<int>(trials.size())};
  const double n = static_cast<double>(trials.size());
  for (const TrialResult& trial : trials) {
    survival.mean += trial.seconds / n;
    survival.lost += trial.lost;
  }
  double squares = 0;
  for (const TrialResult& trial : trials) squares += std::pow(trial.seconds - survival.mean, 2);
  if (n > 1) survival.standard_error = std::sqrt(squares / (n - 1) / n);
  return survival;
}

}  // namespace stride::experiments
