#include "stride/controllers/pendulum/defaults.h"

namespace stride {

PendulumConfig DefaultConfig(const PendulumReference& clip, PendulumUse use) {
  PendulumConfig config;
  const bool flies = clip.Flies();
  if (use == PendulumUse::kTorques && !flies) {
    // Feet are late on slopes and after pushes: they reach for the ground.
    config.body.margin = 0.05;
    config.body.foot_stiffness = 250;
    config.body.foot_damping = 32;
  } else if (use == PendulumUse::kTorques) {
    config.planner.clearance = 0.07;
    config.body.weight_linear = 100;
  } else if (flies) {
    // By CMA-ES over speeds, turns, slopes and pushes of the built-in run.
    config.planner.clearance = 0.00168;
    config.planner.most_lowering = 0.0879;
    config.planner.haste = 0.944;
    config.planner.haste_share = 0.0617;
    config.planner.momentum_damping = 11.7;
    config.planner.momentum_share = 0.551;
    config.planner.most_momentum = 351;
    config.planner.height_stiffness = 5670;
    config.planner.height_damping = 901;
    config.planner.shift_gain = 0.0372;
    config.planner.shift_integral = 0.0311;
    config.planner.lateral = 0.4;
    config.planner.most_step = 0.651;
    config.body.joint_stiffness = 137;
    config.body.joint_damping = 15.3;
    config.body.foot_stiffness = 292;
    config.body.foot_damping = 15.8;
    config.body.weight_feet = 76000;
    config.body.weight_momentum = 13600;
    config.body.weight_height = 325;
    config.body.weight_linear = 1.05;
    config.body.weight_force = 0.18;
    config.body.most_acceleration = 357;
  }
  return config;
}

PendulumConfig DefaultConfig(const PerformanceReference& clip, PendulumUse use) {
  PendulumConfig config;
  if (use == PendulumUse::kTorques) {
    config.once.body.margin = 0.03;  // feet that touch late carry sooner
    return config;
  }
  bool hands = false;
  for (int k = 0; k < clip.Count(); ++k) hands = hands || clip.Stands(2, k) || clip.Stands(3, k);
  if (!clip.Flights().empty()) {
    // learn pendulum backflip --improve --seed 1 --set improve.iterations=12
    // --set improve.population=12 --set improve.trials=8
    config.once.sways = 0.788;
    config.once.sway = {.aside = 0.0164,
                        .speed = 0.173,
                        .turned = 1.79,
                        .turning = 1.38,
                        .force = 119,
                        .pushed = 0.0209};
    config.once.possible = true;
    config.once.turning_stiffness = 74.3;
    config.once.turning_damping = 18.4;
    config.once.step_speed = 0.176;
    config.once.body.weight_linear = 20700;
    config.once.body.weight_momentum = 3180;
    config.once.body.weight_height = 7960;
    config.once.body.weight_held = 842000;
    config.once.body.weight_feet = 142000;
    config.once.body.joint_stiffness = 252;
    config.once.body.joint_damping = 30.8;
    config.once.body.most_torque = 711;
  } else if (hands) {
    // By hand, on starts other than those of the experiment.
    config.once.sways = 0.2;
    config.once.sway.aside = 0.04;
    config.once.sway.turned = 0.4;
    config.once.sway.turning = 1.5;
  }
  return config;
}

}  // namespace stride
