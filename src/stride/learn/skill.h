#pragma once

#include <functional>
#include <string>

#include <nlohmann/json.hpp>

#include "stride/control/world_wishes.h"
#include "stride/sim/world.h"

// A skill: what some method has learned to do with a body, as a plain value and as one file. The
// envelope is the same for all methods; the payload is for the controller's own folder alone.
namespace stride {

inline constexpr int kSkillVersion = 3;  // 1 and 2 had no envelope; see ControllerInfo::upgrade

struct Skill {
  std::string name;
  std::string controller;   // who performs it, by its name in controllers.def
  std::string description;  // a line for lists
  Character character;
  State start;                        // where a performance begins; empty: the controller knows
  WorldWishes wishes;                 // the world it was learned in
  nlohmann::ordered_json provenance;  // how it was learned: method, settings, seed, version
  nlohmann::ordered_json metrics;     // what it was found to do
  // 0 to 1 for each of its parts by name, as found when it was learned; an object, or empty.
  nlohmann::ordered_json robustness = nlohmann::ordered_json::object();
  nlohmann::ordered_json payload;
};

// Of a part, from Skill::robustness; -1: not known.
double RobustnessOf(const nlohmann::ordered_json& robustness, const std::string& part);

// JSON in docs/learning.md. All throw InputError naming the file and the place.
std::string SkillText(const Skill& skill);
void WriteSkill(const Skill& skill, const std::string& path);
// The envelope; the payload as it is. `upgrade` turns what was written by earlier versions into
// this one and returns whether it could. Who wants a skill to perform calls controllers/registry.h.
using SkillUpgrade = std::function<bool(int version, nlohmann::ordered_json* json)>;
Skill ParseEnvelope(const std::string& text, const std::string& file_name,
                    const SkillUpgrade& upgrade);

}  // namespace stride
