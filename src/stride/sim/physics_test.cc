#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/dynamics/rigid_body.h"
#include "stride/math/rotation.h"
#include "stride/sim/engine.h"

// What the native dynamics must do by the laws of mechanics, worked out here independently: in
// double and in the lanes alike.
namespace stride {
namespace {

// A man thrown into the air with his limbs flailing.
State Flailing(const Character& character, unsigned seed) {
  std::mt19937_64 rng(seed);
  std::normal_distribution<double> normal;
  State state = RestState(character);
  for (double& v : state.v) v = 2 * normal(rng);
  state.q[2] += 100;
  return state;
}

TEST(Flight, MomentumHoldsToRounding) {
  World world;
  world.actors = {LoadCharacter("liu16")};
  world.gravity = 0;
  const auto engine = MakeEngine("native", world);
  engine->SetState(0, Flailing(world.actors[0], 3));
  const Actuation hold = HoldPose(world.actors[0], world.actors[0].rest_q);
  Model<double> model(world.actors[0]);
  model.SetState(engine->GetState(0));
  const Momentum<double> before = GetMomentum(&model);
  for (int k = 0; k < 200; ++k) engine->Step({&hold, 1}, {});
  model.SetState(engine->GetState(0));
  const Momentum<double> after = GetMomentum(&model);
  EXPECT_GT(Norm(before.angular), 1.0);
  EXPECT_LT(Norm(after.linear - before.linear), 1e-8 * Norm(before.linear));
  EXPECT_LT(Norm(after.angular - before.angular), 1e-8 * Norm(before.angular));
}

TEST(Flight, FallsAsABodyMust) {
  for (const char* name : {"native", "batch"}) {
    World world;
    world.actors = {LoadCharacter("liu16")};
    const auto engine = MakeEngine(name, world);
    engine->SetState(0, Flailing(world.actors[0], 4));
    const Actuation hold = HoldPose(world.actors[0], world.actors[0].rest_q);
    Model<double> model(world.actors[0]);
    model.SetState(engine->GetState(0));
    const Vec3d velocity = GetMomentum(&model).linear * (1 / TotalMass(world.actors[0]));
    const Vec3d spin = GetMomentum(&model).angular;
    const int steps = 200;
    for (int k = 0; k < steps; ++k) engine->Step({&hold, 1}, {});
    model.SetState(engine->GetState(0));
    const Momentum<double> after = GetMomentum(&model);
    const Vec3d expected = velocity - Vec3d{0, 0, world.gravity * steps * world.time_step};
    const double tolerance = name == std::string("native") ? 1e-9 : 1e-4;
    EXPECT_LT(Norm(after.linear * (1 / TotalMass(world.actors[0])) - expected), tolerance * 10)
        << name;
    EXPECT_LT(Norm(after.angular - spin), tolerance * Norm(spin)) << name;
  }
}

// Symplectic Euler is of first order: the energy error at a fixed time is proportional to the step.
TEST(Flight, EnergyErrorShrinksWithTheStep) {
  World world;
  world.actors = {LoadCharacter("lee10")};
  world.limits = false;
  const Actuation passive = Passive(world.actors[0]);
  const auto error = [&](double step) {
    world.time_step = step;
    const auto engine = MakeEngine("native", world);
    State state = RestState(world.actors[0]);
    state.q[2] += 100;
    for (std::size_t k = 6; k < state.v.size(); ++k)
      state.v[k] = std::sin(1.7 * static_cast<double>(k));
    engine->SetState(0, state);
    Model<double> model(world.actors[0]);
    const auto energy = [&] {
      model.SetState(engine->GetState(0));
      return KineticEnergy(&model) + PotentialEnergy(&model, world.gravity);
    };
    const double before = energy();
    for (int k = 0; k < std::lround(0.25 / step); ++k) engine->Step({&passive, 1}, {});
    // A body in free fall loses h g t of speed against the exact parabola's energy in this scheme,
    // exactly: the linear part is known and of first order too.
    return std::fabs(energy() - before);
  };
  const double coarse = error(0.002), middle = error(0.001), fine = error(0.0005);
  EXPECT_GT(coarse, 1e-6);
  EXPECT_NEAR(coarse / middle, 2.0, 0.3);
  EXPECT_NEAR(middle / fine, 2.0, 0.2);
}

TEST(Pendulum, SwingsWithItsClosedFormPeriod) {
  // A rod of 1 m on a hinge: T = 2 pi sqrt(2 L / 3 g) for small swings.
  Character rod;
  rod.name = "rod";
  Body body;
  body.name = "rod";
  body.joint.kind = JointKind::kHinge;
  body.joint.axis = {0, 1, 0};
  body.offset = {0, 0, 3};
  body.mass = 2;
  body.com = {0, 0, -0.5};
  body.inertia = {2.0 / 12, 0, 0, 2.0 / 12, 0, 1e-3};
  rod.bodies = {body};
  rod.rest_q = {0};
  World world;
  world.actors = {rod};
  world.time_step = 0.0005;
  const auto engine = MakeEngine("native", world);
  engine->SetState(0, {{0.02}, {0}});
  const Actuation passive = Passive(rod);
  double last = 0.02, first_crossing = -1, second_crossing = -1;
  for (int k = 0; k < 10000 && second_crossing < 0; ++k) {
    engine->Step({&passive, 1}, {});
    const double angle = engine->GetState(0).q[0];
    if (last > 0 && angle <= 0) {
      const double t = engine->Time() - world.time_step * angle / (angle - last);
      (first_crossing < 0 ? first_crossing : second_crossing) = t;
    }
    last = angle;
  }
  const double period = 2 * M_PI * std::sqrt(2.0 / (3 * world.gravity));
  EXPECT_NEAR(second_crossing - first_crossing, period, 1e-3 * period);
}

class GroundContact : public testing::TestWithParam<const char*> {};

// A block set on a slope, not turned against it; its speed down the slope after each of two
// seconds.
std::pair<double, double> SlideSpeeds(const char* engine_name, double friction, double slope) {
  World world;
  world.actors = {MakeBox({0.2, 0.2, 0.1}, 10)};
  world.friction = friction;
  world.terrain.slope = slope;
  const auto engine = MakeEngine(engine_name, world);
  State state = RestState(world.actors[0]);
  const Quatd tilt = AxisAngle({0, 1, 0}, -slope);
  const Vec3d up = Rotate(tilt, Vec3d{0, 0, 0.1});
  state.q = {up.x, up.y, up.z, tilt.w, tilt.x, tilt.y, tilt.z};
  engine->SetState(0, state);
  const Actuation passive = Passive(world.actors[0]);
  const auto speed = [&] {
    const std::vector<double>& v = engine->GetState(0).v;
    return -(v[0] * std::cos(slope) + v[2] * std::sin(slope));
  };
  for (int k = 0; k < 400; ++k) engine->Step({&passive, 1}, {});
  const double first = speed();
  for (int k = 0; k < 200; ++k) engine->Step({&passive, 1}, {});
  return {first, speed()};
}

TEST_P(GroundContact, BlockSlidesExactlyWhenTheSlopePassesTheFriction) {
  for (const double friction : {0.2, 0.5, 0.9}) {
    for (const double factor : {0.5, 0.9, 0.97}) {
      const auto [first, second] = SlideSpeeds(GetParam(), friction, std::atan(friction * factor));
      EXPECT_LT(second, 0.001) << "mu " << friction << " factor " << factor;
    }
    for (const double factor : {1.05, 1.2, 2.0}) {
      const double slope = std::atan(friction * factor);
      const auto [first, second] = SlideSpeeds(GetParam(), friction, slope);
      const double expected = 9.81 * (std::sin(slope) - friction * std::cos(slope));
      EXPECT_NEAR(second - first, expected, 0.05 * expected)
          << "mu " << friction << " factor " << factor;
    }
  }
}

TEST_P(GroundContact, StandingHumanCreepsLessThanAMillimetreASecond) {
  World world;
  world.actors = {LoadCharacter("liu16")};
  world.terrain.slope = 15 * M_PI / 180;
  const auto engine = MakeEngine(GetParam(), world);
  // Feet flat on the slope, the body upright: the ankles take the slope up.
  const Character& man = world.actors[0];
  State state = RestState(man);
  const Layout layout = LayoutOf(man);
  for (const Role role : {Role::kLeftFoot, Role::kRightFoot}) {
    const int foot = man.BodyOf(role);
    double* q = &state.q[layout.q[foot]];
    ASSERT_EQ(man.bodies[foot].joint.kind, JointKind::kBall);
    const Quatd turned = Quatd{q[0], q[1], q[2], q[3]} * AxisAngle({0, 1, 0}, -world.terrain.slope);
    q[0] = turned.w, q[1] = turned.x, q[2] = turned.y, q[3] = turned.z;
  }
  // Put on the ground: no contact point may start inside.
  Model<double> model(man);
  model.SetState(state);
  double lift = -1e9;
  for (const ContactPoint& point : man.contact_points) {
    const Vec3d at = model.PointPosition(point.body, point.position);
    lift = std::max(lift, SurfaceAt(world.terrain, at.x, at.y).height + point.radius - at.z);
  }
  state.q[2] += lift;
  engine->SetState(0, state);
  Actuation hold = HoldPose(man, state.q);
  hold.torque = HoldPose(man, man.rest_q).torque;
  for (double& kp : hold.kp) kp *= 4;  // the stand itself is not the subject here
  for (double& kd : hold.kd) kd *= 4;
  const auto foot = [&] {
    model.SetState(engine->GetState(0));
    return (model.Position(man.BodyOf(Role::kLeftFoot)) +
            model.Position(man.BodyOf(Role::kRightFoot))) *
           0.5;
  };
  for (int k = 0; k < 400; ++k) engine->Step({&hold, 1}, {});
  const Vec3d before = foot();
  for (int k = 0; k < 400; ++k) engine->Step({&hold, 1}, {});
  const Vec3d after = foot();
  EXPECT_GT(engine->GetState(0).q[2], 0.8 * man.rest_q[2]) << "it fell";
  EXPECT_LT(Norm(after - before) / 2.0, 0.001);
}

TEST_P(GroundContact, PenetrationUnderBodyWeightIsSmallAndNothingPulls) {
  for (const CharacterInfo& info : BuiltInCharacters()) {
    World world;
    world.actors = {LoadCharacter(info.name)};
    const auto engine = MakeEngine(GetParam(), world);
    const Actuation hold = HoldPose(world.actors[0], world.actors[0].rest_q);
    for (int k = 0; k < 400; ++k) {
      engine->Step({&hold, 1}, {});
      for (const Contact& contact : engine->Contacts()) {
        EXPECT_GE(Dot(contact.normal, contact.force), -1e-3) << info.name;
        if (k > 200) {
          EXPECT_LT(contact.depth, 0.005) << info.name;
        }
      }
    }
    Vec3d force;
    for (const Contact& contact : engine->Contacts()) force += contact.force;
    const double weight = TotalMass(world.actors[0]) * world.gravity;
    EXPECT_NEAR(force.z, weight, 0.05 * weight) << info.name;
  }
}

// The ground may push a body, never hold it: a ball lifted off keeps exactly its free flight.
TEST_P(GroundContact, LettingGoCostsNothing) {
  World world;
  world.actors = {MakeBall(0.1, 1)};
  const auto engine = MakeEngine(GetParam(), world);
  const Actuation passive = Passive(world.actors[0]);
  for (int k = 0; k < 200; ++k) engine->Step({&passive, 1}, {});
  State state = engine->GetState(0);
  const double depth = 0.1 - state.q[2];
  ASSERT_GT(depth, 0);
  for (const double speed : {0.01, 0.05, 0.2, 1.0}) {
    state.v = {0, 0, speed, 0, 0, 0};
    engine->SetState(0, state);
    double last = speed;
    for (int k = 0; k < 20; ++k) {
      engine->Step({&passive, 1}, {});
      const double now = engine->GetState(0).v[2];
      EXPECT_GE(now, last - world.gravity * world.time_step - 1e-5)
          << "speed " << speed << " step " << k;
      last = now;
    }
  }
}

TEST_P(GroundContact, HardLandingsStayFinite) {
  for (const CharacterInfo& info : BuiltInCharacters()) {
    World world;
    world.actors = {LoadCharacter(info.name)};
    const auto engine = MakeEngine(GetParam(), world);
    State state = RestState(world.actors[0]);
    state.q[2] += 0.05;
    state.v[0] = 2;
    state.v[2] = -5;
    engine->SetState(0, state);
    const Actuation hold = HoldPose(world.actors[0], world.actors[0].rest_q);
    for (int k = 0; k < 400; ++k) engine->Step({&hold, 1}, {});
    EXPECT_FALSE(engine->Failed(0)) << info.name;
    double fastest = 0;
    for (const double v : engine->GetState(0).v) fastest = std::max(fastest, std::fabs(v));
    EXPECT_LT(fastest, 20) << info.name;
    EXPECT_GT(engine->GetState(0).q[2], -0.05) << info.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, GroundContact, testing::Values("native", "batch"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace stride
