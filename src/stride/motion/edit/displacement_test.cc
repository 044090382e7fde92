#include "stride/motion/edit/displacement.h"

#include <gtest/gtest.h>

#include "stride/motion/edit/ground_move.h"
#include "stride/testing/test_motions.h"

namespace stride {
namespace {

// A free root, balls; and the same with hinges.
class DisplacementTest : public testing::TestWithParam<const char*> {
 protected:
  Character character_ = LoadCharacter(GetParam());
  std::mt19937 random_{7};
  std::vector<double> Pose() { return RandomPose(character_, &random_); }
};

TEST_P(DisplacementTest, QuotientUndoesComposition) {
  for (int trial = 0; trial < 50; ++trial) {
    const std::vector<double> p1 = Pose(), p2 = Pose();
    EXPECT_LT(Distance(character_, Compose(character_, p2, Quotient(character_, p1, p2)), p1),
              1e-9);
    EXPECT_LT(Distance(character_, Quotient(character_, Compose(character_, p1, p2), p1), p2),
              1e-9);
  }
}

TEST_P(DisplacementTest, CompositionIsAssociativeWithTheZeroPoseAsItsUnit) {
  const std::vector<double> unit =
      ExpPose(character_, {std::vector<double>(LayoutOf(character_).nv, 0.0)});
  for (int trial = 0; trial < 50; ++trial) {
    const std::vector<double> a = Pose(), b = Pose(), c = Pose();
    EXPECT_LT(Distance(character_, Compose(character_, Compose(character_, a, b), c),
                       Compose(character_, a, Compose(character_, b, c))),
              1e-9);
    EXPECT_LT(Distance(character_, Compose(character_, a, unit), a), 1e-12);
    EXPECT_LT(Distance(character_, Compose(character_, unit, a), a), 1e-12);
    EXPECT_LT(Distance(character_, Quotient(character_, a, a), unit), 1e-9);
  }
}

TEST_P(DisplacementTest, RootsComposeLikeRigidMotions) {
  const std::vector<double> a = Pose(), b = Pose(), c = Compose(character_, a, b);
  const Vec3d x{0.3, -0.7, 1.1};
  const Vec3d inner = Vec3At(b, 0) + Rotate(QuatAt(b, 3), x);
  const Vec3d expected = Vec3At(a, 0) + Rotate(QuatAt(a, 3), inner);
  EXPECT_LT(Norm(Vec3At(c, 0) + Rotate(QuatAt(c, 3), x) - expected), 1e-9);
}

TEST_P(DisplacementTest, ExponentialAndLogarithmUndoEachOther) {
  std::uniform_real_distribution<double> number(-1.7, 1.7);  // rotation angles stay below pi
  for (int trial = 0; trial < 50; ++trial) {
    const std::vector<double> p = Pose();
    EXPECT_LT(Distance(character_, ExpPose(character_, LogPose(character_, p)), p), 1e-9);
    Displacement d{std::vector<double>(LayoutOf(character_).nv)};
    for (double& u : d.u) u = number(random_);
    const Displacement back = LogPose(character_, ExpPose(character_, d));
    for (std::size_t i = 0; i < d.u.size(); ++i) EXPECT_NEAR(back.u[i], d.u[i], 1e-9);
  }
}

TEST_P(DisplacementTest, PowersScaleTheDisplacement) {
  for (int trial = 0; trial < 20; ++trial) {
    const std::vector<double> p = Pose(), p1 = Pose(), p2 = Pose();
    const std::vector<double> d = Quotient(character_, p1, p2);
    EXPECT_LT(Distance(character_, Power(character_, d, 1), d), 1e-9);
    EXPECT_LT(Distance(character_, Compose(character_, p, Power(character_, d, 0)), p), 1e-9);
    const Displacement half = LogPose(character_, Power(character_, d, 0.5));
    const Displacement rest = LogPose(character_, d) - half;
    for (std::size_t i = 0; i < half.u.size(); ++i) EXPECT_NEAR(half.u[i], rest.u[i], 1e-9);
    // Rotations of one displacement commute; the root's place is left out, since it also turns.
    std::vector<double> turns = d;
    Put(Vec3d{}, 0, &turns);
    EXPECT_LT(
        Distance(character_,
                 Compose(character_, Power(character_, turns, 0.3), Power(character_, turns, 0.4)),
                 Power(character_, turns, 0.7)),
        1e-9);
  }
}

TEST_P(DisplacementTest, DisplacementsAddAndScaleByNumbers) {
  const Displacement a = LogPose(character_, Pose()), b = LogPose(character_, Pose());
  const Displacement c = 2.0 * (a + b) - 2.0 * b;
  for (std::size_t i = 0; i < a.u.size(); ++i) EXPECT_NEAR(c.u[i], 2 * a.u[i], 1e-12);
}

TEST_P(DisplacementTest, WhereTheWholeStandsDoesNotMatter) {
  std::vector<double> p1 = Pose(), p2 = Pose();
  const std::vector<double> d = Quotient(character_, p1, p2);
  MovePose(character_, 1.3, {4, -5, 0}, &p1);
  MovePose(character_, 1.3, {4, -5, 0}, &p2);
  EXPECT_LT(Distance(character_, Quotient(character_, p1, p2), d), 1e-9);
}

TEST_P(DisplacementTest, PoseSumUndoesPoseDifference) {
  const std::vector<double> a = Pose(), b = Pose();
  const std::vector<double> v = PoseDifference(character_, a, b, 0.02);
  EXPECT_LT(Distance(character_, PoseSum(character_, a, v, 0.02), b), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Characters, DisplacementTest, testing::Values("liu16", "wang09-short"),
                         [](const auto& info) { return std::string(info.param).substr(0, 4); });

TEST(TransitionTest, RisesSmoothlyFromZeroToOne) {
  const double a = 0.3, b = 1.7, h = 1e-5;
  EXPECT_EQ(ForwardTransition(a - 1, a, b), 0);
  EXPECT_EQ(ForwardTransition(a, a, b), 0);
  EXPECT_EQ(ForwardTransition(b, a, b), 1);
  EXPECT_EQ(ForwardTransition(b + 1, a, b), 1);
  EXPECT_NEAR(ForwardTransition(1.0, a, b), 0.5, 1e-12);
  EXPECT_NEAR(ForwardTransition(a + h, a, b) / h, 0, 1e-4);
  EXPECT_NEAR((1 - ForwardTransition(b - h, a, b)) / h, 0, 1e-4);
  for (double x = a; x < b; x += 0.1) {
    EXPECT_LT(ForwardTransition(x, a, b), ForwardTransition(x + 0.05, a, b));
    EXPECT_NEAR(ForwardTransition(x, a, b) + BackwardTransition(x, a, b), 1, 1e-12);
  }
}

TEST(WarpTest, StartsInThePoseAndGoesOverToTheMotion) {
  const Character& character = TestCharacter();
  const Motion& walk = TestMotion("walk");
  const std::vector<double> pose = walk.frames[10];
  const int ankle = character.BodyOf(Role::kLeftFoot);
  const int at = LayoutOf(character).q[ankle];
  Motion warped = walk;
  WarpStart(character, pose, {1, {{ankle, 0.2}}}, &warped);
  EXPECT_LT(Distance(character, warped.frames.front(), pose), 1e-9);
  EXPECT_LT(Distance(character, warped.frames.back(), walk.frames.back()), 1e-9);
  // Halfway half of the displacement is left.
  const int middle = (walk.FrameCount() - 1) / 2;
  const Displacement whole = LogPose(character, Quotient(character, pose, walk.frames[0]));
  const Displacement rest =
      LogPose(character, Quotient(character, warped.frames[middle], walk.frames[middle]));
  EXPECT_NEAR(rest.u[0], 0.5 * whole.u[0], 1e-9);
  EXPECT_GT(std::fabs(whole.u[0]), 0.05);
  // The ankle is done after a fifth of the time, not before.
  const auto ankle_off = [&](int f) {
    return Norm(Log(Conjugate(QuatAt(walk.frames[f], at)) * QuatAt(warped.frames[f], at)));
  };
  const int fifth = static_cast<int>(std::ceil(0.2 * (walk.FrameCount() - 1)));
  EXPECT_LT(ankle_off(fifth), 1e-9);
  EXPECT_GT(ankle_off(fifth / 2), 0.1 * ankle_off(0));
  EXPECT_GT(ankle_off(0), 0.01);
}

TEST(GroundMoveTest, InverseAndCompositionAreThoseOfPoints) {
  const GroundMove a{0.8, {1, 2, 0}}, b{-2.1, {-3, 0.5, 0}};
  const Vec3d p{0.2, -0.4, 0.9};
  EXPECT_LT(Norm(Apply(Compose(a, b), p) - Apply(a, Apply(b, p))), 1e-12);
  EXPECT_LT(Norm(Apply(Inverse(a), Apply(a, p)) - p), 1e-12);
}

TEST(GroundMoveTest, PlacesTheStart) {
  Motion motion = TestMotion("turn_left");
  const Character& character = TestCharacter();
  const double height = motion.frames[0][2], speed = VelocityStep(character, motion, 3);
  PlaceStart(character, 3, -2, 1.2, &motion);
  EXPECT_NEAR(motion.frames[0][0], 3, 1e-12);
  EXPECT_NEAR(motion.frames[0][1], -2, 1e-12);
  EXPECT_NEAR(motion.frames[0][2], height, 1e-12);
  EXPECT_NEAR(NearestHeading(QuatAt(motion.frames[0], 3)), 1.2, 1e-9);
  EXPECT_NEAR(VelocityStep(character, motion, 3), speed, 0.3 * speed);
  const GroundMove move =
      MoveBetween(character, TestMotion("turn_left").frames[20], motion.frames[20]);
  std::vector<double> moved = TestMotion("turn_left").frames[20];
  MovePose(character, move.heading, move.shift, &moved);
  EXPECT_LT(Distance(character, moved, motion.frames[20]), 1e-9);
}

}  // namespace
}  // namespace stride
