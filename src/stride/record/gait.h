#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/record/gait_source.h"

// Gait analysis: heel strikes, cycles, and what a joint does over the cycle (docs/gait.md).
//
// A foot strikes where it becomes a support and leaves at its toe-off; contacts and gaps shorter
// than 50 ms do not count. A cycle lasts from one strike of a foot to its next; its direction is
// from the one foothold to the next, its sagittal plane spanned by that direction, turned to where
// the pelvis faces, and the vertical. Cycles of both feet are pooled, each with its own leg and
// arm.
//
// Angles over the cycle, deg, all 0 in the character's zero pose (upright, feet flat):
//   thigh  of the thigh with the downward vertical, in the sagittal plane; knee forwards positive
//   knee   between thigh and shank, in the thigh's plane of bending; flexion positive
//   foot   of the foot with the forward horizontal, in the sagittal plane; toes up positive
//   hip    between pelvis and thigh; flexion positive
//   ankle  between shank and foot; toes up (dorsiflexion) positive
//   trunk  of the trunk with the vertical, in the sagittal plane; leaning forwards positive
//   arm    between trunk and upper arm; arm forwards positive
// The first three are those of Figure 6 of Wang, Fleet, Hertzmann 2009.
// Of recordings, the ground's force on the foot, in body weights (BW):
//   force_vertical; force_forward, along the sagittal plane, braking negative
namespace stride {

inline constexpr int kGaitSamples = 101;  // of a curve: 0 % ... 100 % of the cycle

struct GaitCurve {
  std::string name, unit;
  std::vector<double> mean, deviation;  // kGaitSamples; standard deviation over the cycles
  // Means over the cycles of one foot; empty where it has none, and in a band.
  std::array<std::vector<double>, 2> side_mean;
  friend bool operator==(const GaitCurve&, const GaitCurve&) = default;
};

struct GaitMeasure {
  double mean = 0, deviation = 0;  // over the cycles
  std::array<double, 2> side{};    // means of the left and the right foot; NaN: it has none
  // (left - right) / mean of both; NaN where a side is missing or the mean is 0.
  double Asymmetry() const;
};

// What a recording with torques tells besides; means over the cycles.
struct GaitEffort {
  std::array<double, kGaitJointsCount> power{};  // of |torque . velocity|, W
  // P of wang09's equations 12 to 14: mean over time of the sum of squared torques, (N m)^2.
  std::array<double, kGaitJointsCount> squared_torque{};
  std::array<double, 3> ratio{};  // of hip, knee and ankle among these three; sum 1
  double cost_of_transport = 0;   // all power / (mass gravity speed)
};

struct GaitAnalysis {
  std::string name, character;
  double from = 0, to = 0;  // s, what was analysed
  std::array<int, 2> strikes{}, toe_offs{};
  std::array<int, 2> cycles{};  // kept
  // Cycles left out: the pelvis turns by more than 20 deg, or 60 deg on the way; the other foot
  // does not strike once in it; time or length are far from the median (25 %, 35 %).
  int turning = 0, uneven = 0, irregular = 0;
  GaitMeasure cycle_time;      // s
  GaitMeasure step_time;       // s, of a foot: from the other one's strike to its own
  GaitMeasure step_length;     // m, between the two along the direction; ankles where they rest
  GaitMeasure step_width;      // m, of a foothold from the line between the other foot's two
  GaitMeasure duty_factor;     // share of the cycle that the foot is down
  GaitMeasure double_support;  // share that both are
  GaitMeasure flight;          // share that none is
  GaitMeasure speed;           // m/s, of the pelvis over the cycle
  double cadence = 0;          // steps a minute
  // Mean size of the asymmetries of step time, step length and duty factor; NaN: a side is missing.
  double asymmetry = 0;
  std::vector<GaitCurve> curves;
  std::optional<GaitEffort> effort;
  std::vector<std::string> notes;  // what was left out, in sentences
};

// Throw InputError where there is no gait: fewer than two heel strikes of the same foot, no cycle
// left, or no source (gait_source.h).
GaitAnalysis AnalyzeGait(const GaitSource& source);
GaitAnalysis AnalyzeGait(const Recording& recording, const GaitOptions& options);
GaitAnalysis AnalyzeGait(const Motion& motion, const Character& character,
                         const GaitOptions& options);

const GaitCurve* FindCurve(const std::vector<GaitCurve>& curves, const std::string& name);

// Numbers that are not finite become null.
nlohmann::ordered_json ToJson(const GaitAnalysis& analysis);

}  // namespace stride
