#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "stride/core/random.h"
#include "stride/optim/optimizer.h"

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

template <class Visitor>
void VisitConfig(EvolutionOptions& o, Visitor& visit) {
  visit("pairs", o.pairs, {1, 1e6}, "pairs of mirrored candidates an iteration");
  visit("sigma", o.sigma, {1e-12, 1e12}, "standard deviation of the perturbation");
  visit("rate", o.rate, {0, 1e12}, "of the step along the estimated gradient");
  visit("momentum", o.momentum, {0, 0.999}, "share of the last step that is kept");
  visit("top", o.top, {0, 1}, "share of the pairs that make the step, by the better of the two");
}

// All memory of the search: a plain value, so that it can be written down and continued.
struct EvolutionState {
  std::vector<float> parameters, velocity;
  std::uint32_t iteration = 0;
  // Of returns told in double; who tells in float judges by other means.
  std::vector<double> best;
  double best_return = -std::numeric_limits<double>::infinity();
  friend bool operator==(const EvolutionState&, const EvolutionState&) = default;
};

template <class Archive>
void VisitState(EvolutionState& s, Archive& archive) {
  archive(s.parameters);
  archive(s.velocity);
  archive(s.iteration);
  archive(s.best);
  archive(s.best_return);
}

// Fills the perturbation of a pair with numbers of unit variance; they may be correlated where
// neighbours are known to belong together, and zero where the pair does not matter.
using Perturbation = std::function<void(int pair, Random* random, std::span<float> out)>;

// Independent normal numbers.
void WhitePerturbation(int pair, Random* random, std::span<float> out);

class EvolutionStrategy final : public Optimizer {
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

  // Candidate 2 * pair is the plus of a pair, 2 * pair + 1 the minus.
  int Dimension() const override { return static_cast<int>(state_.parameters.size()); }
  std::uint32_t Iteration() const override { return state_.iteration; }
  int Population() const override { return 2 * options_.pairs; }
  void Ask(int candidate, std::span<double> parameters) const override;
  void Tell(std::span<const double> returns) override;
  std::span<const double> Mean() const override { return mean_; }
  std::span<const double> Best() const override { return state_.best; }
  double BestReturn() const override { return state_.best_return; }
  std::string Save() const override;
  void Restore(std::string_view bytes) override;

 private:
  void Noise(int pair, std::span<float> out) const;
  void SetMean();
  std::string Setup() const;

  EvolutionOptions options_;
  std::uint64_t seed_;
  Perturbation perturbation_;
  EvolutionState state_;
  std::vector<double> mean_;  // the state's parameters
};

}  // namespace stride
