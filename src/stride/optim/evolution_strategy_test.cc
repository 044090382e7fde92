#include "stride/optim/evolution_strategy.h"

#include <cmath>

#include <gtest/gtest.h>

namespace stride {
namespace {

void White(int /*pair*/, Random* random, std::span<float> out) {
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

TEST(EvolutionStrategyTest, APairSaysNothingAboutWhatItDidNotUse) {
  EvolutionState start;
  start.parameters = {1, 1, 1, 1};
  EvolutionOptions options{.pairs = 64, .sigma = 0.1, .rate = 0.1, .top = 1};
  EvolutionStrategy search(options, 5, White, start);
  // The return of half of the pairs depends on the first group, of the others on the second.
  std::vector<float> plus(64), minus(64), at(4);
  std::vector<std::vector<char>> used(64);
  for (int pair = 0; pair < 64; ++pair) {
    const int group = pair % 2;
    used[pair] = {static_cast<char>(group == 0), static_cast<char>(group == 1)};
    for (const int sign : {1, -1}) {
      search.Ask(pair, sign, at);
      (sign > 0 ? plus : minus)[pair] = group == 0 ? -at[0] : -at[2];
    }
  }
  search.Tell(plus, minus, 2, used);
  const std::vector<float>& p = search.State().parameters;
  EXPECT_LT(p[0], 0.97f);
  EXPECT_LT(p[2], 0.97f);
  // Nobody used a third group: it stays.
  EvolutionState three = start;
  three.parameters = {1, 1, 1};
  EvolutionStrategy other({.pairs = 8, .top = 1}, 5, White, three);
  std::vector<float> returns = {1, 2, 3, 4, 5, 6, 7, 8}, none(8, 0.0f);
  other.Tell(returns, none, 1, std::vector<std::vector<char>>(8, std::vector<char>{1, 1, 0}));
  EXPECT_EQ(other.State().parameters[2], 1);
  EXPECT_NE(other.State().parameters[0], 1);
}

}  // namespace
}  // namespace stride
