#include "stride/run/run.h"

#include <cmath>
#include <filesystem>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/character/mjcf.h"
#include "stride/character/rest_pose.h"
#include "stride/controllers/control_graph/clip_skill.h"
#include "stride/controllers/skill_library.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/math/rotation.h"
#include "stride/motion/library.h"
#include "stride/sim/batch.h"
#include "stride/testing/input_error_of.h"
#include "stride/testing/record_run.h"

namespace stride {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using SimRun = ::stride::Run;  // a test has a Run() of its own

RunSetup SetupFor(double seconds, const std::string& engine = "native") {
  RunSetup setup;
  setup.engine = engine;
  setup.scenario.seconds = seconds;
  return setup;
}

void Perform(const std::string& skill, RunSetup* setup) {
  setup->characters[0].skill = skill;
  setup->characters[0].controller = ControllerOfSkill(skill);
}

RunInput PushInput(const Vec3d& force, double duration, int body = 0) {
  return {.kind = RunInput::Kind::kPush, .body = body, .vector = force, .duration = duration};
}
RunInput ThrowInput(const Vec3d& from, const Vec3d& velocity) {
  return {.kind = RunInput::Kind::kThrow, .point = from, .vector = velocity, .mass = 2};
}

void Advance(SimRun* run, int steps) {
  for (int i = 0; i < steps; ++i) run->Step();
}

std::vector<std::string> KindsOf(const std::vector<RecordedEvent>& events) {
  std::vector<std::string> kinds;
  kinds.reserve(events.size());
  for (const RecordedEvent& event : events) kinds.push_back(event.kind);
  return kinds;
}

TEST(Run, EndsWhenItsSecondsAreOverOrAtTheFall) {
  SimRun held(SetupFor(0.5));
  while (!held.Finished()) held.Step();
  EXPECT_EQ(held.StepCount(), 100u);
  EXPECT_NEAR(held.Time(), 0.5, 1e-12);
  EXPECT_FALSE(held.Fell());

  RunSetup setup = SetupFor(3);
  setup.characters[0].controller = "passive";
  setup.scenario.stop_at_fall = true;
  SimRun doll(setup);
  while (!doll.Finished()) doll.Step();
  EXPECT_TRUE(doll.Fell());
  EXPECT_EQ(doll.Time(), *doll.FellAt());
  EXPECT_NEAR(doll.Measure().seconds, *doll.FellAt(), 1e-9);
  EXPECT_THAT(KindsOf(doll.TakeEvents()), testing::ElementsAre("fall"));
  EXPECT_TRUE(doll.TakeEvents().empty());
}

TEST(Run, ReplaysBitForBitInEveryEngine) {
  for (const EngineInfo& engine : Engines()) {
    RunSetup setup = SetupFor(1, engine.name);
    setup.seed = 5;
    setup.scenario.disturbance = 20;
    setup.scenario.pushes = {{.force = 50, .at = 0.3, .duration = 0.1, .body = "head"}};
    setup.scenario.commands = {{.at = 0.5, .speed = 1.0}};
    std::vector<std::pair<int, RunInput>> inputs = {
        {0, PushInput({0, 20, 0}, 0.1)},
        {20, PushInput({0, 0, -30}, 0.2, 3)},
        {40, {.kind = RunInput::Kind::kFriction, .value = 0.5}},
        {60, {.kind = RunInput::Kind::kSlope, .value = 0.05}},
        {80, {.kind = RunInput::Kind::kCommand, .command = {.heading = 0.5}}}};
    if (engine.Has(Feature::kActorContact)) {
      setup.scenario.throws = {{.mass = 1, .speed = 6, .at = 0.2}};
      inputs.emplace_back(100, ThrowInput({-2, 0, 1.2}, {6, 0, 1}));
      inputs.emplace_back(120, PushInput({0, 0, 40}, 0.1));
    }
    const Recording recording = RecordRun(setup, inputs);
    EXPECT_EQ(recording.frames.size(), 201u);
    // As it comes back from a file.
    const Recording read = ParseRecording(EncodeRecording(recording), "run.stride");
    EXPECT_EQ(ReplayDifference(read), "") << engine.name;

    Recording changed = read;
    changed.frames[150].actors[0].q[8] += 1e-15;
    EXPECT_THAT(ReplayDifference(changed), HasSubstr("step 150")) << engine.name;
    changed = read;
    std::erase_if(changed.events, [](const RecordedEvent& event) { return event.step == 20; });
    EXPECT_THAT(ReplayDifference(changed), HasSubstr("step 21")) << engine.name;
  }
}

// Skill, character, motion and graph are in the recording: the files may be others or gone.
TEST(Run, ReplaysWithoutTheFilesItWasMadeFrom) {
  const std::string folder = testing::TempDir() + "run_sources";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string skill = folder + "/a.skill", body = folder + "/a.xml",
                    clip = folder + "/a.motion";
  WriteSkill(LoadSkill("walk"), skill);
  const Character liu16 = LoadCharacter("liu16");
  WriteFileWhole(body, WriteMjcf(liu16));
  WriteMotion(LoadMotion("walk", liu16), clip);
  RunSetup setup = SetupFor(0.2);
  Perform(skill, &setup);
  setup.scenario.changes = {{.body = "legs", .length = 1.02, .mass = 1.1}};
  setup.characters.push_back({.character = body, .y = 2});
  setup.characters.push_back({.controller = "data_driven", .motions = {clip}, .y = -2});
  const std::string bytes = EncodeRecording(RecordRun(setup, {}));
  std::filesystem::remove_all(folder);
  const Recording recording = ParseRecording(bytes, "run.stride");
  EXPECT_EQ(recording.header.sources.size(), 4u);
  EXPECT_EQ(ReplayDifference(recording), "");
  Recording without = recording;
  without.header.sources.clear();
  EXPECT_THAT(InputErrorOf([&] { ReplayDifference(without); }), HasSubstr("a.skill"));
  // What is in it is read like any file.
  Recording hostile = recording;
  hostile.header.sources[0].text = "{}";
  EXPECT_THAT(InputErrorOf([&] { ReplayDifference(hostile); }), HasSubstr("in the recording"));
}

TEST(Run, AReplayThatDiffersSaysWhy) {
  Recording recording = RecordRun(SetupFor(0.2, "batch"), {});
  EXPECT_EQ(recording.header.setup["instruction_set"], Batch::ChosenInstructionSet());
  recording.frames[10].actors[0].q[8] += 1e-15;
  EXPECT_THAT(ReplayDifference(recording), Not(HasSubstr("lanes")));
  recording.header.setup["instruction_set"] = "avx1024";
  recording.header.version = "0.0.1";
  EXPECT_THAT(ReplayDifference(recording),
              AllOf(HasSubstr("step 10"), HasSubstr("lanes are of 'avx1024'"),
                    HasSubstr("STRIDE_INSTRUCTION_SET=avx1024"), HasSubstr("stride 0.0.1")));
}

TEST(Run, SaysWhichCommandsNobodyObeys) {
  RunSetup setup = SetupFor(0.1);
  setup.scenario.commands = {{.at = 0, .speed = 1.0}, {.at = 1, .heading = 1.0}};
  EXPECT_EQ(SimRun(setup).Unobeyed().size(), 2u);
  setup.characters[0].controller = "sampling";
  setup.characters[0].motions = {"walk"};
  EXPECT_THAT(SimRun(setup).Unobeyed(), ElementsAre(HasSubstr("speed")));
  for (const char* skill : {"walk", "locomotion"}) {
    RunSetup obeys = SetupFor(0.1);
    obeys.scenario.commands = setup.scenario.commands;
    Perform(skill, &obeys);
    EXPECT_TRUE(SimRun(obeys).Unobeyed().empty()) << skill;
  }
}

// A clip's pose was made for level ground: its feet are not to begin in a steep one.
TEST(Run, DoesNotBeginInsideTheGround) {
  for (const char* skill : {"walk", "run", "simbicon_walk", "live_walk"}) {
    for (const double slope : {-0.5, -0.2, 0.2, 0.5}) {
      RunSetup setup = SetupFor(0.1);
      Perform(skill, &setup);
      setup.scenario.world.terrain.slope = slope;
      setup.scenario.chosen = {kChosenGround};
      const SimRun run(setup);
      const Character& body = run.GetWorld().actors[0];
      const BodyFrames frames = FramesAt(body, run.ActorState().q);
      double depth = -1;
      for (const ContactPoint& point : body.contact_points) {
        const Vec3d at =
            frames.position[point.body] + Rotate(frames.rotation[point.body], point.position);
        depth = std::max(depth, at.x * std::tan(slope) + point.radius / std::cos(slope) - at.z);
      }
      EXPECT_LT(depth, 0.011) << skill << " " << slope;
    }
  }
}

// Every fall is one that is risen from, or the last one.
TEST(Run, RecoveriesAgreeWithFalls) {
  RunSetup setup = SetupFor(40);
  Perform("locomotion", &setup);
  setup.scenario.commands = {{.at = 0, .speed = 0.8}};
  setup.scenario.pushes = {{.force = 900, .heading = 1.5, .at = 2, .duration = 0.2}};
  SimRun run(setup);
  while (!run.Finished()) {
    run.Step();
    ASSERT_LE(run.Recoveries(), run.Falls());
    ASSERT_LE(run.Falls() - run.Recoveries(), 1);
  }
  EXPECT_GE(run.Falls(), 1);
  EXPECT_EQ(run.Recoveries(), run.Falls());
}

// The first actor's control is all there is in a recording of version 1, without torques.
TEST(Run, ReplaysARecordingOfVersion1) {
  RunSetup setup = SetupFor(0.3);
  setup.characters.push_back({.y = 2});
  Recording recording = RecordRun(setup, {{10, PushInput({0, 20, 0}, 0.1)}});
  EXPECT_EQ(ReplayDifference(recording), "");
  recording.header.controllers.resize(1);
  for (RecordedFrame& frame : recording.frames) {
    frame.controls.resize(1);
    frame.controls[0].torques.clear();
  }
  EXPECT_THAT(ReplayDifference(recording), HasSubstr("torques"));
  recording.version = 1;
  EXPECT_EQ(ReplayDifference(recording), "");
  recording.frames[30].controls[0].target_q[9] += 1e-15;
  EXPECT_THAT(ReplayDifference(recording), HasSubstr("step 30"));
}

// The torques of the frames do the work that the metrics found.
TEST(Run, TorquesOfTheServosAreRecorded) {
  RunSetup setup = SetupFor(1);
  setup.characters.push_back({.controller = "passive", .y = 3});
  SimRun run(setup);
  run.Apply(PushInput({0, 60, 0}, 0.2));
  RecordedFrame before, after;
  run.ReadFrame(&before);
  EXPECT_TRUE(before.controls[0].torques.empty());
  const Character& character = run.GetWorld().actors[0];
  const Layout layout = LayoutOf(character);
  double work = 0;
  while (!run.Finished()) {
    run.Step();
    run.ReadFrame(&after);
    for (int i = 1; i < character.BodyCount(); ++i) {
      double power = 0;
      for (int k = 0; k < DofCount(character.bodies[i].joint.kind); ++k) {
        const int at = layout.v[i] + k;
        power += after.controls[0].torques[at] * (before.actors[0].v[at] + after.actors[0].v[at]);
      }
      work += std::fabs(power) / 2;
    }
    for (const float torque : after.controls[1].torques) ASSERT_EQ(torque, 0);
    before = after;
  }
  const double power = run.Measure().joint_power;
  EXPECT_GT(power, 0.5);
  EXPECT_NEAR(work / run.StepCount(), power, 1e-4 * power);
  EXPECT_EQ(run.Measure(1).joint_power, 0);
}

TEST(Run, ABranchGoesOnAsTheRunAndOnItsOwn) {
  for (const EngineInfo& engine : Engines()) {
    RunSetup setup = SetupFor(2, engine.name);
    setup.scenario.disturbance = 30;
    SimRun run(setup);
    run.Apply(PushInput({0, 30, 0}, 0.5));
    Advance(&run, 50);
    SimRun branch = run.Branch(), other = run.Branch();
    other.Apply(PushInput({40, 0, 0}, 0.1));
    RecordedFrame a, b;
    for (int i = 0; i < 100; ++i) {
      run.Step();
      branch.Step();
      other.Step();
      run.ReadFrame(&a);
      branch.ReadFrame(&b);
      ASSERT_TRUE(a == b) << engine.name << " step " << i;
    }
    EXPECT_TRUE(run.Measure() == branch.Measure());
    EXPECT_NE(run.ActorState().q, other.ActorState().q);
  }
}

TEST(Run, AHandPushActsForItsDurationAtItsPoint) {
  SimRun run(SetupFor(1));
  Advance(&run, 10);
  RunInput push = PushInput({0, 100, 0}, 0.05, 0);
  push.point = {0, 0, 0.1};
  run.Apply(push);
  RecordedFrame frame;
  run.ReadFrame(&frame);
  EXPECT_TRUE(frame.forces.empty());
  int acted = 0;
  for (int i = 0; i < 30; ++i) {
    run.Step();
    run.ReadFrame(&frame);
    acted += !frame.forces.empty();
    if (i == 0) {
      ASSERT_EQ(frame.forces.size(), 1u);
      EXPECT_EQ(frame.forces[0].force[1], 100);
      EXPECT_NEAR(frame.forces[0].position[2], frame.actors[0].q[2] + 0.1, 1e-3);
    }
  }
  EXPECT_EQ(acted, 10);
  const auto events = run.TakeEvents();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].step, 10u);
  EXPECT_EQ(RunInputFromJson(events[0].data["input"]).vector.y, 100);
}

