#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/learn/control_graph.h"
#include "stride/learn/policy.h"

namespace stride {

inline constexpr int kSkillVersion = 1;

// A learned skill: all that is needed to perform it, as a plain value and as one file.
struct Skill {
  std::string name;
  Character character;
  Motion motion;     // the reference clip
  ClipOptions clip;  // how it is cut
  double time_step = 0.005;
  bool keep_heading = true;
  Policies policies;
  State start;  // where a performance begins, in the clip's axes; empty: as the clip does
  nlohmann::ordered_json provenance;  // how it was learned: settings, seed, version
  nlohmann::ordered_json metrics;     // what it was found to do
};

// JSON in docs/skills.md. Throw InputError naming the file and the place.
std::string SkillText(const Skill& skill);
Skill ParseSkill(const std::string& text, const std::string& file_name);
Skill ReadSkill(const std::string& path);
void WriteSkill(const Skill& skill, const std::string& path);

}  // namespace stride
