#include "stride/character/mjcf.h"

#include <cmath>
#include <filesystem>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/character/paper_bodies.h"
#include "stride/character/rest_pose.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

constexpr double kDegree = std::numbers::pi / 180;

MjcfFile Parse(const std::string& xml) { return ParseMjcf(xml, "test.xml", ""); }

// A free ball with `content` inside its body, from line 3 on.
std::string InBall(const std::string& content, const std::string& sections = "") {
  return "<mujoco>\n<worldbody><body name=\"ball\" pos=\"0 0 1\"><freejoint/><geom "
         "size=\".1\"/>\n" +
         content + "</body></worldbody>" + sections + "</mujoco>";
}

void ExpectNear(const Vec3d& a, const Vec3d& b, double tolerance = 1e-12) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

TEST(ReadMjcf, SeveralHingesBecomeAChain) {
  const Character c = Parse(InBall(R"(<body name="leg" pos="0 .1 -.2">
      <joint name="x" axis="2 0 0" range="-30 40"/><joint name="y" axis="0 1 0" pos="0 0 -.1"/>
      <geom type="capsule" fromto="0 0 0 0 0 -.4" size=".05"/></body>)"))
                          .character;
  ASSERT_EQ(c.BodyCount(), 3);
  EXPECT_EQ(c.bodies[1].name, "leg/x");
  EXPECT_EQ(c.bodies[1].mass, 0);
  EXPECT_TRUE(c.bodies[1].joint.limited);
  EXPECT_NEAR(c.bodies[1].joint.lower, -30 * kDegree, 1e-15);
  EXPECT_NEAR(c.bodies[1].joint.upper, 40 * kDegree, 1e-15);
  ExpectNear(c.bodies[1].joint.axis, {1, 0, 0});
  ExpectNear(c.bodies[1].offset, {0, 0.1, -0.2});
  EXPECT_EQ(c.bodies[2].name, "leg");
  EXPECT_EQ(c.bodies[2].parent, 1);
  EXPECT_FALSE(c.bodies[2].joint.limited);
  ExpectNear(c.bodies[2].offset, {0, 0, -0.1});
  ExpectNear(c.bodies[2].com, {0, 0, -0.1});  // the capsule's centre, seen from the second joint
}

TEST(ReadMjcf, CapsuleInertiaCountsItsHemispheres) {
  const Body body = Parse(R"(<mujoco><worldbody><body><freejoint/>
      <geom type="capsule" size="0.1 0.2" mass="3"/></body></worldbody></mujoco>)")
                        .character.bodies[0];
  // Sum of a cylinder (r 0.1, h 0.4) and two hemispheres of equal density, centres 3r/8 from their
  // base.
  const double pi = std::numbers::pi, r = 0.1, h = 0.4;
  const double cylinder = pi * r * r * h, ball = 4 * pi / 3 * r * r * r,
               density = 3 / (cylinder + ball);
  const double hemisphere_across = 83.0 / 320 * r * r + std::pow(h / 2 + 3 * r / 8, 2);
  EXPECT_NEAR(body.inertia.xx,
              density * (cylinder * (r * r / 4 + h * h / 12) + ball * hemisphere_across), 1e-12);
  EXPECT_NEAR(body.inertia.zz, density * (cylinder * r * r / 2 + ball * 0.4 * r * r), 1e-12);
  EXPECT_NEAR(body.mass, 3, 1e-12);
}

TEST(ReadMjcf, TurnedBodiesComeOutAlignedWithTheWorld) {
  // A quarter turn about z at the root: what is x in the file is y in the world.
  const Character c =
      Parse(R"(<mujoco><worldbody><body name="root" pos="1 2 3" euler="0 0 90"><freejoint/>
      <geom type="box" size=".1 .2 .3" pos=".5 0 0"/>
      <body name="arm" pos="1 0 0"><joint axis="1 0 0"/><geom size=".1" pos=".4 0 0"/></body>
      </body></worldbody></mujoco>)")
          .character;
  ExpectNear(c.bodies[0].offset, {1, 2, 3});
  ExpectNear(c.bodies[0].com, {0, 0.5, 0});
  EXPECT_GT(c.bodies[0].inertia.yy,
            c.bodies[0].inertia.zz);  // the box's longest sides are y and z of the file
  ExpectNear(c.bodies[1].offset, {0, 1, 0});
  ExpectNear(c.bodies[1].joint.axis, {0, 1, 0});
  ExpectNear(c.bodies[1].com, {0, 0.4, 0});
}

TEST(ReadMjcf, BodiesWithoutJointsJoinTheirParent) {
  const MjcfFile file = Parse(InBall(R"(<body name="hat" pos="0 0 1"><geom size=".1"/></body>)"));
  ASSERT_EQ(file.character.BodyCount(), 1);
  const Body& body = file.character.bodies[0];
  ExpectNear(body.com, {0, 0, 0.5});
  EXPECT_EQ(body.shapes.size(), 2u);
  const double mass = 1000 * 4 * std::numbers::pi / 3 * 1e-3;
  EXPECT_NEAR(body.mass, 2 * mass, 1e-12);
  EXPECT_NEAR(body.inertia.xx, 2 * mass * (0.4 * 0.01 + 0.25), 1e-12);
  EXPECT_THAT(file.warnings, Contains(AllOf(HasSubstr("test.xml:3:"), HasSubstr("hat"))));
}

TEST(ReadMjcf, FixedBaseGivesItsPoseToTheRoot) {
  const Character c =
      Parse(R"(<mujoco><worldbody><body name="base" pos="0 0 2" euler="90 0 0"><geom size="1"/>
      <body name="arm" pos="0 1 0"><joint axis="0 1 0"/><geom size=".1" pos="0 .5 0"/></body>
      </body></worldbody></mujoco>)")
          .character;
  ASSERT_EQ(c.BodyCount(), 1);
  EXPECT_EQ(c.bodies[0].joint.kind, JointKind::kHinge);
  ExpectNear(c.bodies[0].offset, {0, 0, 3});
  ExpectNear(c.bodies[0].com, {0, 0, 0.5});
}

TEST(ReadMjcf, DefaultClassesNestAndAreOverridden) {
  const Character c =
      Parse(
          R"(<mujoco><compiler angle="radian"/><default><joint damping="1"/><geom size=".1 .2 .3"/>
      <default class="a"><joint stiffness="2" armature=".5"/>
        <default class="b"><joint stiffness="3"/></default></default>
      </default><worldbody><body childclass="a"><freejoint/><geom type="box" size=".4"/>
      <body><joint/><geom/></body><body><joint class="b" damping="9"/><geom/></body></body>
      </worldbody></mujoco>)")
          .character;
  ExpectNear(c.bodies[0].shapes[0].size, {0.4, 0.2, 0.3});
  EXPECT_EQ(c.bodies[1].joint.stiffness, 2);
  EXPECT_EQ(c.bodies[1].joint.damping, 1);
  EXPECT_EQ(c.bodies[2].joint.stiffness, 3);
  EXPECT_EQ(c.bodies[2].joint.damping, 9);
  EXPECT_EQ(c.bodies[2].joint.armature, 0.5);
}

TEST(ReadMjcf, CollisionBitsMeetTheGround) {
  const Character c =
      Parse(R"(<mujoco><worldbody><geom type="plane" size="1 1 1" contype="2" conaffinity="4"/>
      <body><freejoint/><geom size=".1"/><geom size=".1" contype="0" conaffinity="2"/>
      <geom size=".1" contype="4" conaffinity="0" pos="1 0 0"/>
      <geom size=".1" contype="0" conaffinity="0"/></body>
      </worldbody></mujoco>)")
          .character;
  std::vector<bool> collides;
  for (const Shape& shape : c.bodies[0].shapes) collides.push_back(shape.collides);
  EXPECT_EQ(collides, (std::vector<bool>{false, true, true, false}));
  EXPECT_EQ(c.contact_points.size(), 2u);
}

TEST(ReadMjcf, PairsWithTheGroundCollideWhateverTheirBits) {
  const MjcfFile file =
      Parse(R"(<mujoco><default><geom contype="0" conaffinity="0"/></default><worldbody>
      <geom name="floor" type="plane" size="1 1 1"/>
      <body><freejoint/><geom name="a" size=".1"/><geom name="b" size=".1"/></body></worldbody>
      <contact><pair geom1="a" geom2="b"/><pair geom1="floor" geom2="b"/></contact></mujoco>)");
  EXPECT_FALSE(file.character.bodies[0].shapes[0].collides);
  EXPECT_TRUE(file.character.bodies[0].shapes[1].collides);
  EXPECT_EQ(file.character.contact_points.size(), 1u);
  EXPECT_THAT(file.warnings, Contains(HasSubstr("<pair> is ignored")));
}

TEST(ReadMjcf, WhatCannotTouchTheGroundIsSaid) {
  const std::string ghost = R"(<geom size=".1" contype="0" conaffinity="0"/>)";
  EXPECT_THAT(
      Parse("<mujoco><worldbody><body><freejoint/>" + ghost + "</body></worldbody></mujoco>")
          .warnings,
      Contains(HasSubstr("fall through")));
  EXPECT_THAT(Parse(InBall("<body name=\"tip\"><joint/>" + ghost + "</body>")).warnings,
              Contains(HasSubstr("no shape of 'tip' collides")));
  EXPECT_TRUE(Parse(InBall("")).warnings.empty());
}

TEST(ReadMjcf, RolesAndPointsMayBeGivenAlone) {
  const std::string leg = R"(<body name="left_thigh"><joint/><geom size=".1" pos="0 0 -.3"/></body>
      <body name="stick"><joint/><geom size=".1" pos="0 0 -.3"/></body>)";
  const std::string roles =
      R"(<custom><text name="stride:role:right_thigh" data="stick"/></custom>)";
  const Character guessed = Parse(InBall(leg)).character;
  const Character given = Parse(InBall(leg, roles)).character;
  EXPECT_EQ(given.BodyOf(Role::kRightThigh), FindBody(given, "stick"));
  EXPECT_EQ(given.BodyOf(Role::kLeftThigh), FindBody(given, "left_thigh"));
  EXPECT_EQ(given.BodyOf(Role::kPelvis), FindBody(given, "ball"));
  EXPECT_EQ(given.contact_points, guessed.contact_points);
  EXPECT_EQ(guessed.contact_points.size(), 3u);
  const Character points =
      Parse(InBall(leg, R"(<custom><numeric name="stride:point:0" data="2 0 0 -.4 0"/></custom>)"))
          .character;
  ASSERT_EQ(points.contact_points.size(), 1u);
  EXPECT_EQ(points.contact_points[0].body, 2);
  EXPECT_EQ(points.roles, guessed.roles);
}

