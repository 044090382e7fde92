#include "stride/character/infer.h"

#include <cmath>

#include <gtest/gtest.h>

namespace stride {
namespace {

Character Named(const std::vector<std::string>& names) {
  Character c;
  for (const std::string& name : names) {
    Body body;
    body.name = name;
    body.parent = c.BodyCount() - 1;
    body.mass = 1;
    c.bodies.push_back(body);
  }
  return c;
}

std::string BodyIn(Role role, const Character& c) {
  return c.BodyOf(role) < 0 ? "" : c.bodies[c.BodyOf(role)].name;
}

TEST(InferRoles, SeveralWaysToNameAPart) {
  for (const char* name : {"left_thigh", "LeftUpLeg", "thigh.L", "l_femur", "lfemur", "L_Hip",
                           "left-upper-leg", "thigh_left", "LThigh"}) {
    Character c = Named({"base", name});
    InferRoles(&c);
    EXPECT_EQ(BodyIn(Role::kLeftThigh, c), name);
    EXPECT_EQ(BodyIn(Role::kRightThigh, c), "") << name;
  }
  for (const char* name : {"right_lower_arm", "RightForeArm", "r_radius", "R_Elbow", "rradius"}) {
    Character c = Named({"base", name});
    InferRoles(&c);
    EXPECT_EQ(BodyIn(Role::kRightForearm, c), name);
  }
}

TEST(InferRoles, BestNameWinsAndHipsAreThePelvis) {
  Character c =
      Named({"Hips", "Spine", "Chest", "Head", "LeftShoulder", "LeftArm", "LeftLeg", "LeftFoot"});
  InferRoles(&c);
  EXPECT_EQ(BodyIn(Role::kPelvis, c), "Hips");
  EXPECT_EQ(BodyIn(Role::kTrunk, c), "Chest");
  EXPECT_EQ(BodyIn(Role::kHead, c), "Head");
  EXPECT_EQ(BodyIn(Role::kLeftUpperArm, c), "LeftArm");
  EXPECT_EQ(BodyIn(Role::kLeftShank, c), "LeftLeg");
  EXPECT_EQ(BodyIn(Role::kLeftFoot, c), "LeftFoot");
  EXPECT_EQ(BodyIn(Role::kRightFoot, c), "");
}

TEST(InferRoles, WhatBothLegsHangOnIsThePelvis) {
  Character c = Named({"base", "left_thigh", "right_thigh"});
  c.bodies[2].parent = 0;
  InferRoles(&c);
  EXPECT_EQ(BodyIn(Role::kPelvis, c), "base");
}

TEST(InferRoles, LinksWithoutMassPlayNoPart) {
  Character c = Named({"base", "left_thigh", "left_upper_leg"});
  c.bodies[1].mass = 0;
  InferRoles(&c);
  EXPECT_EQ(BodyIn(Role::kLeftThigh, c), "left_upper_leg");
}

// Parts whose names say nothing: a block on two legs of `links` links.
Character Nameless(int links) {
  Character c = Named({"p0"});
  c.bodies[0].joint.kind = JointKind::kFree;
  for (const double side : {-1.0, 1.0}) {
    for (int k = 0; k < links; ++k) {
      Body body;
      body.name = "p" + std::to_string(c.BodyCount());
      body.parent = k == 0 ? 0 : c.BodyCount() - 1;
      body.offset = k == 0 ? Vec3d{0, 0.1 * side, 0} : Vec3d{0, 0, -0.4};
      body.joint.kind = JointKind::kHinge;
      body.mass = 1;
      c.bodies.push_back(body);
    }
    c.contact_points.push_back({c.BodyCount() - 1, {0, 0, -0.1}, 0});
  }
  return c;
}

TEST(InferRoles, LegsFromTheTreeItself) {
  Character c = Nameless(3);
  InferRoles(&c);
  EXPECT_TRUE(c.IsHuman());
  EXPECT_EQ(BodyIn(Role::kRightThigh, c), "p1");  // -Y is right
  EXPECT_EQ(BodyIn(Role::kRightFoot, c), "p3");
  EXPECT_EQ(BodyIn(Role::kLeftShank, c), "p5");
  EXPECT_EQ(BodyIn(Role::kPelvis, c), "p0");
  EXPECT_EQ(BodyIn(Role::kTrunk, c), "p0");
  // Without feet it is none; of four legs none is guessed.
  c = Nameless(2);
  InferRoles(&c);
  EXPECT_FALSE(c.IsHuman());
  EXPECT_EQ(BodyIn(Role::kLeftShank, c), "p4");
  c = Nameless(3);
  const Character more = Nameless(3);
  for (int i = 1; i < more.BodyCount(); ++i) {
    Body body = more.bodies[i];
    body.name += "b";
    body.parent = body.parent == 0 ? 0 : body.parent + 6;
    body.offset.x += body.parent == 0 ? -0.5 : 0;
    c.bodies.push_back(body);
  }
  for (ContactPoint point : more.contact_points) {
    point.body += 6;
    c.contact_points.push_back(point);
  }
  InferRoles(&c);
  EXPECT_EQ(BodyIn(Role::kLeftThigh, c), "");
  EXPECT_EQ(BodyIn(Role::kTrunk, c), "");
}

// A free block on two legs, an arm out to the side.
Character Walker() {
  Character c = Named({"block", "left_leg", "right_leg", "arm"});
  for (int i = 1; i < 4; ++i) c.bodies[i].parent = 0;
  c.bodies[0].joint.kind = JointKind::kFree;
  c.bodies[0].offset = {0, 0, 5};
  c.bodies[0].mass = 30;
  const Shape foot{ShapeKind::kSphere, {0, 0, -0.9}, Quatd::Identity(), {0.1, 0, 0}};
  c.bodies[1].shapes = c.bodies[2].shapes = {foot};
  c.bodies[3].mass = 2;
  c.bodies[3].com = {0, 0.4, 0};
  c.bodies[3].shapes = {{ShapeKind::kSphere, {0, 0.8, 0}, Quatd::Identity(), {0.1, 0, 0}, false}};
  return c;
}

TEST(InferContactPoints, WhatIsCoveredIsLeftOut) {
  Character c = Named({"trunk", "leg"});
  c.bodies[0].shapes = {{ShapeKind::kSphere, {}, Quatd::Identity(), {0.3, 0, 0}},
                        {ShapeKind::kSphere, {0.1, 0, 0}, Quatd::Identity(), {0.1, 0, 0}},
                        {ShapeKind::kSphere, {0.1, 0, 0}, Quatd::Identity(), {0.25, 0, 0}}};
  c.bodies[1].offset = {0, 0.2, 0};
  // One end on the joint, inside the trunk; one out.
  c.bodies[1].shapes = {{ShapeKind::kCapsule, {0, 0, -0.2}, Quatd::Identity(), {0.08, 0.2, 0}}};
  InferContactPoints(&c);
  ASSERT_EQ(c.contact_points.size(), 3u);
  EXPECT_EQ(c.contact_points[0].radius, 0.3);
  EXPECT_EQ(c.contact_points[1].radius, 0.25);
  EXPECT_EQ(c.contact_points[2].body, 1);
  EXPECT_NEAR(c.contact_points[2].position.z, -0.4, 1e-12);
  // A ball joint away from the trunk's surface covers nothing.
  c.bodies[1].offset = {0, 0.5, 0};
  InferContactPoints(&c);
  EXPECT_EQ(c.contact_points.size(), 4u);
}

TEST(InferContactPoints, EqualShapesKeepOne) {
  Character c = Named({"block"});
  const Shape box{ShapeKind::kBox, {}, Quatd::Identity(), {0.1, 0.2, 0.3}};
  c.bodies[0].shapes = {box, box};
  InferContactPoints(&c);
  EXPECT_EQ(c.contact_points.size(), 8u);
}

TEST(InferContactPoints, FlatCylindersTouchWithTheirRims) {
  Character c = Named({"wheel"});
  const double half_side = 0.3 * std::sqrt(std::acos(-1.0)) / 2;  // the area of radius 0.3
  c.bodies[0].shapes = {
      {ShapeKind::kBox, {0, 0, 1}, Quatd::Identity(), {half_side, half_side, 0.05}}};
  const FlatCylinder cylinder{0, 0};
  InferContactPoints(&c, {&cylinder, 1});
  ASSERT_EQ(c.contact_points.size(), 16u);
  for (const ContactPoint& point : c.contact_points) {
    EXPECT_NEAR(std::hypot(point.position.x, point.position.y), 0.3, 1e-12);
    EXPECT_NEAR(std::fabs(point.position.z - 1), 0.05, 1e-12);
  }
}

TEST(InferGains, LegsCarryAllAndArmsThemselves) {
  Character c = Walker();
  InferContactPoints(&c);
  EXPECT_EQ(c.contact_points.size(), 2u);  // the arm does not collide
  InferGains(&c);
  // The centre of mass is that of the block, at the frames' height: 1 m above the soles.
  const double support = 34 * 9.81 * 1.0;
  EXPECT_EQ(c.bodies[0].joint.kp, 0);
  EXPECT_NEAR(c.bodies[1].joint.kp, support, 1e-9);
  EXPECT_NEAR(c.bodies[2].joint.kd, 0.1 * support, 1e-9);
  EXPECT_NEAR(c.bodies[3].joint.kp, 20 * 2 * 9.81 * 0.4, 1e-9);
}

TEST(InferRestPose, StandsOnTheGround) {
  Character c = Walker();
  InferContactPoints(&c);
  InferRestPose(&c);
  EXPECT_NEAR(c.rest_q[2], 1.0, 1e-12);
  c.contact_points.clear();
  InferRestPose(&c);
  EXPECT_EQ(c.rest_q, ZeroState(c).q);
}

}  // namespace
}  // namespace stride
