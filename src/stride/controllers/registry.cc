#include "stride/controllers/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stride/core/error.h"

namespace stride {

#define STRIDE_CONTROLLER(name) \
  namespace name##_controller { \
    ControllerInfo Describe();  \
  }
#include "stride/controllers/controllers.def"
#undef STRIDE_CONTROLLER

const std::vector<ControllerInfo>& Controllers() {
  static const std::vector<ControllerInfo> controllers = {
#define STRIDE_CONTROLLER(name) name##_controller::Describe(),
#include "stride/controllers/controllers.def"
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
  throw InputError(fmt::format("there is no controller '{}'; expected one of: {}", name,
                               fmt::join(names, ", ")));
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
  const Character& character = input.world.actors.at(0);
  for (const Motion& motion : input.motions) {
    if (motion.character != character.name) {
      throw InputError(fmt::format("the motion '{}' is of '{}'; expected one of '{}'", motion.name,
                                   motion.character, character.name));
    }
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

}  // namespace stride
