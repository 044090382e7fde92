// What every engine must do, whichever it is. Iterates over the registries of engines and
// characters: a new one is tested without a line here.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <ostream>
#include <random>
#include <string>
#include <thread>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/character/rest_pose.h"
#include "stride/core/error.h"
#include "stride/math/rotation.h"
#include "stride/sim/engine.h"

namespace stride {

// For messages of failed tests.
void PrintTo(const State& state, std::ostream* out) {
  *out << "q " << testing::PrintToString(state.q) << " v " << testing::PrintToString(state.v);
}
void PrintTo(const Snapshot& snapshot, std::ostream* out) {
  *out << "at " << snapshot.time << " s: " << testing::PrintToString(snapshot.actors);
}

namespace {

using testing::HasSubstr;

std::vector<std::string> EngineNames() {
  std::vector<std::string> names;
  for (const EngineInfo& info : Engines()) names.push_back(info.name);
  return names;
}

std::vector<std::string> CharacterNames(bool humans_only) {
  std::vector<std::string> names;
  for (const CharacterInfo& info : BuiltInCharacters()) {
    if (!humans_only || LoadCharacter(info.name).IsHuman()) names.push_back(info.name);
  }
  return names;
}

std::string TestName(std::string name) {
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

// Lanes are float; all else is double.
bool IsFloat(const std::string& engine) { return engine == "batch"; }

World WorldOf(std::vector<Character> actors) {
  World world;
  world.actors = std::move(actors);
  return world;
}

std::vector<Actuation> HoldAll(const World& world) {
  std::vector<Actuation> all;
  for (const Character& actor : world.actors) all.push_back(HoldPose(actor, actor.rest_q));
  return all;
}
std::vector<Actuation> PassiveAll(const World& world) {
  std::vector<Actuation> all;
  for (const Character& actor : world.actors) all.push_back(Passive(actor));
  return all;
}

void Advance(Engine* engine, int steps, const std::vector<Actuation>& actuations,
             const std::vector<ExternalForce>& forces = {}) {
  for (int i = 0; i < steps; ++i) engine->Step(actuations, forces);
}

bool AllFinite(const State& state) {
  const auto finite = [](double x) { return std::isfinite(x); };
  return std::all_of(state.q.begin(), state.q.end(), finite) &&
         std::all_of(state.v.begin(), state.v.end(), finite);
}

// A random pose and random velocities, well within what joints allow and above the ground.
State RandomState(const Character& character, std::mt19937_64* random) {
  std::normal_distribution<double> normal;
  State state = RestState(character);
  const Layout layout = LayoutOf(character);
  for (int i = 0; i < character.BodyCount(); ++i) {
    double* q = &state.q[layout.q[i]];
    const JointKind kind = character.bodies[i].joint.kind;
    if (HasOneAxis(kind)) q[0] += 0.1 * normal(*random);
    if (kind == JointKind::kFree) q[2] += 2;
    if (kind == JointKind::kFree) q += 3;
    if (HasOneAxis(kind)) continue;
    const Quatd turn = Exp(Vec3d{normal(*random), normal(*random), normal(*random)} * 0.2);
    const Quatd r = Normalized(Quatd{q[0], q[1], q[2], q[3]} * turn);
    q[0] = r.w, q[1] = r.x, q[2] = r.y, q[3] = r.z;
  }
  for (double& v : state.v) v += normal(*random);
  return state;
}

// Normal force not negative, friction within the Coulomb bound: to 5 % and 1 N with kStrictPasses,
// since the native engines bound friction by the normal force of the solution before.
constexpr int kStrictPasses = 8;
void ExpectContactsWithinBounds(const Engine& engine) {
  const double friction = engine.GetWorld().friction;
  for (const Contact& c : engine.Contacts()) {
    const double normal = Dot(c.force, c.normal);
    const double tangential = Norm(c.force - c.normal * normal);
    EXPECT_NEAR(Norm(c.normal), 1, 1e-5);
    EXPECT_GE(normal, -1e-6 * Norm(c.force));
    EXPECT_LE(tangential, friction * normal * 1.05 + 1);
  }
}

double VerticalForce(const Engine& engine, int actor) {
  double sum = 0;
  for (const Contact& c : engine.Contacts()) {
    if (c.actor == actor) sum += c.force.z;
    if (c.other_actor == actor) sum -= c.force.z;
  }
  return sum;
}

Terrain LevelField() {
  Terrain field;
  field.kind = Terrain::Kind::kHeightField;
  field.x0 = field.y0 = -1;
  field.nx = field.ny = 21;
  field.heights.assign(441, 0.25);
  return field;
}
Terrain Steps(double rise) {
  Terrain steps;
  steps.kind = Terrain::Kind::kSteps;
  steps.step_rise = rise;
  steps.step_depth = 0.6;
  steps.step_count = 2;
  return steps;
}

class EngineTest : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Engine> Make(const World& world) const { return MakeEngine(GetParam(), world); }
  bool Has(Feature feature) const { return FindEngine(GetParam()).Has(feature); }
  double Tolerance(double in_double, double in_float) const {
    return IsFloat(GetParam()) ? in_float : in_double;
  }

  // A box lowered onto the terrain at (x, 0) and left alone for two seconds: its centre's height.
  double RestingHeight(const Terrain& terrain, double x) const {
    World world = WorldOf({MakeBox({0.1, 0.1, 0.1}, 2)});
    world.terrain = terrain;
    const auto engine = Make(world);
    State state = RestState(world.actors[0]);
    state.q[0] = x;
    state.q[2] += SurfaceAt(terrain, x, 0).height + 0.01;
    engine->SetState(0, state);
    Advance(engine.get(), 400, PassiveAll(world));
    EXPECT_FALSE(engine->Failed(0));
    return engine->GetState(0).q[2];
  }
};

class EngineCharacterTest : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  const std::string engine_name_ = std::get<0>(GetParam());
  const Character character_ = LoadCharacter(std::get<1>(GetParam()));
  const double mass_ = TotalMass(character_);

