#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/controllers/control_graph/graph_plan.h"
#include "stride/controllers/control_graph/policy.h"
#include "stride/controllers/control_graph/push_turns.h"

namespace stride {

inline constexpr int kSkillVersion = 2;  // 1: one clip

// A learned skill: all that is needed to perform it, as a plain value and as one file.
struct Skill {
  std::string name;
  Character character;
  GraphPlan plan;    // one clip, or a graph of several
  ClipOptions clip;  // how they are cut; the plan says which are symmetric
  double time_step = 0.005;
  bool keep_heading = true;
  Policies policies;
  State start;      // where a performance begins, in the first clip's axes; empty: as the clip does
  PushTurns turns;  // how it turns if it keeps no heading
  nlohmann::ordered_json provenance;  // how it was learned: settings, seed, version
  nlohmann::ordered_json metrics;     // what it was found to do

  const Motion& FirstMotion() const { return plan.clips[0].motion; }
  // Of a clip or of a transition ("walk>run"), 0 to 1 as found when it was learned; -1: not known.
  double Robustness(const std::string& segment) const;
};

GraphPlan PlanOf(const Motion& motion, bool symmetric);  // one clip
ControlGraph GraphOf(const Skill& skill);
// Finds out how a skill of one clip turns: Skill::turns, nothing where it keeps its heading.
void RecordTurns(Skill* skill);

// JSON in docs/learning.md. Throw InputError naming the file and the place.
std::string SkillText(const Skill& skill);
Skill ParseSkill(const std::string& text, const std::string& file_name);
Skill ReadSkill(const std::string& path);
void WriteSkill(const Skill& skill, const std::string& path);

}  // namespace stride
