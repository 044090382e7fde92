#pragma once

#include <cstdint>
#include <vector>

#include "stride/character/character.h"

// Pushes: horizontal forces on a character's trunk.
namespace stride {

struct Push {
  double force = 0;     // N
  double heading = 0;   // where it pushes to, rad from +X (forwards) towards +Y (left)
  double at = 0;        // s
  double duration = 0;  // s
  friend bool operator==(const Push&, const Push&) = default;
};

// Sum of the pushes that act during the step that begins at `time`, N.
Vec3d PushAt(const std::vector<Push>& pushes, double time);

// A push without end that takes a new random heading, and a new force up to `amplitude`, every
// `interval`.
struct Disturbance {
  double amplitude = 0;   // N
  double interval = 0.2;  // s
  std::uint64_t seed = 0;
};
// `sample` tells runs under the same disturbance apart: lanes, for instance.
Vec3d DisturbanceAt(const Disturbance& disturbance, int interval_index, int sample = 0);

// The body that is pushed: the trunk, or the root of a character that has none.
int PushedBody(const Character& character);

}  // namespace stride