  std::unique_ptr<Engine> Make(const World& world) const { return MakeEngine(engine_name_, world); }
  double Tolerance(double in_double, double in_float) const {
    return IsFloat(engine_name_) ? in_float : in_double;
  }
  Vec3d CenterOfMass(const Engine& engine) const {
    return CenterOfMassAt(character_, engine.GetState(0).q);
  }
};

class EngineHumanTest : public EngineCharacterTest {};

TEST_P(EngineHumanTest, StandsForTenSeconds) {
  const World world = WorldOf({character_});
  const auto engine = Make(world);
  const std::vector<Actuation> hold = HoldAll(world);
  const int trunk = character_.BodyOf(Role::kTrunk);
  const int steps = static_cast<int>(std::lround(10 / world.time_step));
  double force = 0;  // mean over the last second
  const int last_second = static_cast<int>(std::lround(1 / world.time_step));
  for (int i = 0; i < steps; ++i) {
    engine->Step(hold, {});
    const State& state = engine->GetState(0);
    ASSERT_FALSE(engine->Failed(0)) << "at " << engine->Time() << " s";
    ASSERT_GT(state.q[2], 0.8 * character_.rest_q[2]) << "at " << engine->Time() << " s";
    const Vec3d up = Rotate(FramesAt(character_, state.q).rotation[trunk], Vec3d{0, 0, 1});
    ASSERT_GT(up.z, std::cos(std::acos(-1.0) / 6))
        << "trunk tilted by 30 degrees at " << engine->Time() << " s";
    ExpectContactsWithinBounds(*engine);
    if (i >= steps - last_second) force += VerticalForce(*engine, 0) / last_second;
    for (const Contact& c : engine->Contacts()) ASSERT_LT(c.depth, 0.005);
  }
  EXPECT_NEAR(engine->Time(), 10, 1e-6);
  EXPECT_NEAR(force, mass_ * world.gravity, 0.02 * mass_ * world.gravity);
}

TEST_P(EngineHumanTest, FallsWithinTheContactBounds) {
  World world = WorldOf({character_});
  world.friction = 0.5;
  world.contact.passes = kStrictPasses;
  const auto engine = Make(world);
  State state = RestState(character_);
  state.q[2] += 0.2;
  state.v[0] = 1;
  engine->SetState(0, state);
  bool touched = false;
  for (int i = 0; i < 300; ++i) {
    engine->Step(PassiveAll(world), {});
    ExpectContactsWithinBounds(*engine);
    touched = touched || !engine->Contacts().empty();
  }
  EXPECT_TRUE(touched);
  EXPECT_FALSE(engine->Failed(0));
  EXPECT_LT(engine->GetState(0).q[2], 0.6 * character_.rest_q[2]);  // it lies
}

TEST_P(EngineHumanTest, LandsAtFiveMetresPerSecond) {
  const World world = WorldOf({character_});
  const auto engine = Make(world);
  State state = RestState(character_);
  state.q[2] += 0.05;
  state.v[2] = -5;
  engine->SetState(0, state);
  // A landing gives no energy: it never throws the body higher than it fell from.
  const double highest = CenterOfMass(*engine).z + 25 / (2 * world.gravity);
  bool touched = false;
  for (int i = 0; i < 400; ++i) {
    engine->Step(HoldAll(world), {});
    ASSERT_FALSE(engine->Failed(0));
    ASSERT_TRUE(AllFinite(engine->GetState(0)));
    ASSERT_LT(CenterOfMass(*engine).z, highest) << "step " << i;
    touched = touched || !engine->Contacts().empty();
  }
  EXPECT_TRUE(touched);
}

TEST_P(EngineCharacterTest, FallsWithGravity) {
  World world = WorldOf({character_});
  world.contacts = false;
  world.gravity = 3.7;
  const auto engine = Make(world);
  const Vec3d before = CenterOfMass(*engine);
  Advance(engine.get(), 60, HoldAll(world));
  const Vec3d moved = CenterOfMass(*engine) - before;
  // The velocity of step k is -g h k, and the position takes the velocity after each step. What the
  // joints do meanwhile moves the centre of mass only by the integrator's error.
  const double expected = -3.7 * world.time_step * world.time_step * 60 * 61 / 2;
  EXPECT_NEAR(moved.z, expected, Tolerance(1e-5, 1e-4) * std::fabs(expected));
  EXPECT_NEAR(std::hypot(moved.x, moved.y), 0, Tolerance(1e-5, 1e-4));
}

// The equations of motion are the same everywhere: what a step adds to the velocities, servos,
// armature and given forces included, is what the native engine adds.
TEST_P(EngineCharacterTest, AcceleratesAsTheNativeEngine) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  World world = WorldOf({character_});
  world.contacts = false;
  world.limits = false;
  // Integrators differ in the second order of the step. Lanes cannot tell smaller differences.
  world.time_step = Tolerance(1e-5, 1e-3);
  const auto engine = Make(world), native = MakeEngine("native", world);
  for (int trial = 0; trial < 5; ++trial) {
    const State state = RandomState(character_, &random);
    std::vector<Actuation> hold = HoldAll(world);
    for (double& torque : hold[0].torque) torque += normal(random);
    for (double& v : hold[0].target_v) v += normal(random);
    const ExternalForce push{.body = character_.BodyCount() - 1,
                             .force = Vec3d{3, -2, 5} * mass_,
                             .torque = {0.1, 0.2, -0.3},
                             .point = {0.01, 0.02, 0.03}};
    std::vector<double> change[2];
    double size = 0, error = 0;
    for (int k = 0; k < 2; ++k) {
      Engine* e = k == 0 ? native.get() : engine.get();
      e->SetState(0, state);
      e->Step(hold, {&push, 1});
      for (std::size_t i = 0; i < state.v.size(); ++i) {
        change[k].push_back((e->GetState(0).v[i] - state.v[i]) / world.time_step);
      }
    }
    for (std::size_t i = 0; i < state.v.size(); ++i) {
      size = std::max(size, std::fabs(change[0][i]));
      error = std::max(error, std::fabs(change[1][i] - change[0][i]));
    }
    EXPECT_LT(error, Tolerance(1e-4, 1e-2) * size) << "trial " << trial;
    RecordProperty("error", std::to_string(error / size));
  }
}

