#pragma once

#include <string>
#include <vector>

#include "stride/learn/skill.h"

namespace stride {

struct SkillInfo {
  std::string name, controller, description;
};

// The skills there are without a file (data/skills), learned from built-in motions by
// scripts/learn_skills.sh.
const std::vector<SkillInfo>& BuiltInSkills();

// A built-in skill by its name, or else one from a file. Throws InputError with the names there
// are.
Skill LoadSkill(const std::string& name_or_path);
// The same, of this controller, for what goes on from it. Throws InputError where it is another's.
Skill LoadSkillOf(const std::string& controller, const std::string& name_or_path);
// The same, but the payload is not looked at: to know what it is, quickly.
Skill EnvelopeOf(const std::string& name_or_path);

}  // namespace stride