// Two forces on one body are one force and the moment of the pair.
TEST(Run, PushesAtTwoPointsOfABodyAddUpWithTheirMoment) {
  const auto spin = [](double y) {
    RunSetup setup = SetupFor(1);
    setup.characters[0].controller = "passive";
    setup.scenario.world.gravity = 0;
    setup.scenario.world.contacts = false;
    SimRun run(setup);
    for (const double side : {1.0, -1.0}) {
      RunInput push = PushInput({10 * side, 0, 0}, 1, 0);
      push.point = {0, y * side, 0};
      run.Apply(push);
    }
    Advance(&run, 20);
    return run.ActorState().v;
  };
  const std::vector<double> pair = spin(0.2), none = spin(0);
  EXPECT_LT(pair[5], -0.01);  // +x on the left side turns it to the right
  EXPECT_NEAR(none[5], 0, 1e-9);
  EXPECT_NEAR(none[0], 0, 1e-9);
}

TEST(Run, ThrowsAddBallsAndThenReuseTheOldest) {
  SimRun run(SetupFor(5));
  for (int k = 0; k < 10; ++k) {
    run.Apply(ThrowInput({-5.0 - k, 10, 3}, {0, 1, 2}));
    EXPECT_EQ(run.GetWorld().actors.size(), 1u + std::min(k, 8));
    run.Step();
  }
  ASSERT_EQ(run.GetWorld().actors.size(), 9u);
  EXPECT_NEAR(run.ActorState(1).q[0], -13, 1e-9);  // the ninth took the first one's place
  EXPECT_NEAR(run.ActorState(2).q[0], -14, 1e-9);
  EXPECT_NEAR(run.ActorState(3).q[0], -7, 1e-9);
  int joined = 0;
  for (const RecordedEvent& event : run.TakeEvents()) joined += event.kind == "actor";
  EXPECT_EQ(joined, 8);
  EXPECT_EQ(run.Header().world.actors.size(), 9u);
}