TEST_P(EngineCharacterTest, ForceTimesTimeIsMomentum) {
  World world = WorldOf({character_});
  world.contacts = false;
  world.gravity = 0;
  for (const int body : {0, character_.BodyCount() - 1}) {
    const auto engine = Make(world);
    const ExternalForce push{
        .body = body, .force = Vec3d{0.3, -0.2, 0.5} * mass_, .point = character_.bodies[body].com};
    Advance(engine.get(), 20, HoldAll(world), {push});
    const Vec3d before = CenterOfMass(*engine);
    Advance(engine.get(), 20, HoldAll(world));
    const Vec3d momentum = (CenterOfMass(*engine) - before) * (mass_ / (20 * world.time_step));
    const Vec3d expected = push.force * (20 * world.time_step);
    EXPECT_LT(Norm(momentum - expected), 0.01 * Norm(expected)) << "force on body " << body;
  }
}

TEST_P(EngineCharacterTest, StateSurvivesSettingAndGetting) {
  std::mt19937_64 random(11);
  const World world = WorldOf({character_});
  const auto engine = Make(world);
  EXPECT_LT(std::fabs(engine->GetState(0).q[2] - character_.rest_q[2]), 1e-6);  // starts at rest
  for (int i = 0; i < 10; ++i) {
    const State state = RandomState(character_, &random);
    engine->SetState(0, state);
    const State got = engine->GetState(0);
    if (!IsFloat(engine_name_)) {
      EXPECT_EQ(got, state);
      continue;
    }
    for (std::size_t k = 0; k < state.q.size(); ++k) EXPECT_NEAR(got.q[k], state.q[k], 1e-6);
    for (std::size_t k = 0; k < state.v.size(); ++k) {
      EXPECT_NEAR(got.v[k], state.v[k], 1e-6 * std::max(1.0, std::fabs(state.v[k])));
    }
  }
}

