#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/controllers/registry.h"
#include "stride/controllers/simbicon/simbicon_program.h"
#include "stride/controllers/skill_library.h"
#include "stride/dynamics/model.h"
#include "stride/math/rotation.h"
#include "stride/scenario/fall.h"
#include "stride/scenario/metrics.h"
#include "stride/scenario/placement.h"
#include "stride/sim/engine.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using ::testing::HasSubstr;

// One skill in an engine, driven by hand.
class Trial {
 public:
  explicit Trial(const std::string& skill, nlohmann::json config = nlohmann::json::object(),
                 const std::string& engine = "native") {
    input_.skill = std::make_shared<const Skill>(LoadSkill(skill));
    input_.config = std::move(config);
    input_.world.actors = {input_.skill->character};
    input_.stand = StandOn(body(), input_.world.terrain);
    controller_ = MakeController("simbicon", input_);
    engine_ = MakeEngine(engine, input_.world);
    engine_->SetState(0, controller_->Start());
    fall_.emplace(body(), Terrain{}, controller_->Start());
    actuations_ = {Passive(body())};
    torques_.resize(engine_->GetState(0).v.size());
    largest_.resize(body().bodies.size());
  }
  const Character& body() const { return input_.world.actors[0]; }
  const State& state() const { return engine_->GetState(0); }
  // Largest torque of a joint's servo so far, N m.
  const std::vector<double>& largest() const { return largest_; }
  double flight() const { return flight_; }  // s without any contact

  // False: it fell.
  bool Go(double seconds, const Command& command, const Vec3d& push = {}) {
    const Layout layout = LayoutOf(body());
    const int trunk = body().BodyOf(Role::kTrunk);
    const double h = input_.world.time_step;
    for (double end = time_ + seconds; time_ < end - h / 2; time_ += h) {
      controller_->Step({time_, state(), contacts_}, command, &actuations_[0]);
      const State before = state();
      const ExternalForce force{.body = trunk, .force = push, .point = body().bodies[trunk].com};
      engine_->Step(actuations_, {&force, 1});
      contacts_.assign(engine_->Contacts().begin(), engine_->Contacts().end());
      if (contacts_.empty()) flight_ += h;
      ServoTorques(body(), layout, actuations_[0], before, state(), h, torques_);
      for (std::size_t i = 1; i < body().bodies.size(); ++i) {
        double square = 0;
        for (int k = 0; k < DofCount(body().bodies[i].joint.kind); ++k) {
          square += torques_[layout.v[i] + k] * torques_[layout.v[i] + k];
        }
        largest_[i] = std::max(largest_[i], std::sqrt(square));
      }
      if (fall_->Fallen(state())) return false;
    }
    return true;
  }
  std::vector<float> Channels() const {
    std::vector<float> values(controller_->Channels().size());
    controller_->ReadChannels(values);
    return values;
  }

 private:
  ControllerInput input_;
  std::unique_ptr<Controller> controller_;
  std::unique_ptr<Engine> engine_;
  std::optional<FallDetector> fall_;
  std::vector<Actuation> actuations_;
  std::vector<Contact> contacts_;
  std::vector<double> torques_, largest_;
  double time_ = 0, flight_ = 0;
};

// A walk from a stand; where it ends.
State Walk(const std::string& skill, const Command& command, double seconds) {
  Trial trial(skill);
  EXPECT_TRUE(trial.Go(seconds, command));
  return trial.state();
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
  for (const double speed : {0.8, 1.0, 1.4}) {
    const double seconds = 25;
    const double before = Walk("simbicon_walk", {.speed = speed}, 10).q[0];
    const double after = Walk("simbicon_walk", {.speed = speed}, seconds).q[0];
    EXPECT_NEAR((after - before) / (seconds - 10), speed, 0.12) << speed;
  }
  // Out of its range it does what it can, and stays up.
  const double fastest = Walk("simbicon_walk", {.speed = 5}, 20).q[0];
  EXPECT_GT(fastest / 20, 1.4);
}

TEST(Simbicon, StopsStandsAndStartsAgain) {
  for (const char* engine : {"native", "batch"}) {
    Trial trial("simbicon_walk", nlohmann::json::object(), engine);
    ASSERT_TRUE(trial.Go(5, {}));
    const double asked_at = trial.state().q[0];
    ASSERT_TRUE(trial.Go(5, {.speed = 0}));
    const double stopped_at = trial.state().q[0];
    EXPECT_LT(stopped_at - asked_at, 3);
    ASSERT_TRUE(trial.Go(5, {.speed = 0}));
    EXPECT_NEAR(trial.state().q[0], stopped_at, 0.05) << engine;
    EXPECT_EQ(trial.Channels()[4], 2);  // stands
    ASSERT_TRUE(trial.Go(10, {.speed = 1.0}));
    EXPECT_GT(trial.state().q[0] - stopped_at, 7) << engine;
    EXPECT_EQ(trial.Channels()[4], 0);
  }
}

