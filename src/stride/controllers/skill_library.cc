#include "stride/controllers/skill_library.h"

#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stride/controllers/registry.h"
#include "stride/controllers/skill_files.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/core/nearest.h"

namespace stride {
namespace {

// A built-in one, or a file's.
std::string TextOf(const std::string& name_or_path) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < kSkillFileCount; ++k) {
    if (name_or_path == kSkillFiles[k].name) return std::string(kSkillFiles[k].text());
    names.emplace_back(kSkillFiles[k].name);
  }
  if (!std::filesystem::exists(name_or_path)) {
    throw InputError(
        fmt::format("there is no skill '{}', nor a file of that name; built in are: {}{}",
                    name_or_path, fmt::join(names, ", "), DidYouMean(name_or_path, names)));
  }
  return ReadFile(name_or_path);
}

}  // namespace

const std::vector<SkillInfo>& BuiltInSkills() {
  static const std::vector<SkillInfo> skills = [] {
    std::vector<SkillInfo> infos;
    for (std::size_t k = 0; k < kSkillFileCount; ++k) {
      const Skill skill = EnvelopeOf(kSkillFiles[k].name);
      infos.push_back({kSkillFiles[k].name, skill.controller, skill.description});
    }
    return infos;
  }();
  return skills;
}

Skill LoadSkill(const std::string& name_or_path) {
  return ParseSkill(TextOf(name_or_path), name_or_path);
}

Skill LoadSkillOf(const std::string& controller, const std::string& name_or_path) {
  Skill skill = LoadSkill(name_or_path);
  if (skill.controller != controller) {
    std::vector<std::string> made_by;
    for (const LearningMethod& method : FindController(controller).learns) {
      made_by.push_back("`stride learn " + method.name + "`");
    }
    throw InputError(
        fmt::format("'{}' is a skill of the controller '{}'; expected one of '{}', made by {}",
                    name_or_path, skill.controller, controller, fmt::join(made_by, " or ")));
  }
  return skill;
}

Skill EnvelopeOf(const std::string& name_or_path) {
  Skill skill = ParseEnvelope(TextOf(name_or_path), name_or_path, UpgradeSkill);
  try {
    FindController(skill.controller);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", name_or_path, error.what()));
  }
  return skill;
}

}  // namespace stride
