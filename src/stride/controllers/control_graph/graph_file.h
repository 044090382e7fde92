#pragma once

#include <functional>
#include <string>

#include "stride/controllers/control_graph/graph_plan.h"
#include "stride/motion/import/in_place.h"

// The file of a control graph, described in docs/formats.md: nodes, each a clip or a range of it,
// and transitions between them.
namespace stride {

// What a node takes of a motion.
struct GraphNodeSource {
  std::string motion;                     // a name or a file
  int first_frame = -1, last_frame = -1;  // -1: from its start, to its end
  double fps = 0;                         // its true rate; 0: as the file says
  bool loop = false;                      // to be closed to a loop
  InPlace in_place = InPlace::kAuto;      // whether its way is to be recovered
};
using GraphMotionLoader = std::function<Motion(const GraphNodeSource& source)>;

struct GraphFile {
  std::string name, character;  // empty: not said
  GraphPlan plan;               // transitions without places where the file has none
};

// `load` gets the motion of a node for the character that the file names. Throws InputError with
// the file and the node.
GraphFile ParseGraphFile(const std::string& text, const std::string& file_name,
                         const std::function<GraphMotionLoader(const std::string&)>& loader);

}  // namespace stride
