#include <cmath>
#include <memory>
#include <numbers>

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/controllers/control_graph/clip_skill.h"
#include "stride/controllers/registry.h"
#include "stride/motion/edit/blend.h"
#include "stride/motion/library.h"
#include "stride/scenario/fall.h"
#include "stride/sim/engine.h"

// Skills go where they are told, as fast as they are told.
namespace stride {
namespace {

constexpr const char* kGaits[] = {"walk", "walk_slow", "walk_fast", "march", "run"};

struct Way {
  double heading, speed;
  std::optional<SpeedRange> speeds;
};
// Of the last twelve seconds of 24, in the native engine, the command given after two.
Way Go(const std::string& name, const Command& command) {
  constexpr double kBegin = 12, kEnd = 24;
  ControllerInput input;
  input.skill = std::make_shared<const Skill>(ToEnvelope(LoadClipSkill(name)));
  input.world.actors = {input.skill->character};
  const auto controller = MakeController("control_graph", input);
  const auto engine = MakeEngine("native", input.world);
  engine->SetState(0, controller->Start());
  FallDetector fall(input.world.actors[0], input.world.terrain, controller->Start());
  std::vector<Actuation> actuations = {Passive(input.world.actors[0])};
  std::vector<Contact> contacts;
  State begun;
  for (double time = 0; time < kEnd; time += input.world.time_step) {
    if (time < kBegin) begun = engine->GetState(0);
    controller->Step({time, engine->GetState(0), contacts}, time < 2 ? Command{} : command,
                     &actuations[0]);
    engine->Step(actuations, {});
    contacts.assign(engine->Contacts().begin(), engine->Contacts().end());
    if (fall.Fallen(engine->GetState(0))) {
      ADD_FAILURE() << name << " fell at " << time << " s";
      break;
    }
  }
  const State end = engine->GetState(0);
  const double x = end.q[0] - begun.q[0], y = end.q[1] - begun.q[1];
  return {std::atan2(y, x), std::hypot(x, y) / (kEnd - kBegin), controller->Speeds()};
}

constexpr double kTwoDegrees = 2 * std::numbers::pi / 180;

// In axes that are not its mirror plane, what a symmetric gait's second half sees is off.
TEST(Steering, TheSecondHalfOfASymmetricClipIsTheMirrorImageOfTheFirst) {
  const Character character = LoadCharacter("liu16");
  for (const char* name : kGaits) {
    ClipOptions options;
    options.symmetric = true;
    const ControlGraph graph =
        MakeControlGraph(LoadMotion(name, character), character, options, 0.005);
    // The mean heading is the mirror plane to about a degree; the first frame's is 8 off.
    const double most = 0.02 + 0.05 * MeanSpeed(graph.segments[0].motion);
    const int half = graph.policies;
    for (int k = 0; k < half; ++k) {
      float mirrored[kFeatureCount];
      MirrorFeatures(graph.borders[half + k].features, mirrored);
      for (const int f : {feature::kVelocity, feature::kVelocity + 1, feature::kLeftFoot,
                          feature::kLeftFoot + 1}) {
        EXPECT_NEAR(mirrored[f], graph.borders[k].features[f], most) << name << " " << k;
      }
    }
  }
}

TEST(Steering, GaitsGoStraightAtTheirClipsSpeed) {
  for (const char* name : kGaits) {
    const Way way = Go(name, {});
    const double speed = MeanSpeed(LoadClipSkill(name).FirstMotion());
    EXPECT_NEAR(way.heading, 0, kTwoDegrees) << name;
    EXPECT_NEAR(way.speed / speed, 1, 0.03) << name;
  }
}

TEST(Steering, GaitsGoWhereTheyAreTold) {
  for (const char* name : {"walk", "run"}) {
    for (const double heading : {0.5, -1.6, 3.1}) {
      const Way way = Go(name, {.heading = heading});
      EXPECT_NEAR(std::remainder(way.heading - heading, 2 * std::numbers::pi), 0, kTwoDegrees)
          << name << " " << heading;
    }
  }
}

// Seconds after a command, at 2 s, to turn to the left, until the root has turned that far within a
// tenth; 10 s at most.
double SecondsToTurnLeft(const ClipSkill& skill) {
  constexpr double kTold = 2;
  ControllerInput input;
  input.skill = std::make_shared<const Skill>(ToEnvelope(skill));
  input.world.actors = {skill.character};
  const auto controller = MakeController("control_graph", input);
  const auto engine = MakeEngine("native", input.world);
  engine->SetState(0, controller->Start());
  std::vector<Actuation> actuations = {Passive(skill.character)};
  for (double time = 0; time < kTold + 10; time += input.world.time_step) {
    const State& state = engine->GetState(0);
    const double yaw = 2 * std::atan2(state.q[6], state.q[3]);
    if (time > kTold &&
        std::fabs(std::remainder(yaw - std::numbers::pi / 2, 2 * std::numbers::pi)) < 0.16) {
      return time - kTold;
    }
    Command command;
    if (time >= kTold) command.heading = std::numbers::pi / 2;
    controller->Step({time, state, {}}, command, &actuations[0]);
    engine->Step(actuations, {});
  }
  return 10;
}

TEST(Steering, WhoIsLedBoldlyTurnsSooner) {
  ClipSkill run = LoadClipSkill("run");
  EXPECT_GT(run.turn_shown, 1);
  EXPECT_GT(run.turn_action, kCautiousTurn);
  const ClipSkill again = FromEnvelope(ToEnvelope(run));
  EXPECT_EQ(again.turn_rate, run.turn_rate);
  EXPECT_EQ(again.turn_action, run.turn_action);
  EXPECT_EQ(again.turn_shown, run.turn_shown);
  const double bold = SecondsToTurnLeft(run);
  run.turn_shown = 1;
  run.turn_action = kCautiousTurn;
  EXPECT_LT(bold + 0.2, SecondsToTurnLeft(run));
}

TEST(Steering, GaitsGoAsFastAsTheyAreTold) {
  for (const char* name : {"walk", "run"}) {
    const double speed = MeanSpeed(LoadClipSkill(name).FirstMotion());
    for (const double share : {0.8, 1.1}) {
      const Way way = Go(name, {.speed = share * speed});
      ASSERT_TRUE(way.speeds);
      EXPECT_LE(way.speeds->least, share * speed) << name;
      EXPECT_GE(way.speeds->most, share * speed) << name;
      EXPECT_NEAR(way.speed / speed, share, 0.05) << name;
    }
  }
}

}  // namespace
}  // namespace stride
