#include "stride/optim/genetic.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using testing::HasSubstr;

std::vector<std::uint8_t> BitsOf(const Genetic& search, int individual) {
  const auto bits = search.Chromosome(individual);
  return {bits.begin(), bits.end()};
}

int Differences(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b) {
  int count = 0;
  for (std::size_t k = 0; k < a.size(); ++k) count += a[k] != b[k];
  return count;
}

TEST(GeneTest, EncodesAndDecodes) {
  for (const int width : {1, 2, 8, 16, 53}) {
    const Gene gene{-0.3, 1.7, width};
    std::vector<std::uint8_t> bits(width, 0);
    EXPECT_EQ(DecodeGene(gene, bits), -0.3);
    std::fill(bits.begin(), bits.end(), 1);
    EXPECT_EQ(DecodeGene(gene, bits), 1.7);
    Random random(width);
    for (int k = 0; k < 200; ++k) {
      for (std::uint8_t& bit : bits) bit = random.Bits() & 1;
      std::vector<std::uint8_t> again(width);
      const double value = DecodeGene(gene, bits);
      EncodeGene(gene, value, again);
      if (width < 50) {  // beyond, a double has no room for the sum with the lower end
        EXPECT_EQ(again, bits);
      }
      EXPECT_NEAR(DecodeGene(gene, again), value, 1e-15);
      // Any value: the nearest step.
      const double any = random.Uniform(-0.3, 1.7);
      EncodeGene(gene, any, again);
      EXPECT_LE(std::abs(DecodeGene(gene, again) - any),
                0.5 * 2.0 / (std::ldexp(1.0, width) - 1) + 1e-15);
    }
  }
  // Most significant first.
  EXPECT_DOUBLE_EQ(DecodeGene({0, 15, 4}, std::vector<std::uint8_t>{1, 0, 1, 0}), 10);
  std::vector<std::uint8_t> bits(4);
  EncodeGene({0, 15, 4}, 100, bits);
  EXPECT_EQ(bits, (std::vector<std::uint8_t>{1, 1, 1, 1}));
}

TEST(GeneticTest, AsksForTheDecodedGenes) {
  const std::vector<Gene> genes = {{0, 1, 8}, {-2, 2, 16}, {5, 6, 3}};
  const Genetic search({}, 1, genes);
  EXPECT_EQ(search.ChromosomeBits(), 27);
  std::vector<double> x(3);
  double mean = 0;
  for (int i = 0; i < search.Population(); ++i) {
    search.Ask(i, x);
    const auto bits = search.Chromosome(i);
    EXPECT_EQ(x[0], DecodeGene(genes[0], bits.first(8)));
    EXPECT_EQ(x[1], DecodeGene(genes[1], bits.subspan(8, 16)));
    EXPECT_EQ(x[2], DecodeGene(genes[2], bits.last(3)));
    mean += x[0] / search.Population();
  }
  EXPECT_NEAR(mean, 0.5, 5 * std::sqrt(1.0 / 12 / 50));  // random at first
}

TEST(SelectionTest, SharesOfRouletteAndRank) {
  using testing::DoubleNear;
  using testing::ElementsAre;
  const double nan = std::nan("");
  const auto roulette = [](std::vector<double> returns) { return SelectionShares({}, returns); };
  const auto near = [](double x) { return DoubleNear(x, 1e-12); };
  EXPECT_THAT(roulette({1, 2, 5}), ElementsAre(near(0.125), near(0.25), near(0.625)));
  EXPECT_THAT(roulette({-1, 0, 2}), ElementsAre(near(0), near(0.25), near(0.75)));
  EXPECT_THAT(roulette({-3, -3, -3, -3}), testing::Each(near(0.25)));
  EXPECT_THAT(roulette({0, 0, 0, 0}), testing::Each(near(0.25)));
  EXPECT_THAT(roulette({7, 7}), testing::Each(near(0.5)));
  EXPECT_THAT(roulette({nan, 1, HUGE_VAL, 3}), ElementsAre(0, near(0.25), 0, near(0.75)));
  EXPECT_THAT(roulette({nan, nan}), testing::Each(near(0.5)));
  EXPECT_THAT(roulette({1.5e308, 1.5e308, -1.5e308}), ElementsAre(near(0.5), near(0.5), near(0)));
  const auto rank = [](double pressure, std::vector<double> returns) {
    return SelectionShares({.selection = "rank", .pressure = pressure}, returns);
  };
  EXPECT_THAT(rank(2, {1e9, -5, 3}), ElementsAre(near(2.0 / 3), near(0), near(1.0 / 3)));
  EXPECT_THAT(rank(1.5, {1e9, -5, 3}), ElementsAre(near(0.5), near(0.5 / 3), near(1.0 / 3)));
  EXPECT_THAT(rank(2, {4, 4, 4}), testing::Each(near(1.0 / 3)));
  EXPECT_THAT(rank(2, {nan, 4, 5}), ElementsAre(near(0), near(1.0 / 3), near(2.0 / 3)));
}

