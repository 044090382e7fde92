#include <memory>
#include <string>

#include "stride/controllers/pendulum/defaults.h"
#include "stride/controllers/pendulum/learn_pendulum.h"
#include "stride/controllers/pendulum/performance.h"
#include "stride/core/config.h"
#include "stride/core/error.h"

namespace stride::pendulum_controller {

std::string Refuses(const Character& character) {
  if (!character.IsHuman()) return "it is not a human: two legs with thighs, shanks and feet";
  if (character.bodies[0].joint.kind != JointKind::kFree) return "its root is fixed to the world";
  return "";
}

namespace {

std::unique_ptr<Controller> Make(const ControllerInput& input) {
  PendulumSkill held;
  if (input.skill) {
    held = SkillOf(*input.skill);
  } else if (!input.motions.empty()) {
    held.motion = input.motions[0];
  } else {
    throw InputError("pendulum needs a motion (--motion) or a skill (--skill)");
  }
  if (held.Pivots()) {
    auto reference =
        std::make_shared<const PerformanceReference>(input.world.actors[0], held.motion, held.told);
    if (!input.skill) held.config = DefaultConfig(*reference, PendulumUse::kTorques);
    ConfigFromJson(input.config, "pendulum", &held.config);
    return std::make_unique<PerformanceController>(input.world, std::move(reference), held.config);
  }
  auto rig = std::make_shared<const PendulumRig>(input.world.actors[0], held.motion);
  if (!input.skill) held.config = DefaultConfig(rig->reference, PendulumUse::kTorques);
  ConfigFromJson(input.config, "pendulum", &held.config);
  return std::make_unique<PendulumController>(input.world, rig, held.config);
}

}  // namespace

ControllerInfo Describe() {
  return {.name = "pendulum",
          .description =
              "bends a clip to the way of an inverted pendulum and finds torques by a "
              "quadratic program (kwon17)",
          .make = Make,
          .min_motions = 0,
          .max_motions = 1,
          .schema = [] { return ConfigSchema<PendulumConfig>(); },
          .refuses = Refuses,
          .wishes = {.time_step = 1.0 / 960},
          .example = {.character = "kwon17", .motion = "walk"},
          .learns = {PendulumLearning()},
          .check_skill = [](const Skill& skill) { SkillOf(skill); }};
}

}  // namespace stride::pendulum_controller
