#pragma once

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "stride/character/inertia.h"
#include "stride/character/rest_pose.h"

// What the tests ask of every body that a builder makes.
namespace stride {

inline Vec3d Mirrored(const Vec3d& v) { return {v.x, -v.y, v.z}; }

inline void ExpectNear(const Vec3d& a, const Vec3d& b, double tolerance) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

// Every body called left_... has a right_... that is its mirror image, and all others lie in the
// middle.
inline void ExpectSymmetric(const Character& character) {
  for (const Body& body : character.bodies) {
    SCOPED_TRACE(character.name + " " + body.name);
    if (body.name.rfind("left_", 0) != 0) {
      if (body.name.rfind("right_", 0) == 0) continue;
      EXPECT_NEAR(body.com.y, 0, 1e-12);
      EXPECT_NEAR(body.offset.y, 0, 1e-12);
      EXPECT_NEAR(body.inertia.xy, 0, 1e-12);
      EXPECT_NEAR(body.inertia.yz, 0, 1e-12);
      continue;
    }
    const int index = FindBody(character, "right_" + body.name.substr(5));
    ASSERT_GE(index, 0);
    const Body& other = character.bodies[index];
    EXPECT_EQ(body.mass, other.mass);
    ExpectNear(Mirrored(body.com), other.com, 1e-12);
    ExpectNear(Mirrored(body.offset), other.offset, 1e-12);
    EXPECT_NEAR(body.inertia.xx, other.inertia.xx, 1e-12);
    EXPECT_NEAR(body.inertia.yy, other.inertia.yy, 1e-12);
    EXPECT_NEAR(body.inertia.zz, other.inertia.zz, 1e-12);
    EXPECT_NEAR(body.inertia.xz, other.inertia.xz, 1e-12);
    EXPECT_EQ(body.joint.kind, other.joint.kind);
    EXPECT_EQ(body.joint.kp, other.joint.kp);
    // A turn about X or Z changes its sign in the mirror.
    const bool turned = body.joint.kind == JointKind::kHinge && body.joint.axis.y == 0;
    EXPECT_EQ(body.joint.upper, turned ? -other.joint.lower : other.joint.upper);
    EXPECT_EQ(body.joint.lower, turned ? -other.joint.upper : other.joint.lower);
    ASSERT_EQ(body.shapes.size(), other.shapes.size());
    for (std::size_t i = 0; i < body.shapes.size(); ++i) {
      ExpectNear(Mirrored(body.shapes[i].center), other.shapes[i].center, 1e-12);
      ExpectNear(body.shapes[i].size, other.shapes[i].size, 1e-12);
    }
  }
}

inline void ExpectPlausibleInertia(const Character& character) {
  for (const Body& body : character.bodies) {
    if (body.mass == 0) continue;  // a link
    SCOPED_TRACE(character.name + " " + body.name);
    EXPECT_TRUE(IsPositiveDefinite(body.inertia));
    EXPECT_TRUE(HasPossibleMoments(body.inertia));
    // No part of a body is as wide in its radius of gyration as 1 m, or denser than lead.
    EXPECT_LT(body.inertia.xx + body.inertia.yy + body.inertia.zz, 2 * body.mass);
    EXPECT_GT(body.inertia.xx + body.inertia.yy + body.inertia.zz, 1e-4 * body.mass);
  }
}

inline bool WithinLimits(const Joint& joint, const double* q) {
  if (!joint.limited) return true;
  if (HasOneAxis(joint.kind)) return q[0] >= joint.lower && q[0] <= joint.upper;
  return 2 * std::acos(std::fmin(1, std::fabs(q[0]))) <= joint.upper;
}

// Both feet flat on z = 0 and the centre of mass over their middle, all joints within their limits.
inline void ExpectQuietStand(const Character& character) {
  SCOPED_TRACE(character.name);
  const std::vector<double>& q = character.rest_q;
  EXPECT_NEAR(LowestContactAt(character, q), 0, 1e-9);
  const BodyFrames frames = FramesAt(character, q);
  int on_feet = 0;
  for (const ContactPoint& point : character.contact_points) {
    const bool foot = point.body == character.BodyOf(Role::kLeftFoot) ||
                      point.body == character.BodyOf(Role::kRightFoot) ||
                      point.body == character.BodyOf(Role::kLeftToe) ||
                      point.body == character.BodyOf(Role::kRightToe);
    const double z = frames.position[point.body].z +
                     Rotate(frames.rotation[point.body], point.position).z - point.radius;
    if (foot) {
      EXPECT_NEAR(z, 0, 1e-9);
      ++on_feet;
    } else {
      EXPECT_GT(z, 0.02) << character.bodies[point.body].name;
    }
  }
  EXPECT_GE(on_feet, 8);
  const Vec3d com = CenterOfMassAt(character, q), middle = SupportCenterAt(character, q);
  EXPECT_NEAR(com.x, middle.x, 1e-6);
  EXPECT_NEAR(com.y, middle.y, 1e-6);
  const Layout layout = LayoutOf(character);
  for (int i = 1; i < character.BodyCount(); ++i) {
    EXPECT_TRUE(WithinLimits(character.bodies[i].joint, &q[layout.q[i]]))
        << character.bodies[i].name;
  }
}

// Sum of both ankles' kp against what gravity topples with, m g h above the ankle.
inline double AnkleStiffnessRatio(const Character& character) {
  const int left = character.BodyOf(Role::kLeftFoot), right = character.BodyOf(Role::kRightFoot);
  const double height = CenterOfMassAt(character, character.rest_q).z -
                        FramesAt(character, character.rest_q).position[left].z;
  return (character.bodies[left].joint.kp + character.bodies[right].joint.kp) /
         (TotalMass(character) * 9.81 * height);
}

}  // namespace stride
