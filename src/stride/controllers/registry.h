#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/control/controller.h"
#include "stride/controllers/control_graph/clip_skill.h"
#include "stride/motion/motion.h"

// All controllers, from controllers.def: one line a method.
namespace stride {

struct ControllerInput {
  World world;                                       // actors[0] is the character to drive
  State stand;                                       // its rest pose on the world's ground
  std::vector<Motion> motions;                       // references, of that character
  std::shared_ptr<const Skill> skill;                // learned; null: none
  nlohmann::json config = nlohmann::json::object();  // overrides of the controller's own settings
};

struct ControllerInfo {
  std::string name, description;
  int min_motions = 0, max_motions = 0;  // references it takes
  std::unique_ptr<Controller> (*make)(const ControllerInput& input) = nullptr;
  bool needs_skill = false;
  nlohmann::ordered_json (*schema)() = nullptr;  // of its config (core/config.h); null: it has none
  // The config with what is taken from this machine made definite. Null: nothing is.
  nlohmann::json (*resolve)(const ControllerInput& input,
                            std::vector<std::string>* warnings) = nullptr;
};

const std::vector<ControllerInfo>& Controllers();
const ControllerInfo& FindController(const std::string& name);  // throws InputError with the names

// Throws InputError: an unknown name, too few or too many motions, one of another character, an
// unknown setting.
std::unique_ptr<Controller> MakeController(const std::string& name, const ControllerInput& input);

// The config with which the controller does the same again, on any machine: a recording keeps it.
// Throws like MakeController.
nlohmann::json ResolveConfig(const std::string& name, const ControllerInput& input,
                             std::vector<std::string>* warnings);

}  // namespace stride
