#include "stride/motion/skeleton_clip.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/core/error.h"
#include "stride/math/rotation.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using ::testing::HasSubstr;

// Hips at (1, 2, 3) with an arm of two bones of length 1 along +Y.
SkeletonClip Arm() {
  SkeletonClip clip;
  clip.fps = 30;
  clip.joints = {{"hips", -1, {0, 0, 0}}, {"upper", 0, {0, 1, 0}}, {"lower", 1, {0, 1, 0}}};
  clip.root_positions = {{1, 2, 3}};
  clip.rotations.assign(3, Quatd::Identity());
  return clip;
}

std::string ErrorOf(const SkeletonClip& clip) {
  return InputErrorOf([&] { Validate(clip); });
}

void ExpectNear(const Vec3d& a, const Vec3d& b) {
  EXPECT_LT(Norm(a - b), 1e-12) << a.x << ' ' << a.y << ' ' << a.z;
}

TEST(SkeletonClipTest, PositionsFollowTheChain) {
  SkeletonClip clip = Arm();
  clip.rotations[0] = AxisAngle({0, 0, 1}, std::numbers::pi / 2);  // +Y to -X
  clip.rotations[1] = AxisAngle({0, 0, 1}, -std::numbers::pi / 2);
  const ClipPose pose = Positions(clip, 0);
  ExpectNear(pose.positions[0], {1, 2, 3});
  ExpectNear(pose.positions[1], {0, 2, 3});
  ExpectNear(pose.positions[2], {0, 3, 3});
}

TEST(SkeletonClipTest, MovingJointsLeaveTheirOffsets) {
  SkeletonClip clip = Arm();
  clip.moving = {2};
  clip.translations = {{0, 0, 5}};
  ExpectNear(Positions(clip, 0).positions[2], {1, 3, 8});
  ExpectNear(RestPositions(clip).positions[2], {0, 2, 0});
}

TEST(SkeletonClipTest, ValidateNamesWhatIsWrong) {
  EXPECT_EQ(ErrorOf(Arm()), "");
  EXPECT_THAT(ErrorOf({}), HasSubstr("no joints"));
  SkeletonClip clip = Arm();
  clip.joints[2].name = "upper";
  EXPECT_THAT(ErrorOf(clip), HasSubstr("two joints are called 'upper'"));
  clip = Arm();
  clip.joints[2].parent = -1;
  EXPECT_THAT(ErrorOf(clip), HasSubstr("'lower' does not follow its parent"));
  clip = Arm();
  clip.joints[1].parent = 2;
  EXPECT_THAT(ErrorOf(clip), HasSubstr("'upper' does not follow its parent"));
  clip = Arm();
  clip.rotations[1].w = 2;
  EXPECT_THAT(ErrorOf(clip), HasSubstr("frame 0"));
  clip = Arm();
  clip.root_positions[0].x = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(ErrorOf(clip), HasSubstr("frame 0"));
  clip = Arm();
  clip.rotations.pop_back();
  EXPECT_THAT(ErrorOf(clip), HasSubstr("do not fit"));
  clip = Arm();
  clip.fps = 0;
  EXPECT_THAT(ErrorOf(clip), HasSubstr("frame rate"));
  clip = Arm();
  clip.moving = {0};
  clip.translations = {{0, 0, 0}};
  EXPECT_THAT(ErrorOf(clip), HasSubstr("moving"));
}

TEST(SkeletonClipTest, ValidateRejectsDeepNesting) {
  SkeletonClip clip;
  clip.fps = 30;
  clip.root_positions = {{}};
  for (int j = 0; j <= kMaxClipDepth; ++j)
    clip.joints.push_back({"j" + std::to_string(j), j - 1, {}});
  clip.rotations.assign(clip.joints.size(), Quatd::Identity());
  EXPECT_THAT(ErrorOf(clip), HasSubstr("nested deeper"));
}

TEST(SkeletonClipTest, SignsContinue) {
  SkeletonClip clip = Arm();
  clip.root_positions.push_back({1, 2, 3});
  clip.rotations.insert(clip.rotations.end(), 3, Quatd{-1, 0, 0, 0});
  MakeSignsContinuous(&clip);
  for (const Quatd& q : clip.rotations) EXPECT_EQ(q.w, 1);
}

TEST(SkeletonClipTest, FrameTimesOfWholeRatesAreRecognised) {
  EXPECT_EQ(FpsFromFrameTime(0.0083333, 1e-7), 120);
  EXPECT_EQ(FpsFromFrameTime(0.0333, 1e-4), 30);
  EXPECT_NEAR(FpsFromFrameTime(0.033367, 1e-6), 29.97, 1e-3);
  EXPECT_EQ(FpsFromFrameTime(0.01, 0), 100);
}

}  // namespace
}  // namespace stride
