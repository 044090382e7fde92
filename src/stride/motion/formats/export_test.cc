#include "stride/motion/formats/export.h"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/character/rest_pose.h"
#include "stride/core/error.h"
#include "stride/motion/formats/bvh/bvh.h"
#include "stride/motion/formats/gltf/gltf.h"
#include "stride/motion/import/skeleton_map.h"
#include "stride/motion/library.h"

namespace stride {
namespace {

// Largest distance between a joint of the clip and the frame of the body of that name, m.
double LargestError(const SkeletonClip& clip, const Motion& motion, const Character& character) {
  double largest = 0;
  for (int f = 0; f < motion.FrameCount(); ++f) {
    const BodyFrames frames = FramesAt(character, motion.frames[f]);
    const ClipPose pose = Positions(clip, f);
    for (int j = 0; j < clip.JointCount(); ++j) {
      const int body = FindBody(character, clip.joints[j].name);
      if (body < 0) return HUGE_VAL;
      largest = std::max(largest, Norm(pose.positions[j] - frames.position[body]));
      // The frames' axes too, at the end of a bone's length.
      const Vec3d bone{0.3, 0.3, 0.3};
      largest = std::max(
          largest, Norm(Rotate(pose.rotations[j], bone) - Rotate(frames.rotation[body], bone)));
    }
  }
  return largest;
}

int BodiesWithMass(const Character& character) {
  return static_cast<int>(std::count_if(character.bodies.begin(), character.bodies.end(),
                                        [](const Body& body) { return body.mass > 0; }));
}

using Case = std::tuple<const char*, const char*>;  // character, motion

class ExportRoundTrip : public ::testing::TestWithParam<Case> {};

TEST_P(ExportRoundTrip, JointsAreWhereTheBodiesAre) {
  const Character character = LoadCharacter(std::get<0>(GetParam()));
  const Motion motion = LoadMotion(std::get<1>(GetParam()), character);
  const SkeletonClip clip = ClipFromMotion(motion, character);
  EXPECT_EQ(clip.JointCount(), BodiesWithMass(character));
  EXPECT_LT(LargestError(clip, motion, character), 1e-9);

  const SkeletonClip bvh = ReadBvh(WriteBvh(clip), "exported.bvh");
  const SkeletonClip glb = ReadGltf(WriteGlb(clip), "exported.glb");
  for (const SkeletonClip* back : {&bvh, &glb}) {
    SCOPED_TRACE(back->format);
    EXPECT_EQ(back->JointCount(), clip.JointCount());
    ASSERT_EQ(back->FrameCount(), motion.FrameCount());
    EXPECT_NEAR(back->fps, motion.fps, 1e-4);
    EXPECT_LT(LargestError(*back, motion, character), 1e-4);
    for (const ClipJoint& joint : clip.joints) {
      const int j = FindJoint(*back, joint.name);
      ASSERT_GE(j, 0) << joint.name;
      ASSERT_EQ(back->joints[j].end_sites.size(), joint.end_sites.size()) << joint.name;
      for (std::size_t e = 0; e < joint.end_sites.size(); ++e) {
        EXPECT_LT(Norm(back->joints[j].end_sites[e] - joint.end_sites[e]), 1e-5) << joint.name;
      }
    }
  }
}

std::string CaseName(const ::testing::TestParamInfo<Case>& info) {
  std::string name = std::string(std::get<0>(info.param)) + "_" + std::get<1>(info.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, ExportRoundTrip,
                         ::testing::Combine(::testing::Values("liu16", "lee10", "kwon17",
                                                              "wang09-tall"),
                                            ::testing::Values("walk", "cartwheel")),
                         CaseName);

TEST(Export, EveryEndOfTheBodyHasATip) {
  const Character character = LoadCharacter("liu16");
  const SkeletonClip clip = ClipFromMotion(LoadMotion("stand", character), character);
  const auto tip = [&](const char* name) {
    const auto& ends = clip.joints[FindJoint(clip, name)].end_sites;
    return ends.size() == 1 ? ends[0] : Vec3d{};
  };
  EXPECT_GT(tip("head").z, 0.1);
  EXPECT_GT(tip("left_toe").x, 0.02);
  EXPECT_TRUE(clip.joints[FindJoint(clip, "left_thigh")].end_sites.empty());
}

TEST(Export, TheSkeletonIsRecognised) {
  for (const char* name : {"liu16", "lee10", "kwon17", "wang09-tall"}) {
    const Character character = LoadCharacter(name);
    const SkeletonClip clip = ClipFromMotion(LoadMotion("walk", character), character);
    const SkeletonMap map = RecogniseSkeleton(clip);
    for (const Role role : {Role::kPelvis, Role::kLeftThigh, Role::kRightShank, Role::kLeftFoot,
                            Role::kRightUpperArm, Role::kHead}) {
      ASSERT_GE(map.JointOf(role), 0) << name << " " << RoleName(role);
      EXPECT_EQ(clip.joints[map.JointOf(role)].name, character.bodies[character.BodyOf(role)].name);
    }
  }
}

TEST(Export, AMotionOfAnotherCharacterIsRefused) {
  const Character character = LoadCharacter("liu16");
  const Motion motion = LoadMotion("walk", character);
  EXPECT_THROW(ClipFromMotion(motion, LoadCharacter("lee10")), InputError);
}

}  // namespace
}  // namespace stride
