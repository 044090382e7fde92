#include "stride/character/human.h"

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "stride/core/error.h"
#include "stride/testing/body_checks.h"

namespace stride {
namespace {

const Body& BodyNamed(const Character& character, const std::string& name) {
  const int index = FindBody(character, name);
  EXPECT_GE(index, 0) << name;
  return character.bodies[index];
}

int DofsOf(const Character& character) { return LayoutOf(character).nv; }

// The zero pose with one hinge turned.
std::vector<double> WithAngle(const Character& character, const std::string& body, double angle) {
  std::vector<double> q = ZeroState(character).q;
  q[LayoutOf(character).q[FindBody(character, body)]] = angle;
  return q;
}

HumanParams ReferenceMan() {
  HumanParams params;
  params.height = 1.741;
  params.mass = 73;
  return params;
}

TEST(HumanTest, DefaultBody) {
  const Character human = MakeHuman();
  EXPECT_EQ(human.BodyCount(), 18);
  EXPECT_EQ(DofsOf(human), 45);
  EXPECT_NEAR(TotalMass(human), 70, 1e-9);
  EXPECT_NEAR(StandingHeight(human), 1.75, 1e-3);
  EXPECT_TRUE(human.IsHuman());
  EXPECT_FALSE(human.description.empty());
  for (int role = 0; role < static_cast<int>(Role::kCount); ++role) {
    EXPECT_GE(human.roles[role], 0) << RoleName(static_cast<Role>(role));
  }
  EXPECT_LE(human.contact_points.size(), 20u);
  EXPECT_NO_THROW(Validate(human));
  ExpectSymmetric(human);
  ExpectPlausibleInertia(human);
  ExpectQuietStand(human);
  EXPECT_GT(AnkleStiffnessRatio(human), 2);
}

TEST(HumanTest, ZeroPoseStandsOnTheGround) {
  const Character human = MakeHuman();
  EXPECT_NEAR(LowestContactAt(human, ZeroState(human).q), 0, 1e-12);
}

// Figures as published by de Leva, Table 4, males.
TEST(HumanTest, ReferenceManIsDeLevas) {
  const Character man = MakeHuman(ReferenceMan());
  const Body& thigh = BodyNamed(man, "left_thigh");
  EXPECT_NEAR(thigh.mass, 0.1416 * 73, 1e-6);
  EXPECT_NEAR(thigh.com.z, -0.4095 * 0.4222, 1e-4);
  EXPECT_NEAR(BodyNamed(man, "left_shank").offset.z, -0.4222, 1e-4);
  EXPECT_NEAR(thigh.inertia.xx, thigh.mass * std::pow(0.329 * 0.4222, 2), 1e-4);
  EXPECT_NEAR(thigh.inertia.zz, thigh.mass * std::pow(0.149 * 0.4222, 2), 1e-4);
  const Body& chest = BodyNamed(man, "chest");
  EXPECT_NEAR(chest.mass, 0.1596 * 73, 1e-6);
  EXPECT_NEAR(chest.inertia.yy, chest.mass * std::pow(0.454 * 0.1707, 2), 1e-4);
}

// The parts into which the foot and the head are cut add up to de Leva's foot and head.
TEST(HumanTest, CutSegmentsAddUp) {
  HumanParams params = ReferenceMan();
  params.toe = JointStyle::kFixed;
  const Character man = MakeHuman(params);
  const Body& foot = BodyNamed(man, "left_foot");
  EXPECT_NEAR(foot.mass, 0.0137 * 73, 1e-6);
  EXPECT_NEAR(foot.com.x, (0.4415 - params.ankle_position) * 0.2581, 1e-3);
  EXPECT_NEAR(foot.inertia.xx, foot.mass * std::pow(0.124 * 0.2581, 2), 0.05 * foot.inertia.xx);
  EXPECT_NEAR(foot.inertia.yy, foot.mass * std::pow(0.245 * 0.2581, 2), 0.05 * foot.inertia.yy);
  EXPECT_NEAR(foot.inertia.zz, foot.mass * std::pow(0.257 * 0.2581, 2), 0.05 * foot.inertia.zz);
  const Body& head = BodyNamed(man, "head");
  EXPECT_NEAR(head.mass, 0.0694 * 73, 1e-6);
  EXPECT_NEAR(head.com.z, 0.5 * 0.241, 2e-3);
  EXPECT_NEAR(head.inertia.xx, head.mass * std::pow(0.303 * 0.2429, 2), 0.05 * head.inertia.xx);
  EXPECT_NEAR(head.inertia.yy, head.mass * std::pow(0.315 * 0.2429, 2), 0.05 * head.inertia.yy);
  EXPECT_NEAR(head.inertia.zz, head.mass * std::pow(0.261 * 0.2429, 2), 0.05 * head.inertia.zz);
}

TEST(HumanTest, GrowsGeometrically) {
  const Character man = MakeHuman();
  HumanParams params;
  constexpr double kGrowth = 1.3;
  params.height *= kGrowth;
  params.mass *= std::pow(kGrowth, 3);
  const Character giant = MakeHuman(params);
  ASSERT_EQ(man.BodyCount(), giant.BodyCount());
  for (int i = 0; i < man.BodyCount(); ++i) {
    SCOPED_TRACE(man.bodies[i].name);
    ExpectNear(man.bodies[i].offset * kGrowth, giant.bodies[i].offset, 1e-9);
    ExpectNear(man.bodies[i].com * kGrowth, giant.bodies[i].com, 1e-9);
    EXPECT_NEAR(man.bodies[i].inertia.xx * std::pow(kGrowth, 5), giant.bodies[i].inertia.xx, 1e-9);
  }
}

TEST(HumanTest, MassThickensWithoutLengthening) {
  HumanParams params;
  params.mass = 140;
  const Character man = MakeHuman(), heavy = MakeHuman(params);
  EXPECT_NEAR(StandingHeight(heavy), StandingHeight(man), 1e-9);
  const Body& thin = BodyNamed(man, "left_thigh");
  const Body& thick = BodyNamed(heavy, "left_thigh");
  EXPECT_NEAR(thick.mass, 2 * thin.mass, 1e-9);
  EXPECT_NEAR(thick.shapes[0].size.x, std::sqrt(2) * thin.shapes[0].size.x, 1e-9);
  // Twice the mass at sqrt(2) times the radius: four times the moment about the long axis.
  EXPECT_NEAR(thick.inertia.zz, 4 * thin.inertia.zz, 1e-9);
}

TEST(HumanTest, ProportionsKeepHeightAndMass) {
  HumanParams params;
  params.leg_length = 1.3;
  params.arm_length = 0.8;
  params.trunk_mass = 1.5;
  params.hip_width = 1.2;
  const Character plain = MakeHuman(), changed = MakeHuman(params);
  EXPECT_NEAR(StandingHeight(changed), 1.75, 0.0175);
  EXPECT_NEAR(TotalMass(changed), 70, 1e-9);
  EXPECT_GT(changed.bodies[0].offset.z, 1.05 * plain.bodies[0].offset.z);
  EXPECT_GT(BodyNamed(changed, "left_hand").offset.z, 0.9 * BodyNamed(plain, "left_hand").offset.z);
  EXPECT_GT(BodyNamed(changed, "chest").mass / BodyNamed(changed, "left_thigh").mass,
            BodyNamed(plain, "chest").mass / BodyNamed(plain, "left_thigh").mass);
  EXPECT_GT(BodyNamed(changed, "left_thigh").offset.y, BodyNamed(plain, "left_thigh").offset.y);
  ExpectQuietStand(changed);
  ExpectSymmetric(changed);
}

// Fixing joints removes bodies but moves no mass.
TEST(HumanTest, JointStylesKeepTheMassWhereItIs) {
  const Character free = MakeHuman();
  HumanParams params;
  params.waist = params.chest = params.neck = params.shoulder = JointStyle::kFixed;
  params.elbow = params.wrist = params.toe = JointStyle::kFixed;
  params.hip = params.ankle = JointStyle::kUniversal;
  params.knee = JointStyle::kBall;
  const Character stiff = MakeHuman(params);
  EXPECT_EQ(DofsOf(stiff), 6 + 2 * (2 + 3 + 2));
  EXPECT_EQ(stiff.BodyCount(), 1 + 2 * (2 + 1 + 2));
  EXPECT_EQ(BodyNamed(stiff, "left_thigh_link").mass, 0);
  EXPECT_NEAR(TotalMass(stiff), TotalMass(free), 1e-9);
  ExpectNear(CenterOfMassAt(stiff, ZeroState(stiff).q), CenterOfMassAt(free, ZeroState(free).q),
             1e-12);
  EXPECT_TRUE(stiff.IsHuman());
  EXPECT_EQ(stiff.BodyOf(Role::kTrunk), 0);
  EXPECT_EQ(stiff.BodyOf(Role::kLeftHand), -1);
  ExpectSymmetric(stiff);
  ExpectPlausibleInertia(stiff);
  ExpectQuietStand(stiff);
}

TEST(HumanTest, FlexionIsPositive) {
  const Character human = MakeHuman();
  const int foot = human.BodyOf(Role::kLeftFoot), hand = human.BodyOf(Role::kRightHand);
  const BodyFrames knee = FramesAt(human, WithAngle(human, "left_shank", 1));
  EXPECT_LT(knee.position[foot].x, -0.2);
  const BodyFrames elbow = FramesAt(human, WithAngle(human, "right_forearm", 1));
  EXPECT_GT(elbow.position[hand].x, 0.1);
  const Joint& joint = BodyNamed(human, "left_shank").joint;
  EXPECT_EQ(joint.lower, 0);
  EXPECT_NEAR(joint.upper, 150 * M_PI / 180, 1e-12);
}

TEST(HumanTest, AnyProportionsStandOrAreRefused) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> factor(0.4, 2.2), height(0.4, 2.6), mass(8, 250);
  int built = 0;
  for (int i = 0; i < 200; ++i) {
    HumanParams params;
    params.height = height(random);
    params.mass = mass(random);
    for (double* value :
         {&params.leg_length, &params.trunk_length, &params.arm_length, &params.head_size,
          &params.foot_length, &params.hip_width, &params.shoulder_width, &params.leg_mass,
          &params.trunk_mass, &params.arm_mass}) {
      *value = factor(random);
    }
    try {
      const Character human = MakeHuman(params);
      ++built;
      EXPECT_NEAR(StandingHeight(human), params.height, 0.01 * params.height);
      EXPECT_NEAR(TotalMass(human), params.mass, 1e-6);
      EXPECT_NEAR(LowestContactAt(human, human.rest_q), 0, 1e-9);
      const Vec3d off = CenterOfMassAt(human, human.rest_q) - SupportCenterAt(human, human.rest_q);
      EXPECT_NEAR(off.x, 0, 0.01);
      EXPECT_NEAR(off.y, 0, 0.01);
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("proportions"), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(built, 60);
}

void ExpectRefused(const HumanParams& params, const std::string& name) {
  try {
    MakeHuman(params);
    ADD_FAILURE() << name << " was accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
  }
}

TEST(HumanTest, RefusesBadParameters) {
  HumanParams params;
  params.height = 0;
  ExpectRefused(params, "height");
  params = {};
  params.mass = std::numeric_limits<double>::quiet_NaN();
  ExpectRefused(params, "mass");
  params = {};
  params.leg_length = -1;
  ExpectRefused(params, "leg_length");
  params = {};
  params.ankle_position = 0.9;
  ExpectRefused(params, "ankle_position");
  params = {};
  params.ankle = JointStyle::kFixed;
  ExpectRefused(params, "ankle");
  params = {};
  params.arm_length = 3;
  params.leg_length = 0.3;
  ExpectRefused(params, "proportions");
}

}  // namespace
}  // namespace stride
