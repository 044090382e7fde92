#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stride/control/controller.h"
#include "stride/controllers/control_graph/clip_skill.h"

// Which fragment follows where several may: towards a node that was asked for, greedily towards a
// speed and a heading, or at random with even visits (liu16, Sections 6.2 and 7).
namespace stride {

// Styles of a graph: what speed and heading say, a random walk, then the nodes that can be asked
// for.
inline constexpr int kRandomStyle = 1, kFirstNodeStyle = 2;
inline constexpr const char* kRandomStyleName = "random walk";
std::vector<std::string> StylesOf(const GraphPlan& plan);

class GraphChoice {
 public:
  static constexpr double kFarAround = 0.45;  // rad: beyond it a turning clip is taken

  GraphChoice(std::shared_ptr<const ControlGraph> graph, const GraphPlan& plan, int seed);

  // What follows a fragment. `heading_error`: rad from where it goes to where it should.
  int Next(int fragment, const Command& command, double heading_error);

  const std::vector<std::string>& Styles() const { return *styles_; }
  BehaviourGraph Picture(const ClipSkill& skill) const;
  int NodeOf(int fragment) const;  // for a transition, the node it leads to
  // As Next last chose: it turns by a clip, or goes straight on for a while to come back.
  bool GoesToTurn() const { return goes_to_turn_; }
  bool GetsAway() const { return straight_ > 0; }
  // Of a clip that goes around; 0 for others and transitions, rad/s.
  double TurnRate(int fragment) const;

 private:
  struct Node {
    std::string name;
    int segment = 0;
    bool loops = false, rises = false, travels = false;
    double speed = 0, turn_rate = 0;  // m/s, rad/s
    int style = 0;
  };
  int WantedNode(int fragment, const Command& command, double heading_error);

  std::shared_ptr<const ControlGraph> graph_;
  std::shared_ptr<const std::vector<Node>> nodes_;
  std::shared_ptr<const std::vector<std::string>> styles_;
  int RandomGoal();

  std::shared_ptr<const std::vector<std::vector<int>>> distance_;  // [segment][fragment]
  std::vector<std::pair<int, int>> links_;
  // Memory of the run.
  Random random_;
  std::vector<int> visits_;  // of segments
  int goal_ = -1;            // segment that a random walk is on its way to
  int stayed_ = 0;           // fragments, in it
  double turned_ = 0;        // rad by clips that turn, since the heading was as asked for
  double straight_ = 0;      // s to go on before the next turn
  int style_ = 0;            // as last asked for
  bool goes_to_turn_ = false;
  bool served_ = false;  // a node that does not loop is performed once each time it is asked for
};

}  // namespace stride
