#pragma once

#include <vector>

#include "stride/controllers/control_graph/learner.h"

// Falls, and what follows them (liu16, Section 6.2): the servos aim at the pose in which the
// nearest way to rise begins, until the body lies like that.
namespace stride {

// How far a root is tilted away from a reference's, whatever their headings, rad.
double TiltFrom(const Quatd& root, const Quat<float>& reference);

// The segment that rises and begins most like the state; -1: none rises.
int NearestRising(const ControlGraph& graph, const State& state);

// States in which a character lies ready to rise by `segment`, in the axes of its first border:
// performances from states of `known`'s pool, pushed over, then aimed at its first pose. As many as
// are found in `tries` falls; those nearer to another way of rising are left out.
std::vector<State> CollectFalls(const ControlGraph& graph, const LearnState& known, int segment,
                                int tries, std::uint64_t seed, FragmentRunner* runner);

}  // namespace stride
