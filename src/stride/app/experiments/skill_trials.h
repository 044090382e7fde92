#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stride/run/run.h"

// Learned skills performed until they are lost: what several experiments measure.
namespace stride::experiments {

struct TrialResult {
  double seconds = 0;  // until the skill was lost, or all that was asked for
  bool lost = false;
  // Of all joints to the reference, over the last kTrackedSeconds of a trial that was not lost.
  double tracking_error_deg = 0;
};
constexpr double kTrackedSeconds = 2;

// A trial is the run of `setup`, as `stride simulate` would do it. Its end is not the scenario's
// fall, which every flip would be, but what ends a trial in learning: the root lower than 0.6 of
// the reference's height, or tilted away from the reference by 1.2 rad, for 0.2 s.
TrialResult PerformSkill(const RunSetup& setup);

// All of them in parallel, in their order; progress on standard error unless quiet.
std::vector<TrialResult> PerformSkills(const std::vector<RunSetup>& setups, int threads,
                                       bool quiet);

// `skill`: a built-in name or a file. In `native`, on level ground.
RunSetup PerformAlone(const std::string& skill, double seconds);

// The push test of liu16, Section 6.1 (scenario/push.h), at most `seconds` long. Every trial has
// its own seed, which `stride simulate --pushes liu16 --seed` takes too.
std::vector<RunSetup> GrowingPushes(const std::string& skill, double seconds, int trials,
                                    std::uint64_t seed);
inline constexpr const char* kGrowingPushesText =
    "0.2 s every 2 s at the trunk, random horizontal direction, size from N(0, sigma), sigma = 1 N "
    "times the seconds elapsed; the paper does not publish its own increments";

struct Survival {
  double mean = 0, standard_error = 0;  // s
  int trials = 0, lost = 0;
};
Survival SurvivalOf(const std::vector<TrialResult>& trials);

}  // namespace stride::experiments
