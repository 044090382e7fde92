#include "stride/motion/edit/blend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/motion/edit/edit.h"
#include "stride/motion/edit/ground_move.h"
#include "stride/motion/edit/seam.h"
#include "stride/motion/feet.h"
#include "stride/testing/test_motions.h"

namespace stride {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

double HeadingChange(const Motion& motion) {
  return MoveBetween(TestCharacter(), motion.frames.front(), motion.frames.back()).heading;
}

void ExpectCleanFeet(const Motion& motion, const std::vector<Motion>& sources) {
  const FootMeasures feet = MeasureFeet(TestCharacter(), motion);
  double slide = 0;
  for (const Motion& source : sources)
    slide = std::max(slide, MeasureFeet(TestCharacter(), source).max_slide);
  EXPECT_LT(feet.max_slide, slide + 0.001);
  EXPECT_LT(feet.max_contact_height, 0.002);
  EXPECT_LT(feet.max_depth, 0.001);
}

TEST(BlendTest, OfEqualClipsIsTheClip) {
  const Character& character = TestCharacter();
  for (const char* name : {"walk", "turn_left", "run", "kick"}) {
    const Motion& clip = TestMotion(name);
    const Motion blend = BlendClips(character, {clip, clip, clip}, {1, 2, 0.5});
    EXPECT_LT(Distance(character, blend, clip), 1e-9) << name;
    EXPECT_EQ(blend.contacts, clip.contacts);
    EXPECT_EQ(blend.loops, clip.loops);
  }
}

TEST(BlendTest, WithAllWeightOnOneClipIsThatClip) {
  const Character& character = TestCharacter();
  const Motion &slow = TestMotion("walk_slow"), &fast = TestMotion("walk_fast");
  EXPECT_LT(Distance(character, BlendClips(character, {slow, fast}, {1, 0}), slow), 1e-9);
  Motion other = BlendClips(character, {slow, fast}, {0, 1});
  ASSERT_EQ(other.FrameCount(), fast.FrameCount());
  // It starts where the first clip does.
  Motion expected = fast;
  MoveMotion(character, MoveBetween(character, fast.frames[0], slow.frames[0]), &expected);
  EXPECT_LT(Distance(character, other, expected), 1e-9);
}

TEST(BlendTest, OfSlowAndFastIsInBetween) {
  const Character& character = TestCharacter();
  const Motion &slow = TestMotion("walk_slow"), &fast = TestMotion("walk_fast");
  const Motion blend = BlendClips(character, {slow, fast}, {0.5, 0.5});
  Validate(blend, character);
  EXPECT_TRUE(blend.loops);
  EXPECT_NEAR(blend.Duration(), 0.5 * (slow.Duration() + fast.Duration()), 0.51 / slow.fps);
  // The way of a stride is the mean of both, too.
  const auto way = [](const Motion& m) { return MeanSpeed(m) * m.Duration(); };
  EXPECT_NEAR(way(blend), 0.5 * (way(slow) + way(fast)), 0.01);
  ExpectCleanFeet(blend, {slow, fast});
  EXPECT_EQ(MeasureFeet(character, blend).contacts, MeasureFeet(character, slow).contacts);
  // It loops without a jump.
  double largest = 0;
  for (int f = 1; f + 1 < blend.FrameCount(); ++f)
    largest = std::max(largest, VelocityStep(character, blend, f));
  EXPECT_LT(VelocityStep(character, blend, 0), 1.2 * largest);
}

TEST(BlendTest, WeightsForASpeedGiveThatSpeed) {
  const Character& character = TestCharacter();
  const std::vector<Motion> clips = {TestMotion("walk_fast"), TestMotion("walk_slow"),
                                     TestMotion("walk")};
  for (const double speed : {0.9, 1.1, 1.3, 1.5}) {
    const Motion blend = BlendClips(character, clips, WeightsForSpeed(clips, speed));
    EXPECT_NEAR(MeanSpeed(blend), speed, 0.02 * speed);
    ExpectCleanFeet(blend, clips);
  }
}

TEST(BlendTest, OfLeftAndRightGoesStraightOnAndOfStraightAndLeftTurnsHalf) {
  const Character& character = TestCharacter();
  const Motion &walk = TestMotion("walk"), &left = TestMotion("turn_left");
  const Motion right =
      Mirrored(StartLoopAt(character, left, (left.FrameCount() - 1) / 2), character);
  ASSERT_GT(HeadingChange(left), 0.5);
  const Motion straight = BlendClips(character, {left, right}, {0.5, 0.5});
  EXPECT_NEAR(HeadingChange(straight), 0, 0.05);
  const Motion half = BlendClips(character, {walk, left}, {0.5, 0.5});
  EXPECT_NEAR(HeadingChange(half), 0.5 * HeadingChange(left), 0.02);
  ExpectCleanFeet(half, {walk, left});
}

TEST(BlendTest, StartsLoopsAtTheSameLanding) {
  const Character& character = TestCharacter();
  const Motion& walk = TestMotion("walk");
  const Motion shifted = StartLoopAt(character, walk, 25);
  const Motion blend = BlendClips(character, {walk, shifted}, {0.5, 0.5});
  EXPECT_EQ(blend.FrameCount(), walk.FrameCount());
  EXPECT_NEAR(MeanSpeed(blend), MeanSpeed(walk), 0.01);
}

TEST(BlendTest, OfWalkAndRunIsRegisteredByLandings) {
  const Character& character = TestCharacter();
  const Motion &walk = TestMotion("walk_fast"), &run = TestMotion("run");
  const Motion blend = BlendClips(character, {walk, run}, {0.5, 0.5});
  EXPECT_GT(MeanSpeed(blend), MeanSpeed(walk));
  EXPECT_LT(MeanSpeed(blend), MeanSpeed(run));
  ExpectCleanFeet(blend, {walk, run});
}

TEST(BlendTest, RefusesWhatDoesNotFit) {
  const Character& character = TestCharacter();
  const Motion &walk = TestMotion("walk"), &jump = TestMotion("jump");
  EXPECT_THAT(InputErrorOf([&] {
                BlendClips(character, {walk, jump}, {1, 1});
              }),
              AllOf(HasSubstr("different order"), HasSubstr("'walk'"), HasSubstr("'jump'")));
  EXPECT_THAT(InputErrorOf([&] {
                BlendClips(character, {walk, walk}, {1});
              }),
              HasSubstr("2 clips and 1 weights"));
  EXPECT_THAT(InputErrorOf([&] {
                BlendClips(character, {walk, walk}, {1, -1});
              }),
              HasSubstr("weight -1"));
  EXPECT_THAT(InputErrorOf([&] {
                BlendClips(character, {walk, walk}, {0, 0});
              }),
              HasSubstr("all weights are zero"));
  EXPECT_THAT(InputErrorOf([&] {
                BlendClips(character, {walk, walk}, {1, NAN});
              }),
              HasSubstr("expected 0 or more"));
  EXPECT_THAT(InputErrorOf([&] { BlendClips(character, {}, {}); }), HasSubstr("0 clips"));
  Motion other = walk;
  other.fps = 50;
  EXPECT_THAT(InputErrorOf([&] {
                BlendClips(character, {walk, other}, {1, 1});
              }),
              HasSubstr("expected one rate"));
}

TEST(WeightsTest, AreLinearBetweenNeighboursAndEndAtTheEnds) {
  EXPECT_THAT(WeightsFor({3, 1, 2}, 2.25), ElementsAre(0.25, 0, 0.75));
  EXPECT_THAT(WeightsFor({3, 1, 2}, 0), ElementsAre(0, 1, 0));
  EXPECT_THAT(WeightsFor({3, 1, 2}, 9), ElementsAre(1, 0, 0));
  EXPECT_THAT(WeightsFor({2, 2}, 2), ElementsAre(1, 0));
}

TEST(CrossFadeTest, StartsAsOneClipAndEndsAsTheOther) {
  const Character& character = TestCharacter();
  const Motion a = DriftingRounds(TestMotion("turn_left"), 3, 0),
               b = DriftingRounds(TestMotion("walk"), 3, 0);
  const int frame_a = 150, frame_b = 75;
  const Motion fade = CrossFade(character, a, frame_a, b, frame_b, 0.4);
  ASSERT_EQ(fade.FrameCount(), frame_a + b.FrameCount() - frame_b);
  Validate(fade, character);
  // Beyond the fade by more than a contact and a swing.
  for (int f = 0; f < 60; ++f) EXPECT_LT(Distance(character, fade.frames[f], a.frames[f]), 1e-9);
  const GroundMove move = MoveBetween(character, b.frames.back(), fade.frames.back());
  for (int f = b.FrameCount() - 10; f < b.FrameCount(); ++f) {
    std::vector<double> moved = b.frames[f];
    MovePose(character, move.heading, move.shift, &moved);
    EXPECT_LT(Distance(character, fade.frames[frame_a + f - frame_b], moved), 1e-6);
  }
  ExpectCleanFeet(fade, {a, b});
  double largest = 0, own = 0;
  for (int f = 1; f + 1 < fade.FrameCount(); ++f)
    largest = std::max(largest, VelocityStep(character, fade, f));
  for (int f = 1; f + 1 < a.FrameCount(); ++f) own = std::max(own, VelocityStep(character, a, f));
  EXPECT_LT(largest, 1.5 * own);
}

TEST(CrossFadeTest, NeedsNoFramesBeyondTheEnds) {
  const Character& character = TestCharacter();
  const Motion a = DriftingRounds(TestMotion("walk"), 1, 0),
               b = DriftingRounds(TestMotion("turn_left"), 1, 0.3);
  const Motion fade = CrossFade(character, a, a.FrameCount() - 1, b, 0, 0.4);
  ASSERT_EQ(fade.FrameCount(), a.FrameCount() + b.FrameCount() - 1);
  double own = 0;
  for (int f = 1; f + 1 < b.FrameCount(); ++f) own = std::max(own, VelocityStep(character, b, f));
  EXPECT_LT(VelocityStep(character, fade, a.FrameCount() - 1), 1.2 * own);
  EXPECT_THAT(InputErrorOf([&] { CrossFade(character, a, 1000, b, 0, 0.4); }),
              HasSubstr("at frame 1000"));
}

}  // namespace
}  // namespace stride
