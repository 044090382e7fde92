#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/controllers/control_graph/graph_plan.h"
#include "stride/controllers/control_graph/policy.h"
#include "stride/controllers/control_graph/push_turns.h"
#include "stride/learn/skill.h"

namespace stride {

inline constexpr const char* kSkillController = "control_graph";

// Rad of feedback beyond which a gait is not led on into a turn, unless it was found to bear more.
inline constexpr double kCautiousTurn = 0.8;

// A skill of this controller: all that is needed to perform it.
struct ClipSkill {
  std::string name;
  Character character;
  GraphPlan plan;    // one clip, or a graph of several
  ClipOptions clip;  // how they are cut; the plan says which are symmetric
  double time_step = 0.005;
  bool keep_heading = true;
  Policies policies;
  State start;      // where a performance begins, in the first clip's axes; empty: as the clip does
  PushTurns turns;  // how it turns if it keeps no heading
  Pace pace;        // how it goes slower and faster
  double turn_rate = 0;               // rad/s that it bears; 0: not known
  double turn_action = 0;             // rad of feedback up to which it is led on; 0: not known
  double turn_shown = 1;              // by which what is left of a turn is shown larger than it is
  nlohmann::ordered_json provenance;  // how it was learned: settings, seed, version
  nlohmann::ordered_json metrics;     // what it was found to do
  // Of clips and transitions ("walk>run"), 0 to 1 as found when it was learned.
  nlohmann::ordered_json robustness = nlohmann::ordered_json::object();

  const Motion& FirstMotion() const { return plan.clips[0].motion; }
};

GraphPlan PlanOf(const Motion& motion, bool symmetric);  // one clip
ControlGraph GraphOf(const ClipSkill& skill);
// Finds out how a skill of one clip turns: ClipSkill::turns, nothing where it keeps its heading.
void RecordTurns(ClipSkill* skill);

// The envelope, and back. Throws InputError: a skill of another controller, a damaged payload.
Skill ToEnvelope(const ClipSkill& skill);
ClipSkill FromEnvelope(const Skill& skill);
std::string SkillText(const ClipSkill& skill);
ClipSkill ReadClipSkill(const std::string& path);
ClipSkill LoadClipSkill(const std::string& name_or_path);  // as LoadSkill finds it
void WriteSkill(const ClipSkill& skill, const std::string& path);

// What ControllerInfo asks for.
bool UpgradeClipSkill(int version, nlohmann::ordered_json* json);
std::vector<std::pair<std::string, std::string>> ClipSkillRows(const Skill& skill);

}  // namespace stride