TEST_P(EngineCharacterTest, RestoredRunRepeatsBitForBit) {
  const World world = WorldOf({character_});
  const std::vector<ExternalForce> push{{.force = Vec3d{1, 0.5, 0} * mass_}};
  const auto engine = Make(world);
  Advance(engine.get(), 40, HoldAll(world), push);  // on the ground, and moving
  const Snapshot middle = engine->Save();
  Advance(engine.get(), 40, HoldAll(world), push);
  const Snapshot end = engine->Save();
  EXPECT_NE(end.actors[0], middle.actors[0]);

  engine->Restore(middle);
  EXPECT_EQ(engine->Save(), middle);
  EXPECT_EQ(engine->Time(), middle.time);
  Advance(engine.get(), 40, HoldAll(world), push);
  EXPECT_EQ(engine->Save(), end);

  const auto other = Make(world);
  Advance(other.get(), 7, PassiveAll(world));
  other->Restore(middle);
  Advance(other.get(), 40, HoldAll(world), push);
  EXPECT_EQ(other->Save(), end);
}

TEST_P(EngineCharacterTest, NanIsReportedAndContained) {
  const World world = WorldOf({character_});
  for (const bool in_state : {true, false}) {
    const auto engine = Make(world);
    Advance(engine.get(), 5, HoldAll(world));
    ASSERT_FALSE(engine->Failed(0));
    if (in_state) {
      State state = engine->GetState(0);
      state.q.back() = std::nan("");
      engine->SetState(0, state);
    } else {
      std::vector<Actuation> hold = HoldAll(world);
      hold[0].torque.back() = std::nan("");
      engine->Step(hold, {});
    }
    EXPECT_TRUE(engine->Failed(0));
    const State last = engine->GetState(0);
    EXPECT_TRUE(AllFinite(last));
    Advance(engine.get(), 5, HoldAll(world));
    EXPECT_TRUE(engine->Failed(0));
    EXPECT_EQ(engine->GetState(0), last);
    // A snapshot from before, or a new state, is a new life.
    engine->SetState(0, RestState(character_));
    Advance(engine.get(), 1, HoldAll(world));
    EXPECT_FALSE(engine->Failed(0));
  }
}

