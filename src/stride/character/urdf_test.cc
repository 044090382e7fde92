#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/mjcf.h"
#include "stride/character/rest_pose.h"
#include "stride/core/error.h"
#include "stride/math/rotation.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

// tests/contract/mjcf_mujoco_test.cc compares a whole robot with what MuJoCo makes of it.

MjcfFile Parse(const std::string& content) {
  return ParseMjcf("<robot name=\"r\">\n" + content + "</robot>", "test.urdf", "");
}

const std::string kInertial =
    R"(<inertial><mass value="1"/><inertia ixx=".1" ixy="0" ixz="0" iyy=".1" iyz="0" izz=".1"/></inertial>)";
std::string Link(const std::string& name, const std::string& more = "") {
  return "<link name=\"" + name + "\">" + kInertial + more + "</link>\n";
}
std::string JointOf(const std::string& name, const std::string& type, const std::string& parent,
                    const std::string& child, const std::string& more = "") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent +
         "\"/><child link=\"" + child + "\"/>" + more + "</joint>\n";
}
const std::string kLimit = R"(<limit lower="-1" upper="2" effort="30" velocity="5"/>)";

TEST(ReadUrdf, RootIsFreeUnlessItHangsOnTheWorld) {
  const std::string two = Link("a") + Link("b") + JointOf("j", "revolute", "a", "b", kLimit);
  EXPECT_EQ(Parse(two).character.bodies[0].joint.kind, JointKind::kFree);
  const std::string world = "<link name=\"world\"/>\n" + two;
  EXPECT_EQ(Parse(world + JointOf("w", "floating", "world", "a")).character.bodies[0].joint.kind,
            JointKind::kFree);
  const Character cart = Parse(world + JointOf("w", "prismatic", "world", "a", kLimit)).character;
  EXPECT_TRUE(RunsOnRails(cart));
  const Character fixed = Parse(world + JointOf("w", "fixed", "world", "a")).character;
  ASSERT_EQ(fixed.BodyCount(), 1);
  EXPECT_EQ(fixed.bodies[0].name, "b");
  EXPECT_EQ(fixed.bodies[0].joint.kind, JointKind::kHinge);
  const Character planar =
      Parse(world + JointOf("w", "planar", "world", "a", "<axis xyz=\"0 1 0\"/>")).character;
  EXPECT_EQ(RootBody(planar), 2);
  EXPECT_EQ(planar.bodies[2].joint.axis, (Vec3d{0, 1, 0}));
  EXPECT_NEAR(planar.bodies[0].joint.axis.y, 0, 1e-12);
  EXPECT_EQ(planar.bodies[2].joint.kp, 0);
}

TEST(ReadUrdf, JointsLimitsAndTorques) {
  const Character c =
      Parse(Link("a") + Link("b") + Link("c") + Link("d") +
            JointOf("ab", "revolute", "a", "b",
                    "<origin xyz=\"1 2 3\"/><axis xyz=\"0 0 2\"/><dynamics damping=\"0.7\"/>" +
                        kLimit) +
            JointOf("bc", "continuous", "b", "c") + JointOf("cd", "prismatic", "c", "d", kLimit))
          .character;
  ASSERT_EQ(c.BodyCount(), 4);
  const Joint& ab = c.bodies[1].joint;
  EXPECT_EQ(c.bodies[1].offset, (Vec3d{1, 2, 3}));
  EXPECT_EQ(ab.axis, (Vec3d{0, 0, 1}));
  EXPECT_TRUE(ab.limited);
  EXPECT_EQ(ab.lower, -1);
  EXPECT_EQ(ab.upper, 2);
  EXPECT_EQ(ab.max_torque, 30);
  EXPECT_EQ(ab.damping, 0.7);
  EXPECT_GT(ab.kp, 0);
  EXPECT_FALSE(c.bodies[2].joint.limited);
  EXPECT_EQ(c.bodies[2].joint.axis, (Vec3d{1, 0, 0}));  // URDF's default
  EXPECT_EQ(c.bodies[2].joint.max_torque, 0);
  EXPECT_EQ(c.bodies[3].joint.kind, JointKind::kSlide);
  EXPECT_EQ(c.bodies[3].joint.upper, 2);
}

