#include "stride/controllers/pendulum/pendulum.h"

#include <cmath>
#include <memory>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/controllers/pendulum/learn_pendulum.h"
#include "stride/core/error.h"
#include "stride/core/random.h"
#include "stride/dynamics/rigid_body.h"
#include "stride/motion/library.h"
#include "stride/scenario/fall.h"
#include "stride/sim/engine.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

constexpr Vec3d kUp{0, 0, 1};

std::shared_ptr<const PendulumRig> RigOf(const std::string& motion) {
  const Character character = LoadCharacter("kwon17");
  return std::make_shared<const PendulumRig>(character, LoadMotion(motion, character));
}

// Gains that the authors' program has for Q = diag(0, q, q, 0) and for Q = diag(0, 50, 50000, 0)
// with its cart of 1 kg, pole of 60 kg, 0.948 m and 13.64 kg m^2.
TEST(PendulumModelsTest, RegulatorOfTheAuthorsProgram) {
  const CartPole pole = MakeCartPole(60, 0.948, 13.64);
  EXPECT_NEAR(std::fabs(pole.gains[0]), 2080, 5);
  EXPECT_NEAR(pole.gains[1], -173.2, 0.1);
  EXPECT_NEAR(std::fabs(pole.gains[2]), 533, 1);
}

// The regulator's cost is least: of all gains nearby none has less.
TEST(PendulumModelsTest, RegulatorIsOptimal) {
  Eigen::Matrix2d a;
  a << 0, 1, 9.81, 0;
  const Eigen::Vector2d b(0, 0.5), q(30, 1);
  const auto cost = [&](const Eigen::RowVector2d& k) {
    Eigen::Vector2d s(0.1, -0.2);
    double sum = 0;
    const double h = 1e-4;
    for (int i = 0; i < 200000; ++i) {
      const double u = -(k * s)(0);
      sum += h * (s.dot(q.cwiseProduct(s)) + 2 * u * u);
      s += h * (a * s + b * u);
    }
    return sum;
  };
  const Eigen::RowVector2d k = LqrGains(a, b, q, 2);
  for (const double turn : {0.0, 1.0, 2.0, 3.0, 4.0, 5.0}) {
    const Eigen::RowVector2d other =
        k + 0.05 * Eigen::RowVector2d(std::cos(turn), std::sin(turn)).cwiseProduct(k);
    EXPECT_GT(cost(other), cost(k));
  }
}

TEST(PendulumModelsTest, CartPoleStandsAndGoesAtTheWantedSpeed) {
  const CartPole pole = MakeCartPole(70, 0.98, 11);
  CartPoleState state{.lean = {0.2, -0.15}};
  for (int k = 0; k < 1200; ++k) Advance(pole, {1.2, -0.3}, 1.0 / 120, &state);
  EXPECT_NEAR(state.speed.x, 1.2, 1e-3);
  EXPECT_NEAR(state.speed.y, -0.3, 1e-3);
  EXPECT_NEAR(state.lean.x, 0, 1e-3);
}

// Without a force the pole keeps its energy and its momentum along the ground.
TEST(PendulumModelsTest, EquationsOfMotionKeepMomentumAndEnergy) {
  CartPole pole = MakeCartPole(60, 0.95, 13);
  pole.gains = {0, 0, 0};
  CartPoleState s{.speed = {0.3, 0}, .lean = {0.3, 0}, .lean_rate = {0.2, 0}};
  const auto momentum = [&] {
    return (pole.cart_mass + pole.mass) * s.speed.x +
           pole.mass * pole.length * std::cos(s.lean.x) * s.lean_rate.x;
  };
  const auto energy = [&] {
    const double l = pole.length, w = s.lean_rate.x, c = std::cos(s.lean.x);
    return 0.5 * (pole.cart_mass + pole.mass) * s.speed.x * s.speed.x +
           pole.mass * l * c * s.speed.x * w + 0.5 * (pole.inertia + pole.mass * l * l) * w * w +
           pole.mass * 9.81 * l * c;
  };
  const double p = momentum(), e = energy();
  for (int k = 0; k < 3000; ++k) Advance(pole, {}, 1e-4, &s);
  EXPECT_NEAR(momentum(), p, 1e-3 * std::fabs(p));
  EXPECT_NEAR(energy(), e, 1e-3 * e);
}