TEST_P(EngineCharacterTest, OverflowIsReportedAndContained) {
  const World world = WorldOf({character_});
  const auto engine = Make(world);
  State state = RestState(character_);
  for (double& v : state.v) v = Tolerance(1e180, 1e30);
  engine->SetState(0, state);
  Advance(engine.get(), 1, HoldAll(world));
  EXPECT_TRUE(engine->Failed(0));
  EXPECT_TRUE(AllFinite(engine->GetState(0)));
  engine->SetState(0, RestState(character_));
  Advance(engine.get(), 5, HoldAll(world));
  EXPECT_FALSE(engine->Failed(0));
}

TEST_P(EngineTest, SaysWhatItCannotDo) {
  EXPECT_FALSE(FindEngine(GetParam()).description.empty());
  const auto expect_agreement = [this](const World& world, bool supported) {
    if (supported) {
      EXPECT_NO_THROW(Make(world));
      return;
    }
    try {
      Make(world);
      ADD_FAILURE() << "expected an error";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("'" + GetParam() + "'"));
      EXPECT_THAT(error.what(), HasSubstr("--engine"));  // what to do
    }
  };
  const Character ball = MakeBall(0.1, 1);
  World world = WorldOf({ball});
  world.terrain = LevelField();
  expect_agreement(world, Has(Feature::kHeightField));
  world.terrain = Steps(0.1);
  expect_agreement(world, Has(Feature::kSteps));
  world = WorldOf({ball, ball});
  world.contacts = false;
  expect_agreement(world, Has(Feature::kSeveralActors));
  world.contacts = true;
  expect_agreement(world, Has(Feature::kSeveralActors) && Has(Feature::kActorContact));
}

// An arm that turns about the vertical and a block that slides out along it.
Character SlidingArm() {
  Character c;
  c.name = "sliding arm";
  Body arm;
  arm.name = "arm";
  arm.offset = {0, 0, 1};
  arm.joint.kind = JointKind::kHinge;
  arm.joint.axis = {0, 0, 1};
  arm.mass = 2;
  arm.inertia = {0.1, 0, 0, 0.2, 0, 0.3};
  Body block;
  block.name = "block";
  block.parent = 0;
  block.offset = {0.2, 0, 0};
  block.joint.kind = JointKind::kSlide;
  block.joint.axis = {1, 0, 0};
  block.mass = 1.5;
  block.inertia = {0.01, 0, 0, 0.01, 0, 0.02};
  c.bodies = {arm, block};
  c.rest_q = {0, 0};
  return c;
}

TEST_P(EngineTest, WhatSlidesOutwardsKeepsMomentumAndEnergy) {
  World world = WorldOf({SlidingArm()});
  world.time_step = 0.001;
  if (!FindEngine(GetParam()).Has(Feature::kSlides)) {
    EXPECT_THROW(Make(world), InputError);
    return;
  }
  const auto engine = Make(world);
  engine->SetState(0, {{0, 0}, {4, 0}});
  const auto inertia = [](double way) {
    const double r = 0.2 + way;
    return 0.3 + 0.02 + 1.5 * r * r;
  };
  const double momentum = inertia(0) * 4, energy = 0.5 * inertia(0) * 16;
  Advance(engine.get(), 500, PassiveAll(world));
  const State& s = engine->GetState(0);
  EXPECT_GT(s.q[1], 0.3);  // it is flung out
  EXPECT_NEAR(inertia(s.q[1]) * s.v[0], momentum, 0.01 * momentum);
  EXPECT_NEAR(0.5 * inertia(s.q[1]) * s.v[0] * s.v[0] + 0.75 * s.v[1] * s.v[1], energy,
              0.02 * energy);
}

