#include "stride/controllers/simbicon/walk_objective.h"

#include <algorithm>
#include <cmath>

#include "stride/controllers/simbicon/gait_meter.h"
#include "stride/core/error.h"
#include "stride/core/nearest.h"

namespace stride {
namespace {

using M = GaitMeter;
constexpr std::array<const char*, kWalkTerms> kNames = {
    "user", "vel", "land", "fail", "sym", "ang", "head", "power", "ratio", "human", "soft"};
// Weights and tolerances of the paper; power's is for 70 kg. The last two are ours.
constexpr std::array<double, kWalkTerms> kWeights = {100, 100,  1.2, 120000, 100, 10,
                                                     100, 1e-5, 1,   0.01,   0.1};
constexpr double kAlphaVel = 0.01, kAlphaHead = 0.012;
constexpr double kEpsVel = 0.025, kEpsStep = 0.025, kEpsTime = 0.025, kEpsAng = 0.05,
                 kEpsHead = 0.1;
constexpr std::array<double, 3> kHumanRatio = {0.43, 0.04, 0.53};

constexpr std::array<double, kHumanCurves> kHumanDeviations = {
    kHumanThigh.deviation, kHumanKnee.deviation, kHumanFoot.deviation};

// Equation 3.
double Q(double d, double eps) { return std::fabs(d) > eps ? d * d : 0; }

}  // namespace

const char* TermName(WalkTerm term) { return kNames[static_cast<int>(term)]; }
WalkTerm FindTerm(const std::string& name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) {
    throw InputError(NotAmong("term", name, {kNames.begin(), kNames.end()}));
  }
  return static_cast<WalkTerm>(found - kNames.begin());
}

WalkFigures FiguresOf(std::span<const double> v) {
  WalkFigures f;
  f.seconds = v[M::kSeconds];
  const double t = std::max(f.seconds, 1e-3);
  f.speed = (v[M::kNowX] - v[M::kStartX]) / t;
  f.aside = (v[M::kNowY] - v[M::kStartY]) / t;
  f.rise = (v[M::kNowZ] - v[M::kStartZ]) / t;
  const double steps = v[M::kSteps] + v[M::kSteps + 1];
  f.step_length = v[M::kStepLengths] / std::max(steps - 1, 1.0);  // the first is none
  f.step_width = v[M::kStepWidths] / std::max(steps - 1, 1.0);
  f.cadence = 60 * steps / t;
  const double legs = v[M::kTorqueHips] + v[M::kTorqueKnees] + v[M::kTorqueAnkles];
  for (int k = 0; k < 3; ++k) f.ratio[k] = v[M::kTorqueHips + k] / std::max(legs, 1e-9);
  f.squared_torque = v[M::kTorqueAll] / t;
  f.head_shake = std::sqrt(v[M::kHeadShake] / t);
  f.head_twist = std::sqrt(v[M::kHeadTwist] / t);
  f.head_jerk = std::sqrt(v[M::kHeadJerk] / t);
  const double whole = std::max(v[M::kCurveSeconds], 1e-3);
  for (int k = 0; k < kHumanCurves; ++k) {
    f.curves[k] = std::sqrt(v[M::kCurves + k] / whole) / kHumanDeviations[k];
  }
  f.arm_phase = -v[M::kArmLeg] / std::sqrt(std::max(v[M::kArmSquare] * v[M::kLegSquare], 1e-12));
  return f;
}