TEST(MomentumMapTest, ScrewTakesOneFrameToTheOther) {
  Random random(1);
  for (int k = 0; k < 100; ++k) {
    const auto vector = [&] { return Vec3d{random.Normal(), random.Normal(), random.Normal()}; };
    const RigidFrame a{vector(), Normalized(Quatd{random.Normal(), random.Normal(), random.Normal(),
                                                  random.Normal()})};
    const RigidFrame b{vector(), Exp(vector() * 0.5) * a.rotation};
    const Twist screw = ScrewBetween(a.position, a.rotation, b.position, b.rotation);
    const RigidFrame moved = MovedBack({-screw.angular, -screw.linear}, {}, a);
    EXPECT_LT(Norm(moved.position - b.position), 1e-9);
    EXPECT_LT(Norm(Log(moved.rotation * Conjugate(b.rotation))), 1e-9);
  }
}

// Eqs. 3 and 4: a body that is moved rigidly has the pendulum moved rigidly.
TEST(MomentumMapTest, ARigidlyMovedBodyHasTheRigidlyMovedPendulum) {
  const Character character = LoadCharacter("kwon17");
  const std::vector<BodyMass> masses = MassesOf(character);
  Random random(2);
  for (int k = 0; k < 50; ++k) {
    State state = RestState(character);
    for (int b = 1; b < character.BodyCount(); ++b) {
      const int q = LayoutOf(character).q[b];
      if (character.bodies[b].joint.kind == JointKind::kHinge) state.q[q] += 0.3 * random.Normal();
    }
    const BodyFrames reference = FramesAt(character, state.q);
    const Quatd turn = Exp(Vec3d{0.2 * random.Normal(), 0.2 * random.Normal(), random.Normal()});
    const Vec3d shift{random.Normal(), random.Normal(), 0.1 * random.Normal()};
    BodyFrames moved = reference;
    for (std::size_t b = 0; b < masses.size(); ++b) {
      moved.position[b] = shift + Rotate(turn, reference.position[b]);
      moved.rotation[b] = turn * reference.rotation[b];
    }
    const RigidFrame pole{{0.1, 0.05, 1}, AxisAngle(kUp, 0.3)};
    const Twist v = AlignmentBetween(masses, moved, reference);
    const RigidFrame found = MovedBack(v, MeasureWhole(masses, moved).com, pole);
    EXPECT_LT(Norm(found.position - (shift + Rotate(turn, pole.position))), 1e-8);
    EXPECT_LT(Norm(Log(found.rotation * Conjugate(turn * pole.rotation))), 1e-8);
  }
}

// Appendix B: for poses near each other V is the momentum's velocity.
TEST(MomentumMapTest, SmallDifferencesAreTheMomentum) {
  const Character character = LoadCharacter("kwon17");
  const std::vector<BodyMass> masses = MassesOf(character);
  const auto rig = RigOf("walk");
  const PendulumReference& ref = rig->reference;
  Model<double> model(character);
  for (int k = 0; k < ref.Count(); k += 17) {
    model.SetState(ref.StateAt(k));
    const Momentum<double> momentum = GetMomentum(&model);
    EXPECT_LT(Norm(momentum.linear - ref.LinearMomentum(k)), 0.1 * Norm(momentum.linear));
    const WholeBody whole = MeasureWhole(masses, ref.Frames(k));
    EXPECT_LT(Norm(CenterOfMass(&model) - whole.com), 1e-12);
    EXPECT_NEAR(momentum.locked.xx, whole.inertia.xx, 1e-9);
    EXPECT_NEAR(momentum.locked.yz, whole.inertia.yz, 1e-9);
  }
}

TEST(MomentumMapTest, PoleToFrameAndBack) {
  const CartPole pole = MakeCartPole(70, 0.98, 11);
  const CartPoleState state{{1, 2}, {0.8, -0.1}, {0.1, -0.2}, {0.3, 0.4}};
  CartPoleState back;
  double heading = 0;
  SetFrame(pole, FrameOf(pole, state, 0.7), &back, &heading);
  EXPECT_NEAR(heading, 0.7, 1e-12);
  EXPECT_NEAR(back.cart.x, 1, 1e-12);
  EXPECT_NEAR(back.lean.y, -0.2, 1e-12);
  SetVelocity(pole, VelocityOf(pole, state), &back);
  EXPECT_NEAR(back.speed.x, 0.8, 1e-12);
  EXPECT_NEAR(back.lean_rate.x, 0.3, 1e-12);
  EXPECT_NEAR(back.lean_rate.y, 0.4, 1e-12);
  // The velocity is that of the frame.
  CartPoleState later = state;
  const double h = 1e-6;
  later.cart = state.cart + state.speed * h;
  later.lean = state.lean + state.lean_rate * h;
  const Vec3d moved = (PoleCenter(pole, later) - PoleCenter(pole, state)) * (1 / h);
  EXPECT_LT(Norm(moved - VelocityOf(pole, state).linear), 1e-5);
}

