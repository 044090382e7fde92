#include "stride/motion/edit/ground_move.h"

#include "stride/core/error.h"
#include "stride/math/rotation.h"
#include "stride/motion/kinematics.h"

namespace stride {

Quatd Turn(const GroundMove& move) { return AxisAngle({0, 0, 1}, move.heading); }

Vec3d Apply(const GroundMove& move, const Vec3d& point) {
  return Rotate(Turn(move), point) + move.shift;
}

GroundMove Compose(const GroundMove& second, const GroundMove& first) {
  return {second.heading + first.heading, Apply(second, first.shift)};
}

GroundMove Inverse(const GroundMove& move) {
  return {-move.heading, -Rotate(Conjugate(Turn(move)), move.shift)};
}

GroundMove MoveBetween(const Character& character, const std::vector<double>& from,
                       const std::vector<double>& to) {
  RequireFreeRoot(character);
  GroundMove move{TwistAngle(QuatAt(to, 3) * Conjugate(QuatAt(from, 3)), {0, 0, 1}), {}};
  move.shift = Vec3At(to, 0) - Apply(move, Vec3At(from, 0));
  move.shift.z = 0;
  return move;
}

void MoveMotion(const Character& character, const GroundMove& move, Motion* motion) {
  RequireFreeRoot(character);
  for (std::vector<double>& q : motion->frames) MovePose(character, move.heading, move.shift, &q);
}

void PlaceStart(const Character& character, double x, double y, double heading, Motion* motion) {
  RequireFreeRoot(character);
  const std::vector<double>& first = motion->frames.front();
  GroundMove move{heading - NearestHeading(QuatAt(first, 3)), {}};
  const Vec3d root = Apply(move, Vec3At(first, 0));
  move.shift = {x - root.x, y - root.y, 0};
  MoveMotion(character, move, motion);
}

void RequireFreeRoot(const Character& character) {
  if (character.bodies.empty() || character.bodies[0].joint.kind != JointKind::kFree) {
    throw InputError("character '" + character.name +
                     "' is fixed to the world; expected one with a free root, to move it about");
  }
}

}  // namespace stride