WalkScore ScoreOf(std::span<const double> v, const WalkGoal& goal) {
  const WalkFigures f = FiguresOf(v);
  const double t = std::max(f.seconds, 1e-3);
  WalkScore score;
  const auto raw = [&](WalkTerm term) -> double& { return score.raw[static_cast<int>(term)]; };
  // Equation 4.
  if (goal.speed) raw(WalkTerm::kUser) += Q(f.speed - *goal.speed, goal.user_tolerance * kEpsVel);
  if (goal.step_length) {
    raw(WalkTerm::kUser) += Q(f.step_length - *goal.step_length, goal.user_tolerance * kEpsStep);
  }
  // Equation 5; on a slope the centre of mass rises with the ground.
  const double rise = f.rise - f.speed * std::tan(goal.slope);
  raw(WalkTerm::kVel) = Q(f.aside, kEpsVel) +
                        kAlphaVel * (Q(v[M::kStartSpeed] - goal.speed.value_or(f.speed), kEpsVel) +
                                     Q(rise, 2 * kEpsVel));
  raw(WalkTerm::kLand) = (v[M::kUnplanted] + v[M::kStubbed]) / t;      // 6
  raw(WalkTerm::kFail) = std::max(0.0, 1 - f.seconds / goal.seconds);  // 7
  if (raw(WalkTerm::kFail) < 1e-3) raw(WalkTerm::kFail) = 0;           // a step more or less
  // Equation 8: average durations of the states, left against right. A leg that never steps is as
  // asymmetric as can be.
  const double left = v[M::kSteps], right = v[M::kSteps + 1];
  for (int k = 0; k < 2; ++k) {
    const double a = v[M::kStateSeconds + k] / std::max(left, 1.0);
    const double b = v[M::kStateSeconds + 2 + k] / std::max(right, 1.0);
    raw(WalkTerm::kSym) += Q(a - b, kEpsTime);
  }
  // Equations 9 and 10: normalised by mass, speed and the height of the centre of mass.
  const double unit = goal.mass * goal.com_height * std::max(std::fabs(f.speed), 0.3);
  score.spin_rate = std::sqrt(v[M::kSpinRate] / t) / unit;
  raw(WalkTerm::kAng) = Q(score.spin_rate, std::sqrt(kEpsAng));
  // Equation 11.
  const double mean = v[M::kHeadSpeed] / t;
  const double sigma = std::sqrt(std::max(0.0, v[M::kHeadSpeedSquare] / t - mean * mean));
  raw(WalkTerm::kHead) =
      Q(std::sqrt(sigma), std::sqrt(kEpsHead)) + kAlphaHead * v[M::kHeadTilted] / t;
  // Equation 12; where no speed is wanted, the cost of transport.
  const double slow = std::max(f.speed, 0.1);
  raw(WalkTerm::kPower) = goal.fastest ? 1e5 / slow
                          : goal.speed ? f.squared_torque
                                       : f.squared_torque / slow;
  for (int k = 0; k < 3; ++k) {  // 15
    raw(WalkTerm::kRatio) += (f.ratio[k] - kHumanRatio[k]) * (f.ratio[k] - kHumanRatio[k]);
  }
  for (const double deviations : f.curves) {
    raw(WalkTerm::kHuman) += deviations * deviations / kHumanCurves;
  }
  raw(WalkTerm::kSoft) = v[M::kImpact] / t;
  for (int k = 0; k < kWalkTerms; ++k) {
    const bool power = k == static_cast<int>(WalkTerm::kPower);
    score.weighted[k] = kWeights[k] * (power && !goal.fastest ? 70 / goal.mass : 1) * score.raw[k];
    if (goal.without[k]) continue;
    score.total += score.weighted[k];
    if (k != static_cast<int>(WalkTerm::kFail)) score.natural += score.weighted[k];
  }
  return score;
}

nlohmann::ordered_json ToJson(const WalkFigures& f) {
  return {{"seconds", f.seconds},
          {"speed", f.speed},
          {"aside", f.aside},
          {"rise", f.rise},
          {"step_length", f.step_length},
          {"step_width", f.step_width},
          {"cadence", f.cadence},
          {"hip_knee_ankle", f.ratio},
          {"squared_torque", f.squared_torque},
          {"head_shake", f.head_shake},
          {"head_twist", f.head_twist},
          {"head_jerk", f.head_jerk},
          {"thigh_knee_foot", f.curves},
          {"arm_phase", f.arm_phase}};
}
nlohmann::ordered_json ToJson(const WalkScore& score) {
  nlohmann::ordered_json json = {{"total", score.total}, {"natural", score.natural}};
  for (int k = 0; k < kWalkTerms; ++k) json[kNames[k]] = score.weighted[k];
  json["spin_rate"] = score.spin_rate;
  return json;
}

}  // namespace stride