TEST(PendulumReferenceTest, ThePoleGoesAsTheBodyDoes) {
  for (const char* motion : {"walk", "run", "walk_slow", "march"}) {
    const auto rig = RigOf(motion);
    EXPECT_LT(rig->reference.FitError(), 0.015) << motion;
    EXPECT_TRUE(rig->reference.Loops());
  }
}

// Eqs. 6 and 7 undo each other.
TEST(PendulumReferenceTest, ShearedFramesKeepHeights) {
  const ShearedFrame frame{{1, 2}, 0.5, {0.1, -0.2}};
  const Vec3d place{3, -1, 0.4};
  EXPECT_LT(Norm(ToWorld(frame, ToLocal(frame, place)) - place), 1e-12);
  EXPECT_EQ(ToLocal(frame, place).z, 0.4);
}

TEST(PendulumReferenceTest, AClipWithoutContactsIsRefused) {
  const Character character = LoadCharacter("kwon17");
  Motion motion = LoadMotion("walk", character);
  for (std::uint8_t& label : motion.contacts) label = 0;
  EXPECT_NE(InputErrorOf([&] { PendulumReference(character, motion); }).find("stands"),
            std::string::npos);
}

// In the clip's own state the plan is the clip.
TEST(PlannerTest, WhoIsWhereTheClipIsFollowsIt) {
  const auto rig = RigOf("walk");
  const PendulumReference& ref = rig->reference;
  PendulumPlanner planner(rig, Terrain{}, {.reach = 1, .clearance = 0});
  Model<double> model(ref.character());
  WholeBodyTarget target;
  for (int at = 3; at < ref.Count(); at += 20) {
    planner.Begin(at);
    const State state = planner.Start(at);
    model.SetState(state);
    planner.Plan(&model, state, {}, {false, false}, &target);
    EXPECT_NEAR(planner.Pole().lean.x, ref.PoleState(at).lean.x, 0.002);
    EXPECT_NEAR(planner.Pole().speed.x, ref.PoleState(at).speed.x, 0.15);
    const std::vector<double> off = PoseDifference(ref.character(), state.q, target.q, 1);
    for (std::size_t k = 6; k < off.size(); ++k) EXPECT_NEAR(off[k], 0, 0.04) << at << " " << k;
  }
}

// How high a place is plays no part: halfway up a hill the pole is the one at its foot.
TEST(PlannerTest, ThePoleIsTheSameUpAHill) {
  const auto rig = RigOf("walk");
  const PendulumReference& ref = rig->reference;
  Terrain hill;
  hill.slope = 0.1;
  PendulumPlanner planner(rig, hill, {});
  Model<double> model(ref.character());
  WholeBodyTarget target;
  const auto pole_at = [&](double x) {
    planner.Begin(30);
    State state = planner.Start(30);
    // Leans more than the clip does, so that it is moved about the centre of mass.
    Put(AxisAngle({0, 1, 0}, 0.1) * QuatAt(state.q, 3), 3, &state.q);
    state.q[0] += x;
    state.q[2] += SurfaceAt(hill, x, 0).height;
    model.SetState(state);
    planner.Plan(&model, state, {}, {false, false}, &target);
    return planner.Pole();
  };
  const CartPoleState low = pole_at(0), high = pole_at(40);
  EXPECT_NEAR(high.lean.x, low.lean.x, 1e-9);
  EXPECT_NEAR(high.cart.x - 40, low.cart.x, 1e-9);
  EXPECT_NEAR(high.speed.x, low.speed.x, 1e-9);
}

