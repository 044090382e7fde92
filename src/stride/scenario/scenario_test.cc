#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/character/rest_pose.h"
#include "stride/math/rotation.h"
#include "stride/scenario/fall.h"
#include "stride/scenario/ground.h"
#include "stride/scenario/placement.h"
#include "stride/scenario/push.h"

namespace stride {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

TEST(Push, ActsForItsDuration) {
  const Push push{.force = 60, .at = 2, .duration = 0.2};
  int steps = 0;
  // A sum of steps is not exact: 2 s may come out as 1.9999999.
  for (int i = 0; i < 1000; ++i) steps += ActsAt(push, i * 0.005);
  EXPECT_EQ(steps, 40);
  EXPECT_FALSE(ActsAt(push, 1.995));
  EXPECT_TRUE(ActsAt(push, 2));
  EXPECT_TRUE(ActsAt(push, 2.195));
  EXPECT_FALSE(ActsAt(push, 2.2));
}

TEST(Push, RepeatsAsOftenAsItSays) {
  const Push push{.force = 1, .at = 2, .duration = 0.4, .repeats = 10, .every = 4};
  int steps = 0, begins = 0;
  bool acted = false;
  for (int i = 0; i < 20000; ++i) {
    const bool acts = ActsAt(push, i * 0.005);
    steps += acts;
    begins += acts && !acted;
    acted = acts;
  }
  EXPECT_EQ(steps, 10 * 80);
  EXPECT_EQ(begins, 10);
  EXPECT_TRUE(ActsAt(push, 38.1));
  EXPECT_FALSE(ActsAt(push, 42.1));
}

TEST(RandomPushes, GrowRepeatAndPause) {
  const RandomPushes pushes{.sigma = 10, .sigma_growth = 2};
  EXPECT_EQ(RandomPushAt(pushes, 1.9, 3), Vec3d{});
  EXPECT_EQ(RandomPushAt(pushes, 2.2, 3), Vec3d{});
  const Vec3d first = RandomPushAt(pushes, 2, 3);
  EXPECT_GT(Norm(first), 0);
  EXPECT_EQ(first.z, 0);
  EXPECT_EQ(RandomPushAt(pushes, 2.195, 3), first);
  EXPECT_NE(RandomPushAt(pushes, 4, 3), first);
  EXPECT_NE(RandomPushAt(pushes, 2, 4), first);
  EXPECT_NE(RandomPushAt(pushes, 2, 3, 1), first);
  // Root mean square over samples: the deviation at that time.
  for (const double time : {2.0, 100.0}) {
    double squares = 0;
    for (int sample = 0; sample < 4000; ++sample) {
      squares += SquaredNorm(RandomPushAt(pushes, time, 3, sample));
    }
    EXPECT_NEAR(std::sqrt(squares / 4000), 10 + 2 * time, 0.05 * (10 + 2 * time));
  }
}

TEST(Disturbance, RepeatsStaysInBoundsAndDiffersByIntervalAndSample) {
  const Disturbance disturbance{.amplitude = 20, .seed = 7};
  double largest = 0;
  for (int i = 0; i < 1000; ++i) {
    const Vec3d force = DisturbanceAt(disturbance, i);
    EXPECT_EQ(force, DisturbanceAt(disturbance, i));
    EXPECT_EQ(force.z, 0);
    largest = std::max(largest, Norm(force));
  }
  EXPECT_LE(largest, 20);
  EXPECT_GT(largest, 19);
  EXPECT_NE(DisturbanceAt(disturbance, 0), DisturbanceAt(disturbance, 1));
  EXPECT_NE(DisturbanceAt(disturbance, 0, 0), DisturbanceAt(disturbance, 0, 1));
}

class Fall : public testing::Test {
 protected:
  Character human_ = LoadCharacter("liu16");
  Terrain level_;
  State rest_ = RestState(human_);
  FallDetector detector_{human_, level_, rest_};

