#include "stride/app/experiments/bisect.h"

#include <atomic>
#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include "stride/core/random.h"

namespace stride {
namespace {

// Survives up to `limit`, which differs from sample to sample.
auto NoisyLimit(double limit, double noise) {
  return [=](double value, int sample) {
    return value <= limit + noise * Random(7, 0, sample).Normal();
  };
}

TEST(BisectTest, FindsAKnownLimit) {
  const Limit limit = FindLimit({.easy = 0, .hard = 100, .tolerance = 0.1, .samples = 1},
                                [](double value, int) { return value <= 37.31; });
  ASSERT_TRUE(limit.holds && limit.fails);
  EXPECT_LE(*limit.holds, 37.31);
  EXPECT_GT(*limit.fails, 37.31);
  EXPECT_LE(*limit.fails - *limit.holds, 0.1);
  EXPECT_EQ(limit.probes.size(), 2u + 10u);  // 100 / 2^10 < 0.1
}

TEST(BisectTest, FindsTheMedianUnderNoise) {
  const Limit limit =
      FindLimit({.easy = 0, .hard = 200, .tolerance = 0.5, .samples = 201}, NoisyLimit(80, 10));
  // The median of 201 normal numbers of deviation 10 has a deviation of 0.9.
  EXPECT_NEAR(*limit.holds, 80, 3);
}

TEST(BisectTest, AskingMoreOfTheShareLowersTheLimit) {
  LimitSearch search{.easy = 0, .hard = 200, .tolerance = 0.5, .samples = 201, .share = 0.9};
  // The tenth percentile of the same numbers.
  EXPECT_NEAR(*FindLimit(search, NoisyLimit(80, 10)).holds, 80 - 12.8, 4);
}

TEST(BisectTest, AWholeShareIsNotLostToRounding) {
  const Limit limit = FindLimit({.easy = 0, .hard = 1, .tolerance = 1, .samples = 10, .share = 0.7},
                                [](double, int sample) { return sample < 7; });
  EXPECT_TRUE(limit.probes[0].holds);
  EXPECT_EQ(limit.probes[0].survived, 7);
}

TEST(BisectTest, TheHardEndMayBeTheSmallerOne) {
  const Limit limit = FindLimit({.easy = 1, .hard = 0, .tolerance = 0.01, .samples = 4},
                                [](double friction, int) { return friction >= 0.3; });
  EXPECT_GE(*limit.holds, 0.3);
  EXPECT_LT(*limit.fails, 0.3);
  EXPECT_LE(*limit.holds - *limit.fails, 0.01);
}

TEST(BisectTest, SaysWhenTheLimitIsNotBetweenTheEnds) {
  const Limit none = FindLimit({.samples = 3}, [](double, int) { return false; });
  EXPECT_FALSE(none.holds);
  EXPECT_EQ(none.fails, 0.0);
  EXPECT_EQ(none.probes.size(), 1u);
  const Limit all = FindLimit({.samples = 3}, [](double, int) { return true; });
  EXPECT_EQ(all.holds, 1.0);
  EXPECT_FALSE(all.fails);
}

TEST(BisectTest, SameForAnyNumberOfThreads) {
  LimitSearch search{.easy = 0, .hard = 200, .tolerance = 0.01, .samples = 33, .threads = 1};
  const Limit one = FindLimit(search, NoisyLimit(80, 10));
  for (const int threads : {2, 5}) {
    search.threads = threads;
    EXPECT_EQ(FindLimit(search, NoisyLimit(80, 10)), one) << threads;
  }
}

TEST(BisectTest, EndsEvenIfTheToleranceIsBelowTheNumbersSteps) {
  const Limit limit = FindLimit({.easy = 1, .hard = 2, .tolerance = 1e-300, .samples = 1},
                                [](double value, int) { return value <= 1.5; });
  EXPECT_EQ(*limit.holds, 1.5);
  EXPECT_EQ(*limit.fails, std::nextafter(1.5, 2));
}

TEST(BisectTest, ErrorsPassThrough) {
  EXPECT_THROW(FindLimit({.samples = 8},
                         [](double, int) -> bool { throw std::runtime_error("no such engine"); }),
               std::runtime_error);
}

}  // namespace
}  // namespace stride
