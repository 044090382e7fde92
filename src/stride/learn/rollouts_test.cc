#include "stride/learn/rollouts.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/core/random.h"
#include "stride/scenario/fall.h"
#include "stride/scenario/metrics.h"
#include "stride/scenario/placement.h"
#include "stride/sim/engine.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using ::testing::HasSubstr;

// Servos that hold the stand, a little weaker or stronger: one parameter.
class Holder final : public Controller {
 public:
  Holder(const Character& character, const State& stand, double strength)
      : stand_(stand), actuation_(HoldPose(character, stand.q)) {
    for (double& kp : actuation_.kp) kp *= strength;
  }
  std::unique_ptr<Controller> Clone() const override { return std::make_unique<Holder>(*this); }
  State Start() const override { return stand_; }
  void ChangeGround(const Terrain& terrain) override {
    actuation_.target_q.back() += terrain.slope;  // so that it is seen
  }
  void Step(const Observation&, const Command& command, Actuation* actuation) override {
    *actuation = actuation_;
    // Leans with what it is told, so that commands are seen.
    if (command.speed) actuation->target_q.back() += *command.speed;
  }

 private:
  State stand_;
  Actuation actuation_;
};

class RolloutsTest : public ::testing::Test {
 protected:
  RolloutsTest() : character_(LoadCharacter("liu16")), stand_(StandOn(character_, {})) {
    setup_.character = character_;
    setup_.scenario.seconds = 0.5;
    setup_.driver =
        DriveByClones(character_, [this](std::span<const double> p) -> std::unique_ptr<Controller> {
          return std::make_unique<Holder>(character_, stand_, p[0]);
        });
  }
  std::vector<RolloutResult> Run(int count, int threads = 1) const {
    const Workers workers(threads);
    return Rollouts(setup_, workers).Run(count, [&](int k, Rollout* trial) {
      trial->parameters = {0.8 + 0.01 * k};
      trial->stream = 100 + k;
      trial->start = stand_;
    });
  }
  Character character_;
  State stand_;
  RolloutSetup setup_;
};

TEST_F(RolloutsTest, AreTheSameForAnyNumberOfThreadsAndOfNeighbours) {
  setup_.scenario.random_pushes = RandomPushes{.every = 0.1, .sigma = 100};
  const std::vector<RolloutResult> one = Run(37), two = Run(37, 2), few = Run(3);
  EXPECT_EQ(one, two);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(one[k], few[k]);
  EXPECT_NE(one[0].end, one[1].end);
}

TEST_F(RolloutsTest, TrialsMeetTheSameOnEveryInstructionSet) {
  setup_.scenario.random_pushes = RandomPushes{.every = 0.1, .sigma = 100};
  std::vector<RolloutResult> first;
  for (const std::string& set : Batch::InstructionSets()) {
    setup_.instruction_set = set;
    const std::vector<RolloutResult> results = Run(20);
    if (first.empty()) first = results;
    for (int k = 0; k < 20; ++k) {
      EXPECT_EQ(results[k].seconds, first[k].seconds) << set;
      for (std::size_t i = 0; i < stand_.q.size(); ++i) {
        EXPECT_NEAR(results[k].end.q[i], first[k].end.q[i], 2e-3) << set << " trial " << k;
      }
    }
  }
}

// Clones know the ground of their lane, and no other's.
TEST_F(RolloutsTest, AControllerKnowsTheSlopeOfItsTrial) {
  const Workers workers(1);
  World world;
  world.actors = {character_};
  LaneConditions steep = Batch(world).DefaultConditions();
  steep.slope = 0.3;
  const auto angle = [&](bool on_slope) {
    const std::vector<RolloutResult> results =
        Rollouts(setup_, workers).Run(3, [&](int k, Rollout* trial) {
          trial->parameters = {1};
          trial->start = stand_;
          trial->start.q[2] += 10;  // in the air: only what the controller makes of it counts
          if (on_slope && k == 1) trial->conditions = steep;
        });
    return std::vector<double>{results[0].end.q.back(), results[1].end.q.back(),
                               results[2].end.q.back()};
  };
  const std::vector<double> level = angle(false), one = angle(true);
  EXPECT_EQ(one[0], level[0]);
  EXPECT_EQ(one[2], level[2]);
  EXPECT_GT(std::fabs(one[1] - level[1]), 0.1);
}

