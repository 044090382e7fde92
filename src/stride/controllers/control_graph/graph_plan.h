#pragma once

#include <string>
#include <vector>

#include "stride/controllers/control_graph/control_graph.h"

// What a control graph is made of (liu16, Section 7): clips, and which may follow which.
namespace stride {

struct GraphClip {
  std::string name;
  Motion motion;
  bool symmetric = false;  // ClipOptions::symmetric
  bool rises = false;      // begins lying: entered after a fall only
  friend bool operator==(const GraphClip&, const GraphClip&) = default;
};

// From one clip to another over a blend of both, `blend` s of each (a clip that does not loop is
// left and entered kBlend before its end and after its beginning).
inline constexpr double kBlend = 0.4;
struct GraphTransition {
  int from = 0, to = 0;           // clips
  double leave = -1, enter = -1;  // s in each; negative: not chosen yet
  double blend = kBlend;
  friend bool operator==(const GraphTransition&, const GraphTransition&) = default;
};

struct GraphPlan {
  std::vector<GraphClip> clips;
  std::vector<GraphTransition> transitions;
  friend bool operator==(const GraphPlan&, const GraphPlan&) = default;
};

// Chooses where transitions leave and enter loops: where the two are most alike, at borders of
// fragments. Throws InputError that names the clips: poses that do not match (point_cloud.h, more
// than `most` m), a clip that cannot be reached or left.
void ChooseCrossings(const Character& character, const ClipOptions& options, GraphPlan* plan,
                     double most = 0.35);

// Segments in the order in which they are learned: loops, transitions between them (there and back
// together), then one by one clips that do not loop, each followed by its transitions to and from
// what is there. Throws InputError as of one clip, and for transitions without places.
ControlGraph MakeControlGraph(const GraphPlan& plan, const Character& character,
                              const ClipOptions& options, double time_step);

// A stage of learning: the first segments, of which the last are new (progressive learning, liu16,
// Section 6.2); courses begin at the entry.
struct GraphStage {
  int segments = 0;
  int entry = 0;  // fragment
};
// Every loop alone, transitions between two of them, every other clip with its transitions; several
// of these at once where there is no way back before.
std::vector<GraphStage> Stages(const ControlGraph& graph);

// The graph of the first segments only.
ControlGraph Prefix(const ControlGraph& graph, int segments);

}  // namespace stride
