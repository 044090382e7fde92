#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/control/controller.h"
#include "stride/control/lane_program.h"
#include "stride/learn/learning_job.h"
#include "stride/learn/skill.h"
#include "stride/motion/graph/motion_graph.h"
#include "stride/motion/motion.h"

// All controllers, from controllers.def: one line a method.
namespace stride {

struct ControllerInput {
  World world;                                       // actors[0] is the character to drive
  State stand;                                       // its rest pose on the world's ground
  std::vector<Motion> motions;                       // references, of that character
  std::shared_ptr<const MotionGraph> graph;          // null: none
  std::shared_ptr<const Skill> skill;                // learned; null: none
  nlohmann::json config = nlohmann::json::object();  // overrides of the controller's own settings
};

struct ControllerInfo {
  std::string name, description;
  std::unique_ptr<Controller> (*make)(const ControllerInput& input) = nullptr;

  // What it takes.
  int min_motions = 0, max_motions = 0;  // references
  bool takes_graph = false;              // a motion graph
  bool follows_any_clip = false;         // of one motion, without having learned it
  bool needs_skill = false;
  nlohmann::ordered_json (*schema)() = nullptr;  // of its config (core/config.h); null: it has none
  // The config with what is taken from this machine made definite. Null: nothing is.
  nlohmann::json (*resolve)(const ControllerInput& input,
                            std::vector<std::string>* warnings) = nullptr;
  // Why it cannot drive a body, in words for the user; empty: it can. Null: it drives any.
  std::string (*refuses)(const Character& character) = nullptr;
  WorldWishes wishes;  // unless its skill has others

  // Something that it can do anywhere, for tests and demonstrations; all built in.
  struct Example {
    std::string character, motion, skill;  // empty: not needed
    // With which it does the same on every machine, and is quick.
    nlohmann::json config = nlohmann::json::object();
  } example;

  // Its step over lanes; null: it runs in them by clones (learn/lane_driver.h).
  std::shared_ptr<const LaneProgram> (*lanes)(const ControllerInput& input) = nullptr;

  // What it learns by, and what it knows of its skills' payloads.
  std::vector<LearningMethod> learns;
  void (*check_skill)(const Skill& skill) = nullptr;  // throws InputError
  // Rows about the payload, for `info`.
  std::vector<std::pair<std::string, std::string>> (*skill_rows)(const Skill& skill) = nullptr;
  // A skill with these curves instead of its own (Controller::Curves), for what was edited; null:
  // its skills have none. Throws InputError.
  void (*edit_skill)(const CurveEdit& edit, Skill* skill) = nullptr;
  SkillUpgrade upgrade;  // of skill files of versions without an envelope
};

const std::vector<ControllerInfo>& Controllers();
const ControllerInfo& FindController(const std::string& name);  // throws InputError with the names

// All ways to learn, of all controllers.
std::vector<LearningMethod> LearningMethods();

// Throws InputError: an unknown name, too few or too many motions, one of another character, a
// skill of another controller, a body that it cannot drive, an unknown setting.
std::unique_ptr<Controller> MakeController(const std::string& name, const ControllerInput& input);

// The config with which the controller does the same again, on any machine: a recording keeps it.
// Throws like MakeController.
nlohmann::json ResolveConfig(const std::string& name, const ControllerInput& input,
                             std::vector<std::string>* warnings);

// A skill that can be performed: the envelope read, the payload looked through by its controller.
// Throw InputError.
Skill ParseSkill(const std::string& text, const std::string& file_name);
// A file of an earlier version, by the controller that knows it; false: none does.
bool UpgradeSkill(int version, nlohmann::ordered_json* json);
Skill ReadSkill(const std::string& path);

}  // namespace stride
