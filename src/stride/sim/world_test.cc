#include "stride/sim/world.h"

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/core/error.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using testing::HasSubstr;

Terrain Field() {
  Terrain t;
  t.kind = Terrain::Kind::kHeightField;
  t.x0 = -1;
  t.y0 = 2;
  t.cell = 0.5;
  t.nx = 3;
  t.ny = 2;
  t.heights = {0, 1, 3, 2, 2, 7};
  return t;
}

// A root and a hinge, both of mass.
Character Pendulum() {
  Character c;
  c.name = "pendulum";
  Body root;
  root.name = "root";
  root.offset = {0, 0, 1};
  root.joint.kind = JointKind::kFree;
  root.joint.kp = 77;  // not used: the joint is free
  root.mass = 2;
  root.inertia = Sym3d::Diagonal(0.1);
  Body arm = root;
  arm.name = "arm";
  arm.parent = 0;
  arm.offset = {0, 0, -0.2};
  arm.joint = {.kind = JointKind::kHinge, .kp = 30, .kd = 3};
  c.bodies = {root, arm};
  c.rest_q = {0, 0, 1, 1, 0, 0, 0, 0.1};
  return c;
}

TEST(SurfaceAt, SlopeRisesAlongItsHeading) {
  Terrain t;
  t.slope = 0.3;
  t.slope_heading = 2;
  const Vec3d uphill{std::cos(2.0), std::sin(2.0), 0};
  EXPECT_NEAR(SurfaceAt(t, 5 * uphill.x, 5 * uphill.y).height, 5 * std::tan(0.3), 1e-12);
  EXPECT_NEAR(SurfaceAt(t, -uphill.y, uphill.x).height, 0, 1e-12);  // across the slope
  const Vec3d normal = SurfaceAt(t, 1, 1).normal;
  EXPECT_NEAR(Norm(normal), 1, 1e-12);
  EXPECT_NEAR(Dot(normal, uphill), -std::sin(0.3), 1e-12);
}

TEST(SurfaceAt, HeightFieldInterpolates) {
  const Terrain t = Field();
  EXPECT_DOUBLE_EQ(SurfaceAt(t, -1, 2).height, 0);
  EXPECT_DOUBLE_EQ(SurfaceAt(t, 0, 2).height, 3);
  EXPECT_DOUBLE_EQ(SurfaceAt(t, 0, 2.5).height, 7);
  EXPECT_DOUBLE_EQ(SurfaceAt(t, -0.25, 2).height, 2);
  EXPECT_DOUBLE_EQ(SurfaceAt(t, -0.25, 2.25).height, (1 + 3 + 2 + 7) / 4.0);
}

TEST(SurfaceAt, HeightFieldNormalIsItsGradient) {
  const Terrain t = Field();
  const double x = -0.2, y = 2.1, e = 1e-6;
  const Vec3d n = SurfaceAt(t, x, y).normal;
  EXPECT_NEAR(-n.x / n.z, (SurfaceAt(t, x + e, y).height - SurfaceAt(t, x - e, y).height) / (2 * e),
              1e-6);
  EXPECT_NEAR(-n.y / n.z, (SurfaceAt(t, x, y + e).height - SurfaceAt(t, x, y - e).height) / (2 * e),
              1e-6);
}

TEST(SurfaceAt, HeightFieldIsConstantBeyondItsBorder) {
  const Terrain t = Field();
  EXPECT_DOUBLE_EQ(SurfaceAt(t, 100, 100).height, 7);
  EXPECT_DOUBLE_EQ(SurfaceAt(t, -100, 2.25).height, 1);
  EXPECT_EQ(SurfaceAt(t, -100, 2.25).normal.x, 0);
  EXPECT_LT(SurfaceAt(t, -100, 2.25).normal.y, 0);  // still rises along y
  EXPECT_EQ(SurfaceAt(t, std::numeric_limits<double>::quiet_NaN(), 2).height, 0);
}

