#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "stride/optim/box_fold.h"
#include "stride/optim/cma_constants.h"
#include "stride/optim/optimizer.h"

// CMA-ES: a normal distribution that learns from the ranks of its candidates where to go, how far,
// and in which directions. For tens to a few hundred parameters with its whole covariance, for more
// with its diagonal. Sources beside those of cma_constants.h:
//   restarts    Auger and Hansen (2005), "A restart CMA evolution strategy with increasing
//   population
//               size"
//   noise       Hansen, Niederberger, Guzzella and Koumoutsakos (2009), "A method for handling
//               uncertainty in evolutionary optimization"
namespace stride {

struct CmaOptions {
  int population = 0;                  // 0: 4 + 3 ln n
  double sigma = 0.5;                  // first standard deviation, in scales of the parameters
  std::string covariance = "auto";     // full, separable, or by the number of parameters
  bool active = true;                  // learns from the bad candidates too
  int restarts = 0;                    // with twice the population, after each end of a search
  double tolerance_return = 1e-12;     // TolFun
  double tolerance_parameter = 1e-12;  // TolX, in first standard deviations
  double largest_condition = 1e14;     // of the covariance
  // Noise: so many of the candidates are asked twice (the paper's 0.1). Where their ranks change by
  // more than the threshold allows (the paper's 0.2), all are asked more often, up to
  // largest_evaluations; from there on the distribution is widened instead.
  double reevaluated = 0;
  double noise_threshold = 0.2;
  int largest_evaluations = 16;
};

template <class Visitor>
void VisitConfig(CmaOptions& o, Visitor& visit) {
  visit("population", o.population, {0, 100000}, "candidates an iteration; 0: 4 + 3 ln n");
  visit("sigma", o.sigma, {1e-9, 1e9}, "first standard deviation, in scales of the parameters");
  visit("covariance", o.covariance, {"auto", "full", "separable"},
        "which covariance is learned; auto: separable above 300 parameters");
  visit("active", o.active, "learn from the bad candidates too");
  visit("restarts", o.restarts, {0, 10}, "each with twice the population of the one before");
  visit("tolerance_return", o.tolerance_return, {0, 1e300},
        "ends when the returns differ by no more");
  visit("tolerance_parameter", o.tolerance_parameter, {0, 1},
        "ends when no standard deviation is larger, in first standard deviations");
  visit("largest_condition", o.largest_condition, {1, 1e20},
        "ends when the covariance is conditioned worse");
  visit("reevaluated", o.reevaluated, {0, 1},
        "share of the candidates asked twice, to learn how noisy the return is; 0: none");
  visit("noise_threshold", o.noise_threshold, {0, 1},
        "changes of rank that are no noise; larger: more");
  visit("largest_evaluations", o.largest_evaluations, {1, 10000},
        "of a candidate whose return is noisy");
}

// Where to search. All but the start may be empty: scales of 1, no bounds. A bound may be infinite.
struct SearchSpace {
  std::vector<double> start, scales, lower, upper;
};

// All memory of the search. Numbers of the distribution are in scales, before the bounds.
struct CmaState {
  std::uint32_t iteration = 0;
  std::uint32_t run = 0, run_iteration = 0;  // restarts so far, iterations since
  std::int32_t population = 0;               // different candidates
  double evaluations = 1;                    // of each, rounded down
  double sigma = 0;
  std::vector<double> mean, sigma_path, covariance_path;
  std::vector<double> covariance;     // lower triangle, columns of n; separable: the diagonal
  std::vector<double> axes, lengths;  // eigenvectors in columns, roots of eigenvalues
  std::uint32_t decomposed = 0;       // run_iteration in which they were made
  std::vector<double> best_returns, median_returns;  // of the last iterations of this run
  std::vector<double> best;
  double best_return = -std::numeric_limits<double>::infinity();
  std::int32_t stop = 0;  // a CmaStop
  friend bool operator==(const CmaState&, const CmaState&) = default;
};

template <class Archive>
void VisitState(CmaState& s, Archive& archive) {
  archive(s.iteration);
  archive(s.run);
  archive(s.run_iteration);
  archive(s.population);
  archive(s.evaluations);
  archive(s.sigma);
  archive(s.mean);
  archive(s.sigma_path);
  archive(s.covariance_path);
  archive(s.covariance);
  archive(s.axes);
  archive(s.lengths);
  archive(s.decomposed);
  archive(s.best_returns);
  archive(s.median_returns);
  archive(s.best);
  archive(s.best_return);
  archive(s.stop);
}

enum class CmaStop : std::int32_t {
  kNone,
  kReturn,      // returns do not differ any more
  kParameter,   // the distribution has shrunk to a point
  kNoEffect,    // steps vanish in the rounding of the mean
  kCondition,   // the covariance is too ill-conditioned for its numbers
  kStagnation,  // no better for long
  kDiverged,    // the distribution grows without end
  kCount
};

class CmaEs final : public Optimizer {
 public:
  // Throws InputError where the space contradicts itself.
  CmaEs(const CmaOptions& options, std::uint64_t seed, SearchSpace space);

  const CmaState& State() const { return state_; }
  bool Separable() const { return separable_; }

  int Dimension() const override { return static_cast<int>(space_.start.size()); }
  std::uint32_t Iteration() const override { return state_.iteration; }
  int Population() const override;
  void Ask(int candidate, std::span<double> parameters) const override;
  void Tell(std::span<const double> returns) override;
  std::span<const double> Mean() const override { return mean_; }
  std::span<const double> Best() const override { return state_.best; }
  double BestReturn() const override { return state_.best_return; }
  std::string_view StopReason() const override;
  std::string Save() const override;
  void Restore(std::string_view bytes) override;

 private:
  int FirstPopulation() const;
  void BeginRun(int population);
  int Evaluations() const { return static_cast<int>(state_.evaluations); }
  int Reevaluated() const;
  // Step of a candidate from the mean in units of sigma, and the normal numbers that made it.
  void Step(int candidate, std::span<double> normal, std::span<double> step) const;
  void ToParameters(std::span<const double> at, std::span<double> parameters) const;
  void Move(const std::vector<int>& order);
  void Decompose();
  void NoteReturns(const std::vector<double>& sorted);
  CmaStop FindStop(const std::vector<double>& sorted) const;
  void HandleNoise(std::span<const double> first, std::span<const double> second);
  void SetDerived();
  std::string Setup() const;
  void CheckRestored(const CmaState& state) const;

  CmaOptions options_;
  std::uint64_t seed_;
  SearchSpace space_;
  BoxFold box_;  // in scales
  bool separable_;
  CmaState state_;
  // Made from the state:
  CmaConstants constants_;
  std::vector<double> mean_;
};

}  // namespace stride
