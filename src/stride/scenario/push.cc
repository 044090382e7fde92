#include "stride/scenario/push.h"

#include <algorithm>
#include <cmath>
#include <numbers>

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
  if (time + kRounding - begin >= pushes.duration + pushes.jitter) return {};
  Random random(seed, kStream + static_cast<std::uint32_t>(index), sample);
  double heading = random.Uniform(0, 2 * std::numbers::pi);
  const double force = std::fabs(random.Normal()) * (pushes.sigma + pushes.sigma_growth * begin);
  if (pushes.jitter > 0) {
    const double since = time + kRounding - begin - random.Uniform(0, pushes.jitter);
    if (since < 0 || since >= pushes.duration) return {};
  }
  if (pushes.sideways > 0 && random.Uniform() < pushes.sideways) {
    heading = (heading < std::numbers::pi ? 0.5 : -0.5) * std::numbers::pi;
  }
  return {force * std::cos(heading), force * std::sin(heading), 0};
}

Vec3d DisturbanceAt(const Disturbance& disturbance, int interval_index, int sample) {
  Random random(disturbance.seed, interval_index, sample);
  const double heading = random.Uniform(0, 2 * std::numbers::pi);
  const double force = random.Uniform(0, disturbance.amplitude);
  return {force * std::cos(heading), force * std::sin(heading), 0};
}

TrialPush DrawPush(const TrialPushes& pushes, double base, Random* random) {
  constexpr double kTurn = 2 * std::numbers::pi;
  TrialPush push;
  push.heading = random->Uniform(0, kTurn);
  if (!pushes.directions.empty()) {
    const int direction = DrawByWeight(pushes.directions, random);
    push.heading = base + (direction + push.heading / kTurn) * (kTurn / kPushDirections);
  }
  const double around = (push.heading - base) / kTurn;
  push.direction = std::min(kPushDirections - 1,
                            static_cast<int>((around - std::floor(around)) * kPushDirections));
  push.force = pushes.force * (pushes.least + (1 - pushes.least) * random->Uniform());
  return push;
}

int DrawByWeight(std::span<const double> weights, Random* random) {
  double sum = 0;
  for (const double w : weights) sum += w;
  double left = random->Uniform() * sum;
  for (std::size_t k = 0; k + 1 < weights.size(); ++k) {
    if ((left -= weights[k]) < 0) return static_cast<int>(k);
  }
  return static_cast<int>(weights.size()) - 1;
}

int PushedBody(const Character& character) {
  const int trunk = character.BodyOf(Role::kTrunk);
  return trunk >= 0 ? trunk : RootBody(character);
}

}  // namespace stride
