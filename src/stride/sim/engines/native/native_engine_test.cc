#include <cmath>

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/dynamics/rigid_body.h"
#include "stride/sim/engine.h"
#include "stride/sim/engines/native/collision.h"

namespace stride {
namespace {

struct Total {
  Vec3d linear, angular;  // angular about the world's origin
};

Total TotalMomentum(const Engine& engine) {
  Total total;
  for (std::size_t k = 0; k < engine.GetWorld().actors.size(); ++k) {
    Model<double> model(engine.GetWorld().actors[k]);
    model.SetState(engine.GetState(static_cast<int>(k)));
    const Momentum<double> m = GetMomentum(&model);
    total.linear += m.linear;
    total.angular += m.angular + Cross(CenterOfMass(&model), m.linear);
  }
  return total;
}

std::vector<Actuation> HoldAll(const World& world) {
  std::vector<Actuation> hold;
  for (const Character& actor : world.actors) hold.push_back(HoldPose(actor, actor.rest_q));
  return hold;
}

TEST(NativeEngineTest, BallsThatCollideKeepTheirMomentum) {
  World world;
  world.actors = {MakeBall(0.1, 1), MakeBall(0.1, 3)};
  world.gravity = 0;
  const auto engine = MakeEngine("native", world);
  engine->SetState(0, {{-0.3, 0, 1, 1, 0, 0, 0}, {2, 0, 0, 0, 0, 0}});
  engine->SetState(1, {{0.0, 0.05, 1, 1, 0, 0, 0}, {0, 0, 0, 0, 0, 0}});
  const Total before = TotalMomentum(*engine);
  const std::vector<Actuation> none = HoldAll(world);
  bool met = false;
  for (int k = 0; k < 100; ++k) {
    engine->Step(none, {});
    met = met || !engine->Contacts().empty();
  }
  const Total after = TotalMomentum(*engine);
  EXPECT_TRUE(met);
  EXPECT_GT(engine->GetState(1).v[0], 0.3) << "the heavy ball was not pushed";
  EXPECT_LT(engine->GetState(0).v[0], engine->GetState(1).v[0]) << "they went through each other";
  EXPECT_LT(Norm(after.linear - before.linear), 1e-9);
}

TEST(NativeEngineTest, ABallThrownAtAManInFlightKeepsTheMomentumOfBoth) {
  World world;
  world.actors = {LoadCharacter("liu16"), MakeBall(0.12, 5)};
  world.gravity = 0;
  const auto engine = MakeEngine("native", world);
  State man = RestState(world.actors[0]);
  man.q[2] += 5;
  engine->SetState(0, man);
  engine->SetState(1, {{1.0, 0.05, man.q[2] + 0.3, 1, 0, 0, 0}, {-10, 0, 0, 0, 0, 0}});
  const Total before = TotalMomentum(*engine);
  std::vector<Actuation> hold = HoldAll(world);
  std::fill(hold[0].torque.begin(), hold[0].torque.end(), 0.0);
  bool met = false;
  for (int k = 0; k < 100; ++k) {
    engine->Step(hold, {});
    met = met || !engine->Contacts().empty();
  }
  const Total after = TotalMomentum(*engine);
  EXPECT_TRUE(met);
  EXPECT_GT(engine->GetState(1).v[0], -5) << "the ball went through";
  // While they touch, the step keeps momentum to its order only.
  EXPECT_LT(Norm(after.linear - before.linear), 0.02 * Norm(before.linear));
}

// Five boxes at 5 ms, each a little off the one below, of masses in every order.
TEST(NativeEngineTest, AStackOfBoxesStands) {
  constexpr int kBoxes = 5;
  for (const std::vector<double>& masses :
       {std::vector<double>{3, 3, 3, 3, 3}, {10, 5, 3, 2, 1}, {1, 2, 3, 5, 10}}) {
    World world;
    world.time_step = 0.005;
    for (const double mass : masses) world.actors.push_back(MakeBox({0.2, 0.2, 0.1}, mass));
    const auto engine = MakeEngine("native", world);
    for (int k = 0; k < kBoxes; ++k) {
      engine->SetState(k, {{0.01 * k, 0, 0.1 + 0.2 * k, 1, 0, 0, 0}, std::vector<double>(6, 0.0)});
    }
    const std::vector<Actuation> none = HoldAll(world);
    for (int k = 0; k < 1000; ++k) engine->Step(none, {});
    for (int k = 0; k < kBoxes; ++k) {
      EXPECT_NEAR(engine->GetState(k).q[2], 0.1 + 0.2 * k, 0.01) << "box " << k;
      EXPECT_NEAR(engine->GetState(k).q[0], 0.01 * k, 0.01) << "box " << k;
      EXPECT_NEAR(engine->GetState(k).q[1], 0, 0.01) << "box " << k;
    }
  }
}

TEST(NativeEngineTest, FastBallsDoNotPassThrough) {
  for (const double speed : {30.0, 100.0, 300.0, 1000.0}) {
    for (const double start : {0.7, 1.0, 1.23}) {  // meets the box anywhere within a step
      World world;
      world.actors = {MakeBall(0.05, 0.2), MakeBox({0.03, 0.5, 0.5}, 20)};
      world.gravity = 0;
      const auto engine = MakeEngine("native", world);
      engine->SetState(0, {{-start, 0, 2, 1, 0, 0, 0}, {speed, 0, 0, 0, 0, 0}});
      engine->SetState(1, {{0, 0, 2, 1, 0, 0, 0}, std::vector<double>(6, 0.0)});
      const Total before = TotalMomentum(*engine);
      const std::vector<Actuation> none = HoldAll(world);
      for (int k = 0; k < 40; ++k) engine->Step(none, {});
      EXPECT_LT(engine->GetState(0).q[0], engine->GetState(1).q[0]) << speed << " " << start;
      EXPECT_GT(engine->GetState(1).v[0], 0.5 * speed * 0.2 / 20.2) << speed << " " << start;
      const Total after = TotalMomentum(*engine);
      EXPECT_LT(Norm(after.linear - before.linear), 1e-6 * Norm(before.linear));
    }
  }
}

// A ball at a man: the trunk is met, and takes the momentum.
TEST(NativeEngineTest, AFastBallMeetsAMan) {
  for (const double speed : {40.0, 100.0, 200.0}) {
    World world;
    world.actors = {LoadCharacter("liu16"), MakeBall(0.06, 0.5)};
    world.gravity = 0;
    const auto engine = MakeEngine("native", world);
    State man = RestState(world.actors[0]);
    man.q[2] += 5;
    engine->SetState(0, man);
    engine->SetState(1, {{2.03, 0, man.q[2] + 0.25, 1, 0, 0, 0}, {-speed, 0, 0, 0, 0, 0}});
    const std::vector<Actuation> hold = HoldAll(world);
    bool met = false;
    for (int k = 0; k < 60; ++k) {
      engine->Step(hold, {});
      met = met || !engine->Contacts().empty();
    }
    EXPECT_TRUE(met) << speed;
    EXPECT_GT(engine->GetState(1).v[0], -0.1 * speed) << "it went through at " << speed;
    EXPECT_FALSE(engine->Failed(0));
  }
}

TEST(NativeEngineTest, TwoPeopleDoNotWalkThroughEachOther) {
  World world;
  world.actors = {LoadCharacter("liu16"), LoadCharacter("lee10")};
  const auto engine = MakeEngine("native", world);
  State left = RestState(world.actors[0]), right = RestState(world.actors[1]);
  left.q[0] -= 0.5;
  right.q[0] += 0.5;
  left.v[0] = 2;
  right.v[0] = -2;
  engine->SetState(0, left);
  engine->SetState(1, right);
  const std::vector<Actuation> hold = HoldAll(world);
  bool met = false;
  for (int k = 0; k < 300; ++k) {
    engine->Step(hold, {});
    for (const Contact& contact : engine->Contacts()) {
      met = met || contact.other_actor == 1;
      EXPECT_LT(contact.depth, 0.12);
    }
  }
  EXPECT_TRUE(met);
  EXPECT_FALSE(engine->Failed(0));
  EXPECT_FALSE(engine->Failed(1));
  EXPECT_LT(engine->GetState(0).q[0], engine->GetState(1).q[0]);
}

TEST(NativeEngineTest, AFailedActorHarmsNobody) {
  World world;
  world.actors = {MakeBox({0.1, 0.1, 0.1}, 1), MakeBox({0.1, 0.1, 0.1}, 1)};
  const auto engine = MakeEngine("native", world);
  State broken = RestState(world.actors[1]);
  broken.v[0] = std::nan("");
  engine->SetState(1, broken);
  const std::vector<Actuation> none = HoldAll(world);
  for (int k = 0; k < 50; ++k) engine->Step(none, {});
  EXPECT_TRUE(engine->Failed(1));
  EXPECT_FALSE(engine->Failed(0));
  EXPECT_NEAR(engine->GetState(0).q[2], 0.1, 0.002);
}

TEST(CollisionTest, NormalsPointFromTheSecondToTheFirst) {
  using native_engine::FindTouches;
  using native_engine::PlacedShape;
  const Mat3d upright = Mat3d::Identity();
  const PlacedShape sphere{ShapeKind::kSphere, {0, 0, 1.05}, upright, {0.1, 0, 0}};
  const PlacedShape box{ShapeKind::kBox, {0, 0, 0.5}, upright, {0.5, 0.5, 0.5}};
  const PlacedShape capsule{ShapeKind::kCapsule, {0.15, 0, 1.05}, upright, {0.1, 0.3, 0}};
  std::vector<native_engine::Touch> touches;
  FindTouches(sphere, box, &touches);
  ASSERT_EQ(touches.size(), 1u);
  EXPECT_NEAR(touches[0].depth, 0.05, 1e-12);
  EXPECT_NEAR(touches[0].normal.z, 1, 1e-12);
  touches.clear();
  FindTouches(box, sphere, &touches);
  ASSERT_EQ(touches.size(), 1u);
  EXPECT_NEAR(touches[0].normal.z, -1, 1e-12);
  touches.clear();
  FindTouches(capsule, sphere, &touches);
  ASSERT_EQ(touches.size(), 1u);
  EXPECT_NEAR(touches[0].depth, 0.05, 1e-12);
  EXPECT_NEAR(touches[0].normal.x, 1, 1e-12);
}

// Coulomb's law on rigid ground, where loads change within a step: what slides is held back with
// all that its load allows. A box that tumbles and slides, and a man who slides and is pushed
// about.
TEST(NativeEngineTest, WhatSlidesOnRigidGroundIsHeldBackByAllItsLoadAllows) {
  for (const bool man : {false, true}) {
    World world;
    world.actors = {man ? LoadCharacter("liu16") : MakeBox({0.1, 0.15, 0.2}, 10)};
    world.contact.stiffness = 4e6;
    world.contact.damping = 8e4;
    const auto engine = MakeEngine("native", world);
    State state = RestState(world.actors[0]);
    state.v[0] = 2, state.v[1] = 0.7, state.v[5] = 1;
    engine->SetState(0, state);
    const std::vector<Actuation> hold = HoldAll(world);
    Model<double> model(world.actors[0]);
    int sliding = 0, weak = 0;
    for (int k = 0; k < 400; ++k) {
      const double turn = 0.03 * k;
      const ExternalForce push{
          .actor = 0, .body = 0, .force = {60 * std::cos(turn), 60 * std::sin(turn), 0}};
      const State before = engine->GetState(0);
      engine->Step(hold, {&push, 1});
      for (const Contact& contact : engine->Contacts()) {
        model.SetState(before);
        const Vec3d point = TransposeMul(model.Motion(contact.body).r,
                                         contact.position - model.Position(contact.body));
        model.SetState(engine->GetState(0));
        const Vec3d slip = model.PointVelocity(contact.body, point);
        const double load = Dot(contact.normal, contact.force);
        const double friction = Norm(contact.force - contact.normal * load);
        // Slower than this the viscous law below the bound creeps.
        if (std::hypot(slip.x, slip.y) < 0.02 || load < 20) continue;
        ++sliding;
        weak += friction < 0.9 * world.friction * load;
      }
    }
    EXPECT_GT(sliding, 50) << man;
    // A third and three quarters of them while friction could only be lowered.
    EXPECT_LT(weak, (man ? 0.3 : 0.05) * sliding) << man;
  }
}

}  // namespace
}  // namespace stride