// MuJoCo's planar bodies: two slides and a hinge hold the root to the world.
constexpr const char* kPlanar = R"(<mujoco><compiler angle="degree"/><worldbody>
    <body name="torso" pos="0 0 1.2"><joint name="x" type="slide" axis="1 0 0"/>
    <joint name="z" type="slide" axis="0 0 1" ref="1.2" range="-1 2"/><joint name="y" axis="0 1 0"/>
    <geom size=".1"/><body name="leg"><joint name="hip" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 0 0 -.5" size=".05"/></body></body></worldbody>)";

TEST(ReadMjcf, RootsOfSlidesAreRails) {
  for (const bool driven : {false, true}) {
    SCOPED_TRACE(driven);
    const std::string motor = driven ? "<actuator><motor joint=\"hip\"/></actuator>" : "";
    const MjcfFile file = Parse(kPlanar + motor + "</mujoco>");
    const Character& c = file.character;
    ASSERT_EQ(c.BodyCount(), 4);
    EXPECT_EQ(c.bodies[0].name, "torso/x");
    EXPECT_EQ(c.bodies[0].joint.kind, JointKind::kSlide);
    EXPECT_EQ(c.bodies[2].joint.kind, JointKind::kHinge);
    EXPECT_EQ(RootBody(c), 2);
    EXPECT_TRUE(RunsOnRails(c));
    // Metres, whatever the unit of angles, and from the zero pose.
    EXPECT_NEAR(c.bodies[1].joint.upper, 0.8, 1e-15);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(c.bodies[i].joint.kp, 0);
    EXPECT_GT(c.bodies[3].joint.kp, 0);
    // On the ground: its foot is 0.65 m above it in the zero pose.
    EXPECT_NEAR(c.rest_q[1], -0.65, 1e-12);
    EXPECT_NEAR(RootFrameAt(c, c.rest_q).offset.z, 0.55, 1e-12);
    // That nobody drives the rails needs no word.
    for (const std::string& warning : file.warnings) EXPECT_THAT(warning, HasSubstr("ref of"));
  }
}

