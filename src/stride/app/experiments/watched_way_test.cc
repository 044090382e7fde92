#include "stride/app/experiments/watched_way.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace stride::experiments {
namespace {

// Along +X at 2 m/s for 3 s, then along +Y.
WatchedWay AroundACorner() {
  WatchedWay way;
  for (double t = 0; t < 8.01; t += WatchedWay::kEvery) {
    way.places.push_back({2 * std::min(t, 3.0), 2 * std::max(0.0, t - 3), 1});
  }
  return way;
}

TEST(WatchedWayTest, SpeedAndDirection) {
  const WatchedWay way = AroundACorner();
  EXPECT_NEAR(way.Seconds(), 8, 1e-9);
  EXPECT_NEAR(way.Speed(0, 2), 2, 1e-9);
  EXPECT_NEAR(way.Direction(4, 8), std::numbers::pi / 2, 1e-9);
}

TEST(WatchedWayTest, ReachesAHeadingForGood) {
  const WatchedWay way = AroundACorner();
  const auto reached = way.Reaches(std::numbers::pi / 2, 0.1, 0, 1);
  ASSERT_TRUE(reached);
  EXPECT_NEAR(*reached, 3, 0.11);
  EXPECT_FALSE(way.Reaches(0, 0.1, 0, 1));  // it leaves it again
}

TEST(WatchedWayTest, TheForceThatAShareOfTheTimeIsBelow) {
  WatchedWay way;
  for (int k = 0; k <= 100; ++k) way.forces.push_back((37 * k % 101) / 100.0);
  EXPECT_NEAR(way.ForceQuantile(1), 1, 1e-12);
  EXPECT_NEAR(way.ForceQuantile(0.95), 0.95, 1e-12);
}

}  // namespace
}  // namespace stride::experiments