  // The rest pose turned as a whole about an axis.
  State Turned(const Vec3d& axis, double angle_deg) const {
    State state = rest_;
    const Quatd q = AxisAngle(axis, angle_deg * kDegree) *
                    Quatd{rest_.q[3], rest_.q[4], rest_.q[5], rest_.q[6]};
    state.q[3] = q.w, state.q[4] = q.x, state.q[5] = q.y, state.q[6] = q.z;
    return state;
  }
};

TEST_F(Fall, IsATrunkBeyondSixtyDegreesInAnyDirection) {
  EXPECT_FALSE(detector_.Fallen(rest_));
  for (const double heading : {0.0, 1.0, 2.0, 3.0, 4.0, 5.0}) {
    const Vec3d axis{std::cos(heading), std::sin(heading), 0};
    EXPECT_FALSE(detector_.Fallen(Turned(axis, 59)));
    EXPECT_TRUE(detector_.Fallen(Turned(axis, 61)));
  }
  EXPECT_FALSE(detector_.Fallen(Turned({0, 0, 1}, 170)));
}

TEST_F(Fall, CountsTheWholeChainToTheTrunk) {
  // Pelvis 35 degrees forwards and waist another 35: neither alone would be a fall.
  State bent = Turned({0, 1, 0}, 35);
  const Layout layout = LayoutOf(human_);
  const int abdomen = FindBody(human_, "abdomen");
  const Quatd turn = AxisAngle({0, 1, 0}, 35 * kDegree);
  double* q = &bent.q[layout.q[abdomen]];
  EXPECT_FALSE(detector_.Fallen(bent));
  q[0] = turn.w, q[1] = turn.x, q[2] = turn.y, q[3] = turn.z;
  EXPECT_TRUE(detector_.Fallen(bent));
}

TEST_F(Fall, IsARootBelowHalfItsHeightAboveTheGroundUnderIt) {
  State low = rest_;
  low.q[2] = 0.51 * rest_.q[2];
  EXPECT_FALSE(detector_.Fallen(low));
  low.q[2] = 0.49 * rest_.q[2];
  EXPECT_TRUE(detector_.Fallen(low));

  Terrain steps;
  steps.kind = Terrain::Kind::kSteps;
  steps.step_rise = -1;
  steps.step_count = 1;
  const FallDetector on_steps(human_, steps, rest_);
  State below = rest_;
  below.q[0] = 2;
  below.q[2] -= 1;
  EXPECT_FALSE(on_steps.Fallen(below));
  EXPECT_TRUE(detector_.Fallen(below));
}

// Smallest and largest height of the feet's contact points above the ground.
std::pair<double, double> FootClearance(const Character& c, const Terrain& terrain,
                                        const State& state, Role role) {
  const BodyFrames frames = FramesAt(c, state.q);
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const ContactPoint& point : c.contact_points) {
    if (point.body != c.BodyOf(role)) continue;
    const Vec3d at =
        frames.position[point.body] + Rotate(frames.rotation[point.body], point.position);
    const double above = at.z - point.radius - SurfaceAt(terrain, at.x, at.y).height;
    low = std::min(low, above);
    high = std::max(high, above);
  }
  return {low, high};
}

TEST(StandOn, PutsBothFeetFlatOnSlopesOfAnyHeading) {
  for (const char* name : {"liu16", "lee10", "kwon17", "human"}) {
    const Character c = LoadCharacter(name);
    for (const double heading_deg : {0.0, 180.0, 90.0, -45.0}) {
      Terrain terrain;
      terrain.slope = 15 * kDegree;
      terrain.slope_heading = heading_deg * kDegree;
      const State state = StandOn(c, terrain);
      for (const Role role : {Role::kLeftFoot, Role::kRightFoot}) {
        const auto [low, high] = FootClearance(c, terrain, state, role);
        EXPECT_GE(low, -1e-6) << name << " " << heading_deg;
        // Level ground leaves 2 mm at most; across the slope hips and ankles may not be equally
        // wide.
        EXPECT_LE(high, 0.012) << name << " " << heading_deg;
      }
    }
  }
}

TEST(StandOn, KeepsTheRestPoseOnLevelGroundAndLiftsItWithTheGround) {
  const Character c = LoadCharacter("liu16");
  const State level = StandOn(c, {});
  const State rest = RestState(c);
  for (std::size_t i = 0; i < rest.q.size(); ++i) EXPECT_NEAR(level.q[i], rest.q[i], 1e-6) << i;

  Terrain raised;
  raised.kind = Terrain::Kind::kSteps;
  raised.step_start = -5;
  raised.step_depth = 100;
  raised.step_rise = 0.3;
  raised.step_count = 1;
  EXPECT_NEAR(StandOn(c, raised).q[2], level.q[2] + 0.3, 1e-9);
}

TEST(RandomField, IsRepeatableBoundedAndLevelAtTheOrigin) {
  const Terrain field = RandomField(4, 0.1);
  Validate(field);
  EXPECT_EQ(field, RandomField(4, 0.1));
  EXPECT_NE(field, RandomField(5, 0.1));
  EXPECT_EQ(SurfaceAt(field, 0.3, -0.3).height, 0);
  double low = 0, high = 0;
  for (const double height : field.heights) {
    low = std::min(low, height);
    high = std::max(high, height);
  }
  EXPECT_GE(low, -0.1);
  EXPECT_LE(high, 0.1);
  EXPECT_GT(high - low, 0.19);
}

}  // namespace
}  // namespace stride