TEST(WriteMjcf, SlidesSurviveExactly) {
  Character c = Parse(std::string(kPlanar) + "</mujoco>").character;
  c.bodies[1].joint.stiffness = 5;
  c.bodies[1].joint.spring_angle = 0.123;
  const MjcfFile file = Parse(WriteMjcf(c));
  EXPECT_EQ(file.character, c);
  EXPECT_TRUE(file.warnings.empty()) << testing::PrintToString(file.warnings);
}

TEST(ReadMjcf, TheGroundIsPutToZero) {
  const auto with_ground = [](const std::string& joint, const std::string& more) {
    return "<mujoco><worldbody><geom type=\"plane\" size=\"1 1 1\" pos=\"0 0 -2\"/>"
           "<body pos=\"0 0 -1\">" +
           joint + "<geom size=\".1\"/></body></worldbody>" + more + "</mujoco>";
  };
  const MjcfFile rail = Parse(with_ground(R"(<joint type="slide" axis="1 0 0"/>)", ""));
  EXPECT_NEAR(rail.character.bodies[0].offset.z, 1, 1e-12);
  EXPECT_THAT(rail.warnings, Contains(HasSubstr("not at z = 0")));
  const Character free =
      Parse(with_ground("<freejoint/>",
                        R"(<keyframe><key name="stand" qpos="0 0 -1.9 1 0 0 0"/></keyframe>)"))
          .character;
  EXPECT_NEAR(free.rest_q[2], 0.1, 1e-12);
}

