#include "stride/controllers/pendulum/momentum_map.h"

#include <algorithm>
#include <cmath>

namespace stride {
namespace {

constexpr Vec3d kUp{0, 0, 1};

// Left Jacobian of the rotations: a point that moves at velocity v while the frame turns by w in
// unit time ends up displaced by LeftJacobian(w) v.
Vec3d LeftJacobian(const Vec3d& w, const Vec3d& v) {
  const double t = Norm(w);
  const double t2 = t * t;
  const double a = t > 1e-4 ? (1 - std::cos(t)) / t2 : 0.5 - t2 / 24;
  const double b = t > 1e-4 ? (t - std::sin(t)) / (t2 * t) : 1.0 / 6 - t2 / 120;
  const Vec3d wv = Cross(w, v);
  return v + wv * a + Cross(w, wv) * b;
}
Vec3d InverseLeftJacobian(const Vec3d& w, const Vec3d& u) {
  const double t = Norm(w);
  const double t2 = t * t;
  const double c = t > 1e-3 ? 1 / t2 - (1 + std::cos(t)) / (2 * t * std::sin(t)) : 1.0 / 12;
  const Vec3d wu = Cross(w, u);
  return u - wu * 0.5 + Cross(w, wu) * c;
}

}  // namespace

Twist ScrewBetween(const Vec3d& position_a, const Quatd& rotation_a, const Vec3d& position_b,
                   const Quatd& rotation_b) {
  const Quatd turn = rotation_b * Conjugate(rotation_a);
  const Vec3d w = Log(turn);
  return {w, InverseLeftJacobian(w, position_b - Rotate(turn, position_a))};
}

std::vector<BodyMass> MassesOf(const Character& character) {
  std::vector<BodyMass> masses;
  for (const Body& body : character.bodies) masses.push_back({body.mass, body.com, body.inertia});
  return masses;
}

WholeBody MeasureWhole(std::span<const BodyMass> masses, const BodyFrames& frames) {
  WholeBody whole{};
  for (std::size_t b = 0; b < masses.size(); ++b) {
    whole.mass += masses[b].mass;
    whole.com += (frames.position[b] + Rotate(frames.rotation[b], masses[b].com)) * masses[b].mass;
  }
  whole.com *= 1 / whole.mass;
  for (std::size_t b = 0; b < masses.size(); ++b) {
    const Vec3d arm = frames.position[b] + Rotate(frames.rotation[b], masses[b].com) - whole.com;
    whole.inertia += Rotate(ToMat3(frames.rotation[b]), masses[b].inertia);
    whole.inertia += PointInertia(arm) * masses[b].mass;
  }
  return whole;
}

Twist AlignmentBetween(std::span<const BodyMass> masses, const BodyFrames& from,
                       const BodyFrames& to) {
  const WholeBody whole = MeasureWhole(masses, from);
  Vec3d linear, angular;
  for (std::size_t b = 0; b < masses.size(); ++b) {
    // About the whole's centre of mass, so that far from the origin no digits are lost.
    const Twist screw = ScrewBetween(from.position[b] - whole.com, from.rotation[b],
                                     to.position[b] - whole.com, to.rotation[b]);
    const Vec3d arm = from.position[b] + Rotate(from.rotation[b], masses[b].com) - whole.com;
    const Vec3d momentum = (screw.linear + Cross(screw.angular, arm)) * masses[b].mass;
    linear += momentum;
    angular +=
        Cross(arm, momentum) + Rotate(ToMat3(from.rotation[b]), masses[b].inertia) * screw.angular;
  }
  return {Inverse(whole.inertia) * angular, linear * (1 / whole.mass)};
}

RigidFrame MovedBack(const Twist& v, const Vec3d& center, const RigidFrame& frame) {
  const Quatd turn = Exp(-v.angular);
  return {center + Rotate(turn, frame.position - center) + LeftJacobian(-v.angular, -v.linear),
          turn * frame.rotation};
}

RigidFrame FrameOf(const CartPole& pole, const CartPoleState& state, double heading,
                   double ground) {
  const Vec3d direction = PoleDirection(state);
  return {PoleCenter(pole, state) + kUp * ground,
          RotationBetween(kUp, direction) * AxisAngle(kUp, heading)};
}

void SetFrame(const CartPole& pole, const RigidFrame& frame, CartPoleState* state,
              double* heading) {
  Vec3d direction = Rotate(frame.rotation, kUp);
  // Who lies or stands on his hands has no pole; as upright as it gets.
  if (direction.z < 0.1) direction = Normalized(Vec3d{direction.x, direction.y, 0.1});
  // The turn about the pole that is left when the lean is taken away.
  *heading = Heading(Conjugate(RotationBetween(kUp, direction)) * frame.rotation);
  state->lean = {std::asin(std::clamp(direction.x, -1.0, 1.0)),
                 std::asin(std::clamp(direction.y, -1.0, 1.0))};
  state->cart = {frame.position.x - pole.length * direction.x,
                 frame.position.y - pole.length * direction.y};
}

Twist VelocityOf(const CartPole& pole, const CartPoleState& state) {
  const double cx = std::cos(state.lean.x), cy = std::cos(state.lean.y);
  const Vec3d direction = PoleDirection(state);
  Vec3d turning{cx * state.lean_rate.x, cy * state.lean_rate.y, 0};
  turning.z = -(direction.x * turning.x + direction.y * turning.y) / direction.z;
  return {Cross(direction, turning),
          Vec3d{state.speed.x, state.speed.y, 0} + turning * pole.length};
}

void SetVelocity(const CartPole& pole, const Twist& velocity, CartPoleState* state) {
  const Vec3d direction = PoleDirection(*state);
  const Vec3d turning = Cross(velocity.angular, direction);
  state->lean_rate = {turning.x / std::cos(state->lean.x), turning.y / std::cos(state->lean.y)};
  state->speed = {velocity.linear.x - pole.length * turning.x,
                  velocity.linear.y - pole.length * turning.y};
}

}  // namespace stride