TEST(Run, AThrownBallPushesTheBody) {
  SimRun calm(SetupFor(2)), hit(SetupFor(2));
  hit.Apply(ThrowInput({-2, 0, 1.2}, {8, 0, 1}));
  Advance(&calm, 200);
  Advance(&hit, 200);
  EXPECT_GT(hit.ActorState().q[0], calm.ActorState().q[0] + 0.01);
}

TEST(Run, TheSlopeLiftsWhoStandsOnIt) {
  SimRun run(SetupFor(2));
  Advance(&run, 20);
  run.Apply({.kind = RunInput::Kind::kSlope, .value = 5 * std::numbers::pi / 180});
  run.Apply({.kind = RunInput::Kind::kFriction, .value = 0.7});
  Advance(&run, 100);
  EXPECT_FALSE(run.Fell() || run.Failed());
  EXPECT_EQ(run.GetWorld().friction, 0.7);
  EXPECT_NEAR(run.GetWorld().terrain.slope, 5 * std::numbers::pi / 180, 1e-15);
  EXPECT_LT(run.Measure().max_penetration, 0.01);
}

TEST(Run, CommandsChangeOverTimeAndByHand) {
  RunSetup setup = SetupFor(1);
  setup.scenario.commands = {{.at = 0, .speed = 1.0}, {.at = 0.5, .heading = 0.3}};
  SimRun run(setup);
  RecordedFrame frame;
  run.ReadFrame(&frame);
  EXPECT_EQ(frame.controls[0].speed, 1);
  EXPECT_TRUE(std::isnan(frame.controls[0].heading));
  Advance(&run, 101);
  EXPECT_EQ(run.CurrentCommand(), (Command{1.0, 0.3, 0}));
  run.Apply({.kind = RunInput::Kind::kCommand, .command = {.speed = 2.0, .style = 1}});
  EXPECT_EQ(run.CurrentCommand(), (Command{2.0, std::nullopt, 1}));
  run.Step();
  run.ReadFrame(&frame);
  EXPECT_EQ(frame.controls[0].speed, 2);
  EXPECT_EQ(frame.controls[0].style, 1);
  EXPECT_THAT(KindsOf(run.TakeEvents()), testing::ElementsAre("command", "command", "command"));
}

