#include "stride/scenario/variation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "stride/scenario/fall.h"
#include "stride/scenario/push.h"

namespace stride {
namespace {

LaneConditions Usual() {
  return {.gravity = 9.81, .friction = 0.8, .contact = {.stiffness = 2000, .damping = 30}};
}

TEST(WorldVariation, FactorsAreEvenInTheirLogarithmAndWithinTheirRange) {
  const WorldVariation variation{
      .stiffness = 4, .damping = 3, .friction = 2, .gains = 1.5, .slope = 0.1};
  Random random(5);
  constexpr int kDraws = 4000;
  double log_sum = 0, log_squares = 0, steepest = 0;
  for (int k = 0; k < kDraws; ++k) {
    const VariedWorld world = DrawWorld(variation, Usual(), &random);
    const double log = std::log(world.conditions.contact.stiffness / 2000) / std::log(4);
    log_sum += log, log_squares += log * log;
    EXPECT_LE(std::fabs(log), 1);
    EXPECT_LE(std::fabs(std::log(world.conditions.contact.damping / 30)), std::log(3));
    EXPECT_LE(std::fabs(std::log(world.conditions.friction / 0.8)), std::log(2));
    EXPECT_LE(std::fabs(std::log(world.gains)), std::log(1.5));
    EXPECT_EQ(world.conditions.gravity, 9.81);
    steepest = std::max(steepest, world.conditions.slope);
  }
  EXPECT_NEAR(log_sum / kDraws, 0, 0.03);
  EXPECT_NEAR(log_squares / kDraws, 1.0 / 3, 0.02);
  EXPECT_LE(steepest, 0.1);
  EXPECT_GT(steepest, 0.099);
}

TEST(WorldVariation, TheSameWorldIsTheUsualOne) {
  Random random(1);
  for (const WorldVariation& none : {kSameWorld, Narrowed(WorldVariation{.slope = 0.2}, 0)}) {
    const VariedWorld world = DrawWorld(none, Usual(), &random);
    EXPECT_EQ(world.conditions.contact, Usual().contact);
    EXPECT_EQ(world.conditions.friction, 0.8);
    EXPECT_EQ(world.conditions.slope, 0);
    EXPECT_EQ(world.gains, 1);
  }
  EXPECT_NEAR(Narrowed({.stiffness = 9}, 0.5).stiffness, 3, 1e-12);
}

TEST(TrialPushes, AreOfAnySizeAndDirectionThatIsAskedFor) {
  Random random(2);
  std::vector<int> seen(kPushDirections, 0);
  constexpr int kDraws = 4000;
  constexpr double kBase = 1.3;
  for (int k = 0; k < kDraws; ++k) {
    const TrialPush push = DrawPush({.force = 100, .least = 0.4}, kBase, &random);
    EXPECT_GE(push.force, 40);
    EXPECT_LE(push.force, 100);
    // The middle of the eighth is within a sixteenth of a turn.
    const double middle = kBase + (push.direction + 0.5) * std::numbers::pi / 4;
    EXPECT_LE(std::fabs(std::remainder(push.heading - middle, 2 * std::numbers::pi)),
              std::numbers::pi / 8 + 1e-9);
    ++seen[push.direction];
  }
  for (const int count : seen) EXPECT_NEAR(count, kDraws / 8, 80);

  TrialPushes biased{.force = 100, .directions = std::vector<double>(kPushDirections, 0.0)};
  biased.directions[2] = 3, biased.directions[7] = 1;
  std::fill(seen.begin(), seen.end(), 0);
  for (int k = 0; k < kDraws; ++k) ++seen[DrawPush(biased, kBase, &random).direction];
  EXPECT_EQ(seen[2] + seen[7], kDraws);
  EXPECT_NEAR(seen[2], 3 * kDraws / 4, 100);
}

TEST(FallLimits, AreTheSameForNumbersOfAnyKind) {
  constexpr double kNot = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(IsFallen(kFallFromReference, 0.61, 1.0, 1.19 * 1.19));
  EXPECT_FALSE(IsFallen(kFallFromReference, 0.61f, 1.0f, 1.19f * 1.19f));
  EXPECT_TRUE(IsFallen(kFallFromReference, 0.59, 1.0, 0.0));
  EXPECT_TRUE(IsFallen(kFallFromReference, 1.0, 1.0, 1.21 * 1.21));
  EXPECT_TRUE(IsFallen(kFallFromReference, 0.59f, 1.0f, 0.0f));
  EXPECT_TRUE(IsFallen(kFallFromReference, kNot, 1.0, 0.0));
  EXPECT_TRUE(IsFallen(kFallFromReference, 1.0, 1.0, kNot));
}

TEST(FallLimits, TiltIsTheAngleBetweenVerticals) {
  const auto turned = [](const Vec3d& axis, double angle) {
    return Quatd{std::cos(angle / 2), axis.x * std::sin(angle / 2), axis.y * std::sin(angle / 2),
                 axis.z * std::sin(angle / 2)};
  };
  for (const double heading : {0.0, 1.0, 2.5}) {
    const Quatd facing = turned({0, 0, 1}, heading);
    EXPECT_NEAR(TiltBetween(turned({1, 0, 0}, 0.8) * facing, turned({0, 0, 1}, 0.3)), 0.8, 1e-9);
    EXPECT_NEAR(TiltBetween(facing, Quatd::Identity()), 0, 1e-7);
  }
}

}  // namespace
}  // namespace stride
