#pragma once

#include <vector>

#include "stride/sim/world.h"

namespace stride {

// What counts as a fall.
constexpr double kFallHeight =
    0.5;  // the root's height above the ground under it, of where it began
constexpr double kFallTiltDeg = 60;  // of the trunk, from where it began

// Tells a fall from a state. A character without a trunk is judged by its root; one whose root is
// fixed to the world by its tilt alone.
class FallDetector {
 public:
  FallDetector(const Character& character, const Terrain& terrain, const State& start);
  bool Fallen(const State& state) const;

 private:
  struct Link {
    JointKind kind;
    Vec3d axis;
    int q;  // of its rotation
  };
  Quatd TrunkRotation(const State& state) const;
  double RootHeight(const State& state) const;

  Terrain terrain_;
  std::vector<Link> chain_;  // root to trunk
  bool free_root_;
  double start_height_;
  Vec3d start_up_;  // the world's up at the start, in the trunk's axes
};

}  // namespace stride
