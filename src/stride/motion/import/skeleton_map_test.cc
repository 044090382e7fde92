#include "stride/motion/import/skeleton_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/core/error.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using ::testing::HasSubstr;

// A skeleton from lines of names, each joint the child of the one before it; a line starts at the
// joint of the first name if that is there already.
SkeletonClip Skeleton(const std::vector<std::vector<std::string>>& chains) {
  SkeletonClip clip;
  clip.source = "clip.bvh";
  for (const std::vector<std::string>& chain : chains) {
    int parent = -1;
    for (const std::string& name : chain) {
      int joint = FindJoint(clip, name);
      if (joint < 0) {
        joint = clip.JointCount();
        clip.joints.push_back({name, parent, {0, 0, 1}, Quatd::Identity(), {}, {}});
      }
      parent = joint;
    }
  }
  return clip;
}

void ExpectPart(const SkeletonClip& clip, const SkeletonMap& map, Role role,
                const std::string& name) {
  ASSERT_GE(map.JointOf(role), 0) << RoleName(role);
  EXPECT_EQ(clip.joints[map.JointOf(role)].name, name) << RoleName(role);
}

TEST(SkeletonMap, RecognisesConventionsByNames) {
  struct Case {
    std::string skeleton;
    std::vector<std::vector<std::string>> chains;
    std::string trunk, left_upper_arm, right_shank;
  };
  const std::vector<Case> cases = {
      {"cmu",
       {{"Hips", "LHipJoint", "LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToeBase"},
        {"Hips", "RHipJoint", "RightUpLeg", "RightLeg", "RightFoot", "RightToeBase"},
        {"Hips", "LowerBack", "Spine", "Spine1", "Neck", "Neck1", "Head"},
        {"Spine1", "LeftShoulder", "LeftArm", "LeftForeArm", "LeftHand"},
        {"Spine1", "RightShoulder", "RightArm", "RightForeArm", "RightHand"}},
       "Spine1",
       "LeftArm",
       "RightLeg"},
      {"mixamo",
       {{"mixamorig:Hips", "mixamorig:LeftUpLeg", "mixamorig:LeftLeg", "mixamorig:LeftFoot"},
        {"mixamorig:Hips", "mixamorig:RightUpLeg", "mixamorig:RightLeg", "mixamorig:RightFoot"},
        {"mixamorig:Hips", "mixamorig:Spine", "mixamorig:Spine2", "mixamorig:Neck",
         "mixamorig:Head"},
        {"mixamorig:Spine2", "mixamorig:LeftShoulder", "mixamorig:LeftArm",
         "mixamorig:LeftForeArm"},
        {"mixamorig:Spine2", "mixamorig:RightShoulder", "mixamorig:RightArm",
         "mixamorig:RightForeArm"}},
       "mixamorig:Spine2",
       "mixamorig:LeftArm",
       "mixamorig:RightLeg"},
      {"mixamo",
       {{"mixamorig4_Hips", "mixamorig4_LeftUpLeg", "mixamorig4_LeftLeg", "mixamorig4_LeftFoot"},
        {"mixamorig4_Hips", "mixamorig4_RightUpLeg", "mixamorig4_RightLeg", "mixamorig4_RightFoot"},
        {"mixamorig4_Hips", "mixamorig4_Spine", "mixamorig4_LeftArm", "mixamorig4_LeftForeArm"},
        {"mixamorig4_Spine", "mixamorig4_RightArm", "mixamorig4_RightForeArm"}},
       "mixamorig4_Spine",
       "mixamorig4_LeftArm",
       "mixamorig4_RightLeg"},
      {"snumrl",
       {{"Hips", "LeftUpLeg", "LeftLeg", "LeftFoot"},
        {"Hips", "Spine", "Spine1", "RightArm", "RightForeArm"},
        {"Spine1", "LeftArm", "LeftForeArm"},
        {"Hips", "RightUpLeg", "RightLeg", "RightFoot"}},
       "Spine1",
       "LeftArm",
       "RightLeg"},
      {"daz",
       {{"hip", "lButtock", "lThigh", "lShin", "lFoot"},
        {"hip", "rButtock", "rThigh", "rShin", "rFoot"},
        {"hip", "abdomen", "chest", "neck", "head"},
        {"chest", "lCollar", "lShldr", "lForeArm", "lHand"},
        {"chest", "rCollar", "rShldr", "rForeArm", "rHand"}},
       "chest",
       "lShldr",
       "rShin"},
      {"biovision",
       {{"Hips", "Chest", "Neck", "Head"},
        {"Chest", "LeftCollar", "LeftShoulder", "LeftElbow", "LeftWrist"},
        {"Chest", "RightCollar", "RightShoulder", "RightElbow", "RightWrist"},
        {"Hips", "LeftHip", "LeftKnee", "LeftAnkle"},
        {"Hips", "RightHip", "RightKnee", "RightAnkle"}},
       "Chest",
       "LeftShoulder",
       "RightKnee"},
      {"deepmimic",
       {{"root", "chest", "neck"},
        {"chest", "left_shoulder", "left_elbow"},
        {"chest", "right_shoulder", "right_elbow"},
        {"root", "left_hip", "left_knee", "left_ankle"},
        {"root", "right_hip", "right_knee", "right_ankle"}},
       "chest",
       "left_shoulder",
       "right_knee"},
      {"cmu-asf",
       {{"root", "lhipjoint", "lfemur", "ltibia", "lfoot", "ltoes"},
        {"root", "rhipjoint", "rfemur", "rtibia", "rfoot", "rtoes"},
        {"root", "lowerback", "thorax", "head"},
        {"thorax", "lclavicle", "lhumerus", "lradius", "lwrist", "lhand"},
        {"thorax", "rclavicle", "rhumerus", "rradius", "rwrist", "rhand"}},
       "thorax",
       "lhumerus",
       "rtibia"},
  };
  for (const Case& c : cases) {
    const SkeletonClip clip = Skeleton(c.chains);
    const SkeletonMap map = RecogniseSkeleton(clip);
    EXPECT_EQ(map.skeleton, c.skeleton);
    ExpectPart(clip, map, Role::kTrunk, c.trunk);
    ExpectPart(clip, map, Role::kLeftUpperArm, c.left_upper_arm);
    ExpectPart(clip, map, Role::kRightShank, c.right_shank);
  }
}

