#pragma once

#include "stride/controllers/data_driven/data_driven.h"
#include "stride/controllers/registry.h"

// `stride learn gains CLIP`: feedback gains for a clip that has none, by CMA-ES under pushes; and
// the skills of this controller.
namespace stride::data_driven_controller {

std::string Refuses(const Character& character);

// What a skill of this controller holds: clips, each with gains of its own, and how to follow them.
struct DataDrivenSkill {
  std::vector<Animation::Clip> clips;
  DataDrivenConfig config;
};
nlohmann::ordered_json PayloadOf(const DataDrivenSkill& skill);
DataDrivenSkill SkillOf(const Skill& skill);  // throws InputError

LearningMethod GainLearning();

}  // namespace stride::data_driven_controller