TEST(ReadMjcf, JointsRestWithinTheirRange) {
  const Character c =
      Parse(InBall(R"(<body><joint range="30 70"/><geom size=".1"/></body>)")).character;
  EXPECT_NEAR(c.rest_q[7], 50 * kDegree, 1e-12);
}

TEST(ReadMjcf, ActuatorsGiveTorquesAndGains) {
  const MjcfFile file =
      Parse(InBall(R"(
      <body name="a"><joint name="a"/><geom size=".1"/></body>
      <body name="b"><joint name="b"/><geom size=".1"/></body>
      <body name="c"><joint name="c" damping="3"/><geom size=".1"/></body>
      <body name="d"><joint name="d"/><geom size=".1"/></body>)",
                   R"(<default><motor ctrllimited="true" ctrlrange="-2 1"/></default><actuator>
      <motor joint="a" gear="40"/><position joint="b" kp="300" forcerange="-50 50"/>
      <general joint="c" gear="2" gainprm="100" biastype="affine" biasprm="0 -100 -10"/>
      <muscle name="m" joint="d"/></actuator>)"));
  const auto joint = [&](const char* name) {
    return file.character.bodies[FindBody(file.character, name)].joint;
  };
  EXPECT_EQ(joint("a").max_torque, 80);
  EXPECT_GT(joint("a").kp, 0);
  EXPECT_EQ(joint("b").kp, 300);
  EXPECT_EQ(joint("b").kd, 30);
  EXPECT_EQ(joint("b").max_torque, 50);
  EXPECT_EQ(joint("c").kp, 400);
  EXPECT_EQ(joint("c").kd, 40);
  EXPECT_EQ(joint("c").max_torque, 0);
  EXPECT_EQ(joint("d").kp, 0);
  EXPECT_THAT(file.warnings, Contains(HasSubstr("<muscle> 'm'")));
  EXPECT_THAT(file.warnings, Contains(HasSubstr("'d' has no actuator")));
}

