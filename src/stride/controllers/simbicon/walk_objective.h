#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "stride/controllers/simbicon/human_gait.h"

// The objective of wang09 (its Section 4.1), and two terms of ours, of a walk that was measured by
// GaitMeter.
namespace stride {

enum class WalkTerm : int {
  kUser,
  kVel,
  kLand,
  kFail,
  kSym,
  kAng,
  kHead,
  kPower,
  kRatio,
  // Beyond the paper.
  kHuman,  // legs move as people's
  kSoft,   // feet land softly
  kCount
};
inline constexpr int kWalkTerms = static_cast<int>(WalkTerm::kCount);
using TermFlags = std::array<bool, kWalkTerms>;
inline constexpr TermFlags kOwnTerms = [] {  // beyond the paper
  TermFlags flags{};
  flags[static_cast<int>(WalkTerm::kHuman)] = flags[static_cast<int>(WalkTerm::kSoft)] = true;
  return flags;
}();
const char* TermName(WalkTerm term);         // "user"
WalkTerm FindTerm(const std::string& name);  // throws InputError with the names

struct WalkGoal {
  std::optional<double> speed, step_length;  // m/s, m
  double seconds = 10;                       // that a walk should last
  double mass = 70, com_height = 0.9;        // of the body, kg, m
  double slope = 0;                          // rad, of the ground ahead
  // Only the time counts in the cost of transport: walks as fast as it can (the paper's 1 / v).
  bool fastest = false;
  TermFlags without = kOwnTerms;
  // Of the paper's tolerances of what the user wants. A search asks for more than is judged, since
  // ten seconds are not a hundred.
  double user_tolerance = 1;
};

// A walk in numbers that people know.
struct WalkFigures {
  double seconds = 0, speed = 0, aside = 0, rise = 0;   // m/s
  double step_length = 0, step_width = 0, cadence = 0;  // m, m, steps a minute
  std::array<double, 3> ratio{};  // squared torques of hips, knees, ankles, shares
  double squared_torque = 0;      // E_power, N^2 m^2
  double head_shake = 0;          // root mean square of its acceleration, m/s^2
  double head_twist = 0;          // and of its angular acceleration, rad/s^2
  double head_jerk = 0;           // root mean square of its acceleration as seen, m/s^2
  // Root mean square of the legs' angles to people's mean, in deviations between people: thigh,
  // knee, foot.
  std::array<double, kHumanCurves> curves{};
  double arm_phase = 0;  // correlation of the arms' swing with the other legs': 1 natural
};
// `values`: what the lane program measured, GaitMeter's.
WalkFigures FiguresOf(std::span<const double> values);

struct WalkScore {
  std::array<double, kWalkTerms> raw{};       // E_s
  std::array<double, kWalkTerms> weighted{};  // w_s E_s; of those left out, too
  double total = 0;                           // of those not left out
  double natural = 0;                         // the same without the fail term
  // Root mean square of the normalised angular momentum's rate, 1/s, before the tolerance of `ang`.
  double spin_rate = 0;
};
WalkScore ScoreOf(std::span<const double> values, const WalkGoal& goal);

nlohmann::ordered_json ToJson(const WalkFigures& figures);
nlohmann::ordered_json ToJson(const WalkScore& score);

}  // namespace stride