TEST(SelectionTest, ParentsAreDrawnAsOftenAsTheirShares) {
  for (const char* selection : {"roulette", "rank"}) {
    GeneticOptions options{.population = 20000,
                           .selection = selection,
                           .crossover = 0,
                           .mutation_rate = 0,
                           .elite = 0};
    Genetic search(options, 3, std::vector<Gene>(4, Gene{0, 1, 16}));
    std::vector<std::vector<std::uint8_t>> parents;
    std::vector<double> returns(options.population, -1.0);  // the worst: nothing by roulette
    for (int i = 0; i < 10; ++i) {
      parents.push_back(BitsOf(search, i));
      returns[i] = 1 + i;
    }
    const std::vector<double> shares = SelectionShares(options, returns);
    EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-9);
    search.Tell(returns);
    for (int p = 0; p < 10; ++p) {
      int count = 0;
      for (int i = 0; i < options.population; ++i) count += BitsOf(search, i) == parents[p];
      const double expected = shares[p] * options.population;
      EXPECT_NEAR(count, expected, 5 * std::sqrt(expected) + 1) << selection << " " << p;
    }
  }
}

TEST(GeneticTest, CrossoverExchangesTheTails) {
  GeneticOptions options{.population = 4000, .crossover = 0.7, .mutation_rate = 0, .elite = 0};
  Genetic search(options, 5, std::vector<Gene>(8, Gene{0, 1, 8}));
  // Two parents only.
  const auto a = BitsOf(search, 0), b = BitsOf(search, 1);
  ASSERT_GT(Differences(a, b), 10);
  std::vector<double> returns(options.population, 0.0);
  returns[0] = returns[1] = 1;
  search.Tell(returns);
  int crossed = 0;
  for (int i = 0; i < options.population; i += 2) {
    const auto child = BitsOf(search, i), sibling = BitsOf(search, i + 1);
    // A child: a head of one and a tail of the other.
    const auto joined = [&](const auto& head, const auto& tail) {
      const auto k = std::mismatch(child.begin(), child.end(), head.begin()).first - child.begin();
      return std::equal(child.begin() + k, child.end(), tail.begin() + k);
    };
    EXPECT_TRUE(joined(a, b) || joined(b, a) || child == a || child == b);
    if (child != a && child != b) {
      ++crossed;
      // What one has not, the other has: of each place the bits of both parents.
      for (std::size_t k = 0; k < child.size(); ++k) EXPECT_EQ(child[k] + sibling[k], a[k] + b[k]);
    }
  }
  // Half of the pairs have two different parents; a few points leave both as they are.
  EXPECT_NEAR(crossed, 0.35 * options.population / 2, 0.06 * options.population / 2);
}

