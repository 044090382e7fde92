#include "stride/character/paper_bodies.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/core/error.h"
#include "stride/testing/body_checks.h"

namespace stride {
namespace {

struct Expected {
  const char* name;
  int bodies, dofs;
  double height, mass;  // m, kg; 0: the paper gives none
};
constexpr Expected kExpected[] = {
    {"human", 18, 45, 1.75, 70},
    {"lee10", 13, 42, 0, 47},
    {"lee10-round", 13, 42, 0, 47},
    {"lee10-heavy", 13, 42, 0, 88.57},
    {"liu16", 18, 45, 1.70, 62},
    {"liu16-strong", 18, 45, 1.70, 62},
    {"kwon17", 17, 44, 0, 0},
    {"wang09-short", 19, 36, 1.65, 57},
    {"wang09-tall", 19, 36, 1.96, 79},
    {"wang09-stocky", 19, 36, 1.65, 70},
    {"wang09-overweight", 19, 36, 1.61, 86},
    {"wang09-thin", 19, 36, 1.65, 41},
    {"wang09-longarm", 19, 36, 1.27, 65},
    {"biped", 7, 12, 0, 0},
    {"biped-longtorso", 7, 12, 0, 0},
    {"biped-longlegs", 7, 12, 0, 0},
    {"android", 9, 14, 0, 0},
    {"tripod", 7, 12, 0, 0},
    {"snake", 7, 12, 0, 0},
    {"quadruped", 9, 14, 0, 19.6},
    {"hexapod", 13, 18, 0, 8.3},
    {"hopper", 4, 9, 0, 12},
};

int CountJoints(const Character& character, JointKind kind) {
  return static_cast<int>(
      std::count_if(character.bodies.begin(), character.bodies.end(),
                    [kind](const Body& body) { return body.joint.kind == kind; }));
}

const Joint& JointOf(const Character& character, const std::string& body) {
  const int index = FindBody(character, body);
  EXPECT_GE(index, 0) << body;
  return character.bodies[index].joint;
}

TEST(PaperBodiesTest, CountsHeightsMasses) {
  ASSERT_EQ(BuiltInCharacters().size(), std::size(kExpected));
  for (const Expected& expected : kExpected) {
    SCOPED_TRACE(expected.name);
    const Character character = LoadCharacter(expected.name);
    EXPECT_EQ(character.name, expected.name);
    EXPECT_FALSE(character.description.empty());
    EXPECT_EQ(character.BodyCount(), expected.bodies);
    EXPECT_EQ(LayoutOf(character).nv, expected.dofs);
    if (expected.height > 0) {
      EXPECT_NEAR(StandingHeight(character), expected.height, 0.01 * expected.height);
    }
    if (expected.mass > 0) {
      EXPECT_NEAR(TotalMass(character), expected.mass, 1e-9);
    }
  }
}

TEST(PaperBodiesTest, EveryBodyIsSound) {
  for (const CharacterInfo& info : BuiltInCharacters()) {
    const Character character = LoadCharacter(info.name);
    SCOPED_TRACE(info.name);
    EXPECT_NO_THROW(Validate(character));
    ExpectSymmetric(character);
    ExpectPlausibleInertia(character);
    EXPECT_NEAR(LowestContactAt(character, character.rest_q), 0, 1e-9);
    EXPECT_LE(character.contact_points.size(), 22u);  // those with six balls a sole have most
    for (int i = 1; i < character.BodyCount(); ++i) {
      const Joint& joint = character.bodies[i].joint;
      EXPECT_GT(joint.kp, 0) << character.bodies[i].name;
      EXPECT_GT(joint.kd, 0) << character.bodies[i].name;
    }
  }
}

TEST(PaperBodiesTest, HumansStandQuietly) {
  int humans = 0;
  for (const CharacterInfo& info : BuiltInCharacters()) {
    const Character character = LoadCharacter(info.name);
    if (!character.IsHuman()) continue;
    ++humans;
    ExpectQuietStand(character);
    // liu16's published 500 N m/rad are 1.8 times what gravity topples with; the others are ours.
    EXPECT_GT(AnkleStiffnessRatio(character), info.name == "liu16" ? 1.8 : 2) << info.name;
  }
  EXPECT_EQ(humans, 17);
}

// Figure 3 of the paper, row by row.
TEST(Lee10Test, TableAsPublished) {
  struct Row {
    const char* body;
    double mass, lx, ly, lz;
  };
  const Row rows[] = {{"head", 3, 0.012, 0.012, 0.008},
                      {"left_upper_arm", 2, 0.011, 0.011, 0.003},
                      {"right_lower_arm", 1, 0.004, 0.004, 0.001},
                      {"torso", 8, 0.052, 0.068, 0.049},
                      {"pelvis", 6, 0.025, 0.047, 0.040},
                      {"left_thigh", 5, 0.072, 0.072, 0.010},
                      {"right_shin", 5, 0.065, 0.065, 0.011}};
  const Character lee = MakeLee10();
  for (const Row& row : rows) {
    SCOPED_TRACE(row.body);
    const Body& body = lee.bodies[FindBody(lee, row.body)];
    EXPECT_EQ(body.mass, row.mass);
    // The table's x is left to right.
    EXPECT_EQ(body.inertia, (Sym3d{row.ly, 0, 0, row.lx, 0, row.lz}));
  }
  const Body& foot = lee.bodies[FindBody(lee, "left_foot")];
  EXPECT_EQ(foot.mass, 2);
  EXPECT_EQ(foot.inertia, (Sym3d{0.003, 0, 0, 0.010, 0, 0.010}));
}

TEST(Lee10Test, LengthsAsPublished) {
  const Character lee = MakeLee10();
  const auto offset = [&](const char* name) { return lee.bodies[FindBody(lee, name)].offset.z; };
  EXPECT_DOUBLE_EQ(offset("left_shin"), -0.400);
  EXPECT_DOUBLE_EQ(offset("left_foot"), -0.380);
  EXPECT_DOUBLE_EQ(offset("left_lower_arm"), -0.238);
  EXPECT_DOUBLE_EQ(offset("torso"), 0.180);
  EXPECT_EQ(CountJoints(lee, JointKind::kBall), 12);
  const Shape& foot = lee.bodies[FindBody(lee, "left_foot")].shapes[0];
  EXPECT_NEAR(2 * foot.size.x, 0.225, 1e-12);
}

TEST(Liu16Test, GainsAsPublished) {
  const Character basic = MakeLiu16(), strong = MakeLiu16(true);
  for (int i = 1; i < basic.BodyCount(); ++i) {
    EXPECT_EQ(basic.bodies[i].joint.kp, 500);
    EXPECT_EQ(basic.bodies[i].joint.kd, 50);
  }
  EXPECT_EQ(JointOf(strong, "abdomen").kp, 2000);
  EXPECT_EQ(JointOf(strong, "abdomen").kd, 100);
  for (const char* leg : {"left_thigh", "right_shank", "left_foot"}) {
    EXPECT_EQ(JointOf(strong, leg).kp, 1000);
    EXPECT_EQ(JointOf(strong, leg).kd, 50);
  }
  EXPECT_EQ(JointOf(strong, "left_forearm").kp, 500);
  EXPECT_EQ(JointOf(basic, "left_shank").kind, JointKind::kHinge);
}

TEST(Kwon17Test, HingeKneesAndElbowsThreeAxesElsewhere) {
  const Character kwon = MakeKwon17();
  EXPECT_EQ(CountJoints(kwon, JointKind::kBall), 11);
  EXPECT_EQ(CountJoints(kwon, JointKind::kHinge), 5);
  for (const char* body : {"left_shank", "right_shank", "left_forearm", "right_forearm", "head"}) {
    EXPECT_EQ(JointOf(kwon, body).kind, JointKind::kHinge) << body;
  }
}

TEST(Wang09Test, AxesOfTheTable) {
  const Character body = MakeWang09(Wang09Body::kShort);
  for (const char* ball : {"trunk", "head", "left_thigh", "left_upper_arm"}) {
    EXPECT_EQ(JointOf(body, ball).kind, JointKind::kBall) << ball;
  }
  const Vec3d x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  EXPECT_EQ(JointOf(body, "left_shank").axis, y);
  EXPECT_EQ(JointOf(body, "left_toe").axis, y);
  EXPECT_EQ(JointOf(body, "left_foot_link").axis, y);
  EXPECT_EQ(JointOf(body, "left_foot").axis, x);
  EXPECT_EQ(JointOf(body, "left_forearm_link").axis, -y);
  EXPECT_EQ(JointOf(body, "left_forearm").axis, z);
}

TEST(Wang09Test, BodiesDifferAsTheirNamesSay) {
  const auto thigh_radius = [](Wang09Body body) {
    const Character character = MakeWang09(body);
    return character.bodies[character.BodyOf(Role::kLeftThigh)].shapes[0].size.x;
  };
  EXPECT_LT(thigh_radius(Wang09Body::kThin), thigh_radius(Wang09Body::kShort));
  EXPECT_LT(thigh_radius(Wang09Body::kShort), thigh_radius(Wang09Body::kStocky));
  const auto arm_to_leg = [](Wang09Body body) {
    const Character character = MakeWang09(body);
    return character.bodies[FindBody(character, "left_forearm_link")].offset.z /
           character.bodies[FindBody(character, "left_shank")].offset.z;
  };
  EXPECT_GT(arm_to_leg(Wang09Body::kLongArm), 1.5 * arm_to_leg(Wang09Body::kShort));
}

TEST(BoeingTest, LegsAsDescribed) {
  EXPECT_EQ(CountJoints(MakeBiped(), JointKind::kHinge), 6);
  const Character android = MakeAndroid();
  EXPECT_EQ(CountJoints(android, JointKind::kHinge), 8);
  EXPECT_EQ(JointOf(android, "left_thigh").axis, (Vec3d{1, 0, 0}));  // the sagittal axis
  EXPECT_NEAR(StandingHeight(android), 1.75, 0.0175);
}

// Contact points on the ground in the rest pose.
std::vector<Vec3d> PointsOnGround(const Character& character) {
  const BodyFrames frames = FramesAt(character, character.rest_q);
  std::vector<Vec3d> points;
  for (const ContactPoint& point : character.contact_points) {
    const Vec3d p =
        frames.position[point.body] + Rotate(frames.rotation[point.body], point.position);
    if (p.z - point.radius < 1e-9) points.push_back(p);
  }
  return points;
}

TEST(BoeingTest, AlteredBipedsDifferInOneLength) {
  const Character biped = MakeBiped();
  const Character torso = LoadCharacter("biped-longtorso"), legs = LoadCharacter("biped-longlegs");
  const double shank = biped.bodies[2].offset.z;
  EXPECT_EQ(torso.bodies[2].offset.z, shank);
  EXPECT_NEAR(StandingHeight(torso) - StandingHeight(biped), 0.2, 1e-9);
  EXPECT_NEAR(legs.bodies[2].offset.z, shank * 4 / 3, 1e-9);
  EXPECT_EQ(legs.bodies[0].mass, biped.bodies[0].mass);
  EXPECT_EQ(legs.bodies[3].mass, biped.bodies[3].mass);
}

TEST(OwnBodiesTest, StandOnTheirFeetWithRoomToMove) {
  const std::pair<const char*, std::size_t> expected[] = {
      {"quadruped", 4}, {"hexapod", 6}, {"hopper", 4}};
  for (const auto& [name, feet] : expected) {
    SCOPED_TRACE(name);
    const Character character = LoadCharacter(name);
    const std::vector<Vec3d> ground = PointsOnGround(character);
    EXPECT_EQ(ground.size(), feet);
    // The centre of mass is well inside the box around the feet, which are symmetric.
    const Vec3d com = CenterOfMassAt(character, character.rest_q);
    const Vec3d middle = SupportCenterAt(character, character.rest_q);
    EXPECT_NEAR(com.y, 0, 1e-9);
    EXPECT_NEAR(com.x, middle.x, 0.02);
    for (const Vec3d& p : ground) EXPECT_GT(std::fabs(p.y), 0.1);
    const Layout layout = LayoutOf(character);
    for (int i = 1; i < character.BodyCount(); ++i) {
      const Joint& joint = character.bodies[i].joint;
      const double q = character.rest_q[layout.q[i]];
      EXPECT_GT(q - joint.lower, 0.4) << character.bodies[i].name;
      EXPECT_GT(joint.upper - q, 0.4) << character.bodies[i].name;
    }
  }
}

TEST(BoeingTest, TripodStandsOnThreeLegs) {
  const Character tripod = MakeTripod();
  EXPECT_EQ(CountJoints(tripod, JointKind::kHinge), 6);
  const std::vector<Vec3d> feet = PointsOnGround(tripod);
  ASSERT_EQ(feet.size(), 3u);
  // Left, right, rear: the centre of mass is inside, well away from each edge.
  const Vec3d com = CenterOfMassAt(tripod, tripod.rest_q);
  for (int i = 0; i < 3; ++i) {
    const Vec3d a = feet[i], b = feet[(i + 1) % 3];
    const double distance = ((com.x - a.x) * (b.y - a.y) - (com.y - a.y) * (b.x - a.x)) /
                            std::hypot(b.x - a.x, b.y - a.y);
    EXPECT_GT(distance, 0.08) << i;
  }
}

TEST(BoeingTest, SnakesOfAnyLength) {
  EXPECT_EQ(CountJoints(MakeSnake(), JointKind::kHinge), 6);
  const double link = TotalMass(MakeSnake(1));
  for (const int links : {1, 2, 10, 200}) {
    const Character snake = MakeSnake(links);
    EXPECT_EQ(snake.BodyCount(), links);
    EXPECT_EQ(LayoutOf(snake).nv, 6 + links - 1);
    EXPECT_NEAR(TotalMass(snake), links * link, 1e-9);
    EXPECT_EQ(snake.contact_points.size(), links + 1u);
    EXPECT_NEAR(LowestContactAt(snake, snake.rest_q), 0, 1e-12);
  }
  EXPECT_THROW(MakeSnake(0), InputError);
  EXPECT_THROW(MakeSnake(-5), InputError);
  EXPECT_THROW(MakeSnake(1000000), InputError);
}

}  // namespace
}  // namespace stride
