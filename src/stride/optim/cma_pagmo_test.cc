// CMA-ES against pagmo's: evaluations until the same value is reached. The only file that includes
// pagmo, whose headers take long to compile.
#include <algorithm>
#include <vector>

#include <gtest/gtest.h>
#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/cmaes.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>

#include "stride/core/random.h"
#include "stride/optim/cma_es.h"
#include "stride/testing/objectives.h"

namespace stride {
namespace {

using Objective = double (*)(std::span<const double>);

constexpr double kReached = 1e-10;
constexpr int kSeeds = 5;
constexpr long kMostEvaluations = 3'000'000;

struct Case {
  const char* name;
  Objective objective;
  int dimension;
  double start, sigma;  // sigma in units of `scale`
  double scale;
  int restarts;
};

// Counts evaluations up to the one that reaches the value.
struct Counter {
  long evaluations = 0;
  bool reached = false;
  double Count(const Case& c, std::span<const double> x) {
    const double value = c.objective(x);
    if (!reached) ++evaluations;
    reached = reached || value <= kReached;
    return value;
  }
};

long Ours(const Case& c, std::uint64_t seed) {
  SearchSpace space;
  space.start.assign(c.dimension, c.start);
  space.scales.assign(c.dimension, c.scale);
  if (c.restarts > 0) {
    space.lower.assign(c.dimension, -c.scale / 2);
    space.upper.assign(c.dimension, c.scale / 2);
  }
  CmaOptions options;
  options.sigma = c.sigma;
  options.restarts = c.restarts;
  CmaEs search(options, seed, space);
  Counter counter;
  std::vector<double> x(c.dimension), returns;
  while (!counter.reached && !search.Converged() && counter.evaluations < kMostEvaluations) {
    returns.resize(search.Population());
    for (int i = 0; i < search.Population(); ++i) {
      search.Ask(i, x);
      returns[i] = -counter.Count(c, x);
    }
    search.Tell(returns);
  }
  return counter.reached ? counter.evaluations : kMostEvaluations;
}

// pagmo spreads its first candidates by the width of the bounds, and does not keep to them.
struct PagmoProblem {
  Case c;
  Counter* counter = nullptr;
  pagmo::vector_double fitness(const pagmo::vector_double& x) const {
    return {counter->Count(c, x)};
  }
  std::pair<pagmo::vector_double, pagmo::vector_double> get_bounds() const {
    return {pagmo::vector_double(c.dimension, -c.scale / 2),
            pagmo::vector_double(c.dimension, c.scale / 2)};
  }
};

long Pagmos(const Case& c, unsigned seed) {
  Counter counter;
  const pagmo::problem problem(PagmoProblem{c, &counter});
  Random random(seed);
  int size = CmaDefaultPopulation(c.dimension);
  for (int run = 0; run <= c.restarts; ++run, size *= 2) {
    std::vector<double> start(c.dimension, c.start);
    if (run > 0) {
      for (double& x : start) x = random.Uniform(-c.scale / 2, c.scale / 2);
    }
    pagmo::population population(problem, 0, seed);
    // It begins at the best of the population, and not at all where all are alike.
    population.push_back(start, {1e299});
    for (int k = 1; k < size; ++k) {
      population.push_back(std::vector<double>(c.dimension, c.scale * k), {1e300});
    }
    const pagmo::algorithm search(pagmo::cmaes(20000, -1, -1, -1, -1, c.sigma, 1e-12, 1e-12, false,
                                               false, seed + 100 * run));
    search.evolve(population);
    if (counter.reached) return counter.evaluations;
  }
  return kMostEvaluations;
}

class CmaPagmoTest : public testing::TestWithParam<Case> {};

TEST_P(CmaPagmoTest, NeedsHardlyMoreEvaluations) {
  std::vector<long> ours, pagmos;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    ours.push_back(Ours(GetParam(), seed));
    pagmos.push_back(Pagmos(GetParam(), seed));
  }
  std::sort(ours.begin(), ours.end());
  std::sort(pagmos.begin(), pagmos.end());
  RecordProperty("ours", static_cast<int>(ours[kSeeds / 2]));
  printf("ours %ld pagmo %ld\n", ours[kSeeds/2], pagmos[kSeeds/2]);for(auto x:ours)printf("%ld ",x);for(auto x:pagmos)printf("%ld ",x);
  RecordProperty("pagmo", static_cast<int>(pagmos[kSeeds / 2]));
  EXPECT_LT(pagmos[kSeeds / 2], kMostEvaluations);
  EXPECT_LE(ours[kSeeds / 2], 1.5 * pagmos[kSeeds / 2]);
}

INSTANTIATE_TEST_SUITE_P(Functions, CmaPagmoTest,
                         testing::Values(Case{"Sphere10", Sphere, 10, 1, 0.5, 1, 0},
                                         Case{"Sphere20", Sphere, 20, 1, 0.5, 1, 0},
                                         Case{"Ellipsoid10", SkewEllipsoid, 10, 1, 0.5, 1, 0},
                                         Case{"Ellipsoid20", SkewEllipsoid, 20, 1, 0.5, 1, 0},
                                         Case{"Rosenbrock10", Rosenbrock, 10, 0, 0.5, 1, 0},
                                         Case{"Rosenbrock20", Rosenbrock, 20, 0, 0.5, 1, 0},
                                         Case{"Rastrigin10", Rastrigin, 10, 3, 0.3, 10.24, 8},
                                         Case{"Rastrigin20", Rastrigin, 20, 3, 0.3, 10.24, 8}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace stride