// A servo and a push along a slide, and a limit that stops it.
TEST_P(EngineTest, SlidesAreDrivenPushedAndStopped) {
  Character cart = SlidingArm();
  cart.bodies.erase(cart.bodies.begin());
  cart.bodies[0].parent = -1;
  cart.bodies[0].joint.limited = true;
  cart.bodies[0].joint.lower = -1;
  cart.bodies[0].joint.upper = 0.5;
  cart.rest_q = {0};
  World world = WorldOf({cart});
  if (!FindEngine(GetParam()).Has(Feature::kSlides)) return;
  const auto engine = Make(world);
  std::vector<Actuation> drive = PassiveAll(world);
  drive[0].target_q = {0.3};
  drive[0].kp = {60};
  drive[0].kd = {20};
  Advance(engine.get(), 600, drive);
  EXPECT_NEAR(engine->GetState(0).q[0], 0.3, 1e-3);
  // 6 N against 60 N/m.
  const ExternalForce push{.actor = 0, .body = 0, .force = {-6, 0, 0}};
  Advance(engine.get(), 600, drive, {push});
  EXPECT_NEAR(engine->GetState(0).q[0], 0.2, 1e-3);
  drive[0].target_q = {3};
  Advance(engine.get(), 600, drive);
  EXPECT_NEAR(engine->GetState(0).q[0], 0.5, 0.1);
}

TEST_P(EngineTest, RejectsABadWorld) {
  EXPECT_THROW(Make({}), InputError);
  World world = WorldOf({MakeBall(0.1, 1)});
  world.time_step = 0;
  EXPECT_THROW(Make(world), InputError);
  world = WorldOf({MakeBall(0.1, 1)});
  world.terrain.slope = std::nan("");
  EXPECT_THROW(Make(world), InputError);
  world = WorldOf({MakeBall(0.1, 1)});
  world.actors[0].bodies[0].mass = -1;
  EXPECT_THROW(Make(world), InputError);
}

TEST_P(EngineTest, BlockSlidesWhereTheSlopeExceedsFriction) {
  for (const double slope : {0.3, 0.6, 0.8}) {
    World world = WorldOf({MakeBox({0.2, 0.2, 0.05}, 5)});
    world.terrain.slope = slope;
    world.terrain.slope_heading = 0.4;
    world.friction = 0.75;  // its angle is 0.6435
    world.contact.passes = kStrictPasses;
    const auto engine = Make(world);
    const Vec3d up = SurfaceAt(world.terrain, 0, 0).normal;
    const Vec3d downhill = Normalized(Vec3d{0, 0, -1} + up * up.z);
    const Quatd turn = RotationBetween({0, 0, 1}, up);
    State state = RestState(world.actors[0]);
    state.q = {0.05 * up.x, 0.05 * up.y, 0.05 * up.z, turn.w, turn.x, turn.y, turn.z};
    engine->SetState(0, state);
    double speed = 0;
    for (int i = 0; i < 300; ++i) {
      engine->Step(PassiveAll(world), {});
      ExpectContactsWithinBounds(*engine);
      const std::vector<double>& v = engine->GetState(0).v;
      speed = Dot(Vec3d{v[0], v[1], v[2]}, downhill);
    }
    const double expected = 1.5 * std::max(0.0, 9.81 * (std::sin(slope) - 0.75 * std::cos(slope)));
    EXPECT_NEAR(speed, expected, 0.05 * expected + 1e-3) << "slope " << slope;
  }
}

