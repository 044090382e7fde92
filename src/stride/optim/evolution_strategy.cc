#include "stride/optim/evolution_strategy.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stride/core/error.h"

namespace stride {

EvolutionStrategy::EvolutionStrategy(const EvolutionOptions& options, std::uint64_t seed,
                                     Perturbation perturbation, EvolutionState state)
    : options_(options),
      seed_(seed),
      perturbation_(std::move(perturbation)),
      state_(std::move(state)) {
  state_.velocity.resize(state_.parameters.size(), 0.0f);
}

void EvolutionStrategy::Noise(int pair, std::span<float> out) const {
  Random random(seed_, state_.iteration, static_cast<std::uint32_t>(pair));
  perturbation_(&random, out);
}

void EvolutionStrategy::Ask(int pair, int sign, std::span<float> parameters) const {
  Noise(pair, parameters);
  const float scale = static_cast<float>(sign * options_.sigma);
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    parameters[k] = state_.parameters[k] + scale * parameters[k];
  }
}

void EvolutionStrategy::Tell(std::span<const float> plus, std::span<const float> minus) {
  const int n = options_.pairs;
  STRIDE_CHECK(static_cast<int>(plus.size()) == n && static_cast<int>(minus.size()) == n);
  double mean = 0, square = 0;
  for (int i = 0; i < n; ++i) mean += (plus[i] + minus[i]) / (2.0 * n);
  for (int i = 0; i < n; ++i) {
    square += (plus[i] - mean) * (plus[i] - mean) + (minus[i] - mean) * (minus[i] - mean);
  }
  const double deviation = std::sqrt(square / (2.0 * n)) + 1e-9;

  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    const float best_a = std::max(plus[a], minus[a]), best_b = std::max(plus[b], minus[b]);
    return best_a > best_b || (best_a == best_b && a < b);
  });
  const int top = std::max(1, static_cast<int>(std::lround(options_.top * n)));
  std::vector<float> gradient(state_.parameters.size(), 0.0f), noise(gradient.size());
  for (int k = 0; k < top; ++k) {
    const int i = order[k];
    Noise(i, noise);
    const float weight = static_cast<float>((plus[i] - minus[i]) / deviation / top);
    for (std::size_t j = 0; j < noise.size(); ++j) gradient[j] += weight * noise[j];
  }
  const float momentum = static_cast<float>(options_.momentum);
  const float rate = static_cast<float>(options_.rate);
  for (std::size_t j = 0; j < gradient.size(); ++j) {
    state_.velocity[j] = momentum * state_.velocity[j] + gradient[j];
    state_.parameters[j] += rate * state_.velocity[j];
  }
  ++state_.iteration;
}

}  // namespace stride
