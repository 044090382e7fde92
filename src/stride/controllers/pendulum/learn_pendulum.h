#pragma once

#include <optional>

#include "stride/controllers/pendulum/annotation.h"
#include "stride/controllers/pendulum/pendulum.h"
#include "stride/controllers/registry.h"

// `stride learn pendulum CLIP`: the analysis of a clip as a skill, tried before it is written.
namespace stride::pendulum_controller {

std::string Refuses(const Character& character);

// What a skill of this controller holds. The motion's contact labels are what the analysis found;
// they may be edited in the file.
struct PendulumSkill {
  Motion motion;
  PendulumConfig config;
  // By default what AnnotationOf says of the motion; `told`: its labels were, too.
  std::optional<PendulumKind> pendulum;
  bool told = false;
  bool Pivots() const { return pendulum ? *pendulum == PendulumKind::kPivoted : !motion.loops; }
};
nlohmann::ordered_json PayloadOf(const PendulumSkill& skill);
PendulumSkill SkillOf(const Skill& skill);  // throws InputError

LearningMethod PendulumLearning();

}  // namespace stride::pendulum_controller
