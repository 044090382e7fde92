#pragma once

#include <array>
#include <vector>

#include "stride/controllers/control_graph/control_graph.h"
#include "stride/controllers/control_graph/policy.h"

// liu16, Section 6.1: a walk or run that is gently pushed to a side turns; the actions it then
// takes, added where nobody pushes, make it turn. For skills that go where they face.
namespace stride {

struct PushTurns {
  // Added to the actions of each fragment, it turns to the left at `rate`; subtracted, to the
  // right.
  std::vector<std::array<float, kActionCount>> actions;
  double rate = 0;  // rad/s; 0: it does not turn by this
};

// For a skill of one looping clip. `start`: where a round begins, in the clip's axes.
PushTurns RecordPushTurns(const ControlGraph& graph, const Policies& policies, const State& start);

}  // namespace stride