TEST(GeneticTest, MutationIsOfAnIndividualOrOfEachBit) {
  for (const bool each : {false, true}) {
    GeneticOptions options{.population = 5000,
                           .mutation = each ? "each_bit" : "one_bit",
                           .mutation_rate = each ? 0.05 : 0.3,
                           .elite = 0};
    Genetic search(options, 6, std::vector<Gene>(4, Gene{0, 1, 8}));
    const auto parent = BitsOf(search, 17);
    std::vector<double> returns(options.population, 0.0);
    returns[17] = 1;  // the only one drawn
    search.Tell(returns);
    int mutated = 0, flips = 0, largest = 0;
    std::vector<int> at(32);
    for (int i = 0; i < options.population; ++i) {
      const auto child = BitsOf(search, i);
      const int count = Differences(parent, child);
      mutated += count > 0;
      flips += count;
      largest = std::max(largest, count);
      for (int k = 0; k < 32; ++k) at[k] += child[k] != parent[k];
    }
    const double expected = options.population * (each ? 32 * 0.05 : 0.3);
    EXPECT_NEAR(flips, expected, 5 * std::sqrt(expected));
    for (const int count : at) EXPECT_NEAR(count, expected / 32, 5 * std::sqrt(expected / 32));
    if (each) {
      EXPECT_NEAR(mutated, options.population * (1 - std::pow(0.95, 32)), 200);
      EXPECT_GT(largest, 3);
    } else {
      EXPECT_EQ(mutated, flips);
      EXPECT_EQ(largest, 1);
    }
  }
}

TEST(GeneticTest, TheEliteLivesOn) {
  Genetic search({.mutation_rate = 1, .elite = 2}, 7, std::vector<Gene>(3, Gene{0, 1, 8}));
  const auto best = BitsOf(search, 30), second = BitsOf(search, 9);
  std::vector<double> returns(50, std::nan(""));
  returns[30] = -1;
  returns[9] = returns[40] = -2;  // of equals the first
  std::vector<double> x(3);
  search.Ask(30, x);
  search.Tell(returns);
  EXPECT_EQ(BitsOf(search, 0), best);
  EXPECT_EQ(BitsOf(search, 1), second);
  EXPECT_EQ(search.BestReturn(), -1);
  EXPECT_TRUE(std::equal(x.begin(), x.end(), search.Best().begin()));
  EXPECT_TRUE(std::equal(x.begin(), x.end(), search.Mean().begin()));
}

TEST(GeneticTest, FindsAllOnes) {
  for (const char* selection : {"roulette", "rank"}) {
    Genetic search({.selection = selection, .elite = 2}, 8, std::vector<Gene>(40, Gene{0, 1, 1}));
    std::vector<double> x(40), returns(50);
    while (search.BestReturn() < 40 && search.Iteration() < 500) {  // the paper's generations
      for (int i = 0; i < 50; ++i) {
        search.Ask(i, x);
        returns[i] = std::accumulate(x.begin(), x.end(), 0.0);
      }
      search.Tell(returns);
    }
    EXPECT_EQ(search.BestReturn(), 40) << selection;
  }
}

TEST(GeneticTest, RefusesWhatMakesNoSense) {
  const auto error = [](const GeneticOptions& options, const std::vector<Gene>& genes) {
    return InputErrorOf([&] { Genetic(options, 1, genes); });
  };
  EXPECT_THAT(error({}, {}), HasSubstr("without genes"));
  EXPECT_THAT(error({}, {{0, 1, 0}}), HasSubstr("gene 0 of 0 bits; expected 1 to 53"));
  EXPECT_THAT(error({}, {{0, 1, 54}}), HasSubstr("expected 1 to 53"));
  EXPECT_THAT(error({}, {{1, 1, 8}}), HasSubstr("expected a range that rises"));
  EXPECT_THAT(error({.elite = 50}, {{0, 1, 8}}), HasSubstr("elite of 50 in a population of 50"));
}

TEST(Genetic, BeginsAroundAStart) {
  const std::vector<Gene> genes(40, Gene{-1, 1, 8});
  const std::vector<double> start(40, -1.0);
  const Genetic search({.population = 50}, 3, genes, start);
  std::vector<double> one(40);
  const auto others = [&](int individual) {
    search.Ask(individual, one);
    return std::count_if(one.begin(), one.end(), [](double x) { return x != -1; });
  };
  EXPECT_EQ(others(0), 0);
  EXPECT_LT(others(5), 10);
  EXPECT_GT(others(49), 10);  // about half of them
  EXPECT_LT(others(49), 30);
  EXPECT_THROW(Genetic({}, 3, genes, std::vector<double>(39)), InputError);
}

}  // namespace
}  // namespace stride