TEST(SurfaceAt, StepsChangeAtTheirEdges) {
  Terrain t;
  t.kind = Terrain::Kind::kSteps;
  t.step_start = 1;
  t.step_depth = 0.5;
  t.step_rise = -0.2;
  t.step_count = 3;
  EXPECT_DOUBLE_EQ(SurfaceAt(t, -50, 3).height, 0);
  EXPECT_DOUBLE_EQ(SurfaceAt(t, 0.999, 0).height, 0);
  EXPECT_DOUBLE_EQ(SurfaceAt(t, 1.001, 0).height, -0.2);
  EXPECT_DOUBLE_EQ(SurfaceAt(t, 1.501, 0).height, -0.4);
  EXPECT_DOUBLE_EQ(SurfaceAt(t, 2.001, 0).height, -0.6);
  EXPECT_DOUBLE_EQ(SurfaceAt(t, 80, 0).height, -0.6);
}

TEST(ValidateTerrain, NamesWhatIsWrong) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto error = [](Terrain t, const std::function<void(Terrain*)>& spoil) {
    EXPECT_NO_THROW(Validate(t));
    spoil(&t);
    return InputErrorOf([&t] { Validate(t); });
  };
  EXPECT_THAT(error({}, [](Terrain* t) { t->slope = 1.6; }), HasSubstr("slope is 1.6"));
  EXPECT_THAT(error({}, [nan](Terrain* t) { t->slope = nan; }), HasSubstr("90 degrees"));
  EXPECT_THAT(error({}, [nan](Terrain* t) { t->slope_heading = nan; }), HasSubstr("slope_heading"));
  EXPECT_THAT(error(Field(), [](Terrain* t) { t->heights.pop_back(); }),
              HasSubstr("has 5 heights"));
  EXPECT_THAT(error(Field(), [](Terrain* t) { t->nx = 0; }), HasSubstr("0 x 2"));
  EXPECT_THAT(error(Field(), [](Terrain* t) { t->nx = t->ny = 65536; }), HasSubstr("4096"));
  EXPECT_THAT(error(Field(), [](Terrain* t) { t->cell = 0; }), HasSubstr("cell"));
  EXPECT_THAT(error(Field(), [nan](Terrain* t) { t->x0 = nan; }), HasSubstr("x0"));
  EXPECT_THAT(error(Field(), [nan](Terrain* t) { t->heights[2] = nan; }), HasSubstr("height"));
  Terrain steps;
  steps.kind = Terrain::Kind::kSteps;
  EXPECT_THAT(error(steps, [](Terrain* t) { t->step_count = -1; }), HasSubstr("step_count is -1"));
  EXPECT_THAT(error(steps, [](Terrain* t) { t->step_count = 100000; }), HasSubstr("0 to 1000"));
  EXPECT_THAT(error(steps, [](Terrain* t) { t->step_depth = 0; }), HasSubstr("step_depth"));
  EXPECT_THAT(error(steps, [nan](Terrain* t) { t->step_rise = nan; }), HasSubstr("step_rise"));
}

TEST(Actuation, HoldPoseTakesTheCharactersGains) {
  const Character c = Pendulum();
  const Actuation hold = HoldPose(c, c.rest_q);
  EXPECT_EQ(hold.target_q, c.rest_q);
  EXPECT_EQ(hold.kp, (std::vector<double>{0, 30}));
  EXPECT_EQ(hold.kd, (std::vector<double>{0, 3}));
  EXPECT_EQ(hold.target_v, std::vector<double>(7));
  EXPECT_EQ(hold.torque, std::vector<double>(7));
  EXPECT_THAT(InputErrorOf([&c] {
                HoldPose(c, {1, 2});
              }),
              HasSubstr("expected the 8 of 'pendulum'"));
}

TEST(Actuation, PassiveDoesNothing) {
  const Actuation passive = Passive(Pendulum());
  EXPECT_EQ(passive.kp, std::vector<double>(2));
  EXPECT_EQ(passive.kd, std::vector<double>(2));
  EXPECT_EQ(passive.torque, std::vector<double>(7));
  EXPECT_EQ(passive.target_q.size(), 8u);
}

