#include "stride/character/character.h"

#include <functional>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/core/error.h"

namespace stride {
namespace {

using testing::HasSubstr;

Body MakeBody(const std::string& name, int parent, JointKind kind, const Vec3d& offset) {
  Body body;
  body.name = name;
  body.parent = parent;
  body.offset = offset;
  body.joint.kind = kind;
  body.mass = 2;
  body.com = {0.1, 0, 0};
  body.inertia = {0.02, 0.001, 0, 0.03, 0, 0.025};
  return body;
}

// root (free) - arm (ball), link (hinge without mass) - leg (hinge)
Character MakeExample() {
  Character c;
  c.name = "example";
  c.bodies = {MakeBody("root", -1, JointKind::kFree, {0, 0, 1}),
              MakeBody("arm", 0, JointKind::kBall, {0, 0.2, 0.3}),
              MakeBody("link", 0, JointKind::kHinge, {0, 0, -0.1}),
              MakeBody("leg", 2, JointKind::kHinge, {0, 0, 0})};
  c.bodies[2].mass = 0;
  c.bodies[2].com = {};
  c.bodies[2].inertia = {};
  c.bodies[3].shapes = {{ShapeKind::kCapsule, {0, 0, -0.4}, Quatd::Identity(), {0.05, 0.3, 0}}};
  c.bodies[1].shapes = {
      {ShapeKind::kBox, {0, 0, 0}, {std::sqrt(0.5), std::sqrt(0.5), 0, 0}, {0.1, 0.2, 0.3}}};
  AddContactPoints(&c, 3, c.bodies[3].shapes[0]);
  c.rest_q = ZeroState(c).q;
  return c;
}

TEST(Character, LayoutFollowsMujoco) {
  const Layout layout = LayoutOf(MakeExample());
  EXPECT_EQ(layout.q, (std::vector<int>{0, 7, 11, 12}));
  EXPECT_EQ(layout.v, (std::vector<int>{0, 6, 9, 10}));
  EXPECT_EQ(layout.nq, 13);
  EXPECT_EQ(layout.nv, 11);
}

TEST(Character, ZeroAndRestState) {
  Character c = MakeExample();
  EXPECT_EQ(ZeroState(c).q, (std::vector<double>{0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(ZeroState(c).v, std::vector<double>(11, 0.0));
  c.rest_q[12] = 0.5;
  EXPECT_EQ(RestState(c).q[12], 0.5);
  EXPECT_EQ(RestState(c).v, std::vector<double>(11, 0.0));
}

TEST(Character, MassHeightAndNames) {
  const Character c = MakeExample();
  EXPECT_DOUBLE_EQ(TotalMass(c), 6);
  // Top: the arm's box, whose y axis stands upright, at 1.3 + 0.2; bottom: the capsule at 0.9 - 0.4
  // - 0.35.
  EXPECT_NEAR(StandingHeight(c), 1.5 - 0.15, 1e-12);
  EXPECT_EQ(FindBody(c, "link"), 2);
  EXPECT_EQ(FindBody(c, "tail"), -1);
}

TEST(Character, ContactPointsOfShapes) {
  Character c = MakeExample();
  ASSERT_EQ(c.contact_points.size(), 2u);
  EXPECT_EQ(c.contact_points[1], (ContactPoint{3, {0, 0, -0.7}, 0.05}));
  c.contact_points.clear();
  AddContactPoints(&c, 1, {ShapeKind::kSphere, {1, 2, 3}, Quatd::Identity(), {0.2, 0, 0}});
  EXPECT_EQ(c.contact_points, (std::vector<ContactPoint>{{1, {1, 2, 3}, 0.2}}));
  c.contact_points.clear();
  AddContactPoints(&c, 1, c.bodies[1].shapes[0]);
  ASSERT_EQ(c.contact_points.size(), 8u);
  double lowest = 1;
  for (const ContactPoint& point : c.contact_points) lowest = std::min(lowest, point.position.z);
  EXPECT_NEAR(lowest, -0.2, 1e-12);  // turned a quarter about x: y is upright
}

TEST(Character, RolesHaveNames) {
  for (int i = 0; i < static_cast<int>(Role::kCount); ++i) {
    EXPECT_EQ(RoleFromName(RoleName(static_cast<Role>(i))), static_cast<Role>(i));
  }
  EXPECT_STREQ(RoleName(Role::kLeftFoot), "left_foot");
  EXPECT_STREQ(RoleName(Role::kRightHand), "right_hand");
  EXPECT_EQ(RoleFromName("tail"), Role::kCount);
}

TEST(Character, IsHumanWithLegsAndTrunk) {
  Character c = MakeExample();
  EXPECT_FALSE(c.IsHuman());
  for (int i = 0; i < static_cast<int>(Role::kRightFoot) + 1; ++i) c.roles[i] = 0;
  c.roles[static_cast<int>(Role::kHead)] = -1;
  EXPECT_TRUE(c.IsHuman());
  c.roles[static_cast<int>(Role::kLeftShank)] = -1;
  EXPECT_FALSE(c.IsHuman());
}

TEST(Character, ValidExamplePasses) { EXPECT_NO_THROW(Validate(MakeExample())); }

struct Fault {
  const char* message;
  std::function<void(Character*)> make;
};

class CharacterFaults : public testing::TestWithParam<Fault> {};

TEST_P(CharacterFaults, AreNamed) {
  Character c = MakeExample();
  GetParam().make(&c);
  try {
    Validate(c);
    FAIL() << "accepted; expected '" << GetParam().message << "'";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(GetParam().message));
    EXPECT_THAT(error.what(), HasSubstr("example"));
  }
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

INSTANTIATE_TEST_SUITE_P(
    All, CharacterFaults,
    testing::Values(
        Fault{"no body", [](Character* c) { c->bodies.clear(); }},
        Fault{"parent -1", [](Character* c) { c->bodies[0].parent = 0; }},
        Fault{"depth-first",
              [](Character* c) { c->bodies[3].parent = 1, c->bodies[2].parent = 3; }},
        Fault{"depth-first", [](Character* c) { c->bodies[3].parent = 3; }},
        Fault{"depth-first", [](Character* c) { c->bodies[2].parent = -1; }},
        Fault{"same name", [](Character* c) { c->bodies[3].name = "arm"; }},
        Fault{"name is empty", [](Character* c) { c->bodies[3].name = ""; }},
        Fault{"control characters", [](Character* c) { c->bodies[3].name = "a\nb"; }},
        Fault{"one line of text", [](Character* c) { c->description = "a\nb"; }},
        Fault{"mass", [](Character* c) { c->bodies[1].mass = -1; }},
        Fault{"mass", [](Character* c) { c->bodies[1].mass = kNan; }},
        Fault{"positive definite", [](Character* c) { c->bodies[1].inertia.xy = 0.1; }},
        Fault{"no body has this inertia", [](Character* c) { c->bodies[1].inertia.zz = 0.06; }},
        Fault{"inertia is not finite", [](Character* c) { c->bodies[1].inertia.xz = kNan; }},
        Fault{"leaf without mass", [](Character* c) { c->bodies[3].mass = 0; }},
        Fault{"has no mass", [](Character* c) { c->bodies[3].joint.kind = JointKind::kBall; }},
        Fault{"but no mass", [](Character* c) { c->bodies[2].inertia.xx = 1; }},
        Fault{"put them on", [](Character* c) { c->bodies[2].shapes = c->bodies[3].shapes; }},
        Fault{"free joint", [](Character* c) { c->bodies[1].joint.kind = JointKind::kFree; }},
        Fault{"free joint", [](Character* c) { c->bodies[0].joint.damping = 1; }},
        Fault{"unit vector",
              [](Character* c) {
                c->bodies[2].joint.axis = {1, 1, 0};
              }},
        Fault{"joint parameter", [](Character* c) { c->bodies[2].joint.kp = -1; }},
        Fault{"not below", [](Character* c) { c->bodies[2].joint.limited = true; }},
        Fault{"offset", [](Character* c) { c->bodies[2].offset.x = kNan; }},
        Fault{"shape is not finite", [](Character* c) { c->bodies[1].shapes[0].center.x = kNan; }},
        Fault{"no extent", [](Character* c) { c->bodies[1].shapes[0].size.z = 0; }},
        Fault{"rotation of a shape", [](Character* c) { c->bodies[1].shapes[0].rotation.w = 2; }},
        Fault{"contact point", [](Character* c) { c->contact_points[0].body = 4; }},
        Fault{"contact point", [](Character* c) { c->contact_points[0].radius = -1; }},
        Fault{"roles", [](Character* c) { c->roles.pop_back(); }},
        Fault{"role", [](Character* c) { c->roles[0] = 9; }},
        Fault{"rest pose of 12", [](Character* c) { c->rest_q.pop_back(); }},
        Fault{"not finite", [](Character* c) { c->rest_q[0] = kNan; }},
        Fault{"unit quaternion", [](Character* c) { c->rest_q[3] = 0; }}));

}  // namespace
}  // namespace stride