TEST(ReadMjcf, KeyOfAStandIsTheRestPose) {
  const std::string body =
      R"(<body name="leg"><joint ref="10" range="-20 40"/><geom size=".1"/></body>)";
  const Character c = Parse(InBall(body, R"(<keyframe><key name="squat" qpos="9 9 9 1 0 0 0 9"/>
          <key name="stand" qpos="1 2 3 0 2 0 0 0.5"/></keyframe>)"))
                          .character;
  EXPECT_EQ(c.rest_q, (std::vector<double>{1, 2, 3, 0, 1, 0, 0, 0.5 - 10 * kDegree}));
  EXPECT_NEAR(c.bodies[1].joint.lower, -30 * kDegree, 1e-15);
  // Without one, the zero pose stands on the ground.
  EXPECT_NEAR(Parse(InBall(body)).character.rest_q[2], 0.1, 1e-15);
}

TEST(ReadMjcf, WhatIsIgnoredIsNamed) {
  const MjcfFile file = Parse(InBall(
      R"(<site name="s"/><geom size=".1" friction="1" colour="red"/><wheel/>
      <body><joint frictionloss="1"/><geom type="cylinder" size=".1 .1"/>
      <geom type="ellipsoid" size=".1 .2 .3"/></body>)",
      R"(<option timestep="0.1"/><equality><weld name="w"/></equality>
      <tendon><fixed name="f"/></tendon>
      <contact><exclude body1="a" body2="b"/></contact><sensor><gyro/></sensor><magic/>)"));
  for (const char* expected :
       {"<geom> friction is not supported", "<geom> colour is not a known", "<wheel>",
        "<joint> frictionloss", "a cylinder collides", "an ellipsoid collides", "<option>",
        "<weld> 'w'", "<fixed> 'f'", "<exclude>", "<magic>"}) {
    EXPECT_THAT(file.warnings, Contains(HasSubstr(expected)));
  }
  EXPECT_EQ(file.warnings.size(), 11u) << testing::PrintToString(file.warnings);
}

TEST(ReadMjcf, Humanoids) {
  for (const char* path : {"/usr/share/mujoco/model/humanoid/humanoid.xml",
                           "/usr/share/mujoco/model/humanoid100/humanoid100.xml"}) {
    const Character c = ReadMjcf(path).character;
    EXPECT_EQ(LayoutOf(c).nq, 28);
    EXPECT_EQ(LayoutOf(c).nv, 27);
    EXPECT_TRUE(c.IsHuman());
    EXPECT_EQ(c.bodies[c.BodyOf(Role::kLeftForearm)].name, "left_lower_arm");
    EXPECT_NEAR(c.rest_q[2], 1.2825, 0.01);
    // Both ankles together hold more than gravity topples.
    const double ankles = 2 * c.bodies[c.BodyOf(Role::kLeftFoot)].joint.kp;
    EXPECT_GT(ankles, 1.5 * TotalMass(c) * 9.81 * 0.85);
    EXPECT_EQ(c.bodies[c.BodyOf(Role::kRightThigh)].joint.max_torque, 120);
  }
}

TEST(ReadMjcf, HundredThingsAreLeftOutOneByOne) {
  const MjcfFile file = ReadMjcf("/usr/share/mujoco/model/humanoid100/humanoid100.xml");
  EXPECT_THAT(file.warnings,
              Contains(AllOf(HasSubstr("humanoid100.xml:87:"), HasSubstr("(100 times)"))));
}

TEST(WriteMjcf, BuiltInCharactersSurviveExactly) {
  for (const CharacterInfo& info : BuiltInCharacters()) {
    const Character c = LoadCharacter(info.name);
    const MjcfFile back = Parse(WriteMjcf(c));
    EXPECT_TRUE(back.character == c) << info.name;
    EXPECT_TRUE(back.warnings.empty()) << info.name << testing::PrintToString(back.warnings);
  }
}

TEST(WriteMjcf, EveryFieldSurvivesExactly) {
  Character c = ReadMjcf("/usr/share/mujoco/model/humanoid/humanoid.xml").character;
  c.name = "a <b> & \"c\"";
  c.description = "one third: 1/3 > 0.333";
  double next = 1.0 / 3;
  for (Body& body : c.bodies) {
    body.offset = body.offset + Vec3d{next, -next, next / 7};
    Joint& joint = body.joint;
    for (double* value : {&joint.kp, &joint.kd, &joint.max_torque, &joint.spring_angle})
      *value = next *= 1.1;
    if (joint.kind == JointKind::kFree) continue;
    for (double* value : {&joint.armature, &joint.damping, &joint.stiffness}) *value = next *= 1.1;
    joint.lower = -next;
    joint.upper = next;
    joint.limited = next > 10;
    for (Shape& shape : body.shapes) shape.collides = !shape.collides;
  }
  c.bodies[1].name = "a link by another name";
  c.contact_points.resize(7);
  c.roles[static_cast<int>(Role::kHead)] = 0;
  for (std::size_t i = 7; i < c.rest_q.size(); ++i) c.rest_q[i] = std::sin(static_cast<double>(i));
  const Character back = Parse(WriteMjcf(c)).character;
  EXPECT_TRUE(back == c);
}

TEST(WriteMjcf, HandEditedElementsCount) {
  const Character c = Parse(InBall("")).character;
  std::string xml = WriteMjcf(c);
  const std::string pos = "pos=\"0 0 1\"";
  xml.replace(xml.find(pos), pos.size(), "pos=\"0 0 5\"");
  const MjcfFile edited = Parse(xml);
  EXPECT_EQ(edited.character.bodies[0].offset.z, 5);
  EXPECT_THAT(edited.warnings, Contains(HasSubstr("was edited")));
}

TEST(WriteMjcf, PrefixesNamesAndSetsBits) {
  const std::string xml = MjcfBodies(Parse(InBall("")).character, "p/", {6, 8});
  EXPECT_THAT(xml, HasSubstr("<body name=\"p/ball\""));
  EXPECT_THAT(xml, HasSubstr("<freejoint name=\"p/ball\""));
  EXPECT_THAT(xml, HasSubstr("contype=\"6\" conaffinity=\"8\""));
}

TEST(WriteMjcf, LongChainsEndWhereReadersDo) {
  const Character longest = MakeSnake(96);
  EXPECT_TRUE(Parse(WriteMjcf(longest)).character == longest);
  EXPECT_THROW(WriteMjcf(MakeSnake(97)), InputError);
}

TEST(WriteMjcf, RefusesWhatIsNotValid) {
  Character c = Parse(InBall("")).character;
  c.bodies[0].mass = -1;
  EXPECT_THROW(WriteMjcf(c), InputError);
}

struct BadFile {
  const char* name;
  std::string xml;
  const char* place;  // "test.xml:3:"
  const char* message;
};
void PrintTo(const BadFile& bad, std::ostream* os) { *os << bad.name; }

class BadMjcf : public testing::TestWithParam<BadFile> {};

TEST_P(BadMjcf, IsOneErrorWithFileAndLine) {
  try {
    Parse(GetParam().xml);
    FAIL() << "accepted; expected '" << GetParam().message << "'";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith(GetParam().place));
    EXPECT_THAT(error.what(), HasSubstr(GetParam().message));
  }
}

std::string Repeat(const std::string& text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}
std::string InInertial(const std::string& attributes) {
  return InBall("<body><joint/><inertial " + attributes + "/></body>");
}

