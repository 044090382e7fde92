#include "stride/scenario/metrics.h"

#include <cmath>
#include <functional>
#include <numbers>

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/character/rest_pose.h"
#include "stride/dynamics/rigid_body.h"
#include "stride/math/path_smoother.h"
#include "stride/math/rotation.h"
#include "stride/sim/engine.h"

namespace stride {
namespace {

constexpr double kStep = 0.005;
constexpr double kPi = std::numbers::pi;

// Moves the rest pose by hand, so that every measure has a value known beforehand.
class MetricsTest : public testing::Test {
 protected:
  MetricsTest() {
    world_.actors = {LoadCharacter("liu16")};
    rest_ = RestState(world_.actors[0]);
    layout_ = LayoutOf(world_.actors[0]);
    actuation_ = Passive(world_.actors[0]);
  }
  const Character& human() const { return world_.actors[0]; }
  int Body(Role role) const { return human().BodyOf(role); }

  // The rest pose at `place` with that velocity.
  State At(const Vec3d& place, const Vec3d& velocity) const {
    State state = rest_;
    state.q[0] += place.x, state.q[1] += place.y, state.q[2] += place.z;
    state.v[0] = velocity.x, state.v[1] = velocity.y, state.v[2] = velocity.z;
    return state;
  }
  Contact FootContact(Role role, double weight) const {
    return {.body = Body(role), .normal = {0, 0, 1}, .force = {0, 0, weight}, .depth = 0.001};
  }
  using Motion = std::function<State(double time)>;
  using Contacts = std::function<std::vector<Contact>(double time)>;
  Metrics Run(
      int steps, const Motion& motion,
      const Contacts& contacts = [](double) { return std::vector<Contact>(); },
      const State* reference = nullptr) {
    MetricsMeter meter(world_, motion(0));
    for (int i = 0; i < steps; ++i) {
      meter.Add(motion(i * kStep), motion((i + 1) * kStep), actuation_, contacts((i + 1) * kStep),
                reference);
    }
    return meter.Result();
  }