// Roll, pitch and yaw turn about the fixed axes: a yaw of 90 degrees after a pitch of 90 takes the
// link's x to where the pitch alone put it (-z), and its y to -x.
TEST(ReadUrdf, RollPitchYawAboutFixedAxes) {
  const Character c = Parse(Link("a") + Link("b") +
                            JointOf("ab", "continuous", "a", "b",
                                    "<origin rpy=\"0 1.5707963267948966 1.5707963267948966\"/>"
                                    "<axis xyz=\"0 1 0\"/>"))
                          .character;
  const Vec3d axis = c.bodies[1].joint.axis;
  EXPECT_NEAR(axis.x, -1, 1e-12);
  EXPECT_NEAR(axis.y, 0, 1e-12);
  EXPECT_NEAR(axis.z, 0, 1e-12);
}

TEST(ReadUrdf, FixedLinksAddTheirMass) {
  const std::string turned =
      R"(<link name="b"><inertial><origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/><mass value="2"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/></inertial></link>)";
  const Character c =
      Parse(Link("a") + turned + JointOf("ab", "fixed", "a", "b", "<origin xyz=\"3 0 0\"/>"))
          .character;
  ASSERT_EQ(c.BodyCount(), 1);
  EXPECT_EQ(c.bodies[0].mass, 3);
  EXPECT_NEAR(c.bodies[0].com.x, 2, 1e-12);
  EXPECT_NEAR(c.bodies[0].com.z, 2.0 / 3, 1e-12);
  // About the common centre: 0.1 + 2 (turned by 90 degrees about z) + m1 m2 / (m1 + m2) (z^2).
  EXPECT_NEAR(c.bodies[0].inertia.xx, 0.1 + 2 + 2.0 / 3 * 1, 1e-12);
  EXPECT_NEAR(c.bodies[0].inertia.yy, 0.1 + 1 + 2.0 / 3 * (9 + 1), 1e-12);
}

TEST(ReadUrdf, ShapesAndContactPoints) {
  const std::string shapes =
      R"(<collision><geometry><box size="2 4 6"/></geometry></collision>
      <collision><origin xyz="9 0 0"/><geometry><sphere radius="0.5"/></geometry></collision>
      <collision><origin xyz="20 0 0"/><geometry><cylinder radius="0.5" length="4"/></geometry></collision>
      <collision><origin xyz="30 0 0"/><geometry><cylinder radius="3" length="1"/></geometry></collision>
      <visual><geometry><sphere radius="7"/></geometry></visual>)";
  const Character c = Parse(Link("a", shapes)).character;
  ASSERT_EQ(c.bodies[0].shapes.size(), 4u);
  EXPECT_EQ(c.bodies[0].shapes[0].size, (Vec3d{1, 2, 3}));
  EXPECT_EQ(c.bodies[0].shapes[2].kind, ShapeKind::kCapsule);
  EXPECT_EQ(c.contact_points.size(), 8u + 1 + 2 + 16);
  const Character drawn =
      Parse(Link("a", "<visual><geometry><sphere radius=\"7\"/></geometry></visual>")).character;
  ASSERT_EQ(drawn.bodies[0].shapes.size(), 1u);
  EXPECT_FALSE(drawn.bodies[0].shapes[0].collides);
  EXPECT_TRUE(drawn.contact_points.empty());
}

TEST(ReadUrdf, WhatIsIgnoredIsNamed) {
  const MjcfFile file =
      Parse(Link("a", "<collision><geometry><mesh filename=\"a.stl\"/></geometry></collision>") +
            Link("b", "<visual><geometry><mesh filename=\"b.stl\"/></geometry></visual>") +
            JointOf("ab", "revolute", "a", "b",
                    "<mimic joint=\"x\"/><dynamics friction=\"1\"/><safety_controller/>" + kLimit) +
            "<transmission/><gazebo/>");
  for (const char* expected :
       {"'a' collides as a mesh", "'b' is drawn as a mesh", "mimics 'x'", "friction", "velocity",
        "<safety_controller>", "<transmission>", "<gazebo>", "fall through"}) {
    EXPECT_THAT(file.warnings, Contains(HasSubstr(expected)));
  }
  EXPECT_EQ(file.warnings.size(), 9u) << testing::PrintToString(file.warnings);
}

struct BadUrdf {
  const char* name;
  std::string content;
  const char* place;
  const char* message;
};
class BadUrdfTest : public testing::TestWithParam<BadUrdf> {};
void PrintTo(const BadUrdf& bad, std::ostream* out) { *out << bad.name; }

