#include "stride/motion/edit/seam.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/core/error.h"
#include "stride/motion/edit/edit.h"
#include "stride/motion/feet.h"
#include "stride/motion/import/cycle.h"
#include "stride/testing/test_motions.h"

namespace stride {
namespace {

using ::testing::HasSubstr;

double LargestStep(const Motion& motion) {
  double largest = 0;
  for (int f = 1; f + 1 < motion.FrameCount(); ++f) {
    largest = std::max(largest, VelocityStep(TestCharacter(), motion, f));
  }
  return largest;
}

class GaitLoopTest : public testing::TestWithParam<const char*> {};

TEST_P(GaitLoopTest, ClosesPoseAndVelocityAndKeepsTravelAndFeet) {
  const Character& character = TestCharacter();
  const Motion& source = TestMotion(GetParam());
  const Motion clip = DriftingRounds(source, 2.5, 0.6);
  const int period = source.FrameCount() - 1;
  // With frames beyond the ends to look at, and without.
  for (const bool inside : {true, false}) {
    const int first = inside ? 17 : 0;
    const Motion from = inside ? clip : Cut(clip, 0, period);
    const Motion loop = MakeLoop(character, from, first, first + period);
    ASSERT_EQ(loop.FrameCount(), period + 1);
    Validate(loop, character);
    EXPECT_TRUE(loop.loops);

    // The next round's first frame is the last one: no jump in place; and none in speed.
    const GroundMove round = MoveBetween(character, loop.frames.front(), loop.frames.back());
    std::vector<double> next = loop.frames.front();
    MovePose(character, round.heading, round.shift, &next);
    EXPECT_LT(Distance(character, next, loop.frames.back()), 1e-9);
    EXPECT_EQ(loop.contacts.front(), loop.contacts.back());
    Motion raw = Cut(from, first, first + period);
    raw.loops = true;
    EXPECT_GT(VelocityStep(character, raw, 0), 5);
    EXPECT_LT(VelocityStep(character, loop, 0), 1.1 * LargestStep(clip));

    const GroundMove wanted =
        MoveBetween(character, from.frames[first], from.frames[first + period]);
    EXPECT_NEAR(round.heading, wanted.heading, 0.05);
    EXPECT_NEAR(Norm(Vec3At(loop.frames.back(), 0) - Vec3At(loop.frames.front(), 0)),
                Norm(Vec3At(from.frames[first + period], 0) - Vec3At(from.frames[first], 0)), 0.02);

    // Feet, also over the seam: two rounds.
    const Motion two = Cut(DriftingRounds(loop, 2, 0), 0, 2 * period);
    const FootMeasures feet = MeasureFeet(character, two);
    EXPECT_LT(feet.max_slide, MeasureFeet(character, clip).max_slide + 0.001);
    EXPECT_LT(feet.max_contact_height, 0.002);
    EXPECT_LT(feet.max_depth, 0.001);
  }
}

INSTANTIATE_TEST_SUITE_P(Gaits, GaitLoopTest, testing::Values("walk", "run", "turn_left"),
                         [](const auto& info) { return std::string(info.param); });

// A round that is known to turn does, whatever the poses say.
TEST(Seam, ALoopGoesOnWhereItIsTold) {
  const Character& character = TestCharacter();
  const Motion& walk = TestMotion("walk");
  const Motion clip = Cut(DriftingRounds(walk, 1, 0.3), 0, walk.FrameCount() - 1);
  SeamOptions options;
  options.next = GroundMove{0.5, {1.1, 0.2, 0}};
  const Motion loop = MakeLoop(character, clip, 0, clip.FrameCount() - 1, options);
  const GroundMove round = MoveBetween(character, loop.frames.front(), loop.frames.back());
  EXPECT_NEAR(round.heading, 0.5, 1e-9);
  EXPECT_LT(Norm(round.shift - options.next->shift), 1e-9);
  EXPECT_LT(VelocityStep(character, loop, 0), 2 * LargestStep(clip));
}

TEST(LoopTest, OfALoopIsTheLoop) {
  const Character& character = TestCharacter();
  const Motion& walk = TestMotion("walk");
  EXPECT_LT(Distance(character, MakeLoop(character, walk, 0, walk.FrameCount() - 1), walk), 1e-6);
}

TEST(LoopTest, RefusesRangesThatAreNone) {
  const Motion& walk = TestMotion("walk");
  for (const auto& [first, last] : {std::pair{-1, 5}, {7, 8}, {0, walk.FrameCount()}}) {
    EXPECT_THAT(InputErrorOf([&, f = first, l = last] { MakeLoop(TestCharacter(), walk, f, l); }),
                HasSubstr("expected at least three within 0 to"));
  }
}

TEST(LoopTest, StartsAtAnotherFrameAndPlaysTheSame) {
  const Character& character = TestCharacter();
  const Motion& turn = TestMotion("turn_left");
  const Motion later = StartLoopAt(character, turn, 23);
  ASSERT_EQ(later.FrameCount(), turn.FrameCount());
  for (int f = 0; f < 150; ++f) {
    const double t = f / turn.fps;
    EXPECT_LT(Distance(character, SampleMotion(later, character, t),
                       SampleMotion(turn, character, t + 23 / turn.fps)),
              1e-6);
    EXPECT_EQ(SampleContacts(later, t), SampleContacts(turn, t + 23 / turn.fps));
  }
  EXPECT_THROW(StartLoopAt(character, DriftingRounds(turn, 1, 0), 3), InputError);
}

TEST(JoinTest, OfNeighbouringStretchesIsTheClip) {
  const Character& character = TestCharacter();
  const Motion& walk = TestMotion("walk");
  const int last = walk.FrameCount() - 1;
  EXPECT_LT(Distance(character,
                     Join(character, {{&walk, 0, 20}, {&walk, 20, 40}, {&walk, 40, last}}), walk),
            1e-9);
}

TEST(JoinTest, GoesFromOneClipToAnotherWithoutJumpsOrSliding) {
  const Character& character = TestCharacter();
  const Motion a = DriftingRounds(TestMotion("walk"), 3, 0),
               b = DriftingRounds(TestMotion("turn_left"), 3, 0.3);
  const int end = 150, start = 30;
  const Motion joined = Join(character, {{&a, 0, end}, {&b, start, b.FrameCount() - 1}});
  ASSERT_EQ(joined.FrameCount(), end + b.FrameCount() - start);
  Validate(joined, character);
  // Away from the seam by more than a contact and a swing: a as it is, b moved about.
  for (int f = 0; f < 60; ++f) EXPECT_LT(Distance(character, joined.frames[f], a.frames[f]), 1e-9);
  const GroundMove move = MoveBetween(character, b.frames.back(), joined.frames.back());
  for (int f = b.FrameCount() - 10; f < b.FrameCount(); ++f) {
    std::vector<double> moved = b.frames[f];
    MovePose(character, move.heading, move.shift, &moved);
    EXPECT_LT(Distance(character, joined.frames[end + f - start], moved), 1e-6);
  }
  EXPECT_LT(LargestStep(joined), 1.5 * std::max(LargestStep(a), LargestStep(b)));
  const double slide =
      std::max(MeasureFeet(character, a).max_slide, MeasureFeet(character, b).max_slide);
  EXPECT_LT(MeasureFeet(character, joined).max_slide, slide + 0.001);
}

TEST(JoinTest, RefusesWhatDoesNotFit) {
  const Character& character = TestCharacter();
  const Motion& walk = TestMotion("walk");
  Motion other = walk;
  other.fps = 50;
  EXPECT_THROW(Join(character, {}), InputError);
  EXPECT_THAT(InputErrorOf([&] {
                Join(character, {{&walk, 0, 10}, {&other, 0, 10}});
              }),
              HasSubstr("expected one rate"));
  EXPECT_THAT(InputErrorOf([&] {
                Join(character, {{&walk, 0, 1000}});
              }),
              HasSubstr("no frames 0 to 1000"));
}

class GaitCycleTest : public testing::TestWithParam<const char*> {};

TEST_P(GaitCycleTest, IsOneStride) {
  const Character& character = TestCharacter();
  const Motion& source = TestMotion(GetParam());
  Motion clip = DriftingRounds(source, 2.7, 0.1);
  const Cycle labelled = FindCycle(character, clip);
  ASSERT_TRUE(labelled.found);
  EXPECT_NEAR(labelled.last - labelled.first, source.FrameCount() - 1, 1);
  EXPECT_LT(labelled.distance, 0.02);
  EXPECT_EQ(clip.contacts[labelled.first], clip.contacts[labelled.last]);
  clip.contacts.assign(clip.contacts.size(), 0);
  const Cycle bare = FindCycle(character, clip);
  ASSERT_TRUE(bare.found);
  EXPECT_NEAR(bare.last - bare.first, source.FrameCount() - 1, 1);
}

INSTANTIATE_TEST_SUITE_P(Gaits, GaitCycleTest,
                         testing::Values("walk_slow", "walk", "run", "turn_right", "march"),
                         [](const auto& info) { return std::string(info.param); });

TEST(CycleTest, IsNotInAStandOrInHalfAStride) {
  const Character& character = TestCharacter();
  EXPECT_FALSE(FindCycle(character, TestMotion("stand")).found);
  const Motion& walk = TestMotion("walk");
  EXPECT_FALSE(FindCycle(character, Cut(walk, 0, walk.FrameCount() * 3 / 4)).found);
  EXPECT_FALSE(FindCycle(character, Cut(walk, 0, 1)).found);
  // First a stand, then a walk: the stand is more alike, but does not move.
  const Motion stand = DriftingRounds(TestMotion("stand"), 0.5, 0),
               steps = DriftingRounds(walk, 2.2, 0);
  const Motion both =
      Join(character, {{&stand, 0, stand.FrameCount() - 1}, {&steps, 0, steps.FrameCount() - 1}});
  const Cycle cycle = FindCycle(character, both);
  ASSERT_TRUE(cycle.found);
  EXPECT_GT(cycle.first, stand.FrameCount() - 5);
}

}  // namespace
}  // namespace stride
