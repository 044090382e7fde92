#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/controllers/registry.h"
#include "stride/controllers/simbicon/simbicon_program.h"
#include "stride/controllers/skill_library.h"
#include "stride/dynamics/model.h"
#include "stride/math/rotation.h"
#include "stride/scenario/fall.h"
#include "stride/scenario/placement.h"
#include "stride/sim/engine.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using ::testing::HasSubstr;

// A walk from a stand; where it ends.
State Walk(const std::string& skill, const Command& command, double seconds) {
  ControllerInput input;
  input.skill = std::make_shared<const Skill>(LoadSkill(skill));
  input.world.actors = {input.skill->character};
  input.stand = StandOn(input.world.actors[0], input.world.terrain);
  const auto controller = MakeController("simbicon", input);
  const auto engine = MakeEngine("native", input.world);
  engine->SetState(0, controller->Start());
  FallDetector fall(input.world.actors[0], {}, controller->Start());
  std::vector<Actuation> actuations = {Passive(input.world.actors[0])};
  std::vector<Contact> contacts;
  for (double time = 0; time < seconds; time += input.world.time_step) {
    controller->Step({time, engine->GetState(0), contacts}, command, &actuations[0]);
    engine->Step(actuations, {});
    contacts.assign(engine->Contacts().begin(), engine->Contacts().end());
    EXPECT_FALSE(fall.Fallen(engine->GetState(0))) << "at " << time << " s";
    if (fall.Fallen(engine->GetState(0))) break;
  }
  return engine->GetState(0);
}

TEST(Simbicon, WalksStraightAtItsSpeed) {
  const Skill skill = LoadSkill("simbicon_walk");
  const State end = Walk("simbicon_walk", {}, 20);
  EXPECT_NEAR(end.q[0] / 20, skill.metrics["speed"].get<double>(), 0.15);
  EXPECT_LT(std::fabs(end.q[1]), 0.5);
}

// The same walk along another heading is the same walk turned: no axis of the world is special.
TEST(Simbicon, WalksAlongACommandedHeading) {
  for (const double heading : {0.8, -1.5}) {
    const State end = Walk("simbicon_walk", {.heading = heading}, 20);
    EXPECT_NEAR(std::remainder(std::atan2(end.q[1], end.q[0]) - heading, 2 * M_PI), 0, 0.2)
        << heading;
  }
}

TEST(Simbicon, WalksAtACommandedSpeed) {
  for (const double speed : {0.7, 1.0, 1.4}) {
    const double seconds = 20;
    const double before = Walk("simbicon_walk", {.speed = speed}, 5).q[0];
    const double after = Walk("simbicon_walk", {.speed = speed}, seconds).q[0];
    EXPECT_NEAR((after - before) / (seconds - 5), speed, 0.1) << speed;
  }
  // Out of its range it does what it can, and stays up.
  const double fastest = Walk("simbicon_walk", {.speed = 5}, 20).q[0];
  EXPECT_GT(fastest / 20, 1.4);
}

TEST(Simbicon, HingesTakeWhatTheyCanOfARotation) {
  // Two hinges that cross, y then x, with turned signs: exactly the rotation they are aimed at.
  const Character tall = LoadCharacter("wang09-tall");
  Model<double> model(tall);
  State state = ZeroState(tall);
  model.SetState(state);
  std::vector<JointDrive<double>> drives(tall.bodies.size());
  const LaneView<double, double> view{model.GetTree(), model.View(), drives.data(), {},      0,
                                      {0, 0, 1},       0.005,        nullptr,       nullptr, 0};
  const int foot = tall.BodyOf(Role::kLeftFoot), link = tall.bodies[foot].parent;
  const JointChain chain{2, {link, foot}, {1, 0}, {-1, 1}};
  const Quatd wanted = AxisAngle({0, 1, 0}, 0.4) * AxisAngle({1, 0, 0}, -0.3);
  Aim(view, chain, wanted, 100.0, 10.0);
  EXPECT_NEAR(drives[link].target.w, -0.4, 1e-12);
  EXPECT_NEAR(drives[foot].target.w, -0.3, 1e-12);
  EXPECT_EQ(drives[foot].kp, 100);
}

TEST(Simbicon, SaysWhichBodiesItCannotDrive) {
  const ControllerInfo& info = FindController("simbicon");
  for (const char* human : {"liu16", "lee10", "kwon17", "wang09-longarm", "android", "human"}) {
    EXPECT_EQ(info.refuses(LoadCharacter(human)), "") << human;
  }
  EXPECT_THAT(info.refuses(LoadCharacter("snake")), HasSubstr("has no"));
}

TEST(Simbicon, RefusesAPayloadThatIsNotItsOwn) {
  Skill skill = LoadSkill("simbicon_walk");
  skill.payload["parameters"].erase("torso_pitch");
  EXPECT_THAT(InputErrorOf([&] { ParseSkill(SkillText(skill), "a.skill"); }),
              HasSubstr("torso_pitch"));
}

}  // namespace
}  // namespace stride
