#include "stride/controllers/simbicon/walker.h"

#include <cmath>
#include <memory>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/character/rest_pose.h"
#include "stride/controllers/registry.h"
#include "stride/controllers/simbicon/walk_objective.h"
#include "stride/controllers/skill_library.h"
#include "stride/dynamics/model.h"
#include "stride/learn/rollouts.h"
#include "stride/math/rotation.h"
#include "stride/scenario/fall.h"
#include "stride/scenario/placement.h"
#include "stride/sim/engine.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using ::testing::HasSubstr;
using P = WalkerParameter;

const WalkerParameterInfo& Named(const std::string& name) {
  for (const WalkerParameterInfo& info : WalkerParameters()) {
    if (info.name == name) return info;
  }
  ADD_FAILURE() << "no parameter " << name;
  return WalkerParameters()[0];
}

TEST(WalkerParameters, ThePapersAre184) {
  const auto& table = WalkerParameters();
  ASSERT_EQ(table.size(), static_cast<std::size_t>(P::kCount));
  std::set<std::string> names;
  int paper = 0;
  for (const WalkerParameterInfo& info : table) {
    names.insert(info.name);
    paper += info.group != "beyond";
    EXPECT_GT(info.scale, 0) << info.name;
    EXPECT_LE(info.lower, info.paper) << info.name;
    EXPECT_GE(info.upper, info.paper) << info.name;
  }
  EXPECT_EQ(names.size(), table.size());
  EXPECT_EQ(paper, 184);
  // Where they stand, and Table 2.
  EXPECT_EQ(table[P::kTargets1 + static_cast<int>(P::kStanceToePitch)].name,
            "stance_toe_y.target.1");
  EXPECT_EQ(table[P::kDamping1 + static_cast<int>(P::kStanceElbow) + 1].name,
            "stance_elbow_z.kd.1");
  EXPECT_EQ(table[P::kStartRates + static_cast<int>(P::kStartRight) + 5].name,
            "start.right_elbow_y_rate");
  EXPECT_EQ(table[P::kWidth].name, "width");
  EXPECT_EQ(table[P::kStandCoronal].name, "stand.coronal");
  EXPECT_EQ(Named("stance_ankle_y.target.1").paper, 0.75);
  EXPECT_EQ(Named("swing_knee_y.kp.1").paper, 50);
  EXPECT_EQ(Named("swing_knee_y.kd.1").paper, 5);  // a tenth
  EXPECT_EQ(Named("start.left_ankle_y_rate").paper, -15);
  EXPECT_EQ(Named("velocity_coronal").paper, 0.2);
}

// A ball with gains of its own about each axis pulls as three servos would.
TEST(JointChain, ABallHasGainsAboutEachAxis) {
  const Character character = LoadCharacter("wang09-short");
  Model<double> model(character);
  State state = RestState(character);
  const Layout layout = LayoutOf(character);
  const int thigh = character.BodyOf(Role::kLeftThigh);
  const Quatd rotation = Exp({0.1, -0.3, 0.2});
  for (int k = 0; k < 4; ++k) {
    state.q[layout.q[thigh] + k] = k == 0   ? rotation.w
                                   : k == 1 ? rotation.x
                                   : k == 2 ? rotation.y
                                            : rotation.z;
  }
  const Vec3d rate{0.5, -1, 2};
  state.v[layout.v[thigh]] = rate.x;
  state.v[layout.v[thigh] + 1] = rate.y;
  state.v[layout.v[thigh] + 2] = rate.z;
  model.SetState(state);
  std::vector<JointDrive<double>> drives(model.BodyCount());
  const LaneView<double, double> view{model.GetTree(), model.View(), drives.data(), {},      0,
                                      {0, 0, 1},       0.005,        nullptr,       nullptr, 0};
  const AxisGains<double> gains{{100, 50, 7}, {10, 20, 1}};
  const Vec3d error{0.2, -0.1, 0.15};
  AimByError(view, thigh, error, gains);
  const Vec3d torque = ServoTorque(view, thigh);
  EXPECT_NEAR(torque.x, 100 * error.x - 10 * rate.x, 1e-5);
  EXPECT_NEAR(torque.y, 50 * error.y - 20 * rate.y, 1e-5);
  EXPECT_NEAR(torque.z, 7 * error.z - 1 * rate.z, 1e-5);
}