TEST_P(BadUrdfTest, IsOneErrorWithFileAndLine) {
  EXPECT_THAT(InputErrorOf([&] { Parse(GetParam().content); }),
              AllOf(HasSubstr(GetParam().place), HasSubstr(GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(
    All, BadUrdfTest,
    testing::Values(
        BadUrdf{"nothing", "", "test.urdf:1:", "has no <link>"},
        BadUrdf{"two of a name", Link("a") + Link("a"), "test.urdf:3:", "'a' is used twice"},
        BadUrdf{"two joints of a name",
                Link("a") + Link("b") + Link("c") + JointOf("j", "fixed", "a", "b") +
                    JointOf("j", "fixed", "a", "c"),
                "test.urdf:6:", "'j' is used twice"},
        BadUrdf{"unknown link", Link("a") + JointOf("j", "fixed", "a", "b"),
                "test.urdf:3:", "'b', which is no link"},
        BadUrdf{"two parents",
                Link("a") + Link("b") + Link("c") + JointOf("ac", "fixed", "a", "c") +
                    JointOf("bc", "fixed", "b", "c"),
                "test.urdf:6:", "hangs on two joints, 'ac' and 'bc'"},
        BadUrdf{"loop",
                Link("a") + Link("b") + JointOf("ab", "fixed", "a", "b") +
                    JointOf("ba", "fixed", "b", "a"),
                "test.urdf:2:", "a loop"},
        BadUrdf{"loop aside",
                Link("r") + Link("a") + Link("b") + JointOf("ab", "fixed", "a", "b") +
                    JointOf("ba", "fixed", "b", "a"),
                "test.urdf:3:", "'a' is part of a loop"},
        BadUrdf{"two roots", Link("a") + Link("b"),
                "test.urdf:3:", "2 links hang on nothing: 'a', 'b'"},
        BadUrdf{"no inertia",
                Link("a") + "<link name=\"b\"/>\n" + JointOf("j", "continuous", "a", "b"),
                "test.urdf:3:", "'b' moves"},
        BadUrdf{"no moments", "<link name=\"a\"><inertial><mass value=\"1\"/></inertial></link>",
                "test.urdf:2:", "no <inertia>"},
        BadUrdf{"flat moments",
                "<link name=\"a\"><inertial><mass value=\"1\"/><inertia ixx=\"0\" iyy=\"0\" "
                "izz=\"0\"/></inertial></link>",
                "test.urdf:2:", "positive definite"},
        BadUrdf{"not finite", "<link name=\"a\"><inertial><mass value=\"inf\"/></inertial></link>",
                "test.urdf:2:", "not finite"},
        BadUrdf{
            "no number",
            Link("a") + Link("b") + JointOf("j", "continuous", "a", "b", "<axis xyz=\"0 up 0\"/>"),
            "test.urdf:4:", "'up' is not a number"},
        BadUrdf{
            "no axis",
            Link("a") + Link("b") + JointOf("j", "continuous", "a", "b", "<axis xyz=\"0 0 0\"/>"),
            "test.urdf:4:", "axis"},
        BadUrdf{"no limit", Link("a") + Link("b") + JointOf("j", "revolute", "a", "b"),
                "test.urdf:4:", "no <limit>"},
        BadUrdf{"limits",
                Link("a") + Link("b") +
                    JointOf("j", "prismatic", "a", "b", "<limit lower=\"1\" upper=\"0\"/>"),
                "test.urdf:4:", "lower < upper"},
        BadUrdf{"type", Link("a") + Link("b") + JointOf("j", "screw", "a", "b"),
                "test.urdf:4:", "\"screw\""},
        BadUrdf{"floats inside", Link("a") + Link("b") + JointOf("j", "floating", "a", "b"),
                "test.urdf:4:", "floats inside"},
        BadUrdf{"geometry", Link("a", "<collision><geometry><cone/></geometry></collision>"),
                "test.urdf:2:", "<cone>"},
        BadUrdf{"box", Link("a", "<collision><geometry><box size=\"1 2\"/></geometry></collision>"),
                "test.urdf:2:", "expected 3"},
        BadUrdf{"xacro", "<xacro:macro/>", "test.urdf:2:", "run `xacro`"}));

TEST(ReadUrdf, LongChainsAreAnError) {
  std::string chain = Link("l0");
  for (int i = 1; i < 1000; ++i) {
    const std::string before = "l" + std::to_string(i - 1), here = "l" + std::to_string(i);
    chain += Link(here) + JointOf("j" + here, "continuous", before, here);
  }
  EXPECT_THAT(InputErrorOf([&] { Parse(chain); }), HasSubstr("chain of more than"));
}

}  // namespace
}  // namespace stride