// Section 5.2, timing: who is too fast steps sooner.
TEST(PlannerTest, WhoIsFasterThanTheClipStepsFaster) {
  const auto rig = RigOf("walk");
  const PendulumReference& ref = rig->reference;
  PendulumPlanner planner(rig, Terrain{}, {});
  Model<double> model(ref.character());
  WholeBodyTarget target;
  const auto frames_in = [&](double faster) {
    planner = PendulumPlanner(rig, Terrain{}, {});
    const PlannerCommand command{.speed = faster, .total = ref.Speed() + faster};
    State state = planner.Start();
    state.v[0] += faster;
    model.SetState(state);
    for (int step = 0; step < 60; ++step) {
      planner.Plan(&model, state, command, {false, false}, &target);
      planner.Advance();
    }
    return planner.Frame();
  };
  EXPECT_NEAR(frames_in(0), 60, 3);
  EXPECT_GT(frames_in(0.7), 66);
  EXPECT_GE(frames_in(-0.3), 60);  // slower steps are shorter, not later
}

TEST(PendulumReferenceTest, PosesBetweenFrames) {
  const auto rig = RigOf("walk");
  const PendulumReference& ref = rig->reference;
  std::vector<double> at, before, after;
  for (const double k : {0.0, 40.0, ref.Count() - 1.0}) {
    ref.PoseAt(k, &before);
    ref.PoseAt(k + 0.5, &at);
    ref.PoseAt(k + 1, &after);
    const std::vector<double> half = PoseDifference(ref.character(), before, at, 0.5),
                              all = PoseDifference(ref.character(), before, after, 1);
    for (std::size_t i = 0; i < half.size(); ++i) EXPECT_NEAR(half[i], all[i], 1e-6) << k;
  }
  for (const int joint : {7, 20}) {
    ref.PoseAt(12, &at);
    EXPECT_EQ(at[joint], ref.StateAt(12).q[joint]);
  }
}

// Where the program is the ground, a swinging foot in it glides; elsewhere it does not count.
TEST(WholeBodyQpTest, FeetThatAreNotToCarry) {
  const auto rig = RigOf("walk");
  const Character& character = rig->reference.character();
  PendulumPlanner planner(rig, Terrain{}, {});
  Model<double> model(character);
  State state = planner.Start(5);  // on both feet
  state.q[2] -= 0.005;
  model.SetState(state);
  for (const bool own : {true, false}) {
    WholeBodyConfig config;
    config.own_ground = own;
    WholeBodyQp program(character, config);
    program.FindContacts(model, Terrain{}, std::array<bool, 2>{true, true});
    const std::size_t both = program.Contacts().size();
    program.FindContacts(model, Terrain{}, std::array<bool, 2>{true, false});
    std::size_t carry = 0, graze = 0;
    for (const TouchingPoint& c : program.Contacts()) ++(c.grazes ? graze : carry);
    EXPECT_LT(carry, both);
    EXPECT_GT(carry, 0u);
    EXPECT_EQ(graze > 0, own);
  }
}

// Equations of motion, friction cones, and the weight.
TEST(WholeBodyQpTest, ItsResultIsPhysical) {
  const auto rig = RigOf("walk");
  const PendulumReference& ref = rig->reference;
  const Character& character = ref.character();
  PendulumPlanner planner(rig, Terrain{}, {});
  Model<double> model(character);
  WholeBodyQp program(character, {});
  WholeBodyTarget target;
  constexpr double kFriction = 0.8;
  for (int at = 20; at < ref.Count(); at += 11) {
    planner.Begin(at);
    const State state = planner.Start(at);
    model.SetState(state);
    planner.Plan(&model, state, {}, {false, false}, &target);
    program.FindContacts(model, Terrain{});
    const int trunk = character.BodyOf(Role::kTrunk);
    const ExternalForce push{.body = trunk, .force = {0, 100, 0}};
    ASSERT_EQ(program.Solve(&model, state, target, {&push, 1}, 9.81, kFriction, kPlanStep),
              QpStatus::kSolved);
    // The accelerations are those that torques, contact forces and push make.
    std::vector<BodyForce<double>> forces = {{trunk, push.force, {}, push.point}};
    for (std::size_t k = 0; k < program.Contacts().size(); ++k) {
      const ContactPoint& point = character.contact_points[program.Contacts()[k].index];
      const Vec3d f = program.Forces()[k];
      forces.push_back(
          {point.body,
           f,
           {},
           point.position - TransposeMul(model.Motion(point.body).r, kUp) * point.radius});
      EXPECT_GE(f.z, -1e-6);
      EXPECT_LE(std::fabs(f.x) + std::fabs(f.y), kFriction * f.z + 1e-6);
    }
    std::vector<double> acceleration(state.v.size());
    ForwardDynamics(&model, 9.81, program.Torque().data(), forces.data(),
                    static_cast<int>(forces.size()), acceleration.data());
    for (std::size_t k = 0; k < acceleration.size(); ++k) {
      EXPECT_NEAR(acceleration[k], program.Acceleration()[k],
                  1e-6 * (1 + std::fabs(acceleration[k])));
    }
    for (std::size_t k = 6; k < acceleration.size(); ++k)
      EXPECT_LE(std::fabs(program.Torque()[k]), 400 + 1e-6);
  }
}