TEST(Run, APointBecomesAHeadingAndAStopThere) {
  RunSetup setup = SetupFor(30);
  Perform("locomotion", &setup);
  setup.scenario.commands = {{.at = 0, .speed = 1.25, .point = GroundPoint{4, 3}}};
  SimRun run(setup);
  RecordedFrame frame;
  run.ReadFrame(&frame);
  EXPECT_NEAR(frame.controls[0].heading, std::atan2(3, 4), 0.05);
  EXPECT_EQ(frame.controls[0].speed, 1.25f);
  while (!run.Finished() && (run.ReadFrame(&frame), frame.controls[0].speed != 0)) run.Step();
  ASSERT_FALSE(run.Finished()) << "did not get there";
  EXPECT_LT(std::hypot(run.ActorState().q[0] - 4, run.ActorState().q[1] - 3), 0.6);
  EXPECT_TRUE(std::isnan(frame.controls[0].heading));
  // A heading ends it.
  run.Apply({.kind = RunInput::Kind::kCommand, .command = {.heading = 1}});
  run.Step();
  run.ReadFrame(&frame);
  EXPECT_EQ(frame.controls[0].heading, 1);
  EXPECT_TRUE(std::isnan(frame.controls[0].speed));
}

TEST(Run, ASkillWithoutHeadingTurnsByRecordedPushActions) {
  ClipSkill walk = LoadClipSkill("walk");
  walk.keep_heading = false;
  walk.turns = RecordPushTurns(GraphOf(walk), walk.policies, walk.start);
  const std::string file = testing::TempDir() + "walk_push_turns.skill";
  WriteSkill(walk, file);
  RunSetup setup = SetupFor(25);
  Perform(file, &setup);
  for (const double heading : {1.2, -1.2}) {
    setup.scenario.commands = {{.at = 0, .heading = heading}};
    SimRun run(setup);
    Advance(&run, 4000);
    const std::vector<double> before = run.ActorState().q;
    Advance(&run, 1000);
    const std::vector<double>& after = run.ActorState().q;
    EXPECT_FALSE(run.Fell());
    EXPECT_NEAR(std::atan2(after[1] - before[1], after[0] - before[0]), heading, 0.3);
  }
}

