#include "stride/scenario/push.h"

#include <cmath>
#include <numbers>

#include "stride/core/random.h"

namespace stride {

Vec3d PushAt(const std::vector<Push>& pushes, double time) {
  constexpr double kRounding = 1e-9;  // of a time that is a sum of steps, s
  Vec3d force;
  for (const Push& push : pushes) {
    const double since = time - push.at + kRounding;
    if (since < 0 || since >= push.duration) continue;
    force += Vec3d{std::cos(push.heading), std::sin(push.heading), 0} * push.force;
  }
  return force;
}

Vec3d DisturbanceAt(const Disturbance& disturbance, int interval_index, int sample) {
  Random random(disturbance.seed, interval_index, sample);
  const double heading = random.Uniform(0, 2 * std::numbers::pi);
  const double force = random.Uniform(0, disturbance.amplitude);
  return {force * std::cos(heading), force * std::sin(heading), 0};
}

int PushedBody(const Character& character) {
  const int trunk = character.BodyOf(Role::kTrunk);
  return trunk >= 0 ? trunk : 0;
}

}  // namespace stride
