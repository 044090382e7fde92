#include "stride/motion/import/retarget.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/core/error.h"
#include "stride/math/rotation.h"
#include "stride/testing/puppet.h"

namespace stride {
namespace {

using ::testing::HasSubstr;

struct Outcome {
  Retargeted retargeted;
  std::vector<std::string> warnings;
};
Outcome RetargetClip(const SkeletonClip& clip, const Character& character,
                     RetargetOptions options = {.cutoff = 0}) {
  Outcome outcome;
  const SourceClip source(clip, RecogniseSkeleton(clip), options.first_frame, options.last_frame,
                          &outcome.warnings);
  outcome.retargeted = Retarget(source, character, options);
  return outcome;
}

double LargestDifference(const Character& character, const Motion& a, const Motion& b) {
  double largest = 0;
  for (int f = 0; f < a.FrameCount(); ++f) {
    const std::vector<double> v = PoseDifference(character, a.frames[f], b.frames[f], 1);
    for (std::size_t i = 6; i < v.size(); ++i) largest = std::max(largest, std::fabs(v[i]));
  }
  return largest;
}

TEST(Retarget, ACharactersOwnMotionComesBack) {
  for (const char* name : {"liu16", "lee10", "human"}) {
    const Character character = LoadCharacter(name);
    const Motion motion = MarchingMotion(character, 2, 30);
    const Outcome outcome = RetargetClip(PuppetClip(character, motion), character);
    EXPECT_NEAR(outcome.retargeted.scale, 1, 1e-9);
    EXPECT_TRUE(outcome.warnings.empty());
    ASSERT_EQ(outcome.retargeted.motion.FrameCount(), motion.FrameCount());
    Validate(outcome.retargeted.motion, character);
    EXPECT_LT(LargestDifference(character, motion, outcome.retargeted.motion), 0.02) << name;
    EXPECT_LT(
        BoneDirectionError(character, outcome.retargeted.motion, outcome.retargeted.directions),
        0.1)
        << name;
  }
}

TEST(Retarget, KeepsBoneDirectionsOnEveryBody) {
  const Character from = LoadCharacter("lee10");
  const SkeletonClip clip = PuppetClip(from, MarchingMotion(from, 2, 30));
  for (const char* name : {"liu16", "kwon17", "human", "wang09-longarm", "wang09-tall"}) {
    const Character character = LoadCharacter(name);
    const Outcome outcome = RetargetClip(clip, character);
    EXPECT_LT(
        BoneDirectionError(character, outcome.retargeted.motion, outcome.retargeted.directions),
        1.0)
        << name;
  }
}

TEST(Retarget, ScaleComesFromTheLegs) {
  const Character character = LoadCharacter("liu16");
  const SkeletonClip clip =
      PuppetClip(character, MarchingMotion(character, 1, 30), 39.37);  // inches
  const Retargeted inches = RetargetClip(clip, character).retargeted;
  EXPECT_NEAR(inches.scale, 1 / 39.37, 1e-9);
  const Retargeted metres =
      RetargetClip(PuppetClip(character, MarchingMotion(character, 1, 30)), character).retargeted;
  for (int f = 0; f < metres.motion.FrameCount(); ++f) {
    for (std::size_t i = 0; i < metres.motion.frames[f].size(); ++i) {
      EXPECT_NEAR(inches.motion.frames[f][i], metres.motion.frames[f][i], 1e-6);
    }
  }
}

TEST(Retarget, StartsAtTheOriginFacingForwards) {
  const Character character = LoadCharacter("liu16");
  Motion motion = MarchingMotion(character, 2, 60);
  for (std::vector<double>& q : motion.frames) MovePose(character, 2.1, {5, -3, 0}, &q);
  const Motion result = RetargetClip(PuppetClip(character, motion), character).retargeted.motion;
  EXPECT_NEAR(result.frames[0][0], 0, 1e-9);
  EXPECT_NEAR(result.frames[0][1], 0, 1e-9);
  EXPECT_NEAR(Heading(QuatAt(result.frames[0], 3)), 0,
              0.06);  // the mean of the first tenth of a second faces +X
}

TEST(Retarget, TravelGoesAlongXWhereItIsStraight) {
  const Character character = LoadCharacter("liu16");
  Motion motion = MarchingMotion(character, 3, 60);
  for (int f = 0; f < motion.FrameCount(); ++f) {
    MovePose(character, -1.0, {0, 0, 0}, &motion.frames[f]);
    // Five degrees to the left of where it faces.
    const double way = 1.2 * f / 60, direction = -1.0 + 5 * M_PI / 180;
    MovePose(character, 0, {way * std::cos(direction), way * std::sin(direction), 0},
             &motion.frames[f]);
  }
  const Motion result = RetargetClip(PuppetClip(character, motion), character).retargeted.motion;
  EXPECT_NEAR(result.frames[60][1], 0, 1e-6);
  EXPECT_NEAR(result.frames[60][0], 1.2, 1e-6);
}

TEST(Retarget, ResamplesAndCutsTheRange) {
  const Character character = LoadCharacter("liu16");
  const SkeletonClip clip = PuppetClip(character, MarchingMotion(character, 2, 60));
  RetargetOptions options;
  options.fps = 30;
  options.first_frame = 20;
  options.last_frame = 80;
  const Motion half = RetargetClip(clip, character, options).retargeted.motion;
  EXPECT_EQ(half.FrameCount(), 31);
  EXPECT_EQ(half.fps, 30);
  options.source_fps = 120;  // the same frames in half the time
  EXPECT_EQ(RetargetClip(clip, character, options).retargeted.motion.FrameCount(), 16);
  options.last_frame = 999;
  EXPECT_THROW(RetargetClip(clip, character, options), InputError);
}

// The T-pose of a character whose zero pose has the arms hanging.
std::vector<double> TPose(const Character& character) {
  const Layout layout = LayoutOf(character);
  std::vector<double> q = ZeroState(character).q;
  Put(AxisAngle({1, 0, 0}, M_PI / 2), layout.q[character.BodyOf(Role::kLeftUpperArm)], &q);
  Put(AxisAngle({1, 0, 0}, -M_PI / 2), layout.q[character.BodyOf(Role::kRightUpperArm)], &q);
  return q;
}

TEST(Retarget, DropsAnArtificialTPoseAndEmptyFrames) {
  const Character character = LoadCharacter("liu16");
  Motion motion = MarchingMotion(character, 1, 30);
  const int frames = motion.FrameCount();
  motion.frames.insert(motion.frames.begin(), TPose(character));
  SkeletonClip clip = PuppetClip(character, motion);
  const Outcome outcome = RetargetClip(clip, character);
  EXPECT_EQ(outcome.retargeted.motion.FrameCount(), frames);
  EXPECT_THAT(outcome.warnings, ::testing::ElementsAre(HasSubstr("T-pose")));

  for (const int f : {1, 2}) {
    clip.root_positions[f] = {};
    for (int j = 0; j < clip.JointCount(); ++j)
      clip.rotations[f * clip.JointCount() + j] = Quatd::Identity();
  }
  std::vector<std::string> warnings;
  const SourceClip source(clip, RecogniseSkeleton(clip), 1, -1, &warnings);
  EXPECT_EQ(source.FrameCount(), frames - 2);
  EXPECT_THAT(warnings, ::testing::Contains(HasSubstr("2 frames without data")));
}

TEST(Retarget, ATPoseThatIsPartOfTheMotionStays) {
  const Character character = LoadCharacter("liu16");
  Motion motion;
  motion.fps = 30;
  motion.frames.assign(10, TPose(character));
  motion.contacts.assign(10, 0);
  EXPECT_EQ(RetargetClip(PuppetClip(character, motion), character).retargeted.motion.FrameCount(),
            10);
}

// Written with X up: what a reader makes of a file in other axes than its format's.
TEST(Retarget, TurnsASkeletonThatLiesUpright) {
  const Character character = LoadCharacter("liu16");
  const Motion motion = MarchingMotion(character, 1, 30);
  const Quatd lying = AxisAngle({0, 1, 0}, M_PI / 2);
  SkeletonClip clip = PuppetClip(character, motion);
  for (ClipJoint& joint : clip.joints) {
    joint.offset = Rotate(lying, joint.offset);
    for (Vec3d& end : joint.end_sites) end = Rotate(lying, end);
  }
  for (Vec3d& position : clip.root_positions) position = Rotate(lying, position);
  for (Quatd& q : clip.rotations) q = lying * q * Conjugate(lying);
  const Outcome outcome = RetargetClip(clip, character);
  EXPECT_THAT(outcome.warnings, ::testing::Contains(HasSubstr("upright")));
  EXPECT_LT(LargestDifference(character, motion, outcome.retargeted.motion), 0.02);
}

TEST(Retarget, RefusesWhatIsNoHuman) {
  const Character human = LoadCharacter("liu16");
  const SkeletonClip clip = PuppetClip(human, MarchingMotion(human, 0.5, 30));
  EXPECT_THROW(RetargetClip(clip, LoadCharacter("snake")), InputError);
}

}  // namespace
}  // namespace stride
