#include "stride/optim/evolution_strategy.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/optim/state_bytes.h"

namespace stride {
namespace {

constexpr std::string_view kKind = "EVOL";

}  // namespace

void WhitePerturbation(int /*pair*/, Random* random, std::span<float> out) {
  for (float& x : out) x = static_cast<float>(random->Normal());
}

EvolutionStrategy::EvolutionStrategy(const EvolutionOptions& options, std::uint64_t seed,
                                     Perturbation perturbation, EvolutionState state)
    : options_(options),
      seed_(seed),
      perturbation_(std::move(perturbation)),
      state_(std::move(state)) {
  state_.velocity.resize(state_.parameters.size(), 0.0f);
  SetMean();
}

void EvolutionStrategy::SetMean() {
  mean_.assign(state_.parameters.begin(), state_.parameters.end());
}

void EvolutionStrategy::Noise(int pair, std::span<float> out) const {
  Random random(seed_, state_.iteration, static_cast<std::uint32_t>(pair));
  perturbation_(pair, &random, out);
}

void EvolutionStrategy::Ask(int pair, int sign, std::span<float> parameters) const {
  Noise(pair, parameters);
  const float scale = static_cast<float>(sign * options_.sigma);
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    parameters[k] = state_.parameters[k] + scale * parameters[k];
  }
}

void EvolutionStrategy::Tell(std::span<const float> plus, std::span<const float> minus) {
  Tell(plus, minus, static_cast<int>(state_.parameters.size()),
       std::vector<std::vector<char>>(options_.pairs, std::vector<char>{1}));
}

void EvolutionStrategy::Tell(std::span<const float> plus, std::span<const float> minus, int group,
                             const std::vector<std::vector<char>>& used) {
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
  const int groups = static_cast<int>(state_.parameters.size()) / group;
  std::vector<int> uses(groups, 0);
  for (int k = 0; k < top; ++k) {
    for (int g = 0; g < groups; ++g) uses[g] += used[order[k]][g];
  }
  // What few used moves less: its gradient is mostly noise.
  for (int& count : uses) count = std::max(count, top / 8);
  std::vector<float> gradient(state_.parameters.size(), 0.0f), noise(gradient.size());
  for (int k = 0; k < top; ++k) {
    const int i = order[k];
    Noise(i, noise);
    for (int g = 0; g < groups; ++g) {
      if (!used[i][g]) continue;
      const float weight = static_cast<float>((plus[i] - minus[i]) / deviation / uses[g]);
      for (int j = g * group; j < (g + 1) * group; ++j) gradient[j] += weight * noise[j];
    }
  }
  const float momentum = static_cast<float>(options_.momentum);
  const float rate = static_cast<float>(options_.rate);
  for (std::size_t j = 0; j < gradient.size(); ++j) {
    state_.velocity[j] = momentum * state_.velocity[j] + gradient[j];
    state_.parameters[j] += rate * state_.velocity[j];
  }
  ++state_.iteration;
  SetMean();
}

void EvolutionStrategy::Ask(int candidate, std::span<double> parameters) const {
  std::vector<float> own(parameters.size());
  Ask(candidate / 2, candidate % 2 == 0 ? 1 : -1, own);
  std::copy(own.begin(), own.end(), parameters.begin());
}

void EvolutionStrategy::Tell(std::span<const double> returns) {
  STRIDE_CHECK(static_cast<int>(returns.size()) == Population());
  // The step does not depend on what is added to all returns; without it they keep their
  // differences in float.
  constexpr double kLargest = 1e30;
  double best = -std::numeric_limits<double>::infinity(), worst = kLargest;
  int best_candidate = 0;
  for (int i = 0; i < Population(); ++i) {
    if (!std::isfinite(returns[i])) continue;
    if (returns[i] > best) best = returns[i], best_candidate = i;
    worst = std::max(-kLargest, std::min(worst, returns[i]));
  }
  if (best > state_.best_return) {
    state_.best.resize(Dimension());
    Ask(best_candidate, state_.best);
    state_.best_return = best;
  }
  std::vector<float> plus(options_.pairs), minus(options_.pairs);
  for (int i = 0; i < Population(); ++i) {
    const double above = std::isfinite(returns[i]) ? std::min(returns[i], kLargest) - worst : 0;
    (i % 2 == 0 ? plus : minus)[i / 2] = static_cast<float>(std::max(above, 0.0));
  }
  Tell(plus, minus);
}

std::string EvolutionStrategy::Setup() const {
  std::string setup = ConfigToJson(options_).dump();
  StateWriter writer(&setup);
  writer(seed_);
  writer(Dimension());
  return setup;
}

std::string EvolutionStrategy::Save() const { return SaveState(kKind, Setup(), state_); }

void EvolutionStrategy::Restore(std::string_view bytes) {
  EvolutionState state = LoadState<EvolutionState>(kKind, Setup(), bytes);
  const std::size_t n = Dimension();
  ExpectInState(state.parameters.size() == n && state.velocity.size() == n &&
                    (state.best.empty() || state.best.size() == n),
                "numbers are missing");
  ExpectInState(AllFinite(state.parameters) && AllFinite(state.velocity) && AllFinite(state.best) &&
                    !std::isnan(state.best_return),
                "a number is not finite");
  state_ = std::move(state);
  SetMean();
}

}  // namespace stride
