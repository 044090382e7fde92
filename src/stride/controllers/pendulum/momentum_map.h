#pragma once

#include <span>
#include <vector>

#include "stride/character/rest_pose.h"
#include "stride/controllers/pendulum/pendulum_models.h"

// From a whole body's pose and momentum to a pendulum: kwon17, Section 5.1 and Appendix B. The
// pendulum is to its reference what the body is to its own.
namespace stride {

// A rigid displacement or velocity, of a point that is named beside it.
struct Twist {
  Vec3d angular, linear;
};

// The screw that takes frame a to frame b in unit time: its velocity at the world's origin, in
// world axes (the logarithm in eq. 27).
Twist ScrewBetween(const Vec3d& position_a, const Quatd& rotation_a, const Vec3d& position_b,
                   const Quatd& rotation_b);

// What is needed of each body for its momentum.
struct BodyMass {
  double mass;
  Vec3d com;      // body frame, m
  Sym3d inertia;  // about the centre of mass, body axes
};
std::vector<BodyMass> MassesOf(const Character& character);

struct WholeBody {
  double mass;
  Vec3d com;      // world, m
  Sym3d inertia;  // of all bodies as one about the centre of mass, world axes
};
WholeBody MeasureWhole(std::span<const BodyMass> masses, const BodyFrames& frames);

// Eqs. 3, 26 and 27: V of the motion that takes the pose `from` to the pose `to` in unit time, each
// body along its own screw: momentum over the inertia of the whole in `from`. The linear velocity
// is that of the centre of mass.
Twist AlignmentBetween(std::span<const BodyMass> masses, const BodyFrames& from,
                       const BodyFrames& to);

// Eq. 4: a frame moved by exp(-V), V a velocity about the point `center`.
struct RigidFrame {
  Vec3d position;
  Quatd rotation = Quatd::Identity();
};
RigidFrame MovedBack(const Twist& v, const Vec3d& center, const RigidFrame& frame);

// The pole as a frame: at its centre of mass, turned by heading and lean.
RigidFrame FrameOf(const CartPole& pole, const CartPoleState& state, double heading,
                   double ground = 0);
// The way back; the frame is moved along the vertical until the pole stands on the ground. Rates
// stay as they are.
void SetFrame(const CartPole& pole, const RigidFrame& frame, CartPoleState* state, double* heading);

// The pole's velocity at its centre of mass, and the way back: a pole does not turn about the
// vertical, and its foot stays on the ground.
Twist VelocityOf(const CartPole& pole, const CartPoleState& state);
void SetVelocity(const CartPole& pole, const Twist& velocity, CartPoleState* state);

}  // namespace stride
