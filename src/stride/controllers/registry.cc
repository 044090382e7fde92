#include "stride/controllers/registry.h"

#include <fmt/format.h>

#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/core/nearest.h"
#include "stride/motion/library.h"

namespace stride {

#define STRIDE_CONTROLLER(name) \
  namespace name##_controller { \
    ControllerInfo Describe();  \
  }
#include "stride/controllers/controllers.def"
#ifdef STRIDE_MORE_CONTROLLERS  // a program's own, besides those of the library: another such file
#include STRIDE_MORE_CONTROLLERS
#endif
#undef STRIDE_CONTROLLER

const std::vector<ControllerInfo>& Controllers() {
  static const std::vector<ControllerInfo> controllers = {
#define STRIDE_CONTROLLER(name) name##_controller::Describe(),
#include "stride/controllers/controllers.def"
#ifdef STRIDE_MORE_CONTROLLERS
#include STRIDE_MORE_CONTROLLERS
#endif
#undef STRIDE_CONTROLLER
  };
  return controllers;
}

const ControllerInfo& FindController(const std::string& name) {
  std::vector<std::string> names;
  for (const ControllerInfo& info : Controllers()) {
    if (info.name == name) return info;
    names.push_back(info.name);
  }
  throw InputError(NotAmong("controller", name, names));
}

namespace {

void CheckInput(const ControllerInfo& info, const ControllerInput& input) {
  const std::string& name = info.name;
  const int count = static_cast<int>(input.motions.size());
  if (count < info.min_motions || count > info.max_motions) {
    const std::string expected = info.max_motions == 0 ? "none"
                                 : info.min_motions == info.max_motions
                                     ? std::to_string(info.min_motions)
                                     : fmt::format("{} to {}", info.min_motions, info.max_motions);
    throw InputError(
        fmt::format("the controller '{}' was given {} motion{} (--motion); expected {}", name,
                    count, count == 1 ? "" : "s", expected));
  }
  if (info.needs_skill && !input.skill) {
    throw InputError(
        fmt::format("the controller '{}' performs a learned skill: give one with --skill (stride "
                    "list skills shows "
                    "those built in, stride learn makes others)",
                    name));
  }
  if (input.skill && input.skill->controller != name) {
    throw InputError(fmt::format("the skill '{}' is one of the controller '{}', not of '{}'",
                                 input.skill->name, input.skill->controller, name));
  }
  const Character& character = input.world.actors.at(0);
  if (info.refuses) {
    const std::string why = info.refuses(character);
    if (!why.empty()) {
      throw InputError(
          fmt::format("the controller '{}' cannot drive '{}': {}", name, character.name, why));
    }
  }
  if (input.graph && !info.takes_graph) {
    throw InputError(fmt::format("the controller '{}' takes no motion graph", name));
  }
  for (const Motion& motion : input.motions) {
    RequireSameStructure(motion, character);
    Validate(motion, character);
  }
  if (!info.schema && !input.config.empty()) {
    throw InputError(fmt::format("the controller '{}' has no settings; it was given {}", name,
                                 input.config.dump()));
  }
}

}  // namespace

std::unique_ptr<Controller> MakeController(const std::string& name, const ControllerInput& input) {
  const ControllerInfo& info = FindController(name);
  CheckInput(info, input);
  return info.make(input);
}

nlohmann::json ResolveConfig(const std::string& name, const ControllerInput& input,
                             std::vector<std::string>* warnings) {
  const ControllerInfo& info = FindController(name);
  CheckInput(info, input);
  return info.resolve ? info.resolve(input, warnings) : input.config;
}

std::vector<LearningMethod> LearningMethods() {
  std::vector<LearningMethod> methods;
  for (const ControllerInfo& info : Controllers()) {
    methods.insert(methods.end(), info.learns.begin(), info.learns.end());
  }
  return methods;
}

bool UpgradeSkill(int version, nlohmann::ordered_json* json) {
  for (const ControllerInfo& info : Controllers()) {
    if (info.upgrade && info.upgrade(version, json)) return true;
  }
  return false;
}

Skill ParseSkill(const std::string& text, const std::string& file_name) {
  Skill skill = ParseEnvelope(text, file_name, UpgradeSkill);
  try {
    const ControllerInfo& info = FindController(skill.controller);
    if (info.check_skill) info.check_skill(skill);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", file_name, error.what()));
  }
  return skill;
}

Skill ReadSkill(const std::string& path) { return ParseSkill(ReadFile(path), path); }

}  // namespace stride
