#include "stride/app/live/live.h"

#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/character/rest_pose.h"
#include "stride/controllers/control_graph/clip_skill.h"
#include "stride/controllers/registry.h"
#include "stride/core/error.h"
#include "stride/motion/edit/seam.h"
#include "stride/motion/library.h"

namespace stride {
namespace {

using Kind = LiveOutput::Kind;
constexpr double kForever = 1e3;

LiveRun::Clock::time_point InSeconds(double seconds) {
  return LiveRun::Clock::now() + std::chrono::duration_cast<LiveRun::Clock::duration>(
                                     std::chrono::duration<double>(seconds));
}

RunInput PushOf(const Vec3d& force, double duration) {
  RunInput input;
  input.kind = RunInput::Kind::kPush;
  input.vector = force;
  input.duration = duration;
  return input;
}

TEST(LiveRun, AdvancesByWallTimeAtTheRate) {
  LiveRun run(RunSetup{});
  for (int tick = 0; tick < 60; ++tick) EXPECT_TRUE(run.Advance(1.0 / 60, InSeconds(kForever)));
  EXPECT_NEAR(run.GetRun().Time(), 1, 0.006);
  run.SetRate(0.25);
  for (int tick = 0; tick < 60; ++tick) run.Advance(1.0 / 60, InSeconds(kForever));
  EXPECT_NEAR(run.GetRun().Time(), 1.25, 0.006);
  run.Pause(true);
  run.Advance(1, InSeconds(kForever));
  EXPECT_NEAR(run.GetRun().Time(), 1.25, 0.006);
  const auto step = run.GetRun().StepCount();
  run.StepOnce();
  EXPECT_EQ(run.GetRun().StepCount(), step + 1);
}

TEST(LiveRun, DropsWhatTheDeadlineDoesNotAllow) {
  LiveRun run(RunSetup{});
  EXPECT_FALSE(run.Advance(1, InSeconds(-1)));
  EXPECT_LT(run.GetRun().Time(), 0.5);
  const double time = run.GetRun().Time();
  EXPECT_TRUE(run.Advance(0.1, InSeconds(kForever)));  // no debt is left
  EXPECT_NEAR(run.GetRun().Time(), time + 0.1, 0.006);
}

TEST(LiveRun, DoesNotEndWithItsScenario) {
  RunSetup setup;
  setup.scenario.seconds = 0.1;
  setup.scenario.stop_at_fall = true;
  setup.characters[0].controller = "passive";
  LiveRun run(setup);
  run.Advance(3, InSeconds(kForever));
  EXPECT_TRUE(run.GetRun().Fell());
  EXPECT_NEAR(run.GetRun().Time(), 3, 0.006);
}

// A graph that was not learned: it stands for a moment only, and what was found of it is made up.
std::string UnlearnedGraphSkill() {
  ClipSkill skill;
  skill.name = "unlearned";
  skill.character = LoadCharacter("liu16");
  const auto motion = [&](const char* name) { return LoadMotion(name, skill.character); };
  skill.plan.clips = {{"stand", MakeLoop(skill.character, motion("stand"), 0, 60)},
                      {"walk", motion("walk_slow")},
                      {.name = "rise", .motion = motion("get_up_back"), .rises = true}};
  skill.plan.transitions = {
      {.from = 0, .to = 1, .blend = 0.8}, {.from = 1, .to = 0, .blend = 0.8}, {.from = 2, .to = 0}};
  ChooseCrossings(skill.character, skill.clip, &skill.plan);
  skill.policies.resize(GraphOf(skill).policies);
  skill.robustness = {{"stand", 1.0}, {"stand>walk", 0.25}};
  const std::string path = testing::TempDir() + "live_test_graph.skill";
  WriteSkill(skill, path);
  return path;
}

TEST(LiveRun, DragsAnyOfItsCharacters) {
  LiveRun run({.characters = {{}, {.y = 2}}});
  const int trunk = run.GetRun().GetWorld().actors[1].BodyOf(Role::kTrunk);
  run.Drag({1, trunk, {}, {1, 2, 1.2}});
  run.Advance(0.2, InSeconds(kForever));
  EXPECT_GT(run.GetRun().ActorState(1).q[0], run.GetRun().ActorState(0).q[0] + 0.005);
}

TEST(LiveRun, SaysItsGraphAndWhereInItTheCharacterIs) {
  const std::string skill = UnlearnedGraphSkill();
  const RunSetup setup{.characters = {{.controller = ControllerOfSkill(skill), .skill = skill}}};
  LiveRun run(setup);
  const auto read = [&] {
    return ParseRecording(RecordingPreamble() + run.EncodeHead() + run.EncodeCurrentFrame(), "run");
  };
  const RecordedController header = read().header.controllers.at(0);
  EXPECT_EQ(header.styles,
            (std::vector<std::string>{"as commanded", "random walk", "stand", "walk"}));
  const BehaviourGraph expected = {.nodes = {{"stand", 2, 1}, {"walk", 3, -1}, {"rise", 0, -1}},
                                   .links = {{0, 1, 0.25}, {1, 0, -1}, {2, 0, -1}},
                                   .node_channel = "node",
                                   .down_channel = "lying"};
  EXPECT_TRUE(header.graph == expected);
  ASSERT_EQ(header.channels.size(), 6u);
  EXPECT_EQ(header.channels[3].name, "node");
  EXPECT_EQ(header.channels[5].name, "lying");
  EXPECT_EQ(read().frames[0].controls[0].channels[3], 0);

  // Pushed over, it lies, and then rises.
  run.Apply(PushOf({600, 0, 0}, 0.4));
  bool lay = false, rose = false;
  for (int tick = 0; tick < 600 && !rose; ++tick) {
    run.Advance(1.0 / 60, InSeconds(kForever));
    const std::vector<float> channels = read().frames[0].controls[0].channels;
    lay = lay || channels[5] > 0;
    rose = lay && channels[5] == 0 && channels[3] == 2;
  }
  EXPECT_TRUE(lay);
  EXPECT_TRUE(rose);
}

// Pushed over it lies, and that ends when it is up again; both are events.
TEST(LiveRun, LiesUntilItIsUp) {
  RunSetup setup;
  setup.characters[0].skill = "locomotion";
  setup.characters[0].controller = ControllerOfSkill("locomotion");
  LiveRun run(setup);
  run.Advance(1, InSeconds(kForever));
  EXPECT_FALSE(run.GetRun().Lies());
  run.Apply(PushOf({900, 300, 0}, 0.4));
  std::string happened;
  for (int tick = 0; tick < 60 * 20 && happened.find("\"up\"") == std::string::npos; ++tick) {
    run.Advance(1.0 / 60, InSeconds(kForever));
    for (const std::string& event : run.TakeEvents()) happened += event;
    const bool fell = happened.find("\"fall\"") != std::string::npos;
    const bool up = happened.find("\"up\"") != std::string::npos;
    EXPECT_EQ(run.GetRun().Lies(), fell && !up) << tick;
  }
  EXPECT_NE(happened.find("\"up\""), std::string::npos);
  EXPECT_TRUE(run.GetRun().Fell()) << "that it fell once stays true";
  EXPECT_EQ(run.GetRun().Falls(), 1);
}

TEST(LiveRun, RefusesWhatIsOutOfRange) {
  LiveRun run(RunSetup{});
  EXPECT_THROW(run.SetRate(0), InputError);
  EXPECT_THROW(run.SetRate(100), InputError);
  EXPECT_THROW(run.StepOnce(), InputError);  // not paused
  EXPECT_THROW(run.Apply(PushOf({LiveRun::kMaxPush + 1, 0, 0}, 0.1)), InputError);
  EXPECT_THROW(run.Drag({.actor = 1}), InputError);
  EXPECT_THROW(run.Drag({.actor = 0, .body = 1000}), InputError);
  EXPECT_THROW(run.Drag({.point = {1e9, 0, 0}}), InputError);
}

// The spring holds the root where it was pulled: half a metre long it carries the whole weight.
TEST(LiveRun, DragLiftsTheBodyAndEndsByItself) {
  for (const char* character : {"liu16", "snake"}) {
    RunSetup setup;
    setup.characters[0].character = character;
    setup.characters[0].controller = "passive";
    LiveRun run(setup);
    const double height = run.GetRun().ActorState().q[2];
    for (int tick = 0; tick < 300; ++tick) {
      run.Drag({.target = {0, 0, height + 1.5}});
      run.Advance(1.0 / 60, InSeconds(kForever));
    }
    EXPECT_NEAR(run.GetRun().ActorState().q[2], height + 1, 0.15) << character;
    EXPECT_FALSE(run.GetRun().Failed());
    EXPECT_TRUE(run.TakeEvents().empty() || run.GetRun().Fell());  // its pushes are not news
    run.Advance(LiveRun::kDragSeconds + 1, InSeconds(kForever));
    EXPECT_LT(run.GetRun().ActorState().q[2], height + 0.5) << character;
  }
}

// A light body at the end of a limb, where too much damping would shake it. It hangs half a metre
// below the target; what dangles from it is free to swing.
TEST(LiveRun, DragOfAHandIsSteady) {
  for (const char* engine : {"native", "mujoco"}) {
    RunSetup setup;
    setup.engine = engine;
    setup.characters[0].controller = "passive";
    LiveRun run(setup);
    const Character& character = run.GetRun().GetWorld().actors[0];
    const int hand = character.BodyOf(Role::kLeftHand);
    ASSERT_GE(hand, 0);
    const auto place = [&] {
      return FramesAt(character, run.GetRun().ActorState().q).position[hand];
    };
    Vec3d last = place();
    for (int tick = 0; tick < 300; ++tick) {
      run.Drag({.body = hand, .target = {0, 0, 2}});
      run.Advance(1.0 / 60, InSeconds(kForever));
      if (tick >= 240) {
        EXPECT_LT(Norm(place() - last) * 60, 1) << engine;  // m/s
        EXPECT_NEAR(place().z, 1.5, 0.15) << engine;
      }
      last = place();
    }
    EXPECT_FALSE(run.GetRun().Failed());
  }
}

// Whatever the steps of a walk do to the body, a hand at rest pulls to itself.
TEST(LiveRun, DragByAStillHandDoesNotTurnAround) {
  RunSetup setup;
  setup.characters[0].skill = "walk";
  setup.characters[0].controller = ControllerOfSkill("walk");
  LiveRun run(setup);
  run.Advance(1.5, InSeconds(kForever));
  const int trunk = run.GetRun().GetWorld().actors[0].BodyOf(Role::kTrunk);
  const Vec3d target{run.GetRun().ActorState().q[0] + 0.8, 0, 1.2};
  double most = 0;
  for (int tick = 0; tick < 60; ++tick) {
    run.Drag({.body = trunk, .target = target});
    run.Advance(1.0 / 60, InSeconds(kForever));
    const auto forces =
        ParseRecording(RecordingPreamble() + run.EncodeHead() + run.EncodeCurrentFrame(), "run")
            .frames[0]
            .forces;
    ASSERT_EQ(forces.size(), 1u);
    const auto vector = [](const std::array<float, 3>& v) { return Vec3d{v[0], v[1], v[2]}; };
    const Vec3d towards = target - vector(forces[0].position), force = vector(forces[0].force);
    most = std::max(most, Norm(force));
    // The frame is that of the next state: a step of the body near the hand may turn a corner.
    if (Norm(towards) > 0.05) {
      EXPECT_GE(Dot(force, towards), 0) << tick;
    }
  }
  EXPECT_GT(most, 50);
}

TEST(LiveRun, RecordingFromTheMiddleReplaysBitForBit) {
  LiveRun run(RunSetup{});
  EXPECT_EQ(run.StopRecording(), nullptr);
  run.Apply(PushOf({60, 20, 0}, 0.1));
  run.Advance(0.3, InSeconds(kForever));
  RunInput ball;
  ball.kind = RunInput::Kind::kThrow;
  ball.point = {2, 0, 1};
  ball.vector = {-5, 0, 1};
  run.Apply(ball);
  run.Advance(0.2, InSeconds(kForever));
  run.StartRecording();
  EXPECT_TRUE(run.Recording());
  for (int tick = 0; tick < 30; ++tick) {
    run.Drag({.target = {0, 0.3, 1}});
    run.Advance(1.0 / 60, InSeconds(kForever));
  }
  RunInput friction;
  friction.kind = RunInput::Kind::kFriction;
  friction.value = 0.5;
  run.Apply(friction);
  run.Advance(0.5, InSeconds(kForever));
  EXPECT_NEAR(run.RecordedSeconds(), 1, 0.01);
  const Bytes bytes = run.StopRecording();
  ASSERT_NE(bytes, nullptr);
  EXPECT_FALSE(run.Recording());

  const stride::Recording recording = ParseRecording(*bytes, "live");
  EXPECT_TRUE(recording.complete);
  EXPECT_NEAR(recording.Duration(), 1, 0.03);
  EXPECT_EQ(ReplayDifference(recording), "");
  stride::Recording other = recording;
  other.frames.back().actors[0].q[0] += 1e-12;
  EXPECT_NE(ReplayDifference(other), "");

  EXPECT_EQ(ExportRecordingBytes(bytes, "recording"), *bytes);
  EXPECT_EQ(ExportRecordingBytes(bytes, "bvh").substr(0, 9), "HIERARCHY");
  EXPECT_EQ(ExportRecordingBytes(bytes, "glb").substr(0, 4), "glTF");
  EXPECT_FALSE(ExportRecordingBytes(bytes, "csv").empty());
  EXPECT_THROW(ExportRecordingBytes(bytes, "exe"), InputError);
}

TEST(LiveRun, FrictionAndSlopeOutliveARestart) {
  LiveRun run(RunSetup{});
  RunInput input;
  input.kind = RunInput::Kind::kFriction;
  input.value = 0.4;
  run.Apply(input);
  input.kind = RunInput::Kind::kSlope;
  input.value = 0.1;
  run.Apply(input);
  EXPECT_EQ(run.Setup().scenario.world.friction, 0.4);
  EXPECT_EQ(run.Setup().scenario.world.terrain.slope, 0.1);
}

// Gathers what a session sends.
class Inbox {
 public:
  void Take(LiveOutput output) {
    const std::lock_guard lock(mutex_);
    outputs_.push_back(std::move(output));
    came_.notify_all();
  }
  // The first output from here on that fits; fails after a while.
  template <class Fits>
  LiveOutput Await(const Fits& fits) {
    std::unique_lock lock(mutex_);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (;;) {
      for (; next_ < outputs_.size(); ++next_) {
        if (fits(outputs_[next_])) return outputs_[next_++];
      }
      if (came_.wait_until(lock, end) == std::cv_status::timeout) {
        ADD_FAILURE() << "the output did not come";
        return {};
      }
    }
  }
  LiveOutput Await(Kind kind, int client = 0) {
    return Await([=](const LiveOutput& o) { return o.kind == kind && o.client == client; });
  }
  nlohmann::json AwaitStatus(const std::function<bool(const nlohmann::json&)>& fits) {
    const LiveOutput output = Await([&](const LiveOutput& o) {
      return o.kind == Kind::kStatus && fits(nlohmann::json::parse(*o.bytes));
    });
    return output.bytes ? nlohmann::json::parse(*output.bytes) : nlohmann::json();
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<LiveOutput> outputs_;
  std::size_t next_ = 0;
};

class LiveSessionTest : public testing::Test {
 protected:
  void Start(const RunSetup& setup = {}, Bytes opened = nullptr) {
    session_ = std::make_unique<LiveSession>(setup, opened);
    session_->Start([this](LiveOutput output) { inbox_.Take(std::move(output)); });
  }
  Inbox inbox_;
  std::unique_ptr<LiveSession> session_;
};

TEST_F(LiveSessionTest, WhoJoinsGetsEverythingInOrder) {
  Start();
  session_->Join(7);
  const auto of_client = [](const LiveOutput& o) { return o.client == 7; };
  EXPECT_EQ(nlohmann::json::parse(*inbox_.Await(of_client).bytes)["type"], "catalog");
  EXPECT_EQ(inbox_.Await(of_client).kind, Kind::kStatus);
  EXPECT_EQ(inbox_.Await(of_client).bytes->substr(0, 4), "HEAD");
  EXPECT_EQ(inbox_.Await(of_client).bytes->substr(0, 4), "FRAM");
  EXPECT_EQ(inbox_.Await(Kind::kFrame).bytes->substr(0, 4), "FRAM");
}

TEST_F(LiveSessionTest, TimeBeginsWithTheFirstClient) {
  Start();
  inbox_.AwaitStatus([](const nlohmann::json&) { return true; });
  const auto status = inbox_.AwaitStatus([](const nlohmann::json&) { return true; });
  EXPECT_EQ(status["time"], 0);
  session_->Join(1);
  inbox_.AwaitStatus([](const nlohmann::json& s) { return s["time"] > 0.1; });
}

TEST_F(LiveSessionTest, RefusalsGoToWhoeverAsked) {
  Start();
  session_->Join(1);
  session_->Post(2, RateMessage{1000});
  const LiveOutput output = inbox_.Await(Kind::kText, 2);
  EXPECT_EQ(nlohmann::json::parse(*output.bytes)["type"], "refused");
}

TEST_F(LiveSessionTest, SetupKeepsTheOldRunWhereTheNewOneCannotBe) {
  Start();
  session_->Join(1);
  session_->Post(1, SetupMessage{.character = "nobody"});
  inbox_.Await([](const LiveOutput& o) {
    return o.kind == Kind::kText && o.bytes->find("refused") != std::string::npos;
  });
  session_->Post(1, SetupMessage{.controller = "passive"});
  const auto status = inbox_.AwaitStatus(
      [](const nlohmann::json& s) { return s["setup"]["controller"] == "passive"; });
  EXPECT_EQ(status["setup"]["character"], "liu16");
}

TEST_F(LiveSessionTest, PlaysAMotionAndGoesBack) {
  Start();
  session_->Join(1);
  EXPECT_EQ(session_->Opened(), nullptr);
  session_->Post(1, PlayMessage{"walk"});
  inbox_.AwaitStatus([](const nlohmann::json& s) { return s["mode"] == "recording"; });
  ASSERT_NE(session_->Opened(), nullptr);
  EXPECT_GT(ParseRecording(*session_->Opened(), "walk").frames.size(), 100u);
  session_->Post(1, GoLiveMessage{});
  EXPECT_EQ(inbox_.Await(Kind::kHead).bytes->substr(0, 4), "HEAD");
  EXPECT_EQ(session_->Opened(), nullptr);
}

TEST_F(LiveSessionTest, ARestartEndsTheRecording) {
  Start();
  session_->Join(1);
  session_->Post(1, RecordMessage{true});
  inbox_.AwaitStatus([](const nlohmann::json& s) { return s["recorded_seconds"] > 0.2; });
  EXPECT_EQ(session_->Recorded(), nullptr);
  session_->Post(1, RestartMessage{});
  inbox_.AwaitStatus([](const nlohmann::json& s) { return !s["recording"]; });
  ASSERT_NE(session_->Recorded(), nullptr);
  EXPECT_EQ(ReplayDifference(ParseRecording(*session_->Recorded(), "live")), "");
}

TEST_F(LiveSessionTest, ACharacterThatTheSkillCannotDriveLeavesTheSkill) {
  Start({.characters = {{.controller = ControllerOfSkill("walk"), .skill = "walk"}}});
  session_->Join(1);
  session_->Post(1, SetupMessage{.character = "biped"});
  inbox_.Await([](const LiveOutput& o) {
    return o.kind == Kind::kText && o.bytes->find("skill of the body 'liu16'") != std::string::npos;
  });
  const auto status = inbox_.AwaitStatus(
      [](const nlohmann::json& s) { return s["setup"]["character"] == "biped"; });
  EXPECT_TRUE(status["setup"]["skill"].is_null());
  EXPECT_EQ(status["setup"]["controller"], "hold");
  // A skill brings its body, which stays when the skill goes.
  session_->Post(1, SetupMessage{.skill = "spline-quadruped"});
  inbox_.AwaitStatus([](const nlohmann::json& s) {
    return s["setup"]["skill"] == "spline-quadruped" && s["setup"]["character"] == "quadruped";
  });
  session_->Post(1, SetupMessage{.skill = ""});
  inbox_.AwaitStatus([](const nlohmann::json& s) {
    return s["setup"]["skill"].is_null() && s["setup"]["character"] == "quadruped";
  });
}

// Also of a controller that could do without one.
TEST_F(LiveSessionTest, AnySkillOfTheCatalogIsTakenAndLeft) {
  Start();
  session_->Join(1);
  for (const char* skill : {"live_walk", "spline-snake", "walker-tall", "walk"}) {
    session_->Post(1, SetupMessage{.skill = skill});
    inbox_.AwaitStatus([&](const nlohmann::json& s) { return s["setup"]["skill"] == skill; });
    session_->Post(1, SetupMessage{.skill = ""});
    inbox_.AwaitStatus([&](const nlohmann::json& s) {
      return s["setup"]["skill"].is_null() && s["setup"]["controller"] == "hold";
    });
  }
}

TEST_F(LiveSessionTest, StatusSaysWhatIsObeyed) {
  Start();
  session_->Join(1);
  const auto hold = inbox_.AwaitStatus([](const nlohmann::json&) { return true; });
  EXPECT_EQ(hold["obeys"], (nlohmann::json{{"speed", false}, {"heading", false}}));
  session_->Post(1, SetupMessage{.skill = "spline-biped"});
  const auto spline = inbox_.AwaitStatus(
      [](const nlohmann::json& s) { return s["setup"]["skill"] == "spline-biped"; });
  EXPECT_EQ(spline["obeys"], (nlohmann::json{{"speed", true}, {"heading", false}}));
}

TEST_F(LiveSessionTest, AnEditedSkillIsSavedAndPerformed) {
  Start(
      {.characters = {{.controller = ControllerOfSkill("spline-biped"), .skill = "spline-biped"}}});
  session_->Join(1);
  const auto curves = [&] {
    const LiveOutput output = inbox_.Await([](const LiveOutput& o) {
      return o.kind == Kind::kText && o.bytes->find("\"curves\"") != std::string::npos;
    });
    return nlohmann::json::parse(*output.bytes)["curves"];
  };
  const nlohmann::json before = curves();
  nlohmann::json cycle = before[1]["cycle"];
  const double value = cycle["values"][0];
  cycle["values"][0] = value + 0.05 < before[1]["high"] ? value + 0.05 : value - 0.05;
  RunInput input;
  input.kind = RunInput::Kind::kCurve;
  input.edit = {1, "cycle", {cycle["times"], cycle["values"]}};
  session_->Post(1, input);
  const nlohmann::json edited = curves();
  EXPECT_EQ(edited[1]["cycle"], cycle);

  const std::string file = testing::TempDir() + "edited.skill";
  WriteSkill(ParseSkill(session_->EditedSkill(0), "edited"), file);
  EXPECT_EQ(ReadSkill(file).name, "spline-biped-edited");
  EXPECT_THROW(session_->EditedSkill(1), InputError);
  std::mutex mutex;
  std::string failure = "not called";
  EXPECT_TRUE(session_->Perform({.skill = file}, [&](const std::string& why) {
    const std::lock_guard lock(mutex);
    failure = why;
  }));
  EXPECT_EQ(curves(), edited);
  const auto status =
      inbox_.AwaitStatus([&](const nlohmann::json& s) { return s["setup"]["skill"] == file; });
  const std::lock_guard lock(mutex);
  EXPECT_EQ(failure, "");
}

TEST_F(LiveSessionTest, WhatCannotBePerformedIsSaidAndTheRunGoesOn) {
  Start();
  session_->Join(1);
  std::promise<std::string> failure;
  EXPECT_TRUE(session_->Perform({.motion = "no/such.motion"},
                                [&](const std::string& why) { failure.set_value(why); }));
  EXPECT_NE(failure.get_future().get(), "");
  const auto status = inbox_.AwaitStatus([](const nlohmann::json& s) { return s["time"] > 0.2; });
  EXPECT_EQ(status["setup"]["controller"], "hold");
}

// 200 setups at once and a disconnect: the other viewer keeps its frames, and is answered sooner
// than a tenth of them take.
TEST_F(LiveSessionTest, AFloodOfSetupsDoesNotHoldUpOthers) {
  using Clock = std::chrono::steady_clock;
  Start();
  session_->Join(1);
  session_->Join(2);
  inbox_.AwaitStatus([](const nlohmann::json& s) { return s["time"] > 0.1; });
  const auto one = Clock::now();
  session_->Post(1, SetupMessage{.engine = "bullet"});
  inbox_.AwaitStatus([](const nlohmann::json& s) { return s["setup"]["engine"] == "bullet"; });
  const auto one_takes = Clock::now() - one;
  for (int k = 0; k < 200; ++k) {
    session_->Post(2, SetupMessage{.engine = k % 2 ? "native" : "mujoco"});
  }
  session_->Leave(2);
  const auto begin = Clock::now();
  session_->Post(1, PauseMessage{true});
  inbox_.AwaitStatus([](const nlohmann::json& s) { return s["paused"].get<bool>(); });
  EXPECT_LT(Clock::now() - begin, 20 * one_takes);
}

TEST_F(LiveSessionTest, MoreThanItCanTakeIsTurnedAway) {
  session_ = std::make_unique<LiveSession>(RunSetup{});  // not started: nothing is taken
  int taken = 0;
  while (taken < 100000 && session_->Post(1, ReleaseMessage{})) ++taken;
  EXPECT_EQ(taken, static_cast<int>(LiveQueue::kMostWaiting));
  EXPECT_TRUE(session_->Post(2, ReleaseMessage{})) << "another client still may";
}

}  // namespace
}  // namespace stride
