#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "stride/motion/edit/seam.h"
#include "stride/motion/motion.h"

// Motion graphs: Kovar, Gleicher and Pighin (2002). Here a node is a piece of a clip, and an edge
// says that the end of one piece may be followed by the start of another: because the clip goes on
// there, or because the two moments are alike. (The paper has pieces as edges; as nodes they also
// fit a list written by hand.)
namespace stride {

struct GraphNode {
  std::string name;
  int clip = 0;
  int first = 0, last = 0;  // frames of the clip
  friend bool operator==(const GraphNode&, const GraphNode&) = default;
};

struct GraphEdge {
  int from = 0, to = 0;  // nodes
  double distance = 0;   // between the end of one and the start of the other, m (point_cloud.h); 0
                         // where a clip goes on
  friend bool operator==(const GraphEdge&, const GraphEdge&) = default;
};

struct MotionGraph {
  std::vector<Motion> clips;  // all of one character and one rate
  std::vector<GraphNode> nodes;
  std::vector<GraphEdge> edges;
  friend bool operator==(const MotionGraph&, const MotionGraph&) = default;
};

struct GraphOptions {
  double largest_distance = 0.08;  // of a transition, m
  double half_window = 0.12;       // of the point clouds, s
  double least_jump = 0.5;         // within one clip a transition leads at least that far, s
  double spacing = 0.25;           // between transitions of the same two clips, s; the best stay
  double search_rate = 15;    // frames a second that are compared; around what is found all are
  bool same_contacts = true;  // a transition must not change the labels of the feet
};

// From a frame of one clip to a frame of another.
struct Transition {
  int from_clip = 0, from_frame = 0, to_clip = 0, to_frame = 0;
  double distance = 0;
};

// Local minima of the distance between all frames of all clips, below the largest distance; nearest
// first, and none close to a better one.
std::vector<Transition> FindTransitions(const Character& character,
                                        const std::vector<Motion>& clips,
                                        const GraphOptions& options = {});

// Cuts the clips where transitions start and end, and connects the pieces; a loop's end is also
// connected to its start. Pieces are named clip:first-last. Throws InputError if clips have
// different rates or are invalid.
MotionGraph CutAtTransitions(const std::vector<Motion>& clips,
                             const std::vector<Transition>& transitions);

// Component of each node; nodes are in one component if each can be reached from the other (Tarjan,
// 1972).
std::vector<int> StrongComponents(const MotionGraph& graph);

// The strongly connected component that lasts longest, so that a walk never ends: empty if no node
// can be reached from itself. Clips that are no longer used are dropped.
MotionGraph LargestComponent(const MotionGraph& graph);

// All of the above.
MotionGraph BuildMotionGraph(const Character& character, const std::vector<Motion>& clips,
                             const GraphOptions& options = {});

// Nodes of a random walk from `start` (-1: anywhere) that lasts at least `seconds`, or until it
// cannot go on. After a transition it stays on its clip for `least_stay` seconds if it can.
std::vector<int> RandomWalk(const MotionGraph& graph, double seconds, std::uint64_t seed,
                            int start = -1, double least_stay = 0.5);

// The motion along a path of nodes. Throws InputError if an edge is missing.
Motion PlayPath(const Character& character, const MotionGraph& graph, const std::vector<int>& path,
                const SeamOptions& options = {});

// Connections by hand (docs/formats.md): nodes, each a motion or a range of its frames, and edges
// as pairs of names. `load` gets a node's "motion". Throws InputError with file and line, naming
// the node.
using MotionLoader = std::function<Motion(const std::string& motion)>;
MotionGraph ParseMotionGraph(const std::string& text, const std::string& file_name,
                             const Character& character, const MotionLoader& load);
// Motions are built-in ones, or files beside the graph's.
MotionGraph ReadMotionGraph(const std::string& path, const Character& character);
// A text that ParseMotionGraph reads; motions are called by their clips' names.
std::string MotionGraphText(const MotionGraph& graph);

// Pictures: for Graphviz; and drawn, a lane a clip with its pieces, and an arc a transition.
std::string MotionGraphDot(const MotionGraph& graph);
std::string MotionGraphSvg(const MotionGraph& graph);

}  // namespace stride
