#pragma once

#include <array>

#include <Eigen/Core>

#include "stride/math/rotation.h"

// The simple models that whole bodies are planned with: kwon17, Section 4 and Appendix A. A pole on
// a cart for stepping, a pivoted pole for standing, a mass on a spring for the height.
namespace stride {

// Gains K of the infinite-horizon regulator u = -K s of s' = A s + B u that minimises the integral
// of s' Q s + u' R u: by the sign of the Hamiltonian matrix. A and B must be stabilisable.
// The same for several controls, each with its cost.
Eigen::MatrixXd LqrGains(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b,
                         const Eigen::VectorXd& q, const Eigen::VectorXd& r);
Eigen::RowVectorXd LqrGains(const Eigen::MatrixXd& a, const Eigen::VectorXd& b,
                            const Eigen::VectorXd& q, double r);

// A pole on a cart that a force drives over level ground, alike along both horizontal axes.
struct CartPole {
  double cart_mass = 1;  // kg; the authors' program: 1
  double mass = 60;      // of the pole, kg
  double length = 0.95;  // from the cart to the pole's centre of mass, m
  double inertia = 13;   // of the pole about its centre of mass, kg m^2
  // Of lean, speed and rate of lean, F = -(k0 lean + k1 (speed - wanted) + k2 rate).
  std::array<double, 3> gains = {};
  friend bool operator==(const CartPole&, const CartPole&) = default;
};
// With the regulator of Appendix A: Q = diag(0, q, q, 0), R = 1.
CartPole MakeCartPole(double mass, double length, double inertia, double q = 30000);

// A level vector: numbers along the world's X and Y.
struct Level2 {
  double x = 0, y = 0;
  friend Level2 operator+(const Level2& a, const Level2& b) { return {a.x + b.x, a.y + b.y}; }
  friend Level2 operator-(const Level2& a, const Level2& b) { return {a.x - b.x, a.y - b.y}; }
  friend Level2 operator*(const Level2& a, double s) { return {a.x * s, a.y * s}; }
  friend bool operator==(const Level2&, const Level2&) = default;
};
inline Level2 Turned(const Level2& v, double heading) {
  const double c = std::cos(heading), s = std::sin(heading);
  return {c * v.x - s * v.y, s * v.x + c * v.y};
}

// Lean: the pole points to (sin lean.x, sin lean.y, up), so that leaning along +X brings the centre
// of mass towards +X.
struct CartPoleState {
  Level2 cart, speed;      // m, m/s
  Level2 lean, lean_rate;  // rad, rad/s
  friend bool operator==(const CartPoleState&, const CartPoleState&) = default;
};

struct CartPoleRates {
  Level2 acceleration;       // of the cart, m/s^2
  Level2 lean_acceleration;  // rad/s^2
};
// Full, not linearised, of each axis by itself.
CartPoleRates RatesOf(const CartPole& pole, const CartPoleState& state, const Level2& wanted_speed);

// Of the pole's centre of mass, m/s^2.
Level2 CenterAcceleration(const CartPole& pole, const CartPoleState& state,
                          const CartPoleRates& rates);

// One semi-implicit step, between the authors' bounds: 55 degrees, 10 m/s, 10 rad/s.
CartPoleRates Advance(const CartPole& pole, const Level2& wanted_speed, double dt,
                      CartPoleState* state);

// A pole that leans on a torque about its foot: for standing. Alike along both horizontal axes.
struct PivotedPole {
  double mass = 60;      // kg
  double length = 0.95;  // from the pivot to its centre of mass, m
  double inertia = 13;   // about its centre of mass, kg m^2
  // Of lean and its rate: torque = k0 (wanted - lean) - k1 rate.
  std::array<double, 2> gains = {};
  double AboutPivot() const { return inertia + mass * length * length; }
  friend bool operator==(const PivotedPole&, const PivotedPole&) = default;
};
// With the regulator of Appendix A: Q = diag(q, q), R = 1.
PivotedPole MakePivotedPole(double mass, double length, double inertia, double q = 30000);
// Acceleration of the lean, rad/s^2, and the wanted lean for which it is `acceleration`.
double LeanAcceleration(const PivotedPole& pole, double lean, double rate, double wanted);
double WantedLean(const PivotedPole& pole, double lean, double rate, double acceleration);

// A body that stands and sways, along one level axis, about what its clip does: its centre of mass
// is off aside, and it has turned too far to that side. What the ground gives is a level force and
// a place where it pushes:
//   m aside'' = force,  I turned'' = -length force + weight (aside - pushed).
// A pole that turns as it leans is the case in which both are one. Feet are small, so that over the
// length of a stance neither can be had without the other.
struct SwayWeights {                  // what counts alike, of each
  double aside = 0.02, speed = 0.3;   // m, m/s
  double turned = 0.8, turning = 1;   // rad, rad/s
  double force = 300, pushed = 0.04;  // N, m
};
struct SwayGains {
  double length = 0;
  std::array<double, 4> force = {}, pushed = {};  // of aside, speed, turned, turning
};
SwayGains MakeSwayGains(double mass, double length, double inertia, const SwayWeights& weights);
// Additional force, N, and rate of the angular momentum, N m.
struct Sway {
  double force = 0, turning = 0;
};
Sway SwayFor(const SwayGains& gains, double weight, double aside, double speed, double turned,
             double turning);

// A mass on an upright spring: for the height. Force = k0 (wanted - height) - k1 speed.
struct LumpedMass {
  double mass = 60;
  std::array<double, 2> gains = {};
  friend bool operator==(const LumpedMass&, const LumpedMass&) = default;
};
// With the regulator of Appendix A: Q = diag(q, 0.01), R = 1.
LumpedMass MakeLumpedMass(double mass, double q = 30000);
// Upward acceleration without gravity, which the spring carries at rest, and the wanted height for
// which it is `acceleration`.
double RiseAcceleration(const LumpedMass& mass, double height, double speed, double wanted);
double WantedHeight(const LumpedMass& mass, double height, double speed, double acceleration);

// The pole's direction, unit, and its centre of mass over the cart.
Vec3d PoleDirection(const CartPoleState& state);
inline Vec3d PoleCenter(const CartPole& pole, const CartPoleState& state) {
  return Vec3d{state.cart.x, state.cart.y, 0} + PoleDirection(state) * pole.length;
}

}  // namespace stride
