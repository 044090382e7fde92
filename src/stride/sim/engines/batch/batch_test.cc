#include "stride/sim/batch.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/core/error.h"
#include "stride/sim/engine.h"

namespace stride {
namespace {

using Rng = std::mt19937_64;

double Gaussian(Rng* rng) { return std::normal_distribution<double>()(*rng); }
double Uniform(Rng* rng, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(*rng);
}

Quatd RandomTurn(Rng* rng, double size) {
  return Normalized(Quatd{1, size * Gaussian(rng), size * Gaussian(rng), size * Gaussian(rng)});
}

// Coordinates near (size small) or far from those given, feet somewhere about the ground.
std::vector<double> RandomPose(const Character& character, std::vector<double> q, double size,
                               Rng* rng) {
  const Layout layout = LayoutOf(character);
  for (int i = 0; i < character.BodyCount(); ++i) {
    double* at = &q[layout.q[i]];
    const JointKind kind = character.bodies[i].joint.kind;
    if (kind == JointKind::kHinge) {
      *at += size * Gaussian(rng);
      continue;
    }
    if (kind == JointKind::kFree) {
      at[2] += 0.02 * size * Gaussian(rng);
      at += 3;
    }
    const Quatd turned = Quatd{at[0], at[1], at[2], at[3]} * RandomTurn(rng, 0.5 * size);
    at[0] = turned.w, at[1] = turned.x, at[2] = turned.y, at[3] = turned.z;
  }
  return q;
}

State RandomState(const Character& character, double size, Rng* rng) {
  State state = RestState(character);
  state.q = RandomPose(character, state.q, size, rng);
  for (double& v : state.v) v = 2 * size * Gaussian(rng);
  // What a float can hold, so that both start from the same numbers.
  for (double& a : state.q) a = static_cast<float>(a);
  for (double& a : state.v) a = static_cast<float>(a);
  return state;
}

Actuation RandomActuation(const Character& character, double max_gain, Rng* rng) {
  Actuation a = HoldPose(character, character.rest_q);
  a.target_q = RandomPose(character, a.target_q, 0.5, rng);
  for (double& t : a.torque) t += 5 * Gaussian(rng);
  for (std::size_t i = 0; i < a.kp.size(); ++i) {
    a.kp[i] = Uniform(rng, 0, max_gain);
    a.kd[i] = Uniform(rng, 0, 0.1 * max_gain);
  }
  return a;
}

TEST(BatchTest, OneStepAgreesWithDouble) {
  for (const CharacterInfo& info : BuiltInCharacters()) {
    Rng rng(1);  // of its own: no body's states depend on which others there are
    World world;
    world.actors = {LoadCharacter(info.name)};
    const auto native = MakeEngine("native", world);
    const auto batch = MakeEngine("batch", world);
    double worst = 0;
    for (int trial = 0; trial < 200; ++trial) {
      const State state = RandomState(world.actors[0], 0.3, &rng);
      const Actuation drive = RandomActuation(world.actors[0], 1000, &rng);
      native->SetState(0, state);
      batch->SetState(0, state);
      native->Step({&drive, 1}, {});
      batch->Step({&drive, 1}, {});
      const State& a = native->GetState(0);
      const State& b = batch->GetState(0);
      double difference = 0, size = 0;
      for (std::size_t k = 0; k < a.v.size(); ++k) {
        difference += (a.v[k] - b.v[k]) * (a.v[k] - b.v[k]);
        size += a.v[k] * a.v[k];
      }
      worst = std::max(worst, std::sqrt(difference / size));
      difference = size = 0;
      for (std::size_t k = 0; k < a.q.size(); ++k) {
        difference += (a.q[k] - b.q[k]) * (a.q[k] - b.q[k]);
        size += a.q[k] * a.q[k];
      }
      worst = std::max(worst, std::sqrt(difference / size));
    }
    EXPECT_LT(worst, 1e-4) << info.name;
  }
}

TEST(BatchTest, AHeldStandEndsWhereDoubleEnds) {
  for (const CharacterInfo& info : BuiltInCharacters()) {
    World world;
    world.actors = {LoadCharacter(info.name)};
    const auto native = MakeEngine("native", world);
    const auto batch = MakeEngine("batch", world);
    const Actuation hold = HoldPose(world.actors[0], world.actors[0].rest_q);
    for (int k = 0; k < 200; ++k) {
      native->Step({&hold, 1}, {});
      batch->Step({&hold, 1}, {});
    }
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(native->GetState(0).q[k], batch->GetState(0).q[k], 0.001) << info.name;
    }
  }
}

// A million lane steps with wild targets and gains: nothing leaves the finite range unnoticed.
TEST(BatchTest, AMillionRandomStepsStayFiniteOrAreFlagged) {
  Rng rng(2);
  const std::vector<std::string> names = {"liu16", "wang09-tall", "lee10", "snake"};
  int failures = 0;
  for (const std::string& name : names) {
    World world;
    world.actors = {LoadCharacter(name)};
    Batch batch(world);
    const int rounds = 1000000 / (static_cast<int>(names.size()) * batch.Lanes() * 20) + 1;
    State state;
    for (int round = 0; round < rounds; ++round) {
      for (int lane = 0; lane < batch.Lanes(); ++lane) {
        // Start anew now and then, and where a lane failed: mostly the steps follow each other.
        if (batch.Failed(lane) || round % 50 == 0) {
          failures += batch.Failed(lane);
          batch.SetState(lane, RandomState(world.actors[0], 0.5, &rng));
        }
        batch.SetActuation(lane, RandomActuation(world.actors[0], 5000, &rng));
      }
      batch.Step(20);
      for (int lane = 0; lane < batch.Lanes(); ++lane) {
        batch.GetState(lane, &state);
        double sum = 0;
        for (const double a : state.q) sum += a;
        for (const double a : state.v) sum += a;
        ASSERT_TRUE(std::isfinite(sum) || batch.Failed(lane)) << name << " lane " << lane;
      }
    }
  }
  // A servo of 5000 N m/rad without damping can whip a light snake up to speeds that no step of 5
  // ms follows; that is flagged, and rare.
  EXPECT_LT(failures, 10);
}

// The same random states in both, every lane holding its pose.
void SetAlike(const Character& character, int seed, Batch* one, Batch* other) {
  const Actuation hold = HoldPose(character, character.rest_q);
  Rng rng(seed);
  for (int lane = 0; lane < one->Lanes(); ++lane) {
    const State state = RandomState(character, 0.1, &rng);
    for (Batch* batch : {one, other}) {
      batch->SetState(lane, state);
      batch->SetActuation(lane, hold);
    }
  }
}

TEST(BatchTest, ANanStaysInItsLane) {
  World world;
  world.actors = {LoadCharacter("liu16")};
  Batch clean(world), dirty(world);
  SetAlike(world.actors[0], 3, &clean, &dirty);
  State poison = RestState(world.actors[0]);
  poison.v[20] = std::nan("");
  dirty.SetState(0, poison);
  EXPECT_TRUE(dirty.Failed(0)) << "a state that is not finite must not be taken silently";
  State first;
  clean.GetState(0, &first);
  dirty.SetState(0, first);
  // Straight into the lane's memory, past all checks.
  std::vector<double> memory = dirty.SaveLane(1);
  memory[20] = std::nan("");
  dirty.RestoreLane(1, memory);
  Actuation poisoned_drive = HoldPose(world.actors[0], world.actors[0].rest_q);
  for (double& t : poisoned_drive.torque) t = std::nan("");
  dirty.SetActuation(2, poisoned_drive);
  clean.Step(100);
  dirty.Step(100);
  EXPECT_TRUE(dirty.Failed(1));
  EXPECT_TRUE(dirty.Failed(2));
  State a, b;
  dirty.GetState(2, &b);
  for (const double q : b.q)
    EXPECT_TRUE(std::isfinite(q)) << "a failed lane keeps its last good state";
  for (int lane = 0; lane < clean.Lanes(); ++lane) {
    if (lane == 1 || lane == 2) continue;
    EXPECT_FALSE(dirty.Failed(lane));
    clean.GetState(lane, &a);
    dirty.GetState(lane, &b);
    EXPECT_EQ(a, b) << "lane " << lane;
  }
}

// What lies on the ground takes contacts and further passes: its neighbours notice neither.
TEST(BatchTest, AFrozenLaneStaysAndItsNeighboursGoOn) {
  World world;
  world.actors = {LoadCharacter("liu16")};
  Batch whole(world), frozen(world);
  SetAlike(world.actors[0], 5, &whole, &frozen);
  for (Batch* batch : {&whole, &frozen}) {
    for (int lane = 1; lane < whole.Lanes(); lane += 2) {
      batch->SetActuation(lane, Passive(world.actors[0]));
    }
    batch->Step(100);
  }
  std::vector<State> before(whole.Lanes());
  for (int lane = 1; lane < whole.Lanes(); lane += 2) {
    frozen.GetState(lane, &before[lane]);
    frozen.Freeze(lane);
  }
  for (Batch* batch : {&whole, &frozen}) batch->Step(200);
  State a, b;
  for (int lane = 0; lane < whole.Lanes(); ++lane) {
    frozen.GetState(lane, &b);
    EXPECT_EQ(frozen.Failed(lane), lane % 2 == 1);
    if (lane % 2 == 1) {
      EXPECT_EQ(b, before[lane]) << "lane " << lane;
      for (int point = 0; point < static_cast<int>(world.actors[0].contact_points.size()); ++point)
        EXPECT_EQ(frozen.ContactForce(lane, point).depth, 0);
      frozen.SetState(lane, before[lane]);
      EXPECT_FALSE(frozen.Failed(lane)) << "a state revives the lane";
    } else {
      whole.GetState(lane, &a);
      EXPECT_EQ(a, b) << "lane " << lane;
    }
  }
}

TEST(BatchTest, LanesDoNotDependOnTheirNeighbours) {
  World world;
  world.actors = {LoadCharacter("kwon17")};
  Batch together(world), alone(world);
  const Actuation hold = HoldPose(world.actors[0], world.actors[0].rest_q);
  Rng rng(4);
  for (int lane = 0; lane < together.Lanes(); ++lane) {
    together.SetState(lane, RandomState(world.actors[0], 0.3, &rng));
    together.SetActuation(lane, hold);
    alone.SetActuation(lane, hold);
  }
  State start, a, b;
  together.GetState(2, &start);
  alone.SetState(0, start);
  together.Step(100);
  alone.Step(100);
  together.GetState(2, &a);
  alone.GetState(0, &b);
  EXPECT_EQ(a, b);
}

TEST(BatchTest, InstructionSetsAgree) {
  World world;
  world.actors = {LoadCharacter("liu16")};
  const Actuation hold = HoldPose(world.actors[0], world.actors[0].rest_q);
  std::vector<State> ends;
  for (const std::string& set : Batch::InstructionSets()) {
    Batch batch(world, set);
    EXPECT_EQ(batch.InstructionSet(), set);
    for (int lane = 0; lane < batch.Lanes(); ++lane) batch.SetActuation(lane, hold);
    batch.Step(200);
    ends.emplace_back();
    batch.GetState(batch.Lanes() - 1, &ends.back());
  }
  for (const State& end : ends) {
    for (std::size_t k = 0; k < end.q.size(); ++k) EXPECT_NEAR(end.q[k], ends[0].q[k], 1e-4);
  }
  EXPECT_THROW(Batch(world, "neon"), InputError);
}

// Far from the origin the lanes must behave as near it: each lane has an origin of its own.
TEST(BatchTest, FarAwayIsLikeHere) {
  for (const double slope : {0.0, 0.1}) {
    World world;
    world.actors = {LoadCharacter("liu16")};
    world.terrain.slope = slope;
    Batch batch(world);
    const Actuation hold = HoldPose(world.actors[0], world.actors[0].rest_q);
    const double away = 3000, up = away * std::tan(slope);
    State here = RestState(world.actors[0]), there = here;
    there.q[0] += away;
    there.q[2] += up;
    batch.SetState(0, here);
    batch.SetState(1, there);
    here.v[0] = there.v[0] = 10;  // and two in flight, so that they stray from where they began
    here.q[2] += 20;
    there.q[2] += 20;
    batch.SetState(2, here);
    batch.SetState(3, there);
    for (int lane = 0; lane < batch.Lanes(); ++lane) batch.SetActuation(lane, hold);
    batch.Step(200);
    State a, b;
    for (const int lane : {0, 2}) {
      batch.GetState(lane, &a);
      batch.GetState(lane + 1, &b);
      EXPECT_NEAR(a.q[0] + away, b.q[0], 1e-4) << "lane " << lane;
      EXPECT_NEAR(a.q[2] + up, b.q[2], 1e-4) << "lane " << lane;
    }
  }
}

// One step on rugged ground and on stairs, in the air, about the ground and in it, here and far
// away: points too high to touch are not looked up, and must not have touched.
TEST(BatchTest, OneStepOnOtherGroundAgreesWithDouble) {
  Rng rng(20261118);
  const Character character = LoadCharacter("liu16");  // its points are spheres
  const Actuation passive = Passive(character);
  World world;
  world.actors = {character};
  Terrain field;
  field.kind = Terrain::Kind::kHeightField;
  field.x0 = field.y0 = -10;
  field.cell = 0.5;
  field.nx = field.ny = 41;
  for (int k = 0; k < field.nx * field.ny; ++k) field.heights.push_back(Uniform(&rng, 0.1, 0.2));
  Terrain stairs;
  stairs.kind = Terrain::Kind::kSteps;
  stairs.step_start = -3, stairs.step_count = 20;
  int touching = 0, apart = 0, trials = 0;
  for (const Terrain& terrain : {field, stairs}) {
    world.terrain = terrain;
    Batch batch(world);
    const std::unique_ptr<Engine> engine = MakeEngine("native", world);
    for (int round = 0; round < 40; ++round) {
      std::vector<State> states;
      for (int lane = 0; lane < batch.Lanes(); ++lane) {
        State state = RandomState(character, 0.3, &rng);
        state.q[0] += static_cast<float>(Uniform(&rng, -6, 6));
        state.q[1] += static_cast<float>(Uniform(&rng, -6, 6));
        state.q[2] += SurfaceAt(terrain, state.q[0], state.q[1]).height + Uniform(&rng, -0.3, 0.3);
        for (double& a : state.q) a = static_cast<float>(a);
        batch.SetState(lane, state);
        states.push_back(state);
      }
      batch.Step(1);
      for (int lane = 0; lane < batch.Lanes(); ++lane) {
        engine->SetState(0, states[lane]);
        engine->Step({&passive, 1}, {});
        touching += !engine->Contacts().empty();
        ++trials;
        State end;
        batch.GetState(lane, &end);
        const std::vector<double>& v = engine->GetState(0).v;
        double difference = 0, size = 0;
        for (std::size_t k = 0; k < v.size(); ++k) {
          difference += (end.v[k] - v[k]) * (end.v[k] - v[k]);
          size += v[k] * v[k];
        }
        apart += !(std::sqrt(difference / size) < 1e-3);
      }
    }
  }
  // Where a point lies on the border of two cells or between tread and riser, a float may decide
  // otherwise.
  EXPECT_LE(apart, trials / 50);
  EXPECT_GT(touching, trials / 4);
  EXPECT_LT(touching, trials);
}

TEST(BatchTest, EachLaneHasItsOwnConditions) {
  World world;
  world.actors = {MakeBox({0.2, 0.2, 0.1}, 10)};
  world.friction = 0.1;
  Batch batch(world);
  LaneConditions rough = batch.DefaultConditions();
  rough.friction = 1;
  batch.SetConditions(1, rough);
  LaneConditions moon = batch.DefaultConditions();
  moon.gravity = 1.62;
  batch.SetConditions(2, moon);
  State sliding = RestState(world.actors[0]);
  sliding.v[0] = 1;
  for (int lane = 0; lane < batch.Lanes(); ++lane) batch.SetState(lane, sliding);
  batch.Step(60);
  State ice, stone, light;
  batch.GetState(0, &ice);
  batch.GetState(1, &stone);
  batch.GetState(2, &light);
  EXPECT_NEAR(ice.v[0], 1 - 0.1 * 9.81 * 0.3, 0.03);
  EXPECT_NEAR(stone.v[0], 0, 0.01);
  EXPECT_NEAR(light.v[0], 1 - 0.1 * 1.62 * 0.3, 0.03);
}

TEST(BatchTest, ForcesPushOneLane) {
  World world;
  world.actors = {MakeBall(0.1, 10)};
  world.gravity = 0;
  world.contacts = false;
  Batch batch(world);
  ExternalForce force;
  force.force = {100, 0, 0};
  batch.SetForce(3, force);
  batch.Step(20);
  batch.ClearForces();
  batch.Step(20);
  State pushed, still;
  batch.GetState(3, &pushed);
  batch.GetState(0, &still);
  EXPECT_NEAR(pushed.v[0], 100 * 0.1 / 10, 1e-5);
  EXPECT_EQ(still.v, RestState(world.actors[0]).v);
  EXPECT_EQ(still.q[0], 0);
}

}  // namespace
}  // namespace stride
