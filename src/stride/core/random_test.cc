#include "stride/core/random.h"

#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace stride {
namespace {

using Words4 = std::array<std::uint32_t, 4>;

// Known answers published with the paper's code (Random123, philox4x32, 10 rounds).
TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_EQ(Philox({0, 0, 0, 0}, {0, 0}), (Words4{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Words4{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words4{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, RepeatsForTheSameKeyAndDiffersForAnyOther) {
  const auto first = [](std::uint64_t seed, std::uint32_t iteration, std::uint32_t sample) {
    Random random(seed, iteration, sample);
    std::vector<std::uint32_t> words;
    for (int i = 0; i < 9; ++i) words.push_back(random.Bits());
    return words;
  };
  EXPECT_EQ(first(5, 6, 7), first(5, 6, 7));
  const std::set<std::vector<std::uint32_t>> streams = {first(5, 6, 7), first(5, 7, 6),
                                                        first(5, 6, 8), first(6, 6, 7),
                                                        first(5 + (1ull << 32), 6, 7)};
  EXPECT_EQ(streams.size(), 5u);
}

TEST(Random, UniformHasTheRightMoments) {
  Random random(1);
  constexpr int kCount = 200000;
  double sum = 0, squares = 0;
  for (int i = 0; i < kCount; ++i) {
    const double u = random.Uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    squares += u * u;
  }
  // Five standard errors of the mean and of the mean square.
  EXPECT_NEAR(sum / kCount, 0.5, 5 * std::sqrt(1.0 / 12 / kCount));
  EXPECT_NEAR(squares / kCount, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / kCount));
}

TEST(Random, NormalHasTheRightMomentsAndTails) {
  Random random(2);
  constexpr int kCount = 200000;
  double sum = 0, squares = 0, products = 0, last = 0;
  int beyond_two = 0;
  for (int i = 0; i < kCount; ++i) {
    const double x = random.Normal();
    sum += x;
    squares += x * x;
    products += x * last;
    last = x;
    beyond_two += std::fabs(x) > 2;
  }
  EXPECT_NEAR(sum / kCount, 0, 5 / std::sqrt(kCount));
  EXPECT_NEAR(squares / kCount, 1, 5 * std::sqrt(2.0 / kCount));
  EXPECT_NEAR(products / kCount, 0, 5 / std::sqrt(kCount));
  const double p = std::erfc(std::sqrt(2.0));
  EXPECT_NEAR(beyond_two / double{kCount}, p, 5 * std::sqrt(p / kCount));
}

TEST(Random, IndexReachesAllAndOnlyItsRange) {
  Random random(3);
  std::vector<int> seen(7);
  for (int i = 0; i < 7000; ++i) {
    const int k = random.Index(7);
    ASSERT_GE(k, 0);
    ASSERT_LT(k, 7);
    ++seen[k];
  }
  for (const int count : seen) EXPECT_NEAR(count, 1000, 5 * std::sqrt(1000.0));
}

}  // namespace
}  // namespace stride
