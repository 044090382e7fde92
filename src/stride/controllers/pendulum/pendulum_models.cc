#include "stride/controllers/pendulum/pendulum_models.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

namespace stride {
namespace {

constexpr double kGravity = 9.81;
constexpr double kMostLean = 55 * M_PI / 180, kMostSpeed = 10, kMostRate = 10;

struct AxisRates {
  double acceleration, lean_acceleration;
};
// (mc + m) x'' + m l cos(a) a'' = F + m l a'^2 sin(a)
// m l cos(a) x'' + (I + m l^2) a'' = m g l sin(a)
AxisRates RatesOnAxis(const CartPole& p, double speed, double lean, double rate, double wanted) {
  const double force = -(p.gains[0] * lean + p.gains[1] * (speed - wanted) + p.gains[2] * rate);
  const double s = std::sin(lean), c = std::cos(lean), ml = p.mass * p.length;
  const double a = p.cart_mass + p.mass, b = ml * c, d = p.inertia + ml * p.length;
  const double e = force + ml * rate * rate * s, f = ml * kGravity * s;
  const double det = a * d - b * b;
  return {(d * e - b * f) / det, (a * f - b * e) / det};
}

void AdvanceAxis(const AxisRates& rates, double dt, double* x, double* speed, double* lean,
                 double* rate) {
  *speed = std::clamp(*speed + dt * rates.acceleration, -kMostSpeed, kMostSpeed);
  *rate = std::clamp(*rate + dt * rates.lean_acceleration, -kMostRate, kMostRate);
  *x += dt * *speed;
  *lean = std::clamp(*lean + dt * *rate, -kMostLean, kMostLean);
}

}  // namespace

Eigen::MatrixXd LqrGains(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b,
                         const Eigen::VectorXd& q, const Eigen::VectorXd& r) {
  const int n = static_cast<int>(a.rows());
  const Eigen::MatrixXd back = r.cwiseInverse().asDiagonal() * b.transpose();
  Eigen::MatrixXd hamiltonian(2 * n, 2 * n);
  hamiltonian << a, -b * back, -Eigen::MatrixXd(q.asDiagonal()), -a.transpose();
  // The sign of the Hamiltonian by Newton's iteration: +1 and -1 for its unstable and stable half.
  Eigen::MatrixXd sign = hamiltonian;
  for (int k = 0; k < 100; ++k) {
    const double scale = std::pow(std::fabs(sign.determinant()), -1.0 / (2 * n));
    const Eigen::MatrixXd next = 0.5 * (sign * scale + (sign * scale).inverse());
    const double change = (next - sign).lpNorm<Eigen::Infinity>();
    sign = next;
    if (change <= 1e-13 * sign.lpNorm<Eigen::Infinity>()) break;
  }
  // The stable half is spanned by (1, P): (sign + 1) (1, P) = 0.
  Eigen::MatrixXd left(2 * n, n), right(2 * n, n);
  left << sign.topRightCorner(n, n), sign.bottomRightCorner(n, n) + Eigen::MatrixXd::Identity(n, n);
  right << sign.topLeftCorner(n, n) + Eigen::MatrixXd::Identity(n, n), sign.bottomLeftCorner(n, n);
  const Eigen::MatrixXd p = (left.transpose() * left).ldlt().solve(-left.transpose() * right);
  return back * p;
}

Eigen::RowVectorXd LqrGains(const Eigen::MatrixXd& a, const Eigen::VectorXd& b,
                            const Eigen::VectorXd& q, double r) {
  return LqrGains(a, Eigen::MatrixXd(b), q, Eigen::VectorXd::Constant(1, r));
}

CartPole MakeCartPole(double mass, double length, double inertia, double q) {
  CartPole pole{.mass = mass, .length = length, .inertia = inertia};
  // Linear about the upright pole, of (lean, speed, rate of lean): where the cart is plays no part.
  Eigen::Matrix2d m;
  m << pole.cart_mass + mass, mass * length, mass * length, inertia + mass * length * length;
  const Eigen::Matrix2d inverse = m.inverse();
  const Eigen::Vector2d by_lean = inverse.col(1) * (mass * kGravity * length);
  Eigen::Matrix3d a = Eigen::Matrix3d::Zero();
  a(0, 2) = 1;
  a(1, 0) = by_lean[0];
  a(2, 0) = by_lean[1];
  const Eigen::Vector3d b(0, inverse(0, 0), inverse(1, 0));
  const Eigen::RowVectorXd k = LqrGains(a, b, Eigen::Vector3d(q, q, 0), 1);
  pole.gains = {k[0], k[1], k[2]};
  return pole;
}

CartPoleRates RatesOf(const CartPole& pole, const CartPoleState& s, const Level2& wanted) {
  const AxisRates x = RatesOnAxis(pole, s.speed.x, s.lean.x, s.lean_rate.x, wanted.x);
  const AxisRates y = RatesOnAxis(pole, s.speed.y, s.lean.y, s.lean_rate.y, wanted.y);
  return {{x.acceleration, y.acceleration}, {x.lean_acceleration, y.lean_acceleration}};
}

Level2 CenterAcceleration(const CartPole& pole, const CartPoleState& s, const CartPoleRates& r) {
  const auto axis = [&](double cart, double lean, double rate, double acceleration) {
    return cart + pole.length * (std::cos(lean) * acceleration - std::sin(lean) * rate * rate);
  };
  return {axis(r.acceleration.x, s.lean.x, s.lean_rate.x, r.lean_acceleration.x),
          axis(r.acceleration.y, s.lean.y, s.lean_rate.y, r.lean_acceleration.y)};
}

CartPoleRates Advance(const CartPole& pole, const Level2& wanted_speed, double dt,
                      CartPoleState* s) {
  const CartPoleRates r = RatesOf(pole, *s, wanted_speed);
  AdvanceAxis({r.acceleration.x, r.lean_acceleration.x}, dt, &s->cart.x, &s->speed.x, &s->lean.x,
              &s->lean_rate.x);
  AdvanceAxis({r.acceleration.y, r.lean_acceleration.y}, dt, &s->cart.y, &s->speed.y, &s->lean.y,
              &s->lean_rate.y);
  return r;
}

PivotedPole MakePivotedPole(double mass, double length, double inertia, double q) {
  PivotedPole pole{.mass = mass, .length = length, .inertia = inertia};
  const double about = pole.AboutPivot();
  Eigen::Matrix2d a;
  a << 0, 1, mass * kGravity * length / about, 0;
  const Eigen::RowVectorXd k = LqrGains(a, Eigen::Vector2d(0, 1 / about), Eigen::Vector2d(q, q), 1);
  pole.gains = {k[0], k[1]};
  return pole;
}

double LeanAcceleration(const PivotedPole& pole, double lean, double rate, double wanted) {
  const double torque = pole.gains[0] * (wanted - lean) - pole.gains[1] * rate;
  return (pole.mass * kGravity * pole.length * std::sin(lean) + torque) / pole.AboutPivot();
}

double WantedLean(const PivotedPole& pole, double lean, double rate, double acceleration) {
  const double torque =
      acceleration * pole.AboutPivot() - pole.mass * kGravity * pole.length * std::sin(lean);
  return lean + (torque + pole.gains[1] * rate) / pole.gains[0];
}

SwayGains MakeSwayGains(double mass, double length, double inertia, const SwayWeights& weights) {
  const double weight = mass * kGravity;
  Eigen::Matrix4d a = Eigen::Matrix4d::Zero();
  a(0, 1) = a(2, 3) = 1;
  a(3, 0) = weight / inertia;
  Eigen::Matrix<double, 4, 2> b = Eigen::Matrix<double, 4, 2>::Zero();
  b(1, 0) = 1 / mass;
  b(3, 0) = -length / inertia;
  b(3, 1) = -weight / inertia;
  const auto cost = [](double x) { return 1 / (x * x); };
  const Eigen::Vector4d q(cost(weights.aside), cost(weights.speed), cost(weights.turned),
                          cost(weights.turning));
  const Eigen::Vector2d r(cost(weights.force), cost(weights.pushed));
  const Eigen::MatrixXd k = LqrGains(a, Eigen::MatrixXd(b), q, Eigen::VectorXd(r));
  SwayGains gains{.length = length};
  for (int i = 0; i < 4; ++i) gains.force[i] = k(0, i), gains.pushed[i] = k(1, i);
  return gains;
}

Sway SwayFor(const SwayGains& gains, double weight, double aside, double speed, double turned,
             double turning) {
  const double state[] = {aside, speed, turned, turning};
  double force = 0, pushed = 0;
  for (int i = 0; i < 4; ++i)
    force -= gains.force[i] * state[i], pushed -= gains.pushed[i] * state[i];
  return {force, -gains.length * force + weight * (aside - pushed)};
}

LumpedMass MakeLumpedMass(double mass, double q) {
  Eigen::Matrix2d a;
  a << 0, 1, 0, 0;
  const Eigen::RowVectorXd k =
      LqrGains(a, Eigen::Vector2d(0, 1 / mass), Eigen::Vector2d(q, 0.01), 1);
  return {mass, {k[0], k[1]}};
}

double RiseAcceleration(const LumpedMass& m, double height, double speed, double wanted) {
  return (m.gains[0] * (wanted - height) - m.gains[1] * speed) / m.mass;
}

double WantedHeight(const LumpedMass& m, double height, double speed, double acceleration) {
  return height + (m.mass * acceleration + m.gains[1] * speed) / m.gains[0];
}

Vec3d PoleDirection(const CartPoleState& state) {
  const double x = std::sin(state.lean.x), y = std::sin(state.lean.y);
  return {x, y, std::sqrt(std::max(1e-4, 1 - x * x - y * y))};
}

}  // namespace stride