TEST(Simbicon, StandsIfItIsNeverToldToGo) {
  Trial trial("simbicon_walk");
  ASSERT_TRUE(trial.Go(10, {.speed = 0}));
  EXPECT_NEAR(trial.state().q[0], 0, 0.05);
}

TEST(Simbicon, SaysWhatItCannotDoOfACommandedSpeed) {
  Trial trial("simbicon_walk");
  ASSERT_TRUE(trial.Go(1, {.speed = 1.0}));
  EXPECT_EQ(trial.Channels()[6], 0);
  ASSERT_TRUE(trial.Go(0.1, {.speed = 5}));
  EXPECT_GT(trial.Channels()[6], 1);
  ASSERT_TRUE(trial.Go(0.1, {.speed = 0.15}));
  EXPECT_LT(trial.Channels()[6], 0);
}

// Exactly, also where the ground strikes or a push comes; without the limit they go beyond it.
TEST(Simbicon, TorquesStayWithinTheirLimit) {
  const double limit = 0.25;
  for (const char* engine : {"native", "batch"}) {
    Trial free("simbicon_robust", nlohmann::json::object(), engine);
    Trial bound("simbicon_robust", {{"torque_limit", limit}}, engine);
    for (Trial* trial : {&free, &bound}) {
      ASSERT_TRUE(trial->Go(5, {}));
      ASSERT_TRUE(trial->Go(0.4, {}, {0, 50, 0}));
      ASSERT_TRUE(trial->Go(4, {}));
    }
    int over = 0;
    for (std::size_t i = 1; i < bound.body().bodies.size(); ++i) {
      const Body& body = bound.body().bodies[i];
      const double most = limit * body.joint.kp;
      over += free.largest()[i] > most;
      EXPECT_LT(bound.largest()[i], 1.0001 * most) << body.name << ", " << engine;
    }
    EXPECT_GE(over, 2) << "the limit binds nothing";
  }
}

// With both feet on the ground both hips hold the torso; in a quiet stand half each.
TEST(Simbicon, HipsShareTheTorsoByTheLoadOfTheFeet) {
  Trial trial("simbicon_walk", {{"load_sharing", 1}});
  ASSERT_TRUE(trial.Go(3, {.speed = 0}));
  EXPECT_NEAR(trial.Channels()[5], 0.5, 0.05);
  float least = 1, most = 0;
  for (int k = 0; k < 400; ++k) {
    ASSERT_TRUE(trial.Go(0.005, {.speed = 1.0}));
    least = std::min(least, trial.Channels()[5]);
    most = std::max(most, trial.Channels()[5]);
  }
  EXPECT_LT(least, 0.05);
  EXPECT_GT(most, 0.95);
}

TEST(Simbicon, RunsWithFlight) {
  Trial trial("simbicon_run");
  ASSERT_TRUE(trial.Go(10, {}));
  const double x = trial.state().q[0], flight = trial.flight();
  ASSERT_TRUE(trial.Go(10, {}));
  const double speed = (trial.state().q[0] - x) / 10;
  EXPECT_GT(speed, 2.5);
  EXPECT_LT(speed, 3.5);
  EXPECT_GT((trial.flight() - flight) / 10, 0.1);
}

// Table 1 of wang09, its column of SIMBICON: 0.4 s every 4 s for 40 s, towards eight directions.
TEST(Simbicon, TheRobustWalkTakesThePushesOfTheTable) {
  const struct {
    double x, y, force;
  } table[] = {{1, 0, 225},  {1, 1, 150},   {0, 1, 250},  {-1, 1, 100},
               {-1, 0, 120}, {-1, -1, 100}, {0, -1, 275}, {1, -1, 125}};
  for (const auto& [x, y, force] : table) {
    Trial trial("simbicon_robust");
    const Vec3d push = Vec3d{x, y, 0} * (force / std::hypot(x, y));
    bool stands = trial.Go(2, {});
    for (int k = 0; k < 10 && stands; ++k) {
      stands = trial.Go(0.4, {}, push) && trial.Go(k < 9 ? 3.6 : 1.6, {});
    }
    EXPECT_TRUE(stands) << x << "," << y;
  }
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