// The paper's use: walks, takes a push from behind and turns.
TEST(ProgramSimulationTest, Walks) {
  const auto rig = RigOf("walk");
  ProgramSimulation simulation(rig, Terrain{}, 1, {});
  const int trunk = rig->reference.character().BodyOf(Role::kTrunk);
  Command command;
  while (simulation.Time() < 12) {
    const bool pushed = simulation.Time() > 3 && simulation.Time() < 3.2;
    const ExternalForce push{.body = trunk, .force = {200, 0, 0}};
    if (simulation.Time() > 6) command.heading = 0.8;
    simulation.Step(command, pushed ? std::span(&push, 1) : std::span<const ExternalForce>());
    ASSERT_FALSE(simulation.Fell()) << simulation.Time();
  }
  EXPECT_NEAR(simulation.GetPlanner().HeadingNow(), 0.8, 0.25);
  EXPECT_EQ(simulation.Unsolved(), 0);
}

// From one clip: speeds, a turn, and pushes that are known to the program.
TEST(ProgramSimulationTest, WalksAtOtherSpeeds) {
  const auto rig = RigOf("walk");
  const int trunk = rig->reference.character().BodyOf(Role::kTrunk);
  for (const double speed : {1.0, 2.0}) {
    ProgramSimulation simulation(rig, Terrain{}, 1, {});
    Command command;
    command.speed = speed;
    double from = 0;
    while (simulation.Time() < 20) {
      if (simulation.Time() < 10) from = simulation.GetState().q[0];
      simulation.Step(command, {});
    }
    ASSERT_FALSE(simulation.Fell()) << speed;
    EXPECT_NEAR((simulation.GetState().q[0] - from) / 10, speed, 0.1 * speed);
  }
  ProgramSimulation pushed(rig, Terrain{}, 1, {});
  while (pushed.Time() < 8) {
    const bool now = pushed.Time() > 3 && pushed.Time() < 3.2;
    const ExternalForce push{.body = trunk, .force = {0, 300, 0}};
    pushed.Step({}, now ? std::span(&push, 1) : std::span<const ExternalForce>());
  }
  EXPECT_FALSE(pushed.Fell());
}

// Ours: torques in an engine that knows nothing of the program.
TEST(PendulumControllerTest, WalksInTheEngine) {
  const auto rig = RigOf("walk");
  World world;
  world.actors = {rig->reference.character()};
  world.time_step = 1.0 / 960;
  PendulumController controller(world, rig, {});
  const auto engine = MakeEngine("native", world);
  engine->SetState(0, controller.Start());
  Actuation actuation = Passive(world.actors[0]);
  const FallDetector fall(world.actors[0], world.terrain, controller.Start());
  for (int step = 0; step < 8 * 960; ++step) {
    controller.Step({step * world.time_step, engine->GetState(0), engine->Contacts()}, {},
                    &actuation);
    engine->Step({&actuation, 1}, {});
    ASSERT_FALSE(fall.Fallen(engine->GetState(0))) << step * world.time_step;
  }
  EXPECT_NEAR(engine->GetState(0).q[0] / 8, rig->reference.Speed(), 0.15);
}

TEST(PendulumSkillTest, PayloadRoundTrips) {
  const Character character = LoadCharacter("kwon17");
  pendulum_controller::PendulumSkill held{LoadMotion("walk", character), {}};
  held.config.servo = 0.35;
  Skill skill{.controller = "pendulum", .character = character};
  skill.payload = pendulum_controller::PayloadOf(held);
  const pendulum_controller::PendulumSkill back = pendulum_controller::SkillOf(skill);
  EXPECT_EQ(back.motion.frames, held.motion.frames);
  EXPECT_EQ(back.config.servo, 0.35);
}

}  // namespace
}  // namespace stride
