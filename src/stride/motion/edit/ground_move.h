#pragma once

#include "stride/motion/motion.h"

// Rigid motions that leave the ground where it is: what may be done to a whole motion without
// changing it.
namespace stride {

// p -> turned by `heading` (rad) about the vertical through the origin, then shifted.
struct GroundMove {
  double heading = 0;
  Vec3d shift;
  friend bool operator==(const GroundMove&, const GroundMove&) = default;
};

Quatd Turn(const GroundMove& move);
Vec3d Apply(const GroundMove& move, const Vec3d& point);
GroundMove Compose(const GroundMove& second, const GroundMove& first);
GroundMove Inverse(const GroundMove& move);

// Takes the root of pose `from` over the place of that of `to`, in its heading; heights stay.
GroundMove MoveBetween(const Character& character, const std::vector<double>& from,
                       const std::vector<double>& to);

void MoveMotion(const Character& character, const GroundMove& move, Motion* motion);

// The motion starts with its root at (x, y), heading as given (rad).
void PlaceStart(const Character& character, double x, double y, double heading, Motion* motion);

// Edits move poses about: throws InputError if the root is not free.
void RequireFreeRoot(const Character& character);

}  // namespace stride
