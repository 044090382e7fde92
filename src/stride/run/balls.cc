#include "stride/run/balls.h"

#include <cmath>
#include <numbers>

namespace stride {
namespace {

constexpr double kThrowDistance = 2;  // from the trunk, m
constexpr double kBallDensity = 500;  // kg/m^3: a heavy ball of leather

}  // namespace

Character MakeThrownBall(double mass) {
  return MakeBall(std::cbrt(3 * mass / (4 * std::numbers::pi * kBallDensity)), mass);
}

State ParkedBall(const Character& ball, const Terrain& terrain, int index) {
  State state = RestState(ball);
  state.q[1] = 30 + 3 * index;
  state.q[2] += SurfaceAt(terrain, state.q[0], state.q[1]).height;
  return state;
}

State FlyingBall(const Vec3d& from, const Vec3d& velocity) {
  return {{from.x, from.y, from.z, 1, 0, 0, 0}, {velocity.x, velocity.y, velocity.z, 0, 0, 0}};
}

State AimedBall(const Throw& thrown, const Vec3d& target, double heading, double gravity) {
  const Vec3d along{std::cos(heading), std::sin(heading), 0};
  const double flight = kThrowDistance / thrown.speed;
  return FlyingBall(target - along * kThrowDistance,
                    along * thrown.speed + Vec3d{0, 0, 0.5 * gravity * flight});
}

}  // namespace stride
