#include "stride/controllers/simbicon/walker_parameters.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace stride {
namespace {

using P = WalkerParameter;
using Info = WalkerParameterInfo;

// Table 2. The swing hip's row is called rhip there although the right leg stands; the text's
// "lankle y 3" in the first state has lost a digit or a sign: a foot that clears the ground. The
// swing knee's target in the first state is -1.3 in the text, a knee bent the wrong way: its sign
// is taken to be lost too. The other knees' targets below 0 are kept: they stretch the leg.
struct Gain {
  const char* name;
  double kp[2];
};
constexpr Gain kGains[P::kDofs] = {
    {"back_x", {300, 300}},         {"back_y", {300, 300}},        {"back_z", {300, 300}},
    {"torso_x", {1000, 1000}},      {"torso_y", {1000, 1000}},     {"torso_z", {1000, 1000}},
    {"swing_hip_x", {1000, 1000}},  {"swing_hip_y", {1000, 1000}}, {"swing_hip_z", {1000, 1000}},
    {"swing_knee_y", {300, 50}},    {"swing_ankle_x", {30, 50}},   {"swing_ankle_y", {300, 300}},
    {"swing_toe_y", {20, 20}},      {"stance_knee_y", {150, 500}}, {"stance_ankle_x", {100, 100}},
    {"stance_ankle_y", {300, 300}}, {"stance_toe_y", {20, 20}},    {"neck_x", {100, 100}},
    {"neck_y", {100, 100}},         {"neck_z", {100, 100}},        {"swing_arm_x", {30, 30}},
    {"swing_arm_y", {30, 30}},      {"swing_arm_z", {30, 30}},     {"swing_elbow_y", {30, 30}},
    {"swing_elbow_z", {30, 30}},    {"stance_arm_x", {30, 30}},    {"stance_arm_y", {30, 30}},
    {"stance_arm_z", {30, 30}},     {"stance_elbow_y", {30, 30}},  {"stance_elbow_z", {30, 30}},
};
struct Target {
  const char* name;
  double angle[2];
};
constexpr Target kTargets[P::kSecondTargets] = {
    {"back_y", {0, 0}},
    {"back_z", {0, 0}},
    {"torso_y", {0, 0}},
    {"swing_hip_y", {-1, -0.65}},
    {"swing_knee_y", {1.3, -0.55}},
    {"swing_ankle_y", {-0.3, -0.35}},
    {"stance_knee_y", {0.4, -0.5}},
    {"stance_ankle_y", {-0.2, 0.75}},
    {"neck_y", {0, 0}},
    {"swing_elbow_y", {0, 0}},
    {"stance_elbow_y", {0, 0}},
    {"stance_toe_y", {0, 0.6}},
};
struct StartJoint {
  const char* name;
  double angle, rate;
};
constexpr StartJoint kStart[P::kStartJoints] = {
    {"back_y", 0, 0},           {"back_z", 0, 0},           {"neck_y", 0, 0},
    {"left_hip_y", -0.4, 0.3},  {"left_knee_y", 1.35, 0.1}, {"left_ankle_y", 0.35, -15},
    {"left_toe_y", 0, 0},       {"left_arm_y", 0, 0},       {"left_elbow_y", 0, 0},
    {"right_hip_y", -0.4, 1.0}, {"right_knee_y", 0.6, 2.0}, {"right_ankle_y", -0.2, -9},
    {"right_toe_y", 0, 0},      {"right_arm_y", 0, 0},      {"right_elbow_y", 0, 0},
};

std::vector<Info> MakeTable() {
  std::vector<Info> table;
  const auto add = [&](std::string name, const char* group, const char* unit, double paper,
                       double scale, double lower, double upper) {
    table.push_back({std::move(name), group, unit, paper, scale, lower, upper});
  };
  add("distance_sagittal", "balance", "rad/m", 0, 0.1, -2, 3);
  add("velocity_sagittal", "balance", "rad s/m", 0, 0.1, -1, 2);
  add("distance_coronal", "balance", "rad/m", 0.2, 0.1, -1, 3);
  add("velocity_coronal", "balance", "rad s/m", 0.2, 0.1, -1, 2);
  add("arm_swing", "balance", "", 1, 0.2, -1, 2);
  add("transition", "balance", "m", 0.01, 0.03, -0.15, 0.25);
  for (int state = 0; state < 2; ++state) {
    const int count = state == 0 ? P::kFirstTargets : P::kSecondTargets;
    for (int k = 0; k < count; ++k) {
      const bool elbow = k == P::kSwingElbowPitch || k == P::kStanceElbowPitch;
      const bool trunk = k <= P::kTorsoPitch || k == P::kNeckPitch;
      add(fmt::format("{}.target.{}", kTargets[k].name, state), "target", "rad",
          kTargets[k].angle[state], trunk ? 0.05 : 0.15,
          elbow   ? -1.5
          : trunk ? -0.5
                  : -2,
          elbow   ? 0.2
          : trunk ? 0.5
                  : 2);
    }
  }
  for (int state = 0; state < 2; ++state) {
    for (const auto& [what, unit, share] :
         {std::tuple{"kp", "N m/rad", 1.0}, std::tuple{"kd", "N m s/rad", 0.1}}) {
      for (const Gain& gain : kGains) {
        const double paper = share * gain.kp[state];
        add(fmt::format("{}.{}.{}", gain.name, what, state), "gain", unit, paper, 0.2 * paper,
            0.02 * paper, 5 * paper);
      }
    }
  }
  add("start.height", "start", "m", 0, 0.01, -0.05, 0.1);
  add("start.pitch", "start", "rad", 0, 0.05, -0.5, 0.5);
  for (const StartJoint& joint : kStart) {
    add(fmt::format("start.{}", joint.name), "start", "rad", joint.angle, 0.1, -2.5, 2.5);
  }
  add("start.speed", "start", "m/s", 1.3, 0.1, -1, 4);
  add("start.rise", "start", "m/s", 0, 0.1, -1, 1);
  add("start.pitch_rate", "start", "rad/s", 0, 0.3, -5, 5);
  for (const StartJoint& joint : kStart) {
    add(fmt::format("start.{}_rate", joint.name), "start", "rad/s", joint.rate,
        0.5 + 0.1 * std::fabs(joint.rate), -30, 30);
  }
  add("off.torso_y", "beyond", "rad s/m", 0, 0.05, -0.5, 0.5);
  add("off.stance_ankle_y", "beyond", "rad s/m", 0, 0.05, -0.5, 0.5);
  add("off.transition", "beyond", "s", 0, 0.03, -0.3, 0.3);
  add("off.torso_x", "beyond", "rad s/m", 0, 0.05, -0.5, 0.5);
  add("off.lift", "beyond", "rad s/m", 0, 0.1, -1, 1);
  add("ankle_distance_coronal", "beyond", "rad/m", 0, 0.1, -1, 1);
  add("ankle_velocity_coronal", "beyond", "rad s/m", 0, 0.1, -1, 1);
  add("width", "beyond", "rad", 0, 0.03, -0.2, 0.3);
  add("faster.swing_hip_y.0", "beyond", "rad s/m", -0.1, 0.2, -2, 2);
  add("faster.swing_hip_y.1", "beyond", "rad s/m", -0.1, 0.2, -2, 2);
  add("faster.torso_y", "beyond", "rad s/m", 0.05, 0.1, -0.5, 0.5);
  add("faster.push_off", "beyond", "rad s/m", 0.2, 0.2, -2, 2);
  add("faster.swing_knee_y", "beyond", "rad s/m", 0, 0.1, -1, 1);
  add("faster.transition", "beyond", "s", 0, 0.05, -0.3, 0.3);
  add("faster.stance_knee_y", "beyond", "rad s/m", 0, 0.1, -1, 1);
  add("faster.swing_ankle_y", "beyond", "rad s/m", 0, 0.1, -1, 1);
  add("stop.lift_seconds", "beyond", "s", 0.25, 0.03, 0.1, 0.5);
  add("stop.swing_hip_y.0", "beyond", "rad", -0.4, 0.1, -1, 0.3);
  add("stop.swing_hip_y.1", "beyond", "rad", 0, 0.1, -0.6, 0.6);
  add("stop.swing_knee_y.0", "beyond", "rad", 0.9, 0.1, 0.2, 1.6);
  add("stop.swing_knee_y.1", "beyond", "rad", 0.1, 0.05, 0, 0.6);
  add("stop.stance_knee_y", "beyond", "rad", 0.1, 0.05, 0, 0.5);
  add("stop.distance_sagittal", "beyond", "rad/m", 0.5, 0.1, -2, 3);
  add("stop.velocity_sagittal", "beyond", "rad s/m", 0.3, 0.1, -1, 2);
  add("stop.distance_coronal", "beyond", "rad/m", 0.5, 0.1, -1, 3);
  add("stop.velocity_coronal", "beyond", "rad s/m", 0.3, 0.1, -1, 2);
  add("go.faster", "beyond", "m/s", 0.8, 0.2, 0, 2);
  add("go.torso_y", "beyond", "rad", 0.1, 0.05, -0.2, 0.4);
  add("stand.distance", "beyond", "rad/m", 1, 0.1, 0, 4);
  add("stand.velocity", "beyond", "rad s/m", 0.3, 0.05, 0, 2);
  add("stand.coronal", "beyond", "rad/m", 1, 0.3, 0, 4);
  return table;
}

}  // namespace

const std::vector<Info>& WalkerParameters() {
  static const std::vector<Info> table = MakeTable();
  return table;
}

std::vector<double> WalkerPaperValues() {
  std::vector<double> values;
  for (const Info& info : WalkerParameters()) values.push_back(info.paper);
  return values;
}

}  // namespace stride