TEST(SkeletonMap, UnknownSkeletonNamesItsJointsAndTheWayOut) {
  const SkeletonClip clip = Skeleton({{"Bone01", "Bone02"}});
  const std::string message = InputErrorOf([&] { RecogniseSkeleton(clip); });
  EXPECT_THAT(message, HasSubstr("clip.bvh"));
  EXPECT_THAT(message, HasSubstr("Bone02"));
  EXPECT_THAT(message, HasSubstr("--map"));
}

TEST(SkeletonMap, ReadsAMapOfOnesOwn) {
  const SkeletonClip clip = Skeleton({{"B0", "B1", "B2", "B3"}, {"B0", "B4", "B5", "B6"}});
  const std::string good =
      "{\"skeleton\": \"bones\", \"joints\": {\"pelvis\": \"B0\",\n\"left_thigh\": \"B1\", "
      "\"left_shank\": \"B2\", "
      "\"left_foot\": \"B3\",\n\"right_thigh\": \"B4\", \"right_shank\": \"B5\", \"right_foot\": "
      "\"B6\"}}";
  const SkeletonMap map = ParseSkeletonMap(good, "map.json", clip);
  EXPECT_EQ(map.skeleton, "bones");
  ExpectPart(clip, map, Role::kRightShank, "B5");
  EXPECT_EQ(map.JointOf(Role::kHead), -1);

  const auto error_with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return InputErrorOf([&] { ParseSkeletonMap(text, "map.json", clip); });
  };
  EXPECT_THAT(error_with("left_thigh", "left_tigh"),
              HasSubstr("map.json:2: 'left_tigh' is no part"));
  EXPECT_THAT(error_with("B5", "B9"), HasSubstr("map.json:3"));
  EXPECT_THAT(error_with("\"left_foot\": \"B3\",", ""), HasSubstr("left_foot"));
  EXPECT_THAT(error_with("B2", "B5"), HasSubstr("not below"));
  EXPECT_THAT(error_with("joints", "joint"), HasSubstr("joints"));
  EXPECT_THAT(error_with("}}", "}"), HasSubstr("JSON"));
}

}  // namespace
}  // namespace stride