TEST(AddLoad, IsTheSumOfBothParts) {
  Character c = Pendulum();
  c.bodies[1].com = {0.1, 0, -0.3};
  c.bodies[1].inertia = {0.2, 0.01, 0.02, 0.3, 0.03, 0.4};
  const Body before = c.bodies[1];
  const Vec3d position{-0.1, 0.2, 0.4};
  AddLoad(&c, 1, 3, position, 0.1);
  const Body& after = c.bodies[1];
  EXPECT_DOUBLE_EQ(after.mass, 5);
  EXPECT_NEAR(after.com.x, (2 * 0.1 - 3 * 0.1) / 5, 1e-15);
  // About the body's origin, where the parts add up, inertias must be equal.
  const auto about_origin = [](const Body& b) { return b.inertia + PointInertia(b.com) * b.mass; };
  const Sym3d expected =
      about_origin(before) + Sym3d::Diagonal(0.4 * 3 * 0.01) + PointInertia(position) * 3.0;
  const Sym3d got = about_origin(after);
  EXPECT_NEAR(got.xx, expected.xx, 1e-14);
  EXPECT_NEAR(got.xy, expected.xy, 1e-14);
  EXPECT_NEAR(got.xz, expected.xz, 1e-14);
  EXPECT_NEAR(got.yy, expected.yy, 1e-14);
  EXPECT_NEAR(got.yz, expected.yz, 1e-14);
  EXPECT_NEAR(got.zz, expected.zz, 1e-14);
}

TEST(AddLoad, RejectsNonsense) {
  Character c = Pendulum();
  EXPECT_THAT(InputErrorOf([&c] { AddLoad(&c, 2, 1, {}); }), HasSubstr("0 to 1"));
  EXPECT_THAT(InputErrorOf([&c] { AddLoad(&c, 0, -1, {}); }), HasSubstr("positive mass"));
  EXPECT_THAT(InputErrorOf([&c] { AddLoad(&c, 0, 1, {NAN, 0, 0}); }), HasSubstr("finite position"));
  EXPECT_EQ(c, Pendulum());
}

// Moments of inertia by adding up small cubes of the thing's shape.
Vec3d SummedMoments(const Shape& shape, double mass) {
  constexpr int kCubes = 100;
  const bool box = shape.kind == ShapeKind::kBox;
  const Vec3d half = box ? shape.size : Vec3d{shape.size.x, shape.size.x, shape.size.x};
  Vec3d sum;
  int count = 0;
  const auto at = [](int i, double h) { return h * ((2 * i + 1.0) / kCubes - 1); };
  for (int i = 0; i < kCubes; ++i) {
    for (int j = 0; j < kCubes; ++j) {
      for (int k = 0; k < kCubes; ++k) {
        const Vec3d p{at(i, half.x), at(j, half.y), at(k, half.z)};
        if (!box && Norm(p) > shape.size.x) continue;
        sum += Vec3d{p.y * p.y + p.z * p.z, p.x * p.x + p.z * p.z, p.x * p.x + p.y * p.y};
        ++count;
      }
    }
  }
  return sum * (mass / count);
}

TEST(Things, RestOnTheGroundWithTheirInertia) {
  for (const Character& thing : {MakeBall(0.2, 3), MakeBox({0.1, 0.2, 0.4}, 5)}) {
    SCOPED_TRACE(thing.name);
    EXPECT_NO_THROW(Validate(thing));
    const Body& body = thing.bodies[0];
    const Vec3d expected = SummedMoments(body.shapes[0], body.mass);
    EXPECT_NEAR(body.inertia.xx, expected.x, 2e-3 * expected.x);
    EXPECT_NEAR(body.inertia.yy, expected.y, 2e-3 * expected.y);
    EXPECT_NEAR(body.inertia.zz, expected.z, 2e-3 * expected.z);
    double lowest = 1;
    for (const ContactPoint& p : thing.contact_points) {
      lowest = std::min(lowest, thing.rest_q[2] + p.position.z - p.radius);
    }
    EXPECT_NEAR(lowest, 0, 1e-15);
  }
  EXPECT_THROW(MakeBall(0.1, -1), InputError);
  EXPECT_THROW(MakeBox({0.1, NAN, 0.1}, 1), InputError);
}

}  // namespace
}  // namespace stride
