#include <cmath>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/app/crowd.h"
#include "stride/app/live/live_run.h"
#include "stride/core/error.h"
#include "stride/math/rotation.h"
#include "stride/run/run_character.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using testing::HasSubstr;
using SimRun = ::stride::Run;  // a test has a Run() of its own

constexpr double kPi = std::numbers::pi;

RunSetup Walkers(double seconds) {
  RunSetup setup{.controller = "control_graph", .skill = "walk"};
  setup.scenario.seconds = seconds;
  return setup;
}

CharacterSetup WalkerAt(double x, double y, double heading) {
  return {.controller = "control_graph", .skill = "walk", .x = x, .y = y, .heading = heading};
}

Vec3d RootOf(const SimRun& run, int actor) {
  const std::vector<double>& q = run.ActorState(actor).q;
  return {q[0], q[1], q[2]};
}

Recording RecordRun(const RunSetup& setup, const std::vector<std::pair<int, RunInput>>& inputs) {
  SimRun run(setup);
  Recording recording;
  recording.header = run.Header();
  RecordedFrame frame;
  std::size_t next = 0;
  while (!run.Finished()) {
    for (; next < inputs.size() && inputs[next].first == static_cast<int>(run.StepCount()); ++next)
      run.Apply(inputs[next].second);
    run.Step();
    for (const RecordedEvent& event : run.TakeEvents()) recording.events.push_back(event);
    run.ReadFrame(&frame);
    recording.frames.push_back(frame);
  }
  return recording;
}

// The same walk, from another place in another direction: turned and moved back it is the first
// one's, up to rounding that a walk's feedback keeps small.
TEST(Crowd, WhoStartsElsewhereDoesTheSameThere) {
  RunSetup setup = Walkers(5);
  setup.scenario.commands = {{.at = 1, .heading = 0.8}};
  CharacterSetup other = WalkerAt(3, -40, 2);
  other.commands = {{.at = 1, .heading = 2.8}};
  setup.others = {other};
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
  RunSetup setup = Walkers(2);
  setup.scenario.world.terrain.slope = 0.05;
  setup.scenario.world.terrain.slope_heading = 1;
  setup.others = {WalkerAt(8, 5, 1)};  // straight up
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
  RunSetup setup = alone;
  setup.others = {WalkerAt(0, 50, 1), WalkerAt(20, -50, -2)};
  SimRun a(alone), b(setup);
  while (!a.Finished()) {
    a.Step(), b.Step();
    ASSERT_EQ(a.ActorState(), b.ActorState()) << a.StepCount();
  }
  EXPECT_TRUE(a.Measure() == b.Measure());
}

// Two that walk into each other are held up, push each other with opposite forces, and do not pass
// through.
TEST(Crowd, CharactersCollide) {
  RunSetup setup = Walkers(3);
  setup.others = {WalkerAt(2.4, 0, kPi)};
  SimRun run(setup);
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
  setup.others[0].commands = {{.at = 0.3, .heading = 1}};
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
  RunSetup setup = Walkers(3);
  setup.others = {WalkerAt(0, 20, 0)};
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
  EXPECT_TRUE(std::isnan(frame.heading));
  while (!calm.Finished()) calm.Step(), touched.Step();
  EXPECT_EQ(calm.ActorState(0), touched.ActorState(0));
  EXPECT_GT(RootOf(touched, 1).y, RootOf(calm, 1).y + 0.3);
}

TEST(Crowd, FallsAreCountedByActorAndTheFirstEndsTheRun) {
  RunSetup setup = Walkers(2);
  setup.scenario.stop_at_fall = true;
  setup.others = {{.controller = "passive", .y = 30}};
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
  ASSERT_EQ(setup.others.size(), 7u);
  RunSetup again = Walkers(1);
  AddCrowd(8, &again);
  EXPECT_EQ(ToJson(setup), ToJson(again));
  const Vec3d middle{2, 0, 0};
  for (const CharacterSetup& other : setup.others) {
    const Vec3d to = middle - Vec3d{other.x, other.y, 0};
    EXPECT_NEAR(Norm(to), 2, 0.31);
    EXPECT_NEAR(std::remainder(std::atan2(to.y, to.x) - other.heading, 2 * kPi), 0, 0.11);
  }
  EXPECT_THAT(InputErrorOf([&] { AddCrowd(1, &again); }), HasSubstr("--crowd is 1"));
  EXPECT_THAT(InputErrorOf([&] { AddCrowd(65, &again); }), HasSubstr("2 to 64"));
}

