#include "stride/controllers/pendulum/performance.h"

#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/controllers/pendulum/defaults.h"
#include "stride/controllers/pendulum/improve_performance.h"
#include "stride/controllers/pendulum/learn_performance.h"
#include "stride/controllers/pendulum/plant_limbs.h"
#include "stride/dynamics/rigid_body.h"
#include "stride/motion/library.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using pendulum_controller::PerformByProgram;
using pendulum_controller::Performed;

std::shared_ptr<const PerformanceReference> ReferenceOf(const std::string& name) {
  const Character character = LoadCharacter("kwon17");
  return std::make_shared<const PerformanceReference>(character, LoadMotion(name, character));
}

TEST(PivotedPoleTest, WantedLeanGivesTheAcceleration) {
  const PivotedPole pole = MakePivotedPole(70, 0.97, 11);
  // The regulator's gain against the lean, in closed form: m g l + sqrt((m g l)^2 + q).
  const double weight = 70 * 9.81 * 0.97;
  EXPECT_NEAR(pole.gains[0], weight + std::sqrt(weight * weight + 30000), 1e-3);
  for (const double acceleration : {-3.0, 0.0, 2.0}) {
    const double wanted = WantedLean(pole, 0.1, -0.4, acceleration);
    EXPECT_NEAR(LeanAcceleration(pole, 0.1, -0.4, wanted), acceleration, 1e-9);
  }
}

TEST(PivotedPoleTest, Stands) {
  const PivotedPole pole = MakePivotedPole(70, 0.97, 11);
  double lean = 0.15, rate = 0.1;
  for (int k = 0; k < 600; ++k) {
    rate += LeanAcceleration(pole, lean, rate, 0) / 120;
    lean += rate / 120;
  }
  EXPECT_NEAR(lean, 0, 1e-3);
}

// The two-input regulator in closed form: with a place of the push that costs nothing, force and
// turning are apart, and a mass that force alone moves has the gains q / r and its square root.
TEST(SwayTest, GainsOfAMassAlone) {
  SwayWeights weights{.aside = 0.1, .speed = 1e6, .turned = 1e3, .turning = 1e3, .force = 100};
  weights.pushed = 1e3;
  const SwayGains gains = MakeSwayGains(70, 1e-6, 1e3, weights);
  EXPECT_NEAR(gains.force[0], 1000, 20);
  EXPECT_NEAR(gains.force[1], std::sqrt(2 * 70 * 1000.0), 20);
}

// A body that leans and turns comes back, though the ground pushes from a few centimetres only.
TEST(SwayTest, ComesBack) {
  const double mass = 70, length = 0.97, inertia = 11, dt = 1.0 / 240, weight = mass * 9.81;
  const SwayGains gains = MakeSwayGains(mass, length, inertia, {});
  double aside = 0.02, speed = 0.05, turned = 0.2, turning = 0, farthest = 0;
  for (int k = 0; k < 2400; ++k) {
    const Sway sway = SwayFor(gains, weight, aside, speed, turned, turning);
    // Where the ground pushes: turning = -length force + weight (aside - pushed).
    const double pushed = aside - (sway.turning + length * sway.force) / weight;
    farthest = std::max(farthest, std::fabs(pushed));
    speed += dt * sway.force / mass;
    turning += dt * sway.turning / inertia;
    aside += dt * speed;
    turned += dt * turning;
  }
  EXPECT_NEAR(aside, 0, 1e-3);
  EXPECT_NEAR(turned, 0, 1e-2);
  EXPECT_LT(farthest, 0.15);
}

// The paper's 30000 and 0.01 give 173 and 144 for 60 kg.
TEST(LumpedMassTest, RegulatorOfThePaper) {
  const LumpedMass mass = MakeLumpedMass(60);
  EXPECT_NEAR(mass.gains[0], 173.2, 0.1);
  EXPECT_NEAR(mass.gains[1], 144.2, 0.1);
  EXPECT_NEAR(RiseAcceleration(mass, 0.9, 0.2, WantedHeight(mass, 0.9, 0.2, 1.5)), 1.5, 1e-9);
}

