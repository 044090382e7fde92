#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "stride/controllers/control_graph/action.h"
#include "stride/controllers/control_graph/control_graph.h"

namespace stride {

// Feedback of one fragment (liu16, equation 2), around the mean state it was learned at:
//   action = gains (features - mean) + offset
struct FragmentPolicy {
  float gains[kActionCount][kFeatureCount] = {};
  float offset[kActionCount] = {};
  float mean[kFeatureCount] = {};
  float sigma[kActionCount] = {};  // of the exploration (equation 16), rad
  friend bool operator==(const FragmentPolicy&, const FragmentPolicy&) = default;
};
using Policies = std::vector<FragmentPolicy>;  // ControlGraph::policies

// How a gait goes slower and faster: changes of the policies' offsets for each m/s.
struct Pace {
  std::vector<std::array<float, kActionCount>> actions;  // of each policy, rad s/m; none: it cannot
  double slowest = 0, fastest = 0;                       // m/s, from its own speed: what it bears
};
inline Policies Paced(Policies policies, const Pace& pace, double faster) {
  for (std::size_t p = 0; p < pace.actions.size(); ++p) {
    for (int a = 0; a < kActionCount; ++a) {
      policies[p].offset[a] += static_cast<float>(faster) * pace.actions[p][a];
    }
  }
  return policies;
}

constexpr float kActionLimit = 1.2f;  // rad

// `mirrored`: features are seen in the mirror, and so is the action that comes out.
inline void Act(const FragmentPolicy& policy, bool mirrored, const float* features, float* action) {
  float seen[kFeatureCount], answer[kActionCount];
  SeenFeatures(mirrored, features, seen);
  for (int k = 0; k < kFeatureCount; ++k) seen[k] -= policy.mean[k];
  for (int a = 0; a < kActionCount; ++a) {
    float sum = policy.offset[a];
    for (int k = 0; k < kFeatureCount; ++k) sum += policy.gains[a][k] * seen[k];
    answer[a] = std::clamp(sum, -kActionLimit, kActionLimit);
  }
  SeenAction(mirrored, answer, action);
}

}  // namespace stride