INSTANTIATE_TEST_SUITE_P(
    All, BadMjcf,
    testing::Values(
        BadFile{"empty", "", "test.xml:", "empty"},
        BadFile{"no xml", "hello", "test.xml:", "expected"},
        BadFile{"zero bytes", std::string("<mujoco>\0</mujoco>", 18), "test.xml:", "zero bytes"},
        BadFile{"truncated", InBall("<body>\n").substr(0, 100), "test.xml:", "broken"},
        BadFile{"cut off in a value", "<mujoco model=\"a", "test.xml:1:", "attribute is broken"},
        BadFile{"mismatched", "<mujoco>\n<worldbody>\n</mujoco>", "test.xml:", "broken"},
        BadFile{"urdf", "<sdf/>", "test.xml:1:", "<mujoco>"},
        BadFile{"deep", "<mujoco><worldbody>" + Repeat("<body>", 10000),
                "test.xml:1:", "nested too deeply"},
        BadFile{"deep, closed",
                "<mujoco><worldbody>" + Repeat("<body>", 490) + Repeat("</body>", 490) +
                    "</worldbody></mujoco>",
                "test.xml:1:", "nested too deeply"},
        BadFile{"huge", std::string(20 << 20, ' '), "test.xml:", "MB"},
        BadFile{"many", "<mujoco>" + Repeat("<a/>", 200001) + "</mujoco>",
                "test.xml:1:", "elements"},
        BadFile{"many attributes", "<mujoco>\n<a " + Repeat("b='>' ", 1001) + "/></mujoco>",
                "test.xml:2:", "attributes"},
        BadFile{"attribute twice", "<mujoco model=\"a\" model=\"b\"/>", "test.xml:1:", "twice"},
        BadFile{"nothing moves", "<mujoco>\n<worldbody/></mujoco>", "test.xml:1:", "nothing moves"},
        BadFile{"include", "<mujoco>\n<include file=\"a.xml\"/></mujoco>",
                "test.xml:2:", "no folder"},
        BadFile{"include what", "<mujoco>\n<include/></mujoco>", "test.xml:2:", "names no file"},
        BadFile{"word", InBall("<geom size=\"abc\"/>"), "test.xml:3:", "'abc' is not a number"},
        BadFile{"half a number", InBall("<geom size=\"0.1x\"/>"),
                "test.xml:3:", "'0.1x' is not a number"},
        BadFile{"nan", InBall("<geom size=\".1\" mass=\"nan\"/>"), "test.xml:3:", "not finite"},
        BadFile{"inf", InBall("<geom size=\"inf\"/>"), "test.xml:3:", "not finite"},
        BadFile{"overflow", InBall("<geom size=\"1e400\"/>"), "test.xml:3:", "not a number"},
        BadFile{"too few", InBall("<geom size=\".1\" pos=\"1 2\"/>"),
                "test.xml:3:", "2 numbers; expected 3"},
        BadFile{"too many", InBall("<geom size=\".1\" pos=\"1 2 3 4\"/>"),
                "test.xml:3:", "4 numbers"},
        BadFile{"negative mass", InBall("<geom size=\".1\" mass=\"-1\"/>"),
                "test.xml:3:", "mass is -1"},
        BadFile{"negative density", InBall("<geom size=\".1\" density=\"-1\"/>"),
                "test.xml:3:", "density"},
        BadFile{"no size", InBall("<geom/>"), "test.xml:3:", "0 sizes; expected 1"},
        BadFile{"short size", InBall("<geom type=\"box\" size=\".1 .1\"/>"),
                "test.xml:3:", "2 sizes; expected 3"},
        BadFile{"zero size", InBall("<geom size=\"0\"/>"), "test.xml:3:", "size of 0"},
        BadFile{"negative size", InBall("<geom type=\"capsule\" size=\".1 -1\"/>"),
                "test.xml:3:", "size of 0"},
        BadFile{"no length", InBall("<geom type=\"capsule\" size=\".1\" fromto=\"1 1 1 1 1 1\"/>"),
                "test.xml:3:", "are the same"},
        BadFile{"fromto sphere", InBall("<geom size=\".1\" fromto=\"0 0 0 1 1 1\"/>"),
                "test.xml:3:", "fromto"},
        BadFile{"mesh", InBall("<geom type=\"mesh\" mesh=\"m\"/>"),
                "test.xml:3:", "replace it by capsules"},
        BadFile{"unknown type", InBall("<geom type=\"torus\"/>"), "test.xml:3:", "torus"},
        BadFile{"moving plane", InBall("<geom type=\"plane\" size=\"1 1 1\"/>"),
                "test.xml:3:", "plane"},
        BadFile{"bits", InBall("<geom size=\".1\" contype=\"1e12\"/>"), "test.xml:3:", "32-bit"},
        BadFile{"shell", InBall("<geom size=\".1\" shellinertia=\"true\"/>"),
                "test.xml:3:", "shellinertia"},
        BadFile{"joint type", InBall("<body><joint type=\"screw\"/></body>"),
                "test.xml:3:", "screw"},
        BadFile{"no axis", InBall("<body><joint axis=\"0 0 0\"/></body>"),
                "test.xml:3:", "direction is zero"},
        BadFile{"range", InBall("<body><joint range=\"1 -1\"/></body>"),
                "test.xml:3:", "range is empty"},
        BadFile{"ball range", InBall("<body><joint type=\"ball\" range=\"1 2\"/></body>"),
                "test.xml:3:", "expected 0"},
        BadFile{"flag", InBall("<body><joint limited=\"maybe\"/></body>"),
                "test.xml:3:", "\"true\" or"},
        BadFile{"damping", InBall("<body><joint damping=\"-1\"/></body>"),
                "test.xml:3:", "damping"},
        BadFile{"free inside", InBall("<body><freejoint/></body>"), "test.xml:3:", "top level"},
        BadFile{"two balls", InBall("<body><joint type=\"ball\"/><joint/></body>"),
                "test.xml:3:", "several hinges"},
        BadFile{"seven joints", InBall("<body>" + Repeat("<joint/>", 7) + "</body>"),
                "test.xml:3:", "7 joints"},
        BadFile{"no mass", InBall("<body name=\"b\"><joint/></body>"), "test.xml:3:", "no mass"},
        BadFile{"weightless", InBall("<body><joint/><geom size=\".1\" density=\"0\"/></body>"),
                "test.xml:3:", "no mass"},
        BadFile{"same body", InBall("<body name=\"ball\"><joint/><geom size=\".1\"/></body>"),
                "test.xml:3:", "used twice"},
        BadFile{"same joint", InBall("<body><joint name=\"j\"/><joint name=\"j\"/></body>"),
                "test.xml:3:", "used twice"},
        BadFile{"inertial mass", InInertial("pos=\"0 0 0\" diaginertia=\"1 1 1\""),
                "test.xml:3:", "no mass"},
        BadFile{"negative inertial", InInertial("mass=\"-2\" diaginertia=\"1 1 1\""),
                "test.xml:3:", "mass is -2"},
        BadFile{"no inertia", InInertial("mass=\"1\""), "test.xml:3:", "either"},
        BadFile{"indefinite", InInertial("mass=\"1\" fullinertia=\"1 1 1 2 0 0\""),
                "test.xml:3:", "positive definite"},
        BadFile{"negative inertia", InInertial("mass=\"1\" diaginertia=\"1 1 -1\""),
                "test.xml:3:", "positive definite"},
        BadFile{"impossible", InInertial("mass=\"1\" diaginertia=\"1 1 3\""),
                "test.xml:3:", "balanceinertia"},
        BadFile{"zero quat", InBall("<geom size=\".1\" quat=\"0 0 0 0\"/>"),
                "test.xml:3:", "quaternion is zero"},
        BadFile{"two orientations", InBall("<geom size=\".1\" quat=\"1 0 0 0\" euler=\"0 0 0\"/>"),
                "test.xml:3:", "twice"},
        BadFile{"parallel axes", InBall("<geom size=\".1\" xyaxes=\"1 0 0 2 0 0\"/>"),
                "test.xml:3:", "not determined"},
        BadFile{"class", InBall("<geom class=\"c\" size=\".1\"/>"),
                "test.xml:3:", "'c' does not exist"},
        BadFile{"childclass", InBall("<body childclass=\"c\"/>"),
                "test.xml:3:", "'c' does not exist"},
        BadFile{"nameless class", "<mujoco>\n<default><default/></default></mujoco>",
                "test.xml:2:", "no class"},
        BadFile{"eulerseq", "<mujoco>\n<compiler eulerseq=\"abc\"/></mujoco>",
                "test.xml:2:", "three of"},
        BadFile{"global", "<mujoco>\n<compiler coordinate=\"global\"/></mujoco>",
                "test.xml:2:", "global"},
        BadFile{"angle", "<mujoco>\n<compiler angle=\"turns\"/></mujoco>", "test.xml:2:", "turns"},
        BadFile{"frame", InBall("<frame/>"), "test.xml:3:", "<frame>"},
        BadFile{"composite", InBall("<composite/>"), "test.xml:3:", "<composite>"},
        BadFile{"actuator", InBall("", "\n<actuator><motor joint=\"j\"/></actuator>"),
                "test.xml:4:", "'j', which"},
        BadFile{"short key",
                InBall("", "\n<keyframe><key name=\"stand\" qpos=\"1 2\"/></keyframe>"),
                "test.xml:4:", "2 numbers; expected 7"},
        BadFile{"key quat",
                InBall("", "\n<keyframe><key name=\"stand\" qpos=\"0 0 0 0 0 0 0\"/></keyframe>"),
                "test.xml:4:", "quaternion is zero"},
        BadFile{"slides alike",
                InBall("<body><joint type=\"slide\"/><joint type=\"slide\"/><geom size=\".1\"/>"
                       "</body>"),
                "test.xml", "slides along a line"},
        BadFile{"role",
                InBall("", "\n<custom><text name=\"stride:role:wing\" data=\"ball\"/></custom>"),
                "test.xml:4:", "left_upper_arm"},
        BadFile{"role of nobody",
                InBall("", "\n<custom><text name=\"stride:role:head\" data=\"hat\"/></custom>"),
                "test.xml:4:", "'hat'"},
        BadFile{
            "point numbers",
            InBall("", "\n<custom><numeric name=\"stride:point:1\" data=\"0 0 0 0 0\"/></custom>"),
            "test.xml:4:", "no stride:point:0"},
        BadFile{"future",
                InBall("", "\n<custom><numeric name=\"stride:format\" data=\"2\"/></custom>"),
                "test.xml:4:", "format"}));