TEST(LimbsTest, FeetAndHands) {
  const Character character = LoadCharacter("kwon17");
  const auto limbs = LimbsOf(character);
  for (const LimbParts& limb : limbs) EXPECT_GE(limb.body, 0) << limb.name;
  EXPECT_EQ(limbs[2].body, character.BodyOf(Role::kLeftHand));
  const std::vector<int> of = LimbOfPoints(character);
  for (int limb = 0; limb < kMostLimbs; ++limb) {
    EXPECT_NE(std::find(of.begin(), of.end(), limb), of.end()) << limb;
  }
}

// In a flight the centre of mass falls as the Earth pulls and the angular momentum is constant.
TEST(PerformanceReferenceTest, FlightsArePhysical) {
  const auto reference = ReferenceOf("backflip");
  ASSERT_EQ(reference->Paths().size(), 1u);
  const FlightPath& path = reference->Paths()[0];
  const auto com = [&](int k) { return reference->Whole(k).com; };
  for (int k = path.flight.last_before + 2; k < path.flight.first_after - 2; ++k) {
    const Vec3d a = (com(k + 1) - com(k) * 2.0 + com(k - 1)) * (kPlanRate * kPlanRate);
    EXPECT_NEAR(a.z, -9.81, 0.05) << k;
    EXPECT_NEAR(a.x, 0, 0.05) << k;
    EXPECT_LT(Norm(reference->AngularMomentum(k) - path.angular_momentum), 0.3) << k;
  }
  // It turns over backwards.
  EXPECT_LT(path.angular_momentum.y, -40);
}

// On the ground the push that the reference needs comes from under its feet.
TEST(PerformanceReferenceTest, StancesArePossible) {
  const Character character = LoadCharacter("kwon17");
  Motion motion = LoadMotion("stand", character);
  // A stand over the tips of its toes: the whole body leans forward from the feet.
  for (std::vector<double>& q : motion.frames) {
    const Quatd lean = AxisAngle({0, 1, 0}, 0.12);
    Put(Rotate(lean, Vec3At(q, 0)), 0, &q);
    Put(lean * QuatAt(q, 3), 3, &q);
  }
  const PerformanceReference reference(character, motion, true);
  const std::array<FootParts, 2> feet = FeetOf(character);
  for (int k = 30; k < reference.Count(); k += 7) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (const ContactPoint& point : feet[0].sole) {
      const double x = PointAt(reference.Frames(k), point).x;
      low = std::min(low, x), high = std::max(high, x);
    }
    EXPECT_GT(reference.Whole(k).com.x, low) << k;
    EXPECT_LT(reference.Whole(k).com.x, high) << k;
  }
}

// Upwards the ground can only push: a clip that falls faster than the Earth pulls, while it stands,
// is no motion of a body.
TEST(PerformanceReferenceTest, StancesDoNotFallFasterThanTheEarthPulls) {
  const Character character = LoadCharacter("kwon17");
  Motion motion = LoadMotion("stand", character);
  // The feet follow: knees bend by 15 cm within a fifth of a second and stretch again.
  for (int f = 0; f < motion.FrameCount(); ++f) {
    const double t = f / motion.fps - 1;
    if (t < 0 || t > 0.4) continue;
    motion.frames[f][2] -= 0.075 * (1 - std::cos(2 * M_PI * t / 0.4));
  }
  const auto fastest = [&](const PerformanceReference& reference) {
    double most = 0;
    for (int k = 2; k + 2 < reference.Count(); ++k) most = std::min(most, reference.Rise(k).z);
    return most;
  };
  // As it came: 0.075 (2 pi / 0.4)^2 = 18 m/s^2.
  EXPECT_GT(fastest(PerformanceReference(character, motion, true)), -9.81);
}