TEST(Run, StylesAreKnownByName) {
  RunSetup setup = SetupFor(1);
  Perform("locomotion", &setup);
  setup.scenario.commands = {{.at = 0, .style_name = "walk"}};
  SimRun run(setup);
  EXPECT_EQ(run.ControllerOf(0).Styles()[run.CurrentCommand().style], "walk");
  setup.scenario.commands = {{.at = 0, .style_name = "fly"}};
  EXPECT_THAT(InputErrorOf([&] { SimRun refused(setup); }),
              AllOf(HasSubstr("'fly'"), HasSubstr("walk, run")));
}

TEST(Run, RefusesInputsThatCannotBe) {
  SimRun run(SetupFor(1));
  const auto error = [&](const RunInput& input) { return InputErrorOf([&] { run.Apply(input); }); };
  EXPECT_THAT(error(PushInput({1, 0, 0}, 0.1, 99)), HasSubstr("no body 99"));
  RunInput ghost = PushInput({1, 0, 0}, 0.1);
  ghost.actor = 1;
  EXPECT_THAT(error(ghost), HasSubstr("no actor 1"));
  EXPECT_THAT(error(PushInput({NAN, 0, 0}, 0.1)), HasSubstr("push"));
  EXPECT_THAT(error(PushInput({1, 0, 0}, 0)), HasSubstr("duration"));
  EXPECT_THAT(error({.kind = RunInput::Kind::kFriction, .value = -1}), HasSubstr("friction"));
  EXPECT_THAT(error({.kind = RunInput::Kind::kSlope, .value = NAN}), HasSubstr("slope"));
  EXPECT_THAT(error(ThrowInput({0, 0, 0}, {1000, 0, 0})), HasSubstr("100 m/s"));
  EXPECT_THAT(error({.kind = RunInput::Kind::kCommand, .command = {.speed = INFINITY}}),
              HasSubstr("speed"));
  RunSetup steps = SetupFor(1);
  steps.scenario.world.terrain.kind = Terrain::Kind::kSteps;
  SimRun on_steps(steps);
  EXPECT_THAT(InputErrorOf([&] { on_steps.Apply({.kind = RunInput::Kind::kSlope, .value = 0.1}); }),
              HasSubstr("plane"));
  SimRun batch(SetupFor(1, "batch"));
  EXPECT_THAT(InputErrorOf([&] {
                batch.Apply(ThrowInput({0, 0, 3}, {1, 0, 0}));
              }),
              HasSubstr("several actors"));
  for (int i = 0; i < 64; ++i) run.Apply(PushInput({1, 0, 0}, 1));
  EXPECT_THAT(error(PushInput({1, 0, 0}, 1)), HasSubstr("64"));
}