TEST(Crowd, SetupsComeBackFromJsonAndBadOnesAreRefused) {
  RunSetup setup = Walkers(1);
  setup.others = {WalkerAt(1, 2, 0.5), {.character = "biped"}};
  setup.others[0].commands = {{.at = 1, .speed = 1.0}};
  const auto json = ToJson(setup);
  EXPECT_EQ(ToJson(RunSetupFromJson(nlohmann::json::parse(json.dump()), "test")), json);
  EXPECT_FALSE(ToJson(Walkers(1)).contains("others"));

  const auto error = [](const char* text) {
    return InputErrorOf([&] { CharactersFromJson(nlohmann::json::parse(text), "others.json"); });
  };
  EXPECT_THAT(error("{}"), HasSubstr("list"));
  EXPECT_THAT(error("[3]"), HasSubstr("others.json[0]"));
  EXPECT_THAT(error(R"([{}, {"speed": 1}])"), HasSubstr("others.json[1]"));
  EXPECT_THAT(error(R"([{"speed": 1}])"), HasSubstr("heading_deg"));
  EXPECT_THAT(error(R"([{"x": "far"}])"), HasSubstr("'x'"));
  EXPECT_THAT(error(R"([{"x": 1e9}])"), HasSubstr("-1000 to 1000"));
  EXPECT_THAT(error(R"([{"heading": 1, "heading_deg": 1}])"), HasSubstr("both"));
  EXPECT_THAT(error(R"([{"commands": [{"at": 2}, {"at": 1}]}])"), HasSubstr("order of time"));
  const auto read = CharactersFromJson(
      nlohmann::json::parse(R"([{"skill": "walk", "heading_deg": 90}])"), "others.json");
  EXPECT_EQ(read[0].controller, "control_graph");
  EXPECT_NEAR(read[0].heading, kPi / 2, 1e-12);
}

TEST(Crowd, NamesWhatDoesNotFit) {
  const auto error = [](const RunSetup& setup) { return InputErrorOf([&] { SimRun run(setup); }); };
  RunSetup setup = Walkers(1);
  setup.others = {{.controller = "dance"}};
  EXPECT_THAT(error(setup), HasSubstr("dance"));
  setup.others = {{}, {.controller = "control_graph"}};
  EXPECT_THAT(error(setup), HasSubstr("others[1]"));
  setup.others = {{.heading = 1}};
  setup.scenario.world.terrain.kind = Terrain::Kind::kSteps;
  EXPECT_THAT(error(setup), HasSubstr("no plane"));
  setup.others = {{.x = NAN}};
  EXPECT_THAT(error(setup), HasSubstr("x"));
  setup = Walkers(1);
  setup.others = {{.y = 1}};
  setup.engine = "batch";
  EXPECT_THAT(error(setup), HasSubstr("several actors"));
  setup.engine = "native";
  SimRun run(setup);
  EXPECT_THAT(InputErrorOf([&] { run.Apply({.kind = RunInput::Kind::kCommand, .actor = 2}); }),
              HasSubstr("expected 0 to 1"));
}

TEST(Crowd, ALiveRunDragsAnyOfThem) {
  RunSetup setup;
  setup.others = {{.y = 2}};
  LiveRun run(setup);
  const int trunk = run.GetRun().GetWorld().actors[1].BodyOf(Role::kTrunk);
  run.Drag({1, trunk, {}, {1, 2, 1.2}});
  run.Advance(0.2, LiveRun::Clock::now() + std::chrono::hours(1));
  EXPECT_GT(run.GetRun().ActorState(1).q[0], run.GetRun().ActorState(0).q[0] + 0.005);
}

}  // namespace
}  // namespace stride