TEST(WalkerStart, IsThePapersOnTheGround) {
  for (const char* name : {"wang09-stocky", "liu16", "lee10", "android"}) {
    const Character character = LoadCharacter(name);
    Terrain slope;
    slope.slope = 0.1;
    for (const Terrain& terrain : {Terrain(), slope}) {
      const State start = WalkerStart(character, terrain, WalkerPaperValues());
      EXPECT_EQ(start.v[0], 1.3);
      double lowest = 1e9;
      const BodyFrames frames = FramesAt(character, start.q);
      for (const ContactPoint& point : character.contact_points) {
        const Vec3d at =
            frames.position[point.body] + Rotate(frames.rotation[point.body], point.position);
        lowest = std::min(lowest, at.z - point.radius - SurfaceAt(terrain, at.x, at.y).height);
      }
      EXPECT_NEAR(lowest, 0, 1e-9) << name;
      // The left thigh is raised, its knee bent.
      const Vec3d knee = frames.position[character.BodyOf(Role::kLeftShank)];
      const Vec3d hip = frames.position[character.BodyOf(Role::kLeftThigh)];
      const Vec3d ankle = frames.position[character.BodyOf(Role::kLeftFoot)];
      EXPECT_GT(knee.x, hip.x + 0.1) << name;
      EXPECT_LT(ankle.x, knee.x - 0.1) << name;
    }
  }
}

// A walk of a built-in skill in the native engine, told by a function of time; the states at the
// times asked for.
std::vector<State> Walk(const std::string& name, const std::function<Command(double)>& command,
                        const std::vector<double>& times) {
  ControllerInput input;
  input.skill = std::make_shared<const Skill>(LoadSkill(name));
  input.world.actors = {input.skill->character};
  Grant(input.skill->wishes, {}, &input.world);
  input.stand = StandOn(input.world.actors[0], input.world.terrain);
  const auto controller = MakeController("walker", input);
  const auto engine = MakeEngine("native", input.world);
  engine->SetState(0, controller->Start());
  FallDetector fall(input.world.actors[0], input.world.terrain, controller->Start());
  std::vector<Actuation> actuations = {Passive(input.world.actors[0])};
  std::vector<Contact> contacts;
  std::vector<State> states;
  for (double time = 0; states.size() < times.size(); time += input.world.time_step) {
    if (time >= times[states.size()]) states.push_back(engine->GetState(0));
    controller->Step({time, engine->GetState(0), contacts}, command(time), &actuations[0]);
    engine->Step(actuations, {});
    contacts.assign(engine->Contacts().begin(), engine->Contacts().end());
    if (fall.Fallen(engine->GetState(0))) {
      ADD_FAILURE() << name << " fell at " << time << " s";
      states.resize(times.size(), engine->GetState(0));
    }
  }
  return states;
}

TEST(Walker, WalksStraightAtItsSpeed) {
  for (const SkillInfo& skill : BuiltInSkills()) {
    if (skill.controller != "walker") continue;
    const double own = LoadSkill(skill.name).payload["own_speed"].get<double>();
    const auto at = Walk(skill.name, [](double) { return Command{}; }, {5, 20});
    EXPECT_NEAR((at[1].q[0] - at[0].q[0]) / 15, own, 0.1) << skill.name;
    EXPECT_LT(std::fabs(at[1].q[1]), 1) << skill.name;
  }
}

TEST(Walker, WalksAlongACommandedHeading) {
  for (const double heading : {1.5, -2.5}) {
    const auto at = Walk(
        "walker-stocky",
        [&](double time) { return time < 1 ? Command{} : Command{.heading = heading}; }, {10, 20});
    const double way = std::atan2(at[1].q[1] - at[0].q[1], at[1].q[0] - at[0].q[0]);
    EXPECT_NEAR(std::remainder(way - heading, 2 * M_PI), 0, 0.1) << heading;
  }
}

TEST(Walker, StopsStandsAndStartsAgain) {
  const auto at =
      Walk("walker-stocky",
           [](double time) { return time > 3 && time < 13 ? Command{.speed = 0} : Command{}; },
           {3, 10, 13, 20});
  EXPECT_LT(std::hypot(at[1].q[0] - at[0].q[0], at[1].q[1] - at[0].q[1]), 4);
  EXPECT_LT(std::hypot(at[2].q[0] - at[1].q[0], at[2].q[1] - at[1].q[1]), 0.1);  // stands
  EXPECT_GT(at[3].q[0] - at[2].q[0], 3);
}

