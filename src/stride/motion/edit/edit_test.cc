#include "stride/motion/edit/edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/core/error.h"
#include "stride/motion/edit/displacement.h"
#include "stride/motion/feet.h"
#include "stride/testing/test_motions.h"

namespace stride {
namespace {

using ::testing::HasSubstr;

TEST(CutTest, TakesTheRangeAndRefusesOthers) {
  const Motion& walk = TestMotion("walk");
  const Motion part = Cut(walk, 5, 20);
  ASSERT_EQ(part.FrameCount(), 16);
  EXPECT_EQ(part.frames[0], walk.frames[5]);
  EXPECT_EQ(part.contacts[15], walk.contacts[20]);
  EXPECT_FALSE(part.loops);
  EXPECT_EQ(Cut(walk, 0, walk.FrameCount() - 1), walk);
  for (const auto& [first, last] : {std::pair{-1, 5}, {7, 6}, {0, walk.FrameCount()}}) {
    EXPECT_THAT(InputErrorOf([&, f = first, l = last] { Cut(walk, f, l); }),
                HasSubstr("expected a range within 0 to"));
  }
}

TEST(SampleSmoothTest, MeetsFramesAndIsOfHigherOrderThanLinear) {
  // Joints that swing as sines of a known amplitude.
  const Character& character = TestCharacter();
  const auto pose_at = [&](double t) {
    std::vector<double> v(LayoutOf(character).nv);
    for (std::size_t i = 0; i < v.size(); ++i)
      v[i] = i % 3 == 0 ? 0.3 * std::sin(6 * t + static_cast<double>(i)) : 0;
    return PoseSum(character, ZeroState(character).q, v, 1);
  };
  Motion motion;
  motion.fps = 30;
  for (int f = 0; f < 30; ++f) motion.frames.push_back(pose_at(f / 30.0));
  motion.contacts.assign(30, 0);
  double smooth = 0, linear = 0;
  for (int k = 5; k < 100; ++k) {
    const double t = k / 110.0;
    if (t < 2 / 30.0 || t > 27 / 30.0) continue;
    smooth = std::max(smooth, Distance(character, SampleSmooth(motion, character, t), pose_at(t)));
    linear = std::max(linear, Distance(character, SampleMotion(motion, character, t), pose_at(t)));
  }
  EXPECT_LT(smooth, 0.1 * linear);
  for (int f = 0; f < 30; ++f)
    EXPECT_LT(Distance(character, SampleSmooth(motion, character, f / 30.0), motion.frames[f]),
              1e-9);
}

TEST(TimeCurveTest, IsAStraightLineThroughAStraightLineAndNeverTurnsBack) {
  const TimeCurve line({{0, 1}, {0.5, 2}, {2, 5}});
  for (double x = 0; x <= 2; x += 0.1) EXPECT_NEAR(line(x), 1 + 2 * x, 1e-12);
  const TimeCurve steps({{0, 0}, {1, 0.01}, {1.1, 3}, {4, 3.01}, {5, 9}});
  double last = -1, h = 1e-6;
  for (double x = 0; x <= 5; x += 0.01) {
    EXPECT_GT(steps(x), last);
    last = steps(x);
  }
  for (const double x : {1.0, 1.1, 4.0}) {
    EXPECT_NEAR((steps(x + h) - steps(x)) / h, (steps(x) - steps(x - h)) / h, 1e-3);
  }
  EXPECT_NEAR(steps(1.1), 3, 1e-12);
  EXPECT_EQ(steps(-3), 0);
  EXPECT_EQ(steps(9), 9);
  EXPECT_THAT(InputErrorOf([] {
                TimeCurve({{0, 0}, {1, 1}, {2, 0.5}});
              }),
              HasSubstr("(1, 1) to (2, 0.5)"));
  EXPECT_THROW(TimeCurve({{0, 0}}), InputError);
  EXPECT_THROW(TimeCurve({{0, 0}, {NAN, 1}}), InputError);
}

TEST(TimeTest, ScalingKeepsTheWayAndTheFeet) {
  const Character& character = TestCharacter();
  const Motion& walk = TestMotion("walk");
  const double before = MeasureFeet(character, walk).max_slide;
  for (const double factor : {0.7, 1.5, 2.0}) {
    const Motion scaled = TimeScaled(walk, character, factor);
    EXPECT_NEAR(scaled.Duration(), factor * walk.Duration(), 0.51 / walk.fps);
    EXPECT_TRUE(scaled.loops);
    // Holding the feet moves them by millimetres.
    EXPECT_LT(PlaceDistance(character, scaled.frames.front(), walk.frames.front()), 0.005);
    EXPECT_LT(PlaceDistance(character, scaled.frames.back(), walk.frames.back()), 0.005);
    const FootMeasures feet = MeasureFeet(character, scaled);
    EXPECT_LT(feet.max_slide, before + 0.001);
    EXPECT_LT(feet.max_contact_height, 0.002);
    EXPECT_LT(feet.max_depth, 0.001);
    EXPECT_EQ(feet.contacts, MeasureFeet(character, walk).contacts);
    Validate(scaled, character);
  }
  const Motion twice = TimeScaled(walk, character, 2);
  for (int f = 0; f < walk.FrameCount(); ++f) {
    EXPECT_LT(PlaceDistance(character, twice.frames[2 * f], walk.frames[f]), 0.005);
  }
  for (const double factor : {0.0, -1.0, 1e9, static_cast<double>(NAN)}) {
    EXPECT_THROW(TimeScaled(walk, character, factor), InputError);
  }
}

TEST(TimeTest, TheIdentityCurveChangesNothingAndACurveWarps) {
  const Character& character = TestCharacter();
  const Motion& walk = TestMotion("walk");
  const double end = walk.Duration();
  EXPECT_LT(Distance(character,
                     TimeWarped(walk, character, TimeCurve({{0, 0}, {0.4, 0.4}, {end, end}}, true)),
                     walk),
            1e-9);
  // The first half twice as slow.
  const Motion warped =
      TimeWarped(walk, character, TimeCurve({{0, 0}, {end, 0.5 * end}, {1.5 * end, end}}));
  const int middle = walk.FrameCount() - 1;
  EXPECT_NEAR(warped.Duration(), 1.5 * end, 0.51 / walk.fps);
  EXPECT_LT(PlaceDistance(character, warped.frames[middle], walk.frames[middle / 2]), 0.005);
  EXPECT_FALSE(TimeWarped(walk, character, TimeCurve({{0, 0}, {1, 0.5 * end}})).loops);
}

class CharacterMirrorTest : public testing::TestWithParam<const char*> {};

TEST_P(CharacterMirrorTest, MirrorsEveryBodyAndTwiceIsNone) {
  const Character character = LoadCharacter(GetParam());
  std::mt19937 random(3);
  Motion motion;
  for (int f = 0; f < 256; ++f) {
    motion.frames.push_back(RandomPose(character, &random));
    motion.contacts.push_back(static_cast<std::uint8_t>(f));
  }
  const Motion mirrored = Mirrored(motion, character);
  EXPECT_LT(Distance(character, Mirrored(mirrored, character), motion), 1e-9);
  EXPECT_EQ(Mirrored(mirrored, character).contacts, motion.contacts);
  EXPECT_EQ(mirrored.contacts[kLeftFootDown | kRightHandDown], kRightFootDown | kLeftHandDown);
  EXPECT_EQ(mirrored.contacts[kLeftKneeDown | kHeadDown], kRightKneeDown | kHeadDown);
  EXPECT_EQ(mirrored.contacts[kRightKneeDown | kTrunkDown], kLeftKneeDown | kTrunkDown);
  const std::vector<int> image = MirrorBodies(character);
  for (int f = 0; f < 16; ++f) {
    const BodyFrames a = FramesAt(character, motion.frames[f]),
                     b = FramesAt(character, mirrored.frames[f]);
    for (int i = 0; i < character.BodyCount(); ++i) {
      const Vec3d p = a.position[i];
      EXPECT_LT(Norm(b.position[image[i]] - Vec3d{p.x, -p.y, p.z}), 1e-9)
          << character.bodies[i].name;
      const Vec3d x = Rotate(a.rotation[i], {1, 0, 0});
      EXPECT_LT(Norm(Rotate(b.rotation[image[i]], {1, 0, 0}) - Vec3d{x.x, -x.y, x.z}), 1e-9);
    }
  }
  EXPECT_EQ(image[character.BodyOf(Role::kLeftFoot)], character.BodyOf(Role::kRightFoot));
}

INSTANTIATE_TEST_SUITE_P(Characters, CharacterMirrorTest,
                         testing::Values("liu16", "kwon17", "wang09-tall", "human"),
                         [](const auto& info) { return std::string(info.param).substr(0, 4); });

TEST(MirrorTest, RefusesACharacterWhoseSidesDiffer) {
  Character character = TestCharacter();
  Character longer = character;
  longer.bodies[longer.BodyOf(Role::kLeftFoot)].offset.z -= 0.05;
  EXPECT_THAT(InputErrorOf([&] { MirrorBodies(longer); }), HasSubstr("hangs at another place"));
  Character one_armed = character;
  one_armed.roles[static_cast<int>(Role::kLeftForearm)] = -1;
  EXPECT_THAT(InputErrorOf([&] { MirrorBodies(one_armed); }), HasSubstr("has no counterpart"));
}

}  // namespace
}  // namespace stride
