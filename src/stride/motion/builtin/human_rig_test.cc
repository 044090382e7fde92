#include "stride/motion/builtin/human_rig.h"

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/character/rest_pose.h"
#include "stride/core/error.h"
#include "stride/math/rotation.h"

namespace stride {
namespace {

TEST(HumanRig, PutsFeetAndHandsWhereTold) {
  for (const char* name : {"liu16", "lee10", "kwon17", "human", "wang09-tall"}) {
    SCOPED_TRACE(name);
    const Character character = LoadCharacter(name);
    const HumanRig rig(character);
    HumanPose pose;
    pose.pelvis = {0.1, -0.05, 0.9 * rig.HipHeight()};
    pose.rotation = AxisAngle({0, 1, 0}, 0.2);
    pose.spine = Exp({0.05, 0.3, -0.2});
    const LimbEnd foot = rig.StandingFoot({0.2, 0.1, 0}, 0, -0.3);
    rig.PlaceFoot(kLeftSide, foot, &pose);
    const Vec3d hand = rig.HandAt(kRightSide, pose) + Vec3d{0.15, -0.1, 0.2};
    rig.PlaceHand(kRightSide, hand, &pose);
    EXPECT_LT(Norm(rig.HandAt(kRightSide, pose) - hand), 1e-9);
    // The same by the character's own kinematics.
    const BodyFrames frames = FramesAt(character, rig.Coordinates(pose));
    const int body = character.BodyOf(Role::kLeftFoot);
    EXPECT_LT(Norm(frames.position[body] - foot.position), 1e-6);
    // An ankle of two axes leaves a little.
    EXPECT_LT(Norm(Log(Conjugate(frames.rotation[body]) * foot.rotation)), 0.03);
    EXPECT_LT(Norm(frames.position[character.BodyOf(Role::kPelvis)] - pose.pelvis), 1e-9);
  }
}

TEST(HumanRig, FootRollsOverHeelAndBallWithoutSlipping) {
  for (const char* name : {"liu16", "lee10", "kwon17"}) {
    SCOPED_TRACE(name);
    const Character character = LoadCharacter(name);
    const HumanRig rig(character);
    const Vec3d ground{1, 0.1, 0};
    EXPECT_NEAR(rig.StandingFoot(ground, 0, 0).position.z, rig.AnkleHeight(), 1e-12);
    for (double pitch = -1; pitch <= 0.5; pitch += 0.05) {
      const LimbEnd foot = rig.StandingFoot(ground, 0.4, pitch);
      const double low = rig.LowestPoint(kLeftSide, foot, rig.StandingToe(pitch));
      EXPECT_NEAR(low, 0, 1e-9) << pitch;
    }
  }
}

TEST(HumanRig, ReachesForWhatIsTooFar) {
  const Character character = LoadCharacter("liu16");
  const HumanRig rig(character);
  HumanPose pose;
  pose.pelvis = {0, 0, 1};
  rig.PlaceFoot(kLeftSide, {{3, 0.1, 0}, Quatd::Identity()}, &pose);
  EXPECT_NEAR(pose.legs[kLeftSide].knee, 0.03, 1e-9);
  const Vec3d way = rig.FootAt(kLeftSide, pose).position - rig.LimbRoot(kLeftSide, pose);
  EXPECT_NEAR(Norm(way), rig.LimbReach(kLeftSide), 1e-9);
  EXPECT_GT(way.x, 0.9 * Norm(way));
}

TEST(HumanRig, NeedsAHuman) { EXPECT_THROW(HumanRig(LoadCharacter("snake")), InputError); }

}  // namespace
}  // namespace stride
