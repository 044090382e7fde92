#pragma once

#include <numbers>
#include <vector>

#include "stride/math/scalar.h"
#include "stride/sim/world.h"

// The one definition of a fall: too low, or tilted too far away from how it should stand.
namespace stride {

struct FallLimits {
  double height;  // the root's above the ground under it, as a share of what it should be
  double tilt;    // rad, whatever the heading
};
// Away from where it began.
inline constexpr FallLimits kFallFromStart = {0.5, std::numbers::pi / 3};
// Away from a reference that it tracks: lost before it lies.
inline constexpr FallLimits kFallFromReference = {0.6, 1.2};
// Within these it still follows a reference, wherever that leads (a flip is upside down).
inline constexpr FallLimits kFollowsReference = {0.5, std::numbers::pi / 4};

// Numbers, or lanes of them: the answer is then a mask. Not finite is fallen.
template <class S>
STRIDE_INLINE auto TooLow(const FallLimits& limits, const S& height, const S& expected_height) {
  return !(height > S(limits.height) * expected_height);
}
template <class S>
STRIDE_INLINE auto TooTilted(const FallLimits& limits, const S& tilt_squared) {
  return !(tilt_squared < S(limits.tilt) * S(limits.tilt));
}
template <class S>
STRIDE_INLINE auto IsFallen(const FallLimits& limits, const S& height, const S& expected_height,
                            const S& tilt_squared) {
  using Answer = decltype(height > height);
  return Answer(TooLow(limits, height, expected_height) | TooTilted(limits, tilt_squared));
}

// Angle between the verticals of two orientations, rad, 0 to pi.
double TiltBetween(const Quatd& a, const Quatd& b);

// Tells a fall from a state. A character without a trunk is judged by its root; one whose root
// cannot leave its place by its tilt alone.
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
  Character root_;           // the bodies up to the root alone
  bool root_moves_;
  double start_height_;
  Vec3d start_up_;  // the world's up at the start, in the trunk's axes
};

}  // namespace stride
