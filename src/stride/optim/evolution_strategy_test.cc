#include "stride/optim/evolution_strategy.h"

#include <cmath>

#include <gtest/gtest.h>

namespace stride {
namespace {

void White(Random* random, std::span<float> out) {
  for (float& x : out) x = static_cast<float>(random->Normal());
}

float Bowl(std::span<const float> x) {
  float sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += (x[k] - 1) * (x[k] - 1) * (1 + k % 3);
  return -sum;
}

EvolutionState Search(int iterations, EvolutionState state) {
  EvolutionOptions options;
  options.pairs = 64;
  options.sigma = 0.05;
  options.rate = 0.05;
  EvolutionStrategy search(options, 7, White, std::move(state));
  std::vector<float> x(search.State().parameters.size());
  for (int it = 0; it < iterations; ++it) {
    std::vector<float> plus(64), minus(64);
    for (int i = 0; i < 64; ++i) {
      search.Ask(i, 1, x);
      plus[i] = Bowl(x);
      search.Ask(i, -1, x);
      minus[i] = Bowl(x);
    }
    search.Tell(plus, minus);
  }
  return search.State();
}

TEST(EvolutionStrategyTest, FindsTheBottomOfABowl) {
  EvolutionState start;
  start.parameters.assign(20, 0.0f);
  const EvolutionState end = Search(150, start);
  EXPECT_LT(Bowl(start.parameters), -30);
  EXPECT_GT(Bowl(end.parameters), -0.5);
}

TEST(EvolutionStrategyTest, GoesOnFromItsStateAsIfNeverInterrupted) {
  EvolutionState start;
  start.parameters.assign(20, 0.0f);
  EXPECT_EQ(Search(5, Search(7, start)), Search(12, start));
}

TEST(EvolutionStrategyTest, ThePairIsMirrored) {
  EvolutionState start;
  start.parameters.assign(6, 2.0f);
  const EvolutionStrategy search({}, 3, White, start);
  std::vector<float> plus(6), minus(6);
  search.Ask(4, 1, plus);
  search.Ask(4, -1, minus);
  for (int k = 0; k < 6; ++k) {
    EXPECT_NEAR(plus[k] + minus[k], 4, 1e-6);
    EXPECT_NE(plus[k], minus[k]);
  }
}

}  // namespace
}  // namespace stride