TEST(Run, SetupAndInputsComeBackFromJson) {
  RunSetup setup = SetupFor(3, "mujoco");
  setup.characters[0].controller_config = {{"gain", 2}};
  setup.characters[0].motions = {"walk"};
  setup.seed = (std::uint64_t{1} << 63) + 5;
  setup.scenario.world.terrain.slope = 0.1;
  setup.scenario.chosen = {kChosenGround};
  const auto json = ToJson(setup);
  const RunSetup read = RunSetupFromJson(nlohmann::json::parse(json.dump()), "test");
  EXPECT_EQ(ToJson(read), json);
  EXPECT_EQ(read.seed, setup.seed);
  EXPECT_TRUE(read.scenario == setup.scenario);
  for (const char* text : {"{}", "[]", R"({"character": 3})"}) {
    EXPECT_THAT(InputErrorOf([&] { RunSetupFromJson(nlohmann::json::parse(text), "run.stride"); }),
                HasSubstr("run.stride"));
  }
  for (const char* text : {"{}", R"({"kind": "kick"})", R"({"kind": "slope", "value": "steep"})",
                           R"({"kind": "throw", "from": [1], "velocity": [0, 0, 0], "mass": 1})"}) {
    EXPECT_THAT(InputErrorOf([&] { RunInputFromJson(nlohmann::json::parse(text)); }),
                HasSubstr("input"));
  }
}

TEST(Run, ChangedBodiesRunAndStand) {
  for (const BodyChange& change :
       {BodyChange{"legs", 1.5, 1}, BodyChange{"legs", 0.5, 1}, BodyChange{"all", 1, 1.3}}) {
    RunSetup setup = SetupFor(2);
    setup.scenario.changes = {change};
    SimRun run(setup);
    while (!run.Finished()) run.Step();
    EXPECT_FALSE(run.Fell() || run.Failed()) << change.body << " " << change.length;
  }
}

TEST(Run, HoldCarriesItsWeightUnderOtherGravity) {
  RunSetup setup = SetupFor(2);
  setup.scenario.world.gravity = 1.62;
  SimRun run(setup);
  while (!run.Finished()) run.Step();
  EXPECT_LT(*run.Measure().tracking_error_deg, 0.3);
}

TEST(Run, NamesABodyThatIsNotThere) {
  RunSetup setup = SetupFor(1);
  setup.scenario.pushes = {{.force = 1, .duration = 1, .body = "tail"}};
  EXPECT_THAT(InputErrorOf([&] { SimRun run(setup); }), HasSubstr("'tail'"));
  setup = SetupFor(1);
  setup.characters[0].motions = {"walk"};
  EXPECT_THAT(InputErrorOf([&] { SimRun run(setup); }), HasSubstr("hold"));
  setup = SetupFor(1);
  setup.characters[0].controller_config = {{"gain", 1}};
  EXPECT_THAT(InputErrorOf([&] { SimRun run(setup); }), HasSubstr("gain"));
}

}  // namespace
}  // namespace stride