class MjcfFiles : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void Write(const std::string& name, const std::string& text) const {
    WriteFileWhole(folder_ + "/" + name, text);
  }
  std::string ErrorOf(const std::string& name) const {
    return InputErrorOf([&] { ReadMjcf(folder_ + "/" + name); });
  }
  const std::string folder_ =
      std::filesystem::path(testing::TempDir() + "/mjcf_" +
                            testing::UnitTest::GetInstance()->current_test_info()->name())
          .lexically_normal()
          .string();
};

TEST_F(MjcfFiles, IncludesStandWhereTheyAre) {
  Write("main.xml",
        "<mujoco><include file=\"defaults.xml\"/>\n<worldbody><body><freejoint/>"
        "<include file=\"parts.xml\"/></body></worldbody></mujoco>");
  Write("defaults.xml", "<mujoco><default><geom size=\".3\"/></default></mujoco>");
  Write("parts.xml", "<mujocoinclude><geom/></mujocoinclude>");
  const Character c = ReadMjcf(folder_ + "/main.xml").character;
  EXPECT_EQ(c.name, "main");
  EXPECT_EQ(c.bodies[0].shapes.at(0).size.x, 0.3);
}

TEST_F(MjcfFiles, MissingFile) {
  EXPECT_THAT(ErrorOf("none.xml"), AllOf(HasSubstr("none.xml"), HasSubstr("cannot be read")));
  EXPECT_THAT(ErrorOf(""), HasSubstr("folder"));
}