// What stands does not slide, whatever the clip does; what does not slide is left where it is.
TEST(PlantLimbsTest, FeetDoNotSlide) {
  const Character character = LoadCharacter("kwon17");
  const Motion motion = LoadMotion("stand", character);
  const Kinematics kinematics(character);
  const LimbSolver limbs(kinematics);
  std::vector<std::vector<double>> poses(120, motion.frames[0]);
  std::array<std::vector<char>, kMostLimbs> stands;
  for (int limb = 0; limb < kMostLimbs; ++limb) stands[limb].assign(120, limb < 2 ? 1 : 0);
  const auto foot = [&](int k) {
    BodyFrames frames;
    kinematics.Frames(poses[k], &frames);
    return limbs.PlaceOf(0, frames).position;
  };
  const std::vector<std::vector<double>> still = poses;
  PlantLimbs(kinematics, limbs, stands, kPlanRate, &poses);
  for (std::size_t k = 0; k < poses.size(); ++k) {
    for (std::size_t i = 0; i < poses[k].size(); ++i) EXPECT_NEAR(poses[k][i], still[k][i], 2e-3);
  }
  // The whole body slides by 5 cm.
  for (int k = 0; k < 120; ++k) poses[k][0] += 0.05 * std::min(1.0, k / 30.0);
  PlantLimbs(kinematics, limbs, stands, kPlanRate, &poses);
  for (int k = 1; k < 120; ++k) EXPECT_NEAR(foot(k).x, foot(0).x, 2e-3) << k;
}

TEST(PerformanceReferenceTest, AClipThatNeverStandsIsRefused) {
  const Character character = LoadCharacter("kwon17");
  Motion motion = LoadMotion("jump", character);
  for (std::uint8_t& label : motion.contacts) label = 0;
  EXPECT_NE(InputErrorOf([&] { PerformanceReference(character, motion); }).find("stands"),
            std::string::npos);
}

class PerformanceSimulationTest : public testing::TestWithParam<const char*> {};

TEST_P(PerformanceSimulationTest, EndsStanding) {
  const auto reference = ReferenceOf(GetParam());
  const PerformanceConfig config = DefaultConfig(*reference, PendulumUse::kSimulator).once;
  const State start = PerformancePlanner(reference, Terrain{}, config).Start();
  const Performed performed = PerformByProgram(reference, config, start);
  EXPECT_TRUE(performed.stands);
  EXPECT_LT(performed.joint_error, 15);
  const double height = pendulum_controller::HighestOf(*reference);
  EXPECT_NEAR(performed.height, height, 0.1 * height);
}

INSTANTIATE_TEST_SUITE_P(Clips, PerformanceSimulationTest,
                         testing::Values("stand", "spin", "jump", "kick", "cartwheel", "backflip"));

// Feet that have landed stay down while the body rises over them: without settling contacts these
// starts fell after the landing.
TEST(PerformanceSimulationTest, DisturbedJumpsStand) {
  const auto reference = ReferenceOf("jump");
  for (const std::uint64_t seed : {1, 2, 6}) {
    Random random(seed);
    const State start = pendulum_controller::DisturbedStart(reference, &random);
    const PerformanceConfig config = DefaultConfig(*reference, PendulumUse::kSimulator).once;
    EXPECT_TRUE(PerformByProgram(reference, config, start).stands) << seed;
  }
}

// A flight by torques, in an engine that knows nothing of the program.
TEST(PerformanceControllerTest, JumpEndsStanding) {
  const auto reference = ReferenceOf("jump");
  Random random(1);
  const State start = pendulum_controller::DisturbedStart(reference, &random);
  const Performed performed = pendulum_controller::PerformInEngine(
      reference, DefaultConfig(*reference, PendulumUse::kTorques), start);
  EXPECT_TRUE(performed.stands);
  EXPECT_LT(performed.joint_error, 15);
  const double height = pendulum_controller::HighestOf(*reference);
  EXPECT_NEAR(performed.height, height, 0.1 * height);
}

// Free of the ground, a step of the simulation keeps the momentum.
TEST(PerformanceSimulationTest, FlightKeepsMomentum) {
  const auto reference = ReferenceOf("jump");
  PerformanceSimulation simulation(reference, Terrain{}, 1, {});
  State state = PerformancePlanner(reference, Terrain{}, {}).Start();
  state.q[2] += 5;
  state.v[3] = 1, state.v[4] = -2, state.v[5] = 0.5;
  simulation.SetState(state);
  Model<double> model(reference->character());
  const auto momentum = [&] {
    model.SetState(simulation.GetState());
    return GetMomentum(&model);
  };
  const Momentum<double> before = momentum();
  for (int k = 0; k < 60; ++k) simulation.Step({});
  const Momentum<double> after = momentum();
  EXPECT_LT(Norm(after.angular - before.angular), 1e-6 * Norm(before.angular));
  const double mass = reference->Whole(0).mass;
  EXPECT_NEAR(after.linear.z - before.linear.z, -9.81 * mass * 60 * kPlanStep, 1e-6 * mass);
}