// A cone, not a pyramid: the same friction whichever way a block is pushed.
TEST_P(EngineTest, FrictionIsTheSameInAllDirections) {
  for (const double heading : {0.0, 0.4, 0.7854}) {
    World world = WorldOf({MakeBox({0.2, 0.2, 0.02}, 5)});
    world.friction = 0.5;
    world.contact.passes = kStrictPasses;
    const auto engine = Make(world);
    const Vec3d ahead{std::cos(heading), std::sin(heading), 0};
    const ExternalForce push{.force = ahead * 40, .point = {0, 0, -0.02}};
    Advance(engine.get(), 100, PassiveAll(world), {push});
    const std::vector<double>& v = engine->GetState(0).v;
    const double expected = 0.5 * (40.0 / 5 - 0.5 * 9.81);
    // A pyramid is wrong by two thirds at 45 degrees; MuJoCo's sliding chatters by 7 %.
    EXPECT_NEAR(Dot(Vec3d{v[0], v[1], 0}, ahead), expected, 0.1 * expected) << heading;
    EXPECT_NEAR(Norm(Cross(Vec3d{v[0], v[1], 0}, ahead)), 0, 0.02 * expected) << heading;
  }
}

TEST_P(EngineTest, HeightFieldCarries) {
  if (!Has(Feature::kHeightField)) return;  // SaysWhatItCannotDo checks the refusal
  const Terrain field = LevelField();
  for (const double x : {-0.5, 0.33, 4.0})
    EXPECT_NEAR(RestingHeight(field, x), 0.25 + 0.1, 5e-3) << x;
}

TEST_P(EngineTest, StepsCarry) {
  if (!Has(Feature::kSteps)) return;  // SaysWhatItCannotDo checks the refusal
  for (const double rise : {0.15, -0.15}) {
    for (const double x : {0.5, 1.3, 3.0}) {
      EXPECT_NEAR(RestingHeight(Steps(rise), x), SurfaceAt(Steps(rise), x, 0).height + 0.1, 5e-3)
          << rise << ' ' << x;
    }
  }
}

TEST_P(EngineTest, ActorsApartDoNotFeelEachOther) {
  if (!Has(Feature::kSeveralActors)) return;  // SaysWhatItCannotDo checks the refusal
  World both = WorldOf({MakeBox({0.1, 0.1, 0.1}, 2), MakeBall(0.2, 5)});
  both.contacts = Has(Feature::kActorContact);
  both.actors[1].rest_q[0] = 10;
  const auto engine = Make(both);
  const std::vector<ExternalForce> push{{.actor = 1, .force = {0, 3, 20}}};
  Advance(engine.get(), 50, PassiveAll(both), push);
  for (int i = 0; i < 2; ++i) {
    World alone = both;
    alone.actors = {both.actors[i]};
    const auto single = Make(alone);
    Advance(
        single.get(), 50, PassiveAll(alone),
        i == 1 ? std::vector<ExternalForce>{{.force = {0, 3, 20}}} : std::vector<ExternalForce>{});
    for (std::size_t k = 0; k < 7; ++k) {
      EXPECT_NEAR(engine->GetState(i).q[k], single->GetState(0).q[k], Tolerance(1e-6, 1e-4))
          << i << ' ' << k;
    }
  }
}

TEST_P(EngineTest, ActorsInContactCarryEachOther) {
  if (!Has(Feature::kActorContact)) return;  // SaysWhatItCannotDo checks the refusal
  World world = WorldOf({MakeBox({0.2, 0.2, 0.1}, 4), MakeBox({0.1, 0.1, 0.1}, 2)});
  world.actors[1].rest_q[2] = 0.31;
  const auto engine = Make(world);
  Advance(engine.get(), 400, PassiveAll(world));
  EXPECT_NEAR(engine->GetState(1).q[2], 0.3, 5e-3);
  EXPECT_NEAR(VerticalForce(*engine, 0), 4 * 9.81, 0.5);
  EXPECT_NEAR(VerticalForce(*engine, 1), 2 * 9.81, 0.5);
  ExpectContactsWithinBounds(*engine);
}