TEST_F(MjcfFiles, MissingAndCyclicIncludes) {
  Write("a.xml", "<mujoco>\n<include file=\"b.xml\"/></mujoco>");
  EXPECT_THAT(ErrorOf("a.xml"), AllOf(HasSubstr("a.xml:2:"), HasSubstr("not there")));
  Write("b.xml", "<mujoco>\n\n<include file=\"./a.xml\"/></mujoco>");
  EXPECT_THAT(ErrorOf("a.xml"), AllOf(HasSubstr("b.xml:3:"), HasSubstr("cyclic include")));
  Write("c.xml", "<mujoco>\n<include file=\"c.xml\"/></mujoco>");
  EXPECT_THAT(ErrorOf("c.xml"), AllOf(HasSubstr("c.xml:2:"), HasSubstr("cyclic include")));
  Write("d.xml", "<mujoco>\n<include file=\"e.xml\"/><include file=\"e.xml\"/></mujoco>");
  Write("e.xml", "<mujoco/>");
  EXPECT_THAT(ErrorOf("d.xml"), AllOf(HasSubstr("d.xml:2:"), HasSubstr("second time")));
}

TEST_F(MjcfFiles, IncludesCannotNestForEver) {
  for (int i = 0; i < 6; ++i) {
    Write(std::to_string(i) + ".xml", "<mujoco>\n" + Repeat("<a>", 80) + "<include file=\"" +
                                          std::to_string(i + 1) + ".xml\"/>" + Repeat("</a>", 80) +
                                          "</mujoco>");
  }
  EXPECT_THAT(ErrorOf("0.xml"), AllOf(HasSubstr(".xml:2:"), HasSubstr("nested too deeply")));
}

TEST_F(MjcfFiles, ErrorsNameTheIncludedFile) {
  Write("main.xml", "<mujoco>\n<include file=\"part.xml\"/></mujoco>");
  Write("part.xml", InBall("<geom size=\"abc\"/>"));
  EXPECT_THAT(ErrorOf("main.xml"), HasSubstr("part.xml:3: size=\"abc\""));
}

TEST_F(MjcfFiles, SeveralCharactersAreNamed) {
  const std::string walker =
      R"(<freejoint/><geom size=".1"/><body><joint/><geom size=".1"/></body></body>)";
  Write("two.xml", "<mujoco><worldbody><body name=\"ann\">" + walker + "<body name=\"bob\">" +
                       walker + "</worldbody></mujoco>");
  EXPECT_THAT(ErrorOf("two.xml"), HasSubstr("2 bodies move on their own: 'ann', 'bob'"));
}

}  // namespace
}  // namespace stride