// The search keeps what stands more often on starts it did not see, else what was there.
TEST(PerformanceImprovementTest, IsNoWorseAndTheSameTwice) {
  const auto reference = ReferenceOf("spin");
  PendulumConfig config;
  config.once.turning_stiffness = 2;
  config.once.turning_damping = 1;
  const pendulum_controller::ImproveSettings settings{
      .iterations = 1, .population = 4, .trials = 1, .checks = 2};
  const auto run = [&](int threads) {
    const Workers workers(threads);
    pendulum_controller::PerformanceImprovement search(reference, config, settings, 3, workers);
    while (!search.Done()) search.Advance();
    return search.Result();
  };
  const pendulum_controller::ImprovedPerformance one = run(1), two = run(2);
  EXPECT_GE(one.stood, one.stood_before);
  EXPECT_GE(one.value, one.value_before);
  EXPECT_EQ(one.value, two.value);
  EXPECT_EQ(one.config.once.sways, two.config.once.sways);
}

TEST(AnnotationTest, RoundTripsAndChangesLabels) {
  const Character character = LoadCharacter("kwon17");
  Motion motion = LoadMotion("cartwheel", character);
  const Annotation found = AnnotationOf(motion);
  EXPECT_EQ(found.pendulum, PendulumKind::kPivoted);
  EXPECT_FALSE(found.supports[2].empty());
  const std::string text = AnnotationText(found, motion, character);
  Annotation read = ParseAnnotation(text, "a.json", motion, character);
  EXPECT_EQ(read, found);
  read.supports[3].clear();
  Apply(read, &motion);
  EXPECT_EQ(AnnotationOf(motion), read);
}

TEST(AnnotationTest, ContradictionsAreNamed) {
  const Character character = LoadCharacter("kwon17");
  const Motion motion = LoadMotion("jump", character);
  const auto error = [&](const std::string& pendulum, const std::string& supports) {
    const std::string text = R"({"stride": "annotation", "version": 1, "frames": )" +
                             std::to_string(motion.FrameCount()) + R"(, "pendulum": ")" + pendulum +
                             R"(", "supports": )" + supports + "}";
    return InputErrorOf([&] { ParseAnnotation(text, "a.json", motion, character); });
  };
  const auto holds = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(holds(error("pivoted", R"({"left_foot": [[0, 10], [8, 20]]})"), "left_foot[1]"));
  EXPECT_TRUE(holds(error("pivoted", R"({"left_foot": [[10, 5]]})"), "before the last"));
  EXPECT_TRUE(holds(error("pivoted", R"({"left_foot": [[0, 99999]]})"), "99999"));
  EXPECT_TRUE(holds(error("pivoted", R"({"tail": [[0, 5]]})"), "left_foot, right_foot"));
  EXPECT_TRUE(holds(error("pivoted", R"({"left_foot": []})"), "at least one support"));
  EXPECT_TRUE(holds(error("rocket", R"({"left_foot": [[0, 5]]})"), "pendulum"));
  Motion loop = LoadMotion("walk", character);
  EXPECT_TRUE(holds(InputErrorOf([&] {
                      std::string text = AnnotationText(AnnotationOf(loop), loop, character);
                      text.replace(text.find("\"cart\""), 6, "\"pivoted\"");
                      ParseAnnotation(text, "a.json", loop, character);
                    }),
                    "--once"));
  // A body without hands.
  Character handless = character;
  std::erase_if(handless.contact_points, [&](const ContactPoint& point) {
    return point.body == character.BodyOf(Role::kLeftHand);
  });
  const std::string text = R"({"stride": "annotation", "version": 1, "frames": )" +
                           std::to_string(motion.FrameCount()) +
                           R"(, "pendulum": "pivoted", "supports": {"left_hand": [[0, 3]]}})";
  EXPECT_TRUE(holds(InputErrorOf([&] { ParseAnnotation(text, "a.json", motion, handless); }),
                    "no contact points"));
}

}  // namespace
}  // namespace stride
