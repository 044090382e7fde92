#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "stride/core/random.h"

// Antithetic evolution strategy for thousands of parameters with a noisy return: pairs of mirrored
// perturbations, of which the better ones make the step (after Salimans et al. 2017, and the top
// directions of Mania et al. 2018). Ask and tell, so that evaluation may go over lanes, threads and
// ranks.
namespace stride {

struct EvolutionOptions {
  int pairs = 512;
  double sigma = 0.02;  // of the perturbation
  double rate = 0.008;  // of the step along the estimated gradient
  double momentum = 0.8;
  double top = 0.5;  // share of the pairs that make the step, by the better of the two
};

// All memory of the search: a plain value, so that it can be written down and continued.
struct EvolutionState {
  std::vector<float> parameters, velocity;
  std::uint32_t iteration = 0;
  friend bool operator==(const EvolutionState&, const EvolutionState&) = default;
};

// Fills the perturbation of a pair with numbers of unit variance; they may be correlated where
// neighbours are known to belong together, and zero where the pair does not matter.
using Perturbation = std::function<void(int pair, Random* random, std::span<float> out)>;

class EvolutionStrategy {
 public:
  EvolutionStrategy(const EvolutionOptions& options, std::uint64_t seed, Perturbation perturbation,
                    EvolutionState state);

  const EvolutionState& State() const { return state_; }
  int Pairs() const { return options_.pairs; }

  // Parameters of one of a pair (sign +1 or -1) in this iteration. Safe from several threads.
  void Ask(int pair, int sign, std::span<float> parameters) const;
  // Returns (larger is better) of the two of each pair; moves the parameters and goes on to the
  // next iteration.
  void Tell(std::span<const float> plus, std::span<const float> minus);
  // Where parameters come in groups of `group` and a pair says something only about those it used
  // (used[pair][group number]).
  void Tell(std::span<const float> plus, std::span<const float> minus, int group,
            const std::vector<std::vector<char>>& used);

 private:
  void Noise(int pair, std::span<float> out) const;

  EvolutionOptions options_;
  std::uint64_t seed_;
  Perturbation perturbation_;
  EvolutionState state_;
};

}  // namespace stride
