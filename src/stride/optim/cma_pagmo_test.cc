// CMA-ES against pagmo's: evaluations until the same value is reached. The only file that includes
// pagmo, whose headers take long to compile.
#include <cmath>
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

constexpr double kReached = 1e-10;
constexpr double kSigma = 0.3;
constexpr int kMostIterations = 20000;

struct Case {
  const char* name;
  double (*objective)(std::span<const double>);
  int dimension, population;
  double width;  // starts lie in a box of so much around 0; 0.3 of it is the first deviation
  int seeds;
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

std::vector<double> StartOf(const Case& c, int seed) {
  Random random(0x57a47, seed);
  std::vector<double> start(c.dimension);
  for (double& x : start) x = random.Uniform(-c.width / 2, c.width / 2);
  return start;
}

void Ours(const Case& c, int seed, Counter* counter) {
  CmaOptions options;
  options.sigma = kSigma;
  options.population = c.population;
  CmaEs search(options, seed,
               {.start = StartOf(c, seed), .scales = std::vector<double>(c.dimension, c.width)});
  std::vector<double> x(c.dimension), returns(search.Population());
  while (!counter->reached && !search.Converged() && search.Iteration() < kMostIterations) {
    for (int i = 0; i < search.Population(); ++i) {
      search.Ask(i, x);
      returns[i] = -counter->Count(c, x);
    }
    search.Tell(returns);
  }
}

// pagmo spreads its first candidates by the width of the bounds, and does not keep to them.
struct PagmoProblem {
  Case c;
  Counter* counter = nullptr;
  pagmo::vector_double fitness(const pagmo::vector_double& x) const {
    return {counter->Count(c, x)};
  }
  std::pair<pagmo::vector_double, pagmo::vector_double> get_bounds() const {
    return {pagmo::vector_double(c.dimension, -c.width / 2),
            pagmo::vector_double(c.dimension, c.width / 2)};
  }
};

void Pagmos(const Case& c, int seed, Counter* counter) {
  // It begins at the best of the population, and not at all where all are alike.
  pagmo::population population(pagmo::problem(PagmoProblem{c, counter}), 0, seed);
  population.push_back(StartOf(c, seed), {1e299});
  for (int k = 1; k < c.population; ++k) {
    population.push_back(pagmo::vector_double(c.dimension, k), {1e300});
  }
  const pagmo::algorithm search(
      pagmo::cmaes(kMostIterations, -1, -1, -1, -1, kSigma, 1e-12, 1e-12, false, false, seed));
  search.evolve(population);
}

// Evaluations of all searches for each one that reached the value: what it takes on average where
// one that failed is begun anew.
template <class Search>
double ExpectedEvaluations(const Case& c, const Search& search) {
  double evaluations = 0, reached = 0;
  for (int seed = 1; seed <= c.seeds; ++seed) {
    Counter counter;
    search(c, seed, &counter);
    evaluations += static_cast<double>(counter.evaluations);
    reached += counter.reached;
  }
  return evaluations / reached;
}

class CmaPagmoTest : public testing::TestWithParam<Case> {};

TEST_P(CmaPagmoTest, NeedsHardlyMoreEvaluations) {
  const double ours = ExpectedEvaluations(GetParam(), Ours);
  const double pagmos = ExpectedEvaluations(GetParam(), Pagmos);
  RecordProperty("ours", std::to_string(ours));
  RecordProperty("pagmo", std::to_string(pagmos));
  EXPECT_TRUE(std::isfinite(pagmos));
  EXPECT_LE(ours, 1.5 * pagmos);
}

INSTANTIATE_TEST_SUITE_P(Functions, CmaPagmoTest,
                         testing::Values(Case{"Sphere10", Sphere, 10, 10, 2, 7},
                                         Case{"Sphere20", Sphere, 20, 12, 2, 7},
                                         Case{"Ellipsoid10", SkewEllipsoid, 10, 10, 2, 7},
                                         Case{"Ellipsoid20", SkewEllipsoid, 20, 12, 2, 7},
                                         Case{"Rosenbrock10", Rosenbrock, 10, 10, 2, 15},
                                         Case{"Rosenbrock20", Rosenbrock, 20, 12, 2, 7},
                                         Case{"Rastrigin10", Rastrigin, 10, 320, 10.24, 20},
                                         Case{"Rastrigin20", Rastrigin, 20, 800, 10.24, 7}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace stride