// Falls, effort and way against what the run of one character measures.
TEST_F(RolloutsTest, MeasureWhatARunMeasures) {
  setup_.scenario.seconds = 3;
  setup_.scenario.pushes = {{.force = 250, .heading = 0.4, .at = 0.2, .duration = 0.3}};
  World world;
  world.actors = {character_};
  const std::unique_ptr<Engine> engine = MakeEngine("batch", world);
  engine->SetState(0, stand_);
  Holder holder(character_, stand_, 1);
  MetricsMeter meter(world, stand_);
  FallDetector fall(character_, {}, stand_);
  std::vector<Actuation> actuations = {Passive(character_)};
  const int trunk = PushedBody(character_);
  double fell_at = -1;
  for (int step = 0; step < 600 && fell_at < 0; ++step) {
    holder.Step({.state = engine->GetState(0)}, {}, &actuations[0]);
    std::vector<ExternalForce> forces;
    if (ActsAt(setup_.scenario.pushes[0], step * world.time_step)) {
      forces.push_back({.body = trunk,
                        .force = Vec3d{std::cos(0.4), std::sin(0.4), 0} * 250,
                        .point = character_.bodies[trunk].com});
    }
    const State before = engine->GetState(0);
    engine->Step(actuations, forces);
    meter.Add(before, engine->GetState(0), actuations[0], engine->Contacts(), nullptr);
    if (fall.Fallen(engine->GetState(0))) fell_at = (step + 1) * world.time_step;
  }
  ASSERT_GT(fell_at, 0);

  const Workers workers(1);
  const RolloutResult result = Rollouts(setup_, workers).Run(1, [&](int, Rollout* trial) {
    trial->parameters = {1.0};
    trial->start = stand_;
  })[0];
  EXPECT_TRUE(result.fell);
  EXPECT_FALSE(result.failed);
  EXPECT_NEAR(result.seconds, fell_at, 1e-9);
  const State& end = engine->GetState(0);
  EXPECT_NEAR(result.forwards, end.q[0] - stand_.q[0], 1e-5);
  EXPECT_NEAR(result.sideways, end.q[1] - stand_.q[1], 1e-5);
  const Metrics metrics = meter.Result();
  EXPECT_NEAR(result.joint_power / metrics.joint_power, 1, 0.03);
}

TEST_F(RolloutsTest, ConditionsAndCommandsAreOfEachTrial) {
  const Workers workers(1);
  setup_.scenario.commands = {{.at = 0.1, .speed = 0.5}};
  const auto results = Rollouts(setup_, workers).Run(2, [&](int k, Rollout* trial) {
    trial->parameters = {1.0};
    trial->start = stand_;
    if (k == 1) {
      trial->conditions = LaneConditions{.gravity = 1.6, .friction = 1, .contact = {}};
    }
  });
  EXPECT_GT(results[1].end.q[2], results[0].end.q[2] + 1e-4);  // less weight, less sag
  setup_.scenario.commands.clear();
  const auto untold = Rollouts(setup_, workers).Run(1, [&](int, Rollout* trial) {
    trial->parameters = {1.0};
    trial->start = stand_;
  });
  EXPECT_NE(untold[0].end, results[0].end);
}

TEST_F(RolloutsTest, ATrialsOwnCommandsTakeTheScenariosPlace) {
  const Workers workers(1);
  setup_.scenario.commands = {{.at = 0.1, .speed = 0.5}};
  const auto told = Rollouts(setup_, workers).Run(1, [&](int, Rollout* trial) {
    trial->parameters = {1.0};
    trial->start = stand_;
  });
  setup_.scenario.commands = {{.at = 0.2, .speed = -0.3}};
  const auto results = Rollouts(setup_, workers).Run(3, [&](int k, Rollout* trial) {
    trial->parameters = {1.0};
    trial->start = stand_;
    if (k == 1) trial->commands = {{.at = 0.1, .speed = 0.5}};
    if (k == 2) trial->commands = {{.at = 0.05, .speed = 0.1}, {.at = 0.1, .speed = 0.5}};
  });
  EXPECT_EQ(results[1].end, told[0].end);
  EXPECT_NE(results[0].end, told[0].end);
  EXPECT_NE(results[2].end, told[0].end);
}

TEST_F(RolloutsTest, RefuseWhatTheyCannotDo) {
  setup_.scenario.throws = {{.mass = 1, .speed = 1}};
  EXPECT_THAT(InputErrorOf([&] { Run(1); }), HasSubstr("throws"));
}

}  // namespace
}  // namespace stride
