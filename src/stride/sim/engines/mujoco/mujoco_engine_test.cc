#include <cmath>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/core/error.h"
#include "stride/math/rotation.h"
#include "stride/sim/engine.h"
#include "stride/sim/engines/mujoco/mujoco_model.h"
#include "stride/sim/servo.h"

namespace stride {
namespace {

using testing::HasSubstr;

Body Part(const std::string& name, int parent, const Vec3d& offset, JointKind kind) {
  Body body;
  body.name = name;
  body.parent = parent;
  body.offset = offset;
  body.joint.kind = kind;
  body.mass = 1.5;
  body.com = {0.02, -0.01, -0.1};
  body.inertia = {0.02, 0.001, 0.002, 0.03, -0.001, 0.025};
  return body;
}

// A free root, a ball joint, and two hinges of which the first carries no mass.
Character Creature() {
  Character c;
  c.name = "creature";
  c.bodies = {Part("root", -1, {0, 0, 1}, JointKind::kFree),
              Part("arm", 0, {0, 0.2, 0}, JointKind::kBall),
              Part("link", 1, {0, 0, -0.3}, JointKind::kHinge),
              Part("hand", 2, {0.1, 0, 0}, JointKind::kHinge)};
  c.bodies[2].mass = 0;
  c.bodies[2].com = {};
  c.bodies[2].inertia = {};
  c.bodies[3].joint.axis = {1, 0, 0};
  c.rest_q = {0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0};
  return c;
}

// One body on a hinge or ball joint fixed to the world, its centre of mass in the joint.
Character Wheel(JointKind kind) {
  Character c;
  c.name = "wheel";
  c.bodies = {Part("wheel", -1, {0, 0, 1}, kind)};
  c.bodies[0].com = {};
  c.bodies[0].inertia = Sym3d::Diagonal(0.2);
  c.rest_q = kind == JointKind::kBall ? std::vector<double>{1, 0, 0, 0} : std::vector<double>{0};
  return c;
}

World Of(std::vector<Character> actors) {
  World world;
  world.actors = std::move(actors);
  return world;
}
World Free(Character actor) {
  World world = Of({std::move(actor)});
  world.gravity = 0;
  world.contacts = false;
  return world;
}

std::vector<Actuation> PassiveAll(const World& world) {
  std::vector<Actuation> all;
  for (const Character& actor : world.actors) all.push_back(Passive(actor));
  return all;
}

std::unique_ptr<Engine> Make(const World& world) { return MakeEngine("mujoco", world); }

void Coast(Engine* engine, int steps) {
  const std::vector<Actuation> passive = PassiveAll(engine->GetWorld());
  for (int i = 0; i < steps; ++i) engine->Step(passive, {});
}

// Centre height of a thing left alone for two seconds, let go a little above (x, y).
double RestingHeight(const Character& thing, const Terrain& terrain, double x, double y) {
  World world = Of({thing});
  world.terrain = terrain;
  const auto engine = Make(world);
  State state = RestState(thing);
  state.q[0] = x;
  state.q[1] = y;
  state.q[2] += SurfaceAt(terrain, x, y).height + 0.02;
  engine->SetState(0, state);
  Coast(engine.get(), 400);
  EXPECT_FALSE(engine->Failed(0));
  return engine->GetState(0).q[2];
}

TEST(MujocoModel, CoordinatesAreOurs) {
  const MujocoModel mj(Of({Creature(), Creature()}));
  EXPECT_EQ(mj.model->nq, 26);
  EXPECT_EQ(mj.model->nv, 22);
  EXPECT_EQ(mj.actors[1].q, 13);
  EXPECT_EQ(mj.actors[1].v, 11);
  EXPECT_EQ(mj.actors[1].body, (std::vector<int>{4, 5, 6, 6}));
  EXPECT_EQ(mj.parts[0].actor, -1);
  EXPECT_EQ(mj.parts[6].actor, 1);
  EXPECT_EQ(mj.parts[6].body, 3);  // the hand, not the link without mass
  EXPECT_NEAR(mj_getTotalmass(mj.model.get()), 9, 1e-12);
}

TEST(MujocoModel, PassiveForcesAreLeftToTheServo) {
  Character c = Creature();
  c.bodies[3].joint.damping = 2;
  c.bodies[3].joint.stiffness = 3;
  c.bodies[3].joint.armature = 0.5;
  const MujocoModel mj(Of({c}));
  EXPECT_EQ(mj.model->dof_damping[10], 0);
  EXPECT_EQ(mj.model->jnt_stiffness[3], 0);
  EXPECT_EQ(mj.model->dof_armature[10], 0.5);
}

TEST(MujocoModel, WhatMujocoRefusesIsAnInputError) {
  Character c = Creature();
  c.bodies[3].mass = 1e-16;
  c.bodies[3].inertia = Sym3d::Diagonal(1e-16);
  try {
    Make(Of({c}));
    FAIL() << "expected an error";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("mujoco"));
    EXPECT_THAT(error.what(), HasSubstr("mass"));
  }
}

TEST(MujocoModel, ChainsHaveAnEnd) {
  Character c = Creature();
  const auto chain = [&c](std::size_t bodies) {
    c.bodies.resize(1);
    while (c.bodies.size() < bodies) {
      const int last = c.BodyCount() - 1;
      c.bodies.push_back(Part("b" + std::to_string(last), last, {0, 0, -0.1}, JointKind::kHinge));
    }
    c.rest_q = ZeroState(c).q;
    return Of({c});
  };
  EXPECT_NO_THROW(Make(chain(96)));
  try {
    Make(chain(97));
    FAIL() << "expected an error";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'mujoco' cannot read; use --engine native"));
  }
}

TEST(MujocoModel, WritesNoLogFile) {
  const std::filesystem::path log = "MUJOCO_LOG.TXT";  // where MuJoCo would write it
  std::filesystem::remove(log);                        // of other programs
  const MujocoModel mj(Of({MakeBall(0.1, 1)}));
  mju_warning("a warning");
  EXPECT_THROW(mju_error("an error"), std::runtime_error);
  EXPECT_FALSE(std::filesystem::exists(log));
}

// The torque that moved the wheel is the servo's at the end of the step.
TEST(MujocoServo, IsImplicit) {
  for (const JointKind kind : {JointKind::kHinge, JointKind::kBall}) {
    const World world = Free(Wheel(kind));
    const double h = world.time_step, kp = 800, kd = 40;
    const auto engine = Make(world);
    State state = RestState(world.actors[0]);
    state.v.back() = 0.3;
    engine->SetState(0, state);
    Actuation servo = Passive(world.actors[0]);
    const Quatd target = AxisAngle({0, 0, 1}, 0.4);
    servo.target_q = kind == JointKind::kBall ? std::vector{target.w, target.x, target.y, target.z}
                                              : std::vector{0.4};
    servo.target_v.back() = 0.7;
    servo.torque.back() = 1.1;
    servo.kp = {kp};
    servo.kd = {kd};
    engine->Step(std::vector{servo}, {});
    const State next = engine->GetState(0);
    const double v = next.v.back();
    const double q = kind == JointKind::kBall ? 2 * std::atan2(next.q[3], next.q[0]) : next.q[0];
    EXPECT_NEAR(0.2 * (v - 0.3) / h, 1.1 + kp * (0.4 - q) + kd * (0.7 - v), 1e-9);
  }
}

TEST(MujocoServo, PassiveSpringAndDamperAreImplicitToo) {
  Character wheel = Wheel(JointKind::kHinge);
  wheel.bodies[0].joint.stiffness = 300;
  wheel.bodies[0].joint.damping = 20;
  wheel.bodies[0].joint.spring_angle = -0.2;
  wheel.bodies[0].joint.max_torque = 1;  // bounds the servo only
  const World world = Free(wheel);
  const auto engine = Make(world);
  engine->SetState(0, {{0.5}, {1}});
  Coast(engine.get(), 1);
  const State next = engine->GetState(0);
  EXPECT_NEAR(0.2 * (next.v[0] - 1) / world.time_step, 300 * (-0.2 - next.q[0]) - 20 * next.v[0],
              1e-9);
}

TEST(MujocoServo, StaysBelowTheLargestTorque) {
  Character wheel = Wheel(JointKind::kHinge);
  wheel.bodies[0].joint.max_torque = 15;
  const World world = Free(wheel);
  const auto engine = Make(world);
  Actuation servo = Passive(wheel);
  servo.target_q = {1};
  servo.kp = {1000};
  servo.kd = {10};
  double before = 0;
  for (int i = 0; i < 400; ++i) {
    engine->Step(std::vector{servo}, {});
    const double v = engine->GetState(0).v[0];
    EXPECT_LE(std::fabs(0.2 * (v - before) / world.time_step), 15 + 1e-9);
    before = v;
  }
  EXPECT_NEAR(engine->GetState(0).q[0], 1, 1e-3);
}

TEST(MujocoServo, StiffGainsStayStable) {
  const World world = Free(Creature());
  const auto engine = Make(world);
  Actuation servo = HoldPose(world.actors[0], world.actors[0].rest_q);
  servo.kp.assign(4, 5000);
  servo.kd.assign(4, 500);
  State state = RestState(world.actors[0]);
  state.v.assign(11, 3);
  engine->SetState(0, state);
  for (int i = 0; i < 400; ++i) engine->Step(std::vector{servo}, {});
  for (int i = 6; i < 11; ++i) EXPECT_NEAR(engine->GetState(0).v[i], 0, 0.1);
}

TEST(MujocoEngine, ExternalForceActsAtItsPoint) {
  const World world = Free(MakeBox({0.1, 0.2, 0.3}, 4));
  const auto engine = Make(world);
  State state = RestState(world.actors[0]);
  const Quatd turned = AxisAngle({0, 0, 1}, std::acos(0.0));  // body x is world y
  std::copy_n(std::array{turned.w, turned.x, turned.y, turned.z}.begin(), 4, state.q.begin() + 3);
  engine->SetState(0, state);
  const ExternalForce push{.force = {0, 0, 8}, .torque = {0, 0, 0.5}, .point = {0.1, 0, 0}};
  engine->Step(PassiveAll(world), std::vector{push});
  const State next = engine->GetState(0);
  const double h = world.time_step;
  const Sym3d inertia = world.actors[0].bodies[0].inertia;
  EXPECT_NEAR(next.v[2], h * 8 / 4, 1e-12);
  // World torque (0, 0.1, 0) x (0, 0, 8) = (0.8, 0, 0): about -y in body axes.
  EXPECT_NEAR(next.v[3], 0, 1e-12);
  EXPECT_NEAR(next.v[4], -h * 0.8 / inertia.yy, 1e-12);
  EXPECT_NEAR(next.v[5], h * 0.5 / inertia.zz, 1e-12);
  // It acts for one step only.
  Coast(engine.get(), 1);
  EXPECT_NEAR(engine->GetState(0).v[2], next.v[2], 1e-12);
}

TEST(MujocoEngine, BlockSlidesWhereTheSlopeExceedsFriction) {
  const Character block = MakeBox({0.2, 0.2, 0.05}, 5);
  for (const double slope : {0.3, 0.6, 0.8}) {
    World world = Of({block});
    world.terrain.slope = slope;
    world.terrain.slope_heading = 0.4;
    world.friction = 0.75;  // atan: 0.6435
    const auto engine = Make(world);
    const Vec3d up = SurfaceAt(world.terrain, 0, 0).normal;
    const Vec3d downhill = Normalized(Vec3d{up.x, up.y, 0} -
                                      Vec3d{0, 0, 1} * (SquaredNorm(Vec3d{up.x, up.y, 0}) / up.z));
    const Quatd turn = RotationBetween({0, 0, 1}, up);
    State state = RestState(block);
    state.q = {0.05 * up.x, 0.05 * up.y, 0.05 * up.z, turn.w, turn.x, turn.y, turn.z};
    engine->SetState(0, state);
    Coast(engine.get(), 300);
    const State end = engine->GetState(0);
    const double speed = Dot(Vec3d{end.v[0], end.v[1], end.v[2]}, downhill);
    const double acceleration = std::max(0.0, 9.81 * (std::sin(slope) - 0.75 * std::cos(slope)));
    EXPECT_NEAR(speed, acceleration * 1.5, 0.05 * acceleration * 1.5 + 1e-3) << slope;
  }
}

TEST(MujocoEngine, HeightFieldCarriesAlsoBeyondItsBorder) {
  Terrain field;
  field.kind = Terrain::Kind::kHeightField;
  field.x0 = -1;
  field.y0 = -0.5;
  field.nx = 21;
  field.ny = 11;
  for (int iy = 0; iy < field.ny; ++iy) {
    for (int ix = 0; ix < field.nx; ++ix) field.heights.push_back(ix < 10 ? -0.2 : 0.3);
  }
  const Character box = MakeBox({0.1, 0.1, 0.1}, 2);
  for (const double y : {0.0, 0.42, 3.0, -7.0}) {
    EXPECT_NEAR(RestingHeight(box, field, -0.6, y), -0.2 + 0.1, 5e-3) << y;
    EXPECT_NEAR(RestingHeight(box, field, 0.5, y), 0.3 + 0.1, 5e-3) << y;
    EXPECT_NEAR(RestingHeight(box, field, -6, y), -0.2 + 0.1, 5e-3) << y;
    EXPECT_NEAR(RestingHeight(box, field, 6, y), 0.3 + 0.1, 5e-3) << y;
  }
}

TEST(MujocoEngine, StepsCarryAtTheirHeights) {
  const Character box = MakeBox({0.1, 0.1, 0.1}, 2);
  Terrain steps;
  steps.kind = Terrain::Kind::kSteps;
  steps.step_count = 3;
  for (const double rise : {0.2, -0.2, 0.0}) {
    steps.step_rise = rise;
    for (const double x : {-50.0, 0.8, 1.15, 1.45, 1.8, 50.0}) {
      EXPECT_NEAR(RestingHeight(box, steps, x, 2), SurfaceAt(steps, x, 2).height + 0.1, 1e-3)
          << rise << ' ' << x;
    }
  }
}

TEST(MujocoEngine, ThingsStackAndPushOnEachOther) {
  std::vector<Character> boxes(4, MakeBox({0.1, 0.1, 0.1}, 2));
  for (int i = 0; i < 4; ++i) boxes[i].rest_q[2] = 0.1 + 0.2 * i;
  const auto engine = Make(Of(boxes));
  Coast(engine.get(), 400);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(engine->GetState(i).q[2], 0.1 + 0.2 * i, 5e-3);
  std::vector<double> up(4);
  for (const Contact& c : engine->Contacts()) {
    up[c.actor] += c.force.z;
    if (c.other_actor >= 0) up[c.other_actor] -= c.force.z;
    EXPECT_GE(Dot(c.force, c.normal), 0);
  }
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(up[i], 2 * 9.81, 0.01);
}

TEST(MujocoEngine, AnActorDoesNotCollideWithItself) {
  Character c = Creature();
  // Overlapping shapes that would fly apart.
  for (const int i : {0, 1, 3})
    c.bodies[i].shapes = {{.kind = ShapeKind::kSphere, .size = {0.4, 0, 0}}};
  World world = Of({c});
  world.gravity = 0;
  const auto engine = Make(world);
  Coast(engine.get(), 10);
  EXPECT_TRUE(engine->Contacts().empty());
  EXPECT_EQ(engine->GetState(0).v, std::vector<double>(11));
}

TEST(MujocoEngine, ContactsAndLimitsCanBeSwitchedOff) {
  World world = Of({MakeBall(0.1, 1)});
  world.contacts = false;
  const auto fall = Make(world);
  Coast(fall.get(), 200);
  EXPECT_LT(fall->GetState(0).q[2], -4);

  Character wheel = Wheel(JointKind::kHinge);
  wheel.bodies[0].joint.limited = true;
  wheel.bodies[0].joint.lower = -0.1;
  wheel.bodies[0].joint.upper = 0.1;
  for (const bool limits : {true, false}) {
    World free = Free(wheel);
    free.limits = limits;
    const auto engine = Make(free);
    engine->SetState(0, {{0}, {2}});
    Coast(engine.get(), 100);
    EXPECT_EQ(engine->GetState(0).q[0] < 0.2, limits);
  }
}

TEST(MujocoEngine, OneActorsFailureLeavesTheOthersAlone) {
  const World world = Of({MakeBall(0.1, 1), Creature(), MakeBox({0.1, 0.1, 0.1}, 2)});
  const auto sound = Make(world), spoilt = Make(world);
  Coast(sound.get(), 3);
  Coast(spoilt.get(), 3);
  const State good = spoilt->GetState(1);
  std::vector<Actuation> actuations = PassiveAll(world);
  actuations[1].torque[7] = NAN;
  spoilt->Step(actuations, {});
  EXPECT_TRUE(spoilt->Failed(1));
  EXPECT_FALSE(spoilt->Failed(0) || spoilt->Failed(2));
  Coast(sound.get(), 100);
  Coast(spoilt.get(), 99);
  EXPECT_EQ(spoilt->GetState(1), good);
  for (const int i : {0, 2}) {
    for (std::size_t k = 0; k < 7; ++k)
      EXPECT_NEAR(spoilt->GetState(i).q[k], sound->GetState(i).q[k], 1e-9);
  }
  // A new state is a new life.
  spoilt->SetState(1, RestState(world.actors[1]));
  Coast(spoilt.get(), 1);
  EXPECT_FALSE(spoilt->Failed(1));
  EXPECT_LT(spoilt->GetState(1).v[2], 0);
}

TEST(MujocoEngine, EverySourceOfNanIsCaught) {
  const World world = Of({Creature()});
  const auto engine = Make(world);
  const Snapshot start = engine->Save();
  const auto expect_failure = [&](auto action) {
    engine->Restore(start);
    EXPECT_FALSE(engine->Failed(0));
    action();
    EXPECT_TRUE(engine->Failed(0));
    EXPECT_EQ(engine->GetState(0), start.actors[0]);
    Coast(engine.get(), 2);
    EXPECT_EQ(engine->GetState(0), start.actors[0]);
  };
  expect_failure([&] {
    State state = engine->GetState(0);
    state.q[9] = NAN;
    engine->SetState(0, state);
  });
  expect_failure([&] {
    Actuation spoilt = Passive(world.actors[0]);
    spoilt.kp[1] = 1;
    spoilt.target_q[8] = NAN;
    engine->Step(std::vector{spoilt}, {});
  });
  expect_failure([&] {
    Actuation spoilt = Passive(world.actors[0]);
    spoilt.kd[3] = INFINITY;
    engine->Step(std::vector{spoilt}, {});
  });
  expect_failure([&] {
    engine->Step(PassiveAll(world), std::vector{ExternalForce{.body = 3, .force = {0, NAN, 0}}});
  });
  expect_failure([&] {
    engine->Step(PassiveAll(world), std::vector{ExternalForce{.body = 1, .force = {0, 1e300, 0}}});
  });
}

TEST(MujocoEngine, RejectsInputsOfTheWrongSize) {
  const World world = Of({Creature()});
  const auto engine = Make(world);
  EXPECT_THROW(engine->SetState(0, {{1}, {1}}), InputError);
  EXPECT_THROW(engine->Step({}, {}), InputError);
  Actuation short_one = Passive(world.actors[0]);
  short_one.kp.pop_back();
  EXPECT_THROW(engine->Step(std::vector{short_one}, {}), InputError);
  EXPECT_THROW(engine->Step(PassiveAll(world), std::vector{ExternalForce{.body = 9}}), InputError);
  Snapshot other = engine->Save();
  other.memory.pop_back();
  EXPECT_THROW(engine->Restore(other), InputError);
}

}  // namespace
}  // namespace stride
