#include "stride/scenario/push.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stride/core/random.h"

namespace stride {

bool ActsAt(const Push& push, double time) {
  constexpr double kRounding = 1e-9;  // of a time that is a sum of steps, s
  double since = time - push.at + kRounding;
  if (since < 0) return false;
  if (push.repeats > 1 && push.every > 0) {
    const double index = std::min(std::floor(since / push.every), push.repeats - 1.0);
    since -= index * push.every;
  }
  return since < push.duration;
}

Vec3d RandomPushAt(const RandomPushes& pushes, double time, std::uint64_t seed, int sample) {
  constexpr double kRounding = 1e-9;
  // Apart from the streams of other random things under the same seed.
  constexpr std::uint32_t kStream = 0x52000000;
  const double index = std::floor((time + kRounding) / pushes.every);
  if (index < 1) return {};  // the first one comes after `every`
  const double begin = index * pushes.every;
  if (time + kRounding - begin >= pushes.duration) return {};
  Random random(seed, kStream + static_cast<std::uint32_t>(index), sample);
  const double heading = random.Uniform(0, 2 * std::numbers::pi);
  const double force = std::fabs(random.Normal()) * (pushes.sigma + pushes.sigma_growth * begin);
  return {force * std::cos(heading), force * std::sin(heading), 0};
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