// What the lanes measure of a walk is what anyone would measure of it.
TEST(Walker, MeasuresItsWalk) {
  const Skill skill = LoadSkill("walker-stocky");
  const Walker walker = WalkerOf(skill);
  World world;
  world.actors = {skill.character};
  RolloutSetup setup{.character = skill.character,
                     .driver = DriveByProgram(
                         MakeLaneProgram(MakeWalkerProgram(world, StandOn(skill.character, {}))))};
  setup.scenario.seconds = 20;
  const Workers workers(1);
  const RolloutResult walk = Rollouts(setup, workers).Run(1, [&](int, Rollout* trial) {
    trial->parameters = walker.parameters;
    trial->start = WalkerStart(skill.character, {}, walker.parameters);
  })[0];
  const WalkFigures figures = FiguresOf(walk.values);
  EXPECT_NEAR(figures.seconds, 20, 0.01);
  EXPECT_NEAR(figures.speed, walk.forwards / walk.seconds, 0.02);
  // Steps as long as the way says: cadence times length.
  EXPECT_NEAR(figures.step_length * figures.cadence / 60, figures.speed, 0.06);
  EXPECT_GT(figures.arm_phase, 0.5);  // arms against the legs
  EXPECT_NEAR(figures.ratio[0] + figures.ratio[1] + figures.ratio[2], 1, 1e-6);
}

// A trial's numbers do not depend on what its lane ran before: contacts, drives, forces.
TEST(Walker, ATrialIsTheSameAfterOthers) {
  const Skill skill = LoadSkill("walker-stocky");
  const Walker walker = WalkerOf(skill);
  World world;
  world.actors = {skill.character};
  RolloutSetup setup{.character = skill.character,
                     .driver = DriveByProgram(
                         MakeLaneProgram(MakeWalkerProgram(world, StandOn(skill.character, {}))))};
  setup.scenario.random_pushes = RandomPushes{.every = 0.1, .sigma = 100};
  const Workers workers(1);
  for (const double seconds : {0.3, 0.55, 0.8}) {  // in other phases of the step
    setup.scenario.seconds = seconds;
    const Rollouts rollouts(setup, workers);
    const auto run = [&] {
      return rollouts.Run(16, [&](int k, Rollout* trial) {
        trial->stream = k;
        trial->parameters = walker.parameters;
        trial->start = WalkerStart(skill.character, {}, walker.parameters);
      });
    };
    const std::vector<RolloutResult> first = run();
    EXPECT_EQ(run(), first) << seconds;
  }
}

TEST(Walker, RefusesWhatIsNotItsOwn) {
  Skill skill = LoadSkill("walker-stocky");
  skill.payload["parameters"].erase("arm_swing");
  EXPECT_THAT(InputErrorOf([&] { WalkerOf(skill); }), HasSubstr("arm_swing"));
  const LearningMethod method = WalkerLearning();
  const Workers workers(1);
  std::vector<std::string> warnings;
  const auto learn = [&](LearningRequest request) {
    return InputErrorOf([&] { method.make(request, workers, &warnings); });
  };
  EXPECT_THAT(learn({.character = "snake"}), HasSubstr("has no"));
  EXPECT_THAT(learn({.options = {{"from", {"walk"}}}}), HasSubstr("control_graph"));
  EXPECT_THAT(learn({.options = {{"without", {"balance"}}}}), HasSubstr("ratio"));
}

// From the paper's Table 2 a few iterations find something better; what cannot be is said.
TEST(Walker, LearnsAndSaysWhatItMisses) {
  const LearningMethod method = WalkerLearning();
  const Workers workers(2);
  std::vector<std::string> warnings;
  const LearningRequest request{
      .character = "wang09-stocky",
      .out = "unused.skill",
      .settings = {"start=paper", "iterations=8", "population=32", "steady_iterations=1",
                   "robust_iterations=1", "robust_population=8", "robust_trials=1",
                   "command_iterations=1", "command_population=8", "seconds=4", "speed=5"}};
  const auto job = method.make(request, workers, &warnings);
  while (!job->Done()) job->Advance([] { return false; });
  const auto& history = job->History();
  ASSERT_EQ(history.size(), 12u);
  EXPECT_EQ(history[8]["phase"], "steady");
  EXPECT_EQ(history[9]["phase"], "robust");
  EXPECT_EQ(history[10]["phase"], "speeds");
  EXPECT_EQ(history[11]["phase"], "stops");
  EXPECT_GT(history[7]["return"].get<double>(), history[0]["return"].get<double>());
  const LearningResult result = job->Result();
  EXPECT_THAT(result.shortfall, HasSubstr("5.000 were asked for"));
  EXPECT_EQ(result.files.size(), 1u);

  // A checkpoint of the last stage goes on to the same result.
  const auto other = method.make(request, workers, &warnings);
  while (other->History().size() < 10) other->Advance([] { return false; });
  const std::string bytes = other->Checkpoint();
  const auto resumed = method.make(request, workers, &warnings);
  resumed->Restore(bytes, "checkpoint");
  while (!resumed->Done()) resumed->Advance([] { return false; });
  EXPECT_EQ(resumed->Result().files, result.files);
}

}  // namespace
}  // namespace stride
