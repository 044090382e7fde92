#pragma once

#include <memory>

#include "stride/controllers/pendulum/improve_pendulum.h"
#include "stride/controllers/pendulum/performance_reference.h"
#include "stride/optim/optimizer.h"

// `stride learn pendulum CLIP --once --improve`: gains of what is performed once, by CMA-ES over
// performances from disturbed starts; kwon17, Section 6, in place of its displacement maps.
namespace stride::pendulum_controller {

struct ImprovedPerformance {
  PendulumConfig config;
  int checks = 0, stood_before = 0, stood = 0;  // of starts that the search did not see
  double value_before = 0, value = 0;           // of them, in the mean
};

// A search that goes on iteration by iteration.
class PerformanceImprovement {
 public:
  PerformanceImprovement(std::shared_ptr<const PerformanceReference> reference,
                         const PendulumConfig& config, const ImproveSettings& settings,
                         std::uint64_t seed, const Workers& workers);
  ~PerformanceImprovement();
  int Iteration() const { return iteration_; }
  bool Done() const { return iteration_ >= settings_.iterations; }
  double Share() const { return static_cast<double>(iteration_) / settings_.iterations; }
  // The best value so far.
  double Advance();
  // What was found, or the beginning where it is no better on `settings.checks` further starts.
  ImprovedPerformance Result() const;

 private:
  struct Score {
    double value = 0;
    int stood = 0;
  };
  PendulumConfig With(std::span<const double> parameters) const;
  Score ScoreOf(const PendulumConfig& config, bool check, int trials) const;

  std::shared_ptr<const PerformanceReference> reference_;
  PendulumConfig config_;
  ImproveSettings settings_;
  std::uint64_t seed_;
  const Workers* workers_;
  std::unique_ptr<Optimizer> search_;
  int iteration_ = 0;
};

}  // namespace stride::pendulum_controller
