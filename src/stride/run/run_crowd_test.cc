#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/core/error.h"
#include "stride/math/rotation.h"
#include "stride/run/crowd.h"
#include "stride/run/run.h"
#include "stride/run/run_character.h"
#include "stride/testing/input_error_of.h"
#include "stride/testing/record_run.h"

namespace stride {
namespace {

using testing::HasSubstr;
using SimRun = ::stride::Run;  // a test has a Run() of its own

constexpr double kPi = std::numbers::pi;

CharacterSetup WalkerAt(double x, double y, double heading) {
  return {
      .controller = ControllerOfSkill("walk"), .skill = "walk", .x = x, .y = y, .heading = heading};
}

// One at the origin, and these.
RunSetup Walkers(double seconds, const std::vector<CharacterSetup>& others = {}) {
  RunSetup setup{.characters = {WalkerAt(0, 0, 0)}};
  setup.characters.insert(setup.characters.end(), others.begin(), others.end());
  setup.scenario.seconds = seconds;
  return setup;
}

Vec3d RootOf(const SimRun& run, int actor) {
  const std::vector<double>& q = run.ActorState(actor).q;
  return {q[0], q[1], q[2]};
}

// The same walk, from another place in another direction: turned and moved back it is the first
// one's, up to rounding that a walk's feedback keeps small.
TEST(Crowd, WhoStartsElsewhereDoesTheSameThere) {
  CharacterSetup other = WalkerAt(3, -40, 2);
  other.commands = {{.at = 1, .heading = 2.8}};
  RunSetup setup = Walkers(5, {other});
  setup.scenario.commands = {{.at = 1, .heading = 0.8}};
  SimRun run(setup);
  while (!run.Finished()) run.Step();
  const Vec3d first = RootOf(run, 0);
  const Vec3d back = Rotate(AxisAngle({0, 0, 1}, -2), RootOf(run, 1) - Vec3d{3, -40, 0});
  EXPECT_GT(first.x, 3);
  EXPECT_GT(first.y, 0.2);
  EXPECT_LT(Norm(back - first), 1e-6);
  EXPECT_FALSE(run.Fell(0) || run.Fell(1));
}

TEST(Crowd, ASlopeIsSeenFromEveryPlace) {
  RunSetup setup = Walkers(2, {WalkerAt(8, 5, 1)});  // straight up
  setup.scenario.world.terrain.slope = 0.05;
  setup.scenario.world.terrain.slope_heading = 1;
  SimRun run(setup);
  RunSetup alone = Walkers(2);
  alone.scenario.world.terrain.slope = 0.05;
  SimRun up(alone);
  while (!run.Finished()) run.Step(), up.Step();
  const double ground = SurfaceAt(setup.scenario.world.terrain, 8, 5).height;
  EXPECT_GT(ground, 0.3);
  const Vec3d back = Rotate(AxisAngle({0, 0, 1}, -1), RootOf(run, 1) - Vec3d{8, 5, ground});
  EXPECT_LT(Norm(back - RootOf(up, 0)), 1e-6);
}

TEST(Crowd, OthersFarAwayDoNotChangeTheFirst) {
  const RunSetup alone = Walkers(2);
  SimRun a(alone), b(Walkers(2, {WalkerAt(0, 50, 1), WalkerAt(20, -50, -2)}));
  while (!a.Finished()) {
    a.Step(), b.Step();
    ASSERT_EQ(a.ActorState(), b.ActorState()) << a.StepCount();
  }
  EXPECT_TRUE(a.Measure() == b.Measure());
}

// Two that walk into each other are held up, push each other with opposite forces, and do not pass
// through.
TEST(Crowd, CharactersCollide) {
  SimRun run(Walkers(3, {WalkerAt(2.4, 0, kPi)}));
  RecordedFrame frame;
  double touched = 0;
  while (!run.Finished() && !run.Fell(0) && !run.Fell(1)) {
    run.Step();
    run.ReadFrame(&frame);
    for (const RecordedContact& contact : frame.contacts) {
      if (contact.other_actor < 0) continue;
      EXPECT_EQ(contact.actor, 0);
      EXPECT_EQ(contact.other_actor, 1);
      touched += std::hypot(contact.force[0], contact.force[1]) * run.GetWorld().time_step;
    }
    ASSERT_GT(Norm(RootOf(run, 1) - RootOf(run, 0)), 0.1) << run.Time();
  }
  EXPECT_GT(touched, 10);  // N s
}

TEST(Crowd, ReplaysBitForBitAndBranches) {
  RunSetup setup = Walkers(2.5);
  setup.seed = 4;
  AddCrowd(3, &setup);
  setup.scenario.throws = {{.mass = 1, .speed = 6, .at = 0.4}};
  setup.characters[1].commands = {{.at = 0.3, .heading = 1}};
  const std::vector<std::pair<int, RunInput>> inputs = {
      {40, {.kind = RunInput::Kind::kCommand, .actor = 2, .command = {.heading = 1}}},
      {60,
       {.kind = RunInput::Kind::kPush,
        .actor = 1,
        .body = 2,
        .vector = {0, 80, 0},
        .duration = 0.2}},
      {80, {.kind = RunInput::Kind::kThrow, .point = {0, 3, 1.2}, .vector = {0, -6, 1}, .mass = 2}},
      {100, {.kind = RunInput::Kind::kSlope, .value = 0.03}}};
  const Recording read = ParseRecording(EncodeRecording(RecordRun(setup, inputs)), "crowd.stride");
  EXPECT_EQ(read.header.world.actors.size(), 4u);
  EXPECT_EQ(ReplayDifference(read), "");
  Recording changed = read;
  std::erase_if(changed.events, [](const RecordedEvent& event) { return event.step == 40; });
  EXPECT_THAT(ReplayDifference(changed), HasSubstr("actor 2"));
  EXPECT_EQ(MotionFromRecording(read, 2).frames.size(), read.frames.size());

  SimRun run(setup);
  for (int i = 0; i < 200; ++i) run.Step();
  SimRun branch = run.Branch();
  for (int i = 0; i < 200; ++i) run.Step(), branch.Step();
  for (int k = 0; k < 4; ++k) EXPECT_EQ(run.ActorState(k), branch.ActorState(k));
}

TEST(Crowd, CommandsAndPushesActOnTheirActorAlone) {
  const RunSetup setup = Walkers(3, {WalkerAt(0, 20, 0)});
  SimRun calm(setup), touched(setup);
  touched.Apply({.kind = RunInput::Kind::kCommand, .actor = 1, .command = {.heading = 0.8}});
  EXPECT_EQ(touched.CurrentCommand(0).heading, std::nullopt);
  EXPECT_EQ(touched.CurrentCommand(1).heading, 0.8);
  const RunInput push{.actor = 1, .point = {0, 0, 0.1}, .vector = {0, 30, 0}, .duration = 0.1};
  touched.Apply(push);
  RecordedFrame frame;
  touched.Step(), calm.Step();
  touched.ReadFrame(&frame);
  ASSERT_EQ(frame.forces.size(), 1u);
  EXPECT_EQ(frame.forces[0].actor, 1);
  EXPECT_NEAR(frame.forces[0].position[1], 20, 0.3);
  EXPECT_TRUE(std::isnan(frame.controls[0].heading));
  EXPECT_EQ(frame.controls[1].heading, 0.8f);
  while (!calm.Finished()) calm.Step(), touched.Step();
  EXPECT_EQ(calm.ActorState(0), touched.ActorState(0));
  EXPECT_GT(RootOf(touched, 1).y, RootOf(calm, 1).y + 0.3);
}

TEST(Crowd, FallsAreCountedByActorAndTheFirstEndsTheRun) {
  RunSetup setup = Walkers(2, {{.controller = "passive", .y = 30}});
  setup.scenario.stop_at_fall = true;
  SimRun run(setup);
  while (!run.Finished()) run.Step();
  EXPECT_FALSE(run.Fell());
  ASSERT_TRUE(run.Fell(1));
  EXPECT_EQ(run.Falls(1), 1);
  EXPECT_LT(*run.FellAt(1), 2);
  EXPECT_NEAR(run.Time(), 2, 1e-9);
  int falls = 0;
  for (const RecordedEvent& event : run.TakeEvents()) {
    falls += event.kind == "fall" && event.data["actor"] == 1;
  }
  EXPECT_EQ(falls, 1);
}

TEST(Crowd, ContactsAreSeenFromTheCharactersPlace) {
  const Viewpoint place(3, 1, kPi / 2, Terrain{});
  const Contact seen = place.See(Contact{.position = {3, 2, 0.5}, .force = {0, 7, 1}});
  EXPECT_NEAR(Norm(seen.position - Vec3d{1, 0, 0.5}), 0, 1e-12);
  EXPECT_NEAR(Norm(seen.force - Vec3d{7, 0, 1}), 0, 1e-12);
}

TEST(Crowd, StandsOnACircleFacingItsMiddle) {
  RunSetup setup = Walkers(1);
  AddCrowd(8, &setup);
  ASSERT_EQ(setup.characters.size(), 8u);
  RunSetup again = Walkers(1);
  AddCrowd(8, &again);
  EXPECT_EQ(ToJson(setup), ToJson(again));
  const Vec3d middle{2, 0, 0};
  for (const CharacterSetup& other : setup.characters) {
    const Vec3d to = middle - Vec3d{other.x, other.y, 0};
    EXPECT_NEAR(Norm(to), 2, 0.31);
    EXPECT_NEAR(std::remainder(std::atan2(to.y, to.x) - other.heading, 2 * kPi), 0, 0.11);
  }
  // The circle goes with the first.
  RunSetup moved = Walkers(1);
  moved.characters[0].x = 5, moved.characters[0].heading = kPi / 2;
  AddCrowd(8, &moved);
  for (int k = 0; k < 8; ++k) {
    const CharacterSetup &there = moved.characters[k], &here = setup.characters[k];
    EXPECT_NEAR(there.x, 5 - here.y, 1e-12);
    EXPECT_NEAR(there.y, here.x, 1e-12);
    EXPECT_NEAR(there.heading, here.heading + kPi / 2, 1e-12);
  }
  EXPECT_THAT(InputErrorOf([&] { AddCrowd(1, &again); }), HasSubstr("--crowd is 1"));
  EXPECT_THAT(InputErrorOf([&] { AddCrowd(65, &again); }), HasSubstr("2 to 64"));
}

TEST(Crowd, SetupsComeBackFromJsonAndBadOnesAreRefused) {
  RunSetup setup = Walkers(1, {WalkerAt(1, 2, 0.5), {.character = "biped"}});
  setup.characters[1].commands = {{.at = 1, .speed = 1.0}};
  setup.characters[0].x = 3;
  const auto json = ToJson(setup);
  const RunSetup read = RunSetupFromJson(nlohmann::json::parse(json.dump()), "test");
  EXPECT_EQ(ToJson(read), json);
  EXPECT_EQ(read.characters[0].x, 3);

  const auto error = [](const char* text) {
    return InputErrorOf([&] { CharactersFromJson(nlohmann::json::parse(text), "others.json"); });
  };
  EXPECT_THAT(error("{}"), HasSubstr("list"));
  EXPECT_THAT(error("[3]"), HasSubstr("others.json[0]"));
  EXPECT_THAT(error(R"([{}, {"speed": 1}])"), HasSubstr("others.json[1]"));
  EXPECT_THAT(error(R"([{"speed": 1}])"), HasSubstr("heading_deg"));
  EXPECT_THAT(error(R"([{"x": "far"}])"), HasSubstr("'x'"));
  EXPECT_THAT(error(R"([{"x": 1e9}])"), HasSubstr("-1000 to 1000"));
  EXPECT_THAT(error(R"([{"z": 1e9}])"), HasSubstr("-1000 to 1000"));
  EXPECT_THAT(error(R"([{"heading": 1, "heading_deg": 1}])"), HasSubstr("both"));
  EXPECT_THAT(error(R"([{"commands": [{"at": 2}, {"at": 1}]}])"), HasSubstr("order of time"));
  EXPECT_THAT(error(R"([{"commands": [{"at": 2, "actor": 1}]}])"), HasSubstr("this one's own"));
  const auto others = CharactersFromJson(
      nlohmann::json::parse(R"([{"skill": "walk", "heading_deg": 90}])"), "others.json");
  EXPECT_EQ(others[0].controller, ControllerOfSkill("walk"));
  EXPECT_NEAR(others[0].heading, kPi / 2, 1e-12);
}

// As recordings had it: the first character's keys in the setup itself.
TEST(Crowd, SetupsOfOldRecordingsAreRead) {
  RunSetup setup = Walkers(1, {WalkerAt(1, 2, 0.5), {.character = "biped"}});
  setup.characters[0].motions = {"walk"};
  setup.characters[0].controller_config = {{"seed", 3}};
  setup.scenario.commands = {{.at = 0.5, .speed = 1.0}};
  setup.seed = 7;
  nlohmann::json now = nlohmann::json::parse(ToJson(setup).dump()), before = now;
  before.erase("characters");
  for (const char* key : {"character", "controller", "skill", "motions", "controller_config"}) {
    before[key] = now["characters"][0][key];
  }
  before["others"] = {now["characters"][1], now["characters"][2]};
  EXPECT_EQ(ToJson(RunSetupFromJson(before, "old")), ToJson(setup));
  before.erase("others");
  before.erase("skill");  // before there were any
  setup.characters.resize(1);
  setup.characters[0].skill.clear();
  EXPECT_EQ(ToJson(RunSetupFromJson(before, "old")), ToJson(setup));
  before.erase("motions");
  EXPECT_THAT(InputErrorOf([&] { RunSetupFromJson(before, "old"); }), HasSubstr("'motions'"));
}

TEST(Crowd, NamesWhatDoesNotFit) {
  const auto error = [](const RunSetup& setup) { return InputErrorOf([&] { SimRun run(setup); }); };
  EXPECT_THAT(error(Walkers(1, {{.controller = "dance"}})), HasSubstr("dance"));
  EXPECT_THAT(error(Walkers(1, {{}, {.controller = ControllerOfSkill("walk")}})),
              HasSubstr("characters[2]"));
  RunSetup setup = Walkers(1, {{.heading = 1}});
  setup.scenario.world.terrain.kind = Terrain::Kind::kSteps;
  EXPECT_THAT(error(setup), HasSubstr("no plane"));
  EXPECT_THAT(error(Walkers(1, {{.x = NAN}})), HasSubstr("x"));
  EXPECT_THAT(error(Walkers(1, std::vector<CharacterSetup>(64))), HasSubstr("1 to 64"));
  setup.characters.clear();
  EXPECT_THAT(error(setup), HasSubstr("1 to 64"));
  setup = Walkers(1, {{.y = 1}});
  setup.engine = "batch";
  EXPECT_THAT(error(setup), HasSubstr("several actors"));
  setup.engine = "native";
  SimRun run(setup);
  EXPECT_THAT(InputErrorOf([&] { run.Apply({.kind = RunInput::Kind::kCommand, .actor = 2}); }),
              HasSubstr("expected 0 to 1"));
  setup.scenario.pushes = {{.force = 1, .duration = 1, .actor = 2}};
  EXPECT_THAT(error(setup), HasSubstr("pushes[0]: there is no actor 2; expected 0 to 1"));
  setup.scenario.pushes.clear();
  setup.scenario.throws = {{.mass = 1, .speed = 5}, {.mass = 1, .speed = 5, .actor = 3}};
  EXPECT_THAT(error(setup), HasSubstr("throws[1]: there is no actor 3"));
  setup.scenario.throws.clear();
  setup.scenario.commands = {{.speed = 1, .actor = 9}};
  EXPECT_THAT(error(setup), HasSubstr("commands[0]: there is no actor 9"));
}

// The same walk, with the first and the second in each other's place.
TEST(Crowd, TheFirstMayStartAnywhere) {
  RunSetup setup{.characters = {WalkerAt(3, -40, 2), WalkerAt(0, 0, 0)}};
  setup.scenario.seconds = 2;
  SimRun run(setup), other(Walkers(2, {WalkerAt(3, -40, 2)}));
  while (!run.Finished()) run.Step(), other.Step();
  EXPECT_EQ(run.ActorState(0), other.ActorState(1));
  EXPECT_EQ(run.ActorState(1), other.ActorState(0));
  EXPECT_TRUE(run.Measure(0) == other.Measure(1));
  EXPECT_TRUE(run.Measure(1) == other.Measure(0));
}

// The scenario's pushes, throws and commands act on the actor they name.
TEST(Crowd, AScenarioNamesItsActors) {
  const RunSetup calm = Walkers(2, {WalkerAt(0, 20, 0)});
  RunSetup setup = calm;
  setup.scenario.pushes = {{.force = 60, .heading = 1.5, .at = 0.2, .duration = 0.1, .actor = 1}};
  setup.scenario.throws = {{.mass = 2, .speed = 6, .at = 1, .heading = 0, .actor = 1}};
  setup.scenario.commands = {{.at = 0.5, .heading = 0.4, .actor = 1}};
  SimRun run(setup), untouched(calm);
  RecordedFrame frame;
  bool pushed = false, hit = false;
  while (!run.Finished()) {
    run.Step(), untouched.Step();
    run.ReadFrame(&frame);
    for (const RecordedForce& force : frame.forces) {
      EXPECT_EQ(force.actor, 1);
      pushed = true;
    }
    for (const RecordedContact& contact : frame.contacts) {
      hit |= contact.actor == 1 && contact.other_actor == 2;
    }
  }
  EXPECT_TRUE(pushed);
  EXPECT_TRUE(hit) << "the ball missed";
  EXPECT_EQ(run.ActorState(0), untouched.ActorState(0));
  EXPECT_NE(run.ActorState(1), untouched.ActorState(1));
  EXPECT_EQ(run.CurrentCommand(0).heading, std::nullopt);
  EXPECT_EQ(run.CurrentCommand(1).heading, 0.4);
  for (const RecordedEvent& event : run.TakeEvents()) {
    if (event.kind == "push" || event.kind == "command") {
      EXPECT_EQ(event.data["actor"], 1);
    }
  }
}

// What drives somebody elsewhere is recorded in the world, and is else the same.
TEST(Crowd, TheControlOfEveryActorIsRecorded) {
  SimRun run(Walkers(1, {WalkerAt(3, -40, 2)}));
  const RecordingHeader header = run.Header();
  ASSERT_EQ(header.controllers.size(), 2u);
  EXPECT_TRUE(header.controllers[0] == header.controllers[1]);
  EXPECT_EQ(header.controllers[1].skill, "walk");
  RecordedFrame frame;
  run.ReadFrame(&frame);
  EXPECT_TRUE(frame.controls[1].torques.empty());  // no step was made
  while (!run.Finished()) run.Step();
  run.ReadFrame(&frame);
  const RecordedControl &here = frame.controls[0], &there = frame.controls[1];
  ASSERT_FALSE(here.reference.empty() || there.reference.empty());
  const auto place = [](const std::vector<double>& q) { return Vec3d{q[0], q[1], q[2]}; };
  const Vec3d back = Rotate(AxisAngle({0, 0, 1}, -2), place(there.reference) - Vec3d{3, -40, 0});
  EXPECT_LT(Norm(back - place(here.reference)), 1e-6);
  for (std::size_t i = 7; i < here.reference.size(); ++i) {
    EXPECT_NEAR(here.reference[i], there.reference[i], 1e-6);
    EXPECT_NEAR(here.target_q[i], there.target_q[i], 1e-6);
  }
  ASSERT_EQ(here.torques.size(), frame.actors[0].v.size());
  float largest = 0;
  for (std::size_t i = 0; i < here.torques.size(); ++i) {
    EXPECT_NEAR(here.torques[i], there.torques[i], 1e-3) << i;
    largest = std::max(largest, std::fabs(here.torques[i]));
  }
  EXPECT_GT(largest, 10);
  EXPECT_EQ(here.channels.size(), there.channels.size());
}

TEST(RunSetup, ASkillIsOfItsOwnBody) {
  EXPECT_NO_THROW(CheckBodyOfSkill("walker-tall", "wang09-tall"));
  EXPECT_THAT(InputErrorOf([] { CheckBodyOfSkill("walker-tall", "liu16"); }),
              HasSubstr("a skill of the body 'wang09-tall', not of 'liu16'"));
}

}  // namespace
}  // namespace stride