// Experiments run many worlds at once, each on one thread.
TEST_P(EngineTest, WorldsOnSeveralThreadsDoNotDisturbEachOther) {
  World world = WorldOf({LoadCharacter("liu16")});
  if (Has(Feature::kActorContact)) {
    world.actors.push_back(MakeBox({0.1, 0.1, 0.1}, 20));
    world.actors[1].rest_q[2] = 1.9;  // falls on the head
  }
  const auto run = [&] {
    Snapshot last;
    for (int i = 0; i < 5; ++i) {
      const auto engine = Make(world);
      Advance(engine.get(), 150, HoldAll(world));
      last = engine->Save();
    }
    return last;
  };
  const Snapshot alone = run();
  Snapshot results[4];
  std::vector<std::thread> threads;
  for (Snapshot& result : results) threads.emplace_back([&] { result = run(); });
  for (std::thread& thread : threads) thread.join();
  for (const Snapshot& result : results) EXPECT_EQ(result, alone);
}

TEST_P(EngineTest, CollisionsKeepMomentum) {
  if (!Has(Feature::kActorContact)) return;  // SaysWhatItCannotDo checks the refusal
  World world = WorldOf({LoadCharacter("liu16"), MakeBall(0.15, 5)});
  world.gravity = 0;
  world.actors[0].rest_q[2] += 5;
  world.actors[1].rest_q = world.actors[0].rest_q;
  world.actors[1].rest_q.resize(7);
  world.actors[1].rest_q[0] -= 1;
  world.actors[1].rest_q[1] += 0.05;
  const auto engine = Make(world);
  State ball = RestState(world.actors[1]);
  ball.v[0] = 4;
  engine->SetState(1, ball);
  const auto moment = [&] {  // mass times position of all
    Vec3d sum;
    for (int i = 0; i < 2; ++i) {
      sum += CenterOfMassAt(world.actors[i], engine->GetState(i).q) * TotalMass(world.actors[i]);
    }
    return sum;
  };
  bool touched = false;
  for (int i = 0; i < 100; ++i) {
    engine->Step(HoldAll(world), {});
    touched = touched || !engine->Contacts().empty();
  }
  EXPECT_TRUE(touched);
  EXPECT_LT(engine->GetState(1).v[0], 2);
  const Vec3d before = moment();
  Advance(engine.get(), 20, HoldAll(world));
  const Vec3d momentum = (moment() - before) * (1 / (20 * world.time_step));
  EXPECT_LT(Norm(momentum - Vec3d{20, 0, 0}), 0.2);
}

TEST(EngineRegistry, KnowsItsNames) {
  EXPECT_GE(Engines().size(), 3u);
  EXPECT_EQ(FindEngine("mujoco").name, "mujoco");
  try {
    FindEngine("newton");
    FAIL() << "expected an error";
  } catch (const InputError& error) {
    for (const std::string& name : EngineNames()) EXPECT_THAT(error.what(), HasSubstr(name));
  }
}

std::string PairName(const testing::TestParamInfo<std::tuple<std::string, std::string>>& info) {
  return TestName(std::get<0>(info.param) + "_" + std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(All, EngineTest, testing::ValuesIn(EngineNames()),
                         [](const auto& info) { return TestName(info.param); });
INSTANTIATE_TEST_SUITE_P(All, EngineCharacterTest,
                         testing::Combine(testing::ValuesIn(EngineNames()),
                                          testing::ValuesIn(CharacterNames(false))),
                         PairName);
INSTANTIATE_TEST_SUITE_P(All, EngineHumanTest,
                         testing::Combine(testing::ValuesIn(EngineNames()),
                                          testing::ValuesIn(CharacterNames(true))),
                         PairName);

}  // namespace
}  // namespace stride
