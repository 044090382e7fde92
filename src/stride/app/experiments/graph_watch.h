#pragma once

#include <optional>
#include <string>
#include <vector>

#include "stride/app/experiments/experiment.h"
#include "stride/controllers/control_graph/clip_skill.h"
#include "stride/run/run.h"
#include "stride/scenario/fall.h"

// Skills that are control graphs, and what a character does in one: where it is, when it falls and
// when it is up again.
namespace stride::experiments {

inline constexpr const char* kLocomotion = "locomotion";

struct GraphSkill {
  std::string name, file;  // as CharacterSetup::skill takes it
  std::string hash;
  ClipSkill skill;
  // A style by its name (a node's, say), and the speed of a node's clip over ground, m/s. Throw
  // InputError.
  int StyleOf(const std::string& style) const;
  double SpeedOf(const std::string& node) const;
};
// NAME.skill of the folder of --skills, or else the one that is built in. Throws InputError: there
// is none, or it is no graph.
GraphSkill FindGraphSkill(const std::string& name, const ExperimentContext& context);
// Says why nothing was measured.
Row NotMeasured(const std::string& name, const std::string& why);

RunSetup PerformGraph(const GraphSkill& skill, const Command& command, double seconds);

struct GraphFall {
  double at = 0;                  // s
  std::optional<double> seconds;  // until it was up again; none: it was not, so far
  int way = -1;                   // the last node it rose by; -1: it caught itself
  int tries = 0;                  // times it lay
};
// From the moment the run calls it a fall or the controller gives up and lies, until it performs
// what does not rise again, upright when that begins, and goes on with it for this long.
constexpr double kUpFor = 1;  // s

class GraphWatch {
 public:
  GraphWatch(const Run& run, const GraphSkill& skill, int actor = 0);
  void Look(const Run& run);  // after every step

  bool IsDown() const { return down_; }
  int Node() const { return node_; }
  bool InTransition() const { return from_ >= 0; }
  int From() const { return from_; }  // of the transition; -1: in none
  const std::vector<GraphFall>& Falls() const { return falls_; }
  // How often it was entered; of a transition, by clips.
  int Visits(int node) const { return visits_[node]; }
  int Visits(int from, int to) const { return link_visits_[from * visits_.size() + to]; }

 private:
  int actor_;
  std::vector<char> rises_;  // by clip
  FallDetector detector_;
  std::size_t node_channel_ = 0, from_channel_ = 0, lying_channel_ = 0;
  std::vector<float> channels_;
  std::vector<int> visits_, link_visits_;
  int node_ = -1, from_ = -1;
  bool lies_ = false, down_ = false;
  int run_falls_ = 0;
  std::optional<double> up_since_;
  std::vector<GraphFall> falls_;
};

// Of falls: how many were followed by getting up within `limit`; those later than `judged_until`
// are left out where they were not.
struct Risings {
  int falls = 0, up = 0;
  double mean = 0, longest = 0;  // s, of those who got up
};
Risings RisingsOf(const std::vector<GraphFall>& falls, double limit, double judged_until);

}  // namespace stride::experiments