  World world_;
  State rest_;
  Layout layout_;
  Actuation actuation_;
};

TEST_F(MetricsTest, ASlideAtConstantSpeed) {
  // 403 steps: no whole number of samples.
  const Metrics m = Run(
      403,
      [&](double t) {
        return At({0.6 * t, 0.8 * t, 0}, {0.6, 0.8, 0});
      },
      [&](double) {
        return std::vector<Contact>{FootContact(Role::kLeftFoot, 400),
                                    FootContact(Role::kRightFoot, 200)};
      });
  EXPECT_NEAR(m.seconds, 403 * kStep, 1e-12);
  EXPECT_NEAR(m.distance, 403 * kStep, 1e-9);
  EXPECT_NEAR(m.path, 403 * kStep, 1e-9);
  EXPECT_NEAR(m.speed, 1, 1e-9);
  EXPECT_EQ(m.steps, 0);
  EXPECT_FALSE(m.tracking_error_deg);
  EXPECT_EQ(m.joint_power, 0);
  EXPECT_EQ(m.cost_of_transport, 0);
  EXPECT_EQ(m.leg_power_ratio, (std::array<double, 3>{0, 0, 0}));
  EXPECT_NEAR(m.com_height, CenterOfMassAt(human(), rest_.q).z, 1e-9);
  EXPECT_NEAR(m.com_bounce, 0, 1e-9);
  EXPECT_NEAR(m.com_sway, 0, 1e-9);
  EXPECT_NEAR(m.head_motion, 0, 1e-9);
  EXPECT_NEAR(m.foot_slip, 1, 1e-9);
  EXPECT_EQ(m.max_penetration, 0.001);
  EXPECT_NEAR(m.peak_force, 600 / (TotalMass(human()) * world_.gravity), 1e-12);
}

TEST_F(MetricsTest, SwayAndBounceOfAWave) {
  // Waves of 2 Hz are gone from the path after smoothing over a second.
  const double w = 4 * kPi;
  const Metrics m = Run(4000, [&](double t) {
    return At({1.5 * t, 0.03 * std::sin(w * t), 0.02 * std::cos(w * t)}, {1.5, 0, 0});
  });
  EXPECT_NEAR(m.speed, 1.5, 0.01);
  EXPECT_NEAR(m.com_sway, 0.03 / std::sqrt(2), 1e-3);
  EXPECT_NEAR(m.com_bounce, 0.02 / std::sqrt(2), 1e-3);
}

TEST_F(MetricsTest, ThereAndBackIsAPathButNoDistance) {
  const Metrics m = Run(2000, [&](double t) { return At({t < 5 ? t : 10 - t, 0, 0}, {}); });
  EXPECT_NEAR(m.distance, 0, 1e-9);
  EXPECT_NEAR(m.path, 10, 0.6);  // the turn is rounded within half a second
  EXPECT_LT(m.path, 10);
}

TEST_F(MetricsTest, StepsOfAKnownPattern) {
  // At 1 m/s: left off the ground from 0.2 to 0.5 s, right from 0.6 to 0.9 s, left too briefly
  // from 1 to 1.05 s.
  const auto off = [](double t, double from, double until) {
    return t > from + 1e-9 && t < until - 1e-9;
  };
  const Metrics m = Run(
      300,
      [&](double t) {
        return At({t, 0, 0}, {1, 0, 0});
      },
      [&](double t) {
        std::vector<Contact> contacts;
        if (!off(t, 0.2, 0.5) && !off(t, 1, 1.05))
          contacts.push_back(FootContact(Role::kLeftFoot, 300));
        if (!off(t, 0.6, 0.9)) contacts.push_back(FootContact(Role::kRightToe, 300));
        return contacts;
      });
  const BodyFrames frames = FramesAt(human(), rest_.q);
  const double width =
      frames.position[Body(Role::kLeftFoot)].y - frames.position[Body(Role::kRightFoot)].y;
  EXPECT_EQ(m.steps, 2);
  EXPECT_NEAR(m.step_seconds, 0.4, 1e-9);
  EXPECT_NEAR(m.step_length, std::hypot(0.4, width), 1e-9);
}

TEST_F(MetricsTest, TrackingIsTheMeanAngleOfTheJoints) {
  State reference = rest_;
  const int knee = Body(Role::kLeftShank), hip = Body(Role::kRightThigh);
  const auto turn = [&](int body, double angle) {
    double* q = &reference.q[layout_.q[body]];
    if (human().bodies[body].joint.kind == JointKind::kHinge) {
      q[0] += angle;
      return;
    }
    const Quatd turned = Quatd{q[0], q[1], q[2], q[3]} * AxisAngle({1, 0, 0}, angle);
    q[0] = turned.w, q[1] = turned.x, q[2] = turned.y, q[3] = turned.z;
  };
  turn(knee, 0.1);
  turn(hip, -0.3);
  reference.q[0] += 5;  // the root does not count
  const Metrics m = Run(
      100, [&](double) { return rest_; }, [](double) { return std::vector<Contact>(); },
      &reference);
  const int joints = human().BodyCount() - 1;
  EXPECT_NEAR(*m.tracking_error_deg, 0.4 / joints * 180 / kPi, 1e-6);
}

TEST_F(MetricsTest, PowerOfAKneeAndAnAnkle) {
  // 10 N m at 2 rad/s, braking or not, and 5 N m at 3 rad/s: 35 W.
  const int knee = layout_.v[Body(Role::kLeftShank)], ankle = layout_.v[Body(Role::kRightFoot)];
  actuation_.torque[knee] = -10;
  actuation_.torque[ankle] = 5;
  const Metrics m = Run(400, [&](double t) {
    State state = At({t, 0, 0}, {1, 0, 0});
    state.v[knee] = 2;
    state.v[ankle] = 3;
    return state;
  });
  EXPECT_NEAR(m.joint_power, 35, 1e-9);
  EXPECT_NEAR(m.leg_power_ratio[0], 0, 1e-12);
  EXPECT_NEAR(m.leg_power_ratio[1], 20.0 / 35, 1e-9);
  EXPECT_NEAR(m.leg_power_ratio[2], 15.0 / 35, 1e-9);
  EXPECT_NEAR(m.cost_of_transport, 35 / (TotalMass(human()) * 9.81 * 1), 1e-6);
}

TEST_F(MetricsTest, HeadMotionIsItsAcceleration) {
  const Metrics m = Run(200, [&](double t) { return At({0, 1.5 * t * t, 0}, {0, 3 * t, 0}); });
  EXPECT_NEAR(m.head_motion, 3, 1e-9);
}

TEST_F(MetricsTest, ACopyGoesOnAlone) {
  MetricsMeter meter(world_, rest_);
  meter.Add(rest_, At({1, 0, 0}, {}), actuation_, {}, nullptr);
  MetricsMeter copy = meter;
  copy.Add(rest_, At({2, 0, 0}, {}), actuation_, {}, nullptr);
  EXPECT_NEAR(meter.Result().distance, 1, 1e-12);
  EXPECT_NEAR(copy.Result().distance, 2, 1e-12);
}

// In free space the servos are all that moves the joints: their torques are those of the inverse
// dynamics at the accelerations that came out.
TEST(ServoTorquesTest, AreThoseOfInverseDynamics) {
  for (const char* name : {"liu16", "kwon17", "wang09-short"}) {
    World world;
    world.actors = {LoadCharacter(name)};
    for (Body& body : world.actors[0].bodies) body.joint.damping = body.joint.stiffness = 0;
    world.contacts = world.limits = false;
    world.gravity = 0;
    const Character& c = world.actors[0];
    const Layout layout = LayoutOf(c);
    const auto engine = MakeEngine("native", world);
    Actuation actuation = HoldPose(c, c.rest_q, 0);
    for (int k = 6; k < layout.nv; ++k) actuation.torque[k] += 3 * std::sin(k);
    // One target far away: with a bound on the torque it is reached.
    const int knee = c.BodyOf(Role::kLeftShank);
    if (c.bodies[knee].joint.kind == JointKind::kHinge) {
      actuation.target_q[layout.q[knee]] += 1.5;
    }
    for (int i = 0; i < 5; ++i) engine->Step({&actuation, 1}, {});
    const State before = engine->GetState(0);
    engine->Step({&actuation, 1}, {});
    const State& after = engine->GetState(0);

    std::vector<double> acceleration(layout.nv), expected(layout.nv), torques(layout.nv);
    for (int k = 0; k < layout.nv; ++k) {
      acceleration[k] = (after.v[k] - before.v[k]) / world.time_step;
    }
    Model<double> model(c);
    model.SetState(before);
    // The root's own acceleration from the joints': the engine turns a flying body a little so that
    // its momentum stays.
    HybridDynamics<double>(&model, 0.0, nullptr, 0, acceleration.data(), expected.data());
    ServoTorques(c, layout, actuation, before, after, world.time_step, torques);
    double largest = 0;
    for (int k = 6; k < layout.nv; ++k) {
      EXPECT_NEAR(torques[k], expected[k], 1e-4) << name << " " << k;
      largest = std::max(largest, std::fabs(torques[k]));
    }
    EXPECT_GT(largest, 1) << name;
    for (int k = 0; k < 6; ++k) EXPECT_EQ(torques[k], 0);
  }
}

TEST(PathSmootherTest, KeepsAStraightPathAtEveryLength) {
  for (const int count : {1, 2, 3, 9, 10, 11, 12, 25, 100}) {
    PathSmoother smoother(10);
    double length = 0;
    for (int i = 0; i < count; ++i) length += smoother.Add(0.3 * i, -0.4 * i).moved;
    EXPECT_NEAR(length + smoother.Tail(0.3 * (count - 1), -0.4 * (count - 1)), 0.5 * (count - 1),
                1e-12)
        << count;
  }
}

TEST(PathSmootherTest, ShortensACircleByItsSinc) {
  // The mean of a circle over a window of angle a lies at sin(a/2) / (a/2) of the radius.
  constexpr int kPoints = 4000, kWindow = 200;
  PathSmoother smoother(kWindow);
  double length = 0;
  for (int i = 0; i < kPoints; ++i) {
    const double angle = 2 * kPi * i / 1000;
    const PathSmoother::Point point = smoother.Add(std::cos(angle), std::sin(angle));
    if (i >= 2 * kWindow) length += point.moved;
  }
  const double half = kPi * kWindow / 1000;
  EXPECT_NEAR(length, std::sin(half) / half * 2 * kPi * (kPoints - 2 * kWindow) / 1000, 0.05);
}

}  // namespace
}  // namespace stride
