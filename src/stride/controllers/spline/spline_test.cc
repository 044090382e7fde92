#include "stride/controllers/spline/spline.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/control/program_controller.h"
#include "stride/controllers/spline/spline_fit.h"
#include "stride/controllers/spline/spline_genome.h"
#include "stride/core/error.h"
#include "stride/learn/rollouts.h"
#include "stride/math/curve.h"
#include "stride/scenario/placement.h"

namespace stride {
namespace {

std::vector<double> Cycle(const std::vector<double>& times, double u) {
  std::vector<double> weights(times.size());
  CycleWeights(times.data(), static_cast<int>(times.size()), u, weights.data());
  return weights;
}

double Sum(const std::vector<double>& weights, const std::vector<double>& values) {
  double sum = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) sum += weights[k] * values[k];
  return sum;
}

TEST(SplineWeights, AreThoseOfTheHermiteCurve) {
  const std::vector<double> times = {0, 0.3, 0.55, 0.8}, values = {0.2, -0.4, 0.9, 0.1};
  const auto tangent = [&](int k) {
    const int next = (k + 1) % 4, last = (k + 3) % 4;
    double span = times[next] - times[last];
    if (span < 0) span += 1;
    return (values[next] - values[last]) / span;
  };
  for (int k = 0; k < 4; ++k) {
    const double from = times[k], to = k < 3 ? times[k + 1] : 1, length = to - from;
    for (const double s : {0.0, 0.25, 0.5, 0.9}) {
      const int next = (k + 1) % 4;
      EXPECT_NEAR(Sum(Cycle(times, from + s * length), values),
                  Hermite(values[k], tangent(k) * length, values[next], tangent(next) * length, s),
                  1e-12);
    }
  }
}

TEST(SplineWeights, CloseTheCycleSmoothly) {
  const std::vector<double> times = {0.1, 0.4, 0.9}, values = {1, -2, 0.5};
  const double d = 1e-6;
  for (const double u : {0.1, 0.4, 0.9}) {
    const double before = Sum(Cycle(times, u - d), values), at = Sum(Cycle(times, u), values);
    const double after = Sum(Cycle(times, u + d), values);
    EXPECT_NEAR((at - before) / d, (after - at) / d, 1e-3);
  }
  EXPECT_NEAR(Sum(Cycle(times, 0), values), Sum(Cycle(times, 1 - 1e-12), values), 1e-9);
  // Constant points make a constant curve.
  for (double u = 0; u < 1; u += 0.01) EXPECT_NEAR(Sum(Cycle(times, u), {1, 1, 1}), 1, 1e-12);
}

TEST(SplineWeights, LayersStayBeyondTheirEnds) {
  const double layers[] = {-0.4, 0, 0.4};
  double w[3];
  OpenWeights(layers, 3, 0.7, w);
  EXPECT_EQ(w[2], 1);
  OpenWeights(layers, 3, -1.0, w);
  EXPECT_EQ(w[0], 1);
  OpenWeights(layers, 3, 0.2, w);  // a straight line stays one
  EXPECT_NEAR(-0.4 * w[0] + 0.4 * w[2], 0.2, 1e-12);
}

TEST(SplineBody, FindsActuatorsAndMirrorImages) {
  const SplineBody biped = SplineBodyOf(LoadCharacter("biped"));
  ASSERT_EQ(biped.actuators.size(), 6u);
  EXPECT_TRUE(biped.symmetric);
  for (int a = 0; a < 6; ++a) {
    EXPECT_EQ(biped.actuators[a].mirror, (a + 3) % 6);
    EXPECT_EQ(biped.actuators[a].sign, 1);
  }
  // Its hips turn about the forward axis too, the other way on the other side.
  const Character android = LoadCharacter("android");
  const SplineBody human = SplineBodyOf(android);
  ASSERT_EQ(human.actuators.size(), 8u);
  int rolls = 0;
  for (const SplineBody::Actuator& a : human.actuators) {
    const Vec3d& axis = android.bodies[human.servos[a.servo].body].joint.axis;
    EXPECT_EQ(a.sign, std::abs(axis.x) > 0.5 ? -1 : 1);
    rolls += a.sign < 0;
  }
  EXPECT_EQ(rolls, 2);
  // All in the middle: each its own.
  const SplineBody snake = SplineBodyOf(LoadCharacter("snake"));
  ASSERT_EQ(snake.actuators.size(), 6u);
  for (int a = 0; a < 6; ++a) {
    EXPECT_EQ(snake.actuators[a].mirror, a);
    EXPECT_EQ(snake.actuators[a].sign, a % 2 == 0 ? -1 : 1);
  }
  // Balls have three.
  const Character liu16 = LoadCharacter("liu16");
  const SplineBody balls = SplineBodyOf(liu16);
  EXPECT_TRUE(balls.symmetric);
  EXPECT_EQ(static_cast<int>(balls.actuators.size()), LayoutOf(liu16).nv - 6);
}

TEST(SplineBody, RefusesABodyWithoutServos) {
  Character character = LoadCharacter("biped");
  for (Body& body : character.bodies) body.joint.kp = 0;
  try {
    SplineBodyOf(character);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("no joint that a servo drives"), std::string::npos);
  }
}

// What the program aims an actuator at, over time.
std::vector<double> Targets(const Character& character, const SplineGait& gait, int actuator,
                            double seconds, std::optional<double> halt_at = {}) {
  World world;
  world.actors = {character};
  const State stand = StandOn(character, world.terrain);
  const SplineBody body = SplineBodyOf(character);
  const SplineProgram program = MakeSplineProgram(world, stand, body, gait);
  ProgramController<SplineProgram> controller(program, world, stand, SplineParameters(gait));
  Actuation actuation = Passive(character);
  const int q = LayoutOf(character).q[body.servos[body.actuators[actuator].servo].body];
  std::vector<double> targets;
  for (int k = 0; k * world.time_step < seconds; ++k) {
    Command command;
    if (halt_at && k * world.time_step >= *halt_at) command.speed = 0;
    controller.Step({k * world.time_step, stand, {}}, command, &actuation);
    targets.push_back(actuation.target_q[q]);
  }
  return targets;
}

TEST(SplineProgram, GoesFromRestThroughTheCycleToRest) {
  const Character character = LoadCharacter("biped");
  const SplineBody body = SplineBodyOf(character);
  SplineGait gait = RestGait(body, 2, 4, 2);
  gait.cycle_seconds = 1, gait.in_seconds = 0.5, gait.out_seconds = 0.5;
  const double rest = body.actuators[0].rest;
  gait.curves[0].cycle.values = {0.3, 0.1, -0.2, 0.1};
  gait.curves[0].in.values = {0.1, 0.2};
  gait.curves[0].out.values = {0.2, 0.1};
  const std::vector<double> t = Targets(character, gait, 0, 5, 2.2);
  EXPECT_NEAR(t[0], rest, 1e-9);
  // Blends in by 0.5 s; cycles begin at 0.5, 1.5; told at 2.2, it ends its cycle at 2.5 and blends
  // out by 3.
  EXPECT_NEAR(t[101], 0.3, 0.02);
  EXPECT_NEAR(t[201], -0.2, 0.02);
  EXPECT_NEAR(t[301], 0.3, 0.02);
  EXPECT_NEAR(t[401], -0.2, 0.02);
  EXPECT_NEAR(t[501], 0.3, 0.02);
  EXPECT_NEAR(t[610], rest, 1e-9);
  EXPECT_NEAR(t.back(), rest, 1e-9);
  for (std::size_t k = 1; k < t.size(); ++k) EXPECT_LT(std::abs(t[k] - t[k - 1]), 0.02) << k;
}

TEST(SplineProgram, TheIntegralShiftsTheTargetWithinBounds) {
  const Character character = LoadCharacter("biped");
  const SplineBody body = SplineBodyOf(character);
  SplineGait gait = RestGait(body, 2, 4, 2);
  // The body does not move here: the error stays, its integral grows.
  const double target = body.actuators[0].rest - 0.1;
  gait.curves[0].cycle.values = {target, target, target, target};
  gait.in_seconds = 0.05;
  gait.gains[0].integral = 2;
  const std::vector<double> t = Targets(character, gait, 0, 10);
  EXPECT_NEAR(t[120] - t[100], -2 * 0.1 * 20 * 0.005, 1e-9);
  EXPECT_NEAR(t.back(), target - 0.3, 1e-9);
}

TEST(SplineGenome, SymmetryLeavesHalfOfThePoints) {
  const Character character = LoadCharacter("biped");
  const SplineBody body = SplineBodyOf(character);
  SplineGait gait = RestGait(body, 2, 4, 2);
  const auto genes = [&](const std::string& symmetry) {
    gait.symmetry = symmetry;
    return SplineGenome(character, body, gait, {.cycle = true}, 0.6).Genes().size();
  };
  EXPECT_EQ(genes("none"), 24u);
  EXPECT_EQ(genes("alternate"), 12u);
  EXPECT_EQ(genes("together"), 12u);

  gait.symmetry = "alternate";
  const SplineGenome genome(character, body, gait, {.cycle = true}, 0.6);
  std::vector<double> values(12);
  for (int k = 0; k < 12; ++k) values[k] = genome.Genes()[k].low + 0.01 * k;
  const std::vector<double> all = genome.Complete(SplineParameters(gait), values);
  const SplineGait made = WithParameters(gait, all);
  for (int a = 0; a < 3; ++a) {
    for (int k = 0; k < 4; ++k) {
      EXPECT_EQ(made.curves[a].cycle.values[k], made.curves[a + 3].cycle.values[(k + 2) % 4]);
    }
  }
  EXPECT_EQ(genome.GenesOf(all), values);
  EXPECT_THROW(genome.Complete(all, std::vector<double>(11)), InputError);
}

TEST(SplineGenome, WhatStandsInTheMiddleIsItsOwnMirrorImage) {
  const Character character = LoadCharacter("snake");
  const SplineBody body = SplineBodyOf(character);
  SplineGait gait = RestGait(body, 2, 4, 2);
  gait.symmetry = "alternate";
  // About the vertical: half a cycle later the negative. About the left-right axis: the same.
  const SplineGenome alternate(character, body, gait, {.cycle = true}, 0.6);
  EXPECT_EQ(alternate.Genes().size(), 12u);
  const SplineGait made = WithParameters(
      gait, alternate.Complete(SplineParameters(gait), std::vector<double>(12, 0.25)));
  EXPECT_EQ(made.curves[0].cycle.values, (std::vector<double>{0.25, 0.25, -0.25, -0.25}));
  EXPECT_EQ(made.curves[1].cycle.values, (std::vector<double>{0.25, 0.25, 0.25, 0.25}));
  // At once: a turn to the side would be its own negative, so there is none.
  gait.symmetry = "together";
  EXPECT_EQ(SplineGenome(character, body, gait, {.cycle = true}, 0.6).Genes().size(), 12u);
}

TEST(SplineGait, PayloadRoundTripsAndRefusesWhatDoesNotFit) {
  const Character character = LoadCharacter("biped");
  const SplineBody body = SplineBodyOf(character);
  SplineGait gait = RestGait(body, 2, 4, 2);
  gait.curves[2].cycle.values = {0.1, -0.1, 0.2, 0};
  gait.gains[1].integral = 0.5;
  const nlohmann::ordered_json json = ToJson(character, body, gait);
  EXPECT_EQ(SplineGaitOf(character, body, JsonNode(json, "payload")), gait);

  const auto refused = [&](auto change, const std::string& says) {
    nlohmann::ordered_json broken = json;
    change(broken);
    try {
      SplineGaitOf(character, body, JsonNode(broken, "payload"));
      ADD_FAILURE() << says;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    }
  };
  using J = nlohmann::ordered_json;
  refused([](J& j) { j["curves"].erase(0); },
          "6 curves, one for each degree of freedom that 'biped' drives, and there are 5");
  refused([](J& j) { j["curves"][0]["name"] = "wing"; }, "'left_thigh'");
  refused([](J& j) { j["curves"][0]["cycle"]["values"][1] = 7; }, "expected -2 to 1 rad");
  refused([](J& j) { j["curves"][0]["cycle"]["values"].erase(0); }, "expected 4");
  refused([](J& j) { j["curves"][0]["cycle"]["times"][2] = 0.1; }, "times that rise");
  refused([](J& j) { j["cycle_seconds"] = 0; }, "cycle_seconds");
  refused([](J& j) { j["sensor"] = "smell"; }, "no sensor 'smell'");
  refused([](J& j) { j["sensor"] = "roll"; }, "rising values");
}

TEST(SplineGait, EditsTakeAndRefuse) {
  const Character character = LoadCharacter("biped");
  const SplineBody body = SplineBodyOf(character);
  SplineGait gait = RestGait(body, 2, 4, 2);
  Apply({0, "cycle", {{0, 0.2, 0.7}, {0.1, 0.2, 0.3}}}, body, &gait);
  EXPECT_EQ(gait.curves[0].cycle.values.size(), 3u);
  const SplineGait before = gait;
  EXPECT_THROW(Apply({6, "cycle", {{0}, {0}}}, body, &gait), InputError);
  EXPECT_THROW(Apply({0, "middle", {{0}, {0}}}, body, &gait), InputError);
  EXPECT_THROW(Apply({0, "cycle", {{0, 0.5}, {0, 9}}}, body, &gait), InputError);
  EXPECT_THROW(Apply({0, "cycle", {{}, {}}}, body, &gait), InputError);
  EXPECT_THROW(Apply({0, "blend_in", {{0}, {0}}}, body, &gait), InputError);
  EXPECT_EQ(gait, before);
}

TEST(SplineGait, CurvesSayWhatAnEditorNeeds) {
  const Character character = LoadCharacter("biped");
  const SplineBody body = SplineBodyOf(character);
  SplineGait gait = RestGait(body, 2, 4, 2);
  gait.symmetry = "alternate";
  gait.cycle_seconds = 0.8, gait.in_seconds = 0.4, gait.out_seconds = 1.2;
  const ControlCurve plain = CurvesOf(character, body, gait)[0];
  EXPECT_EQ(plain.mirror_shift, 0.5);
  EXPECT_FALSE(plain.mirror_reverses);
  EXPECT_EQ(plain.in_seconds, 0.4);
  EXPECT_EQ(plain.cycle_seconds, 0.8);
  EXPECT_EQ(plain.out_seconds, 1.2);
  for (const char* sensor : {"roll", "inclination"}) {
    gait.sensor = sensor;
    gait.layers = {-0.3, 0, 0.3};
    // Who leans left leans right in the mirror; who leans forwards does so there too.
    EXPECT_EQ(CurvesOf(character, body, gait)[0].mirror_reverses, gait.sensor == "roll");
  }
}

// In lanes and in double the same, with surfaces of feedback and all sorts of joints.
TEST(SplineProgram, DoesTheSameInLanes) {
  for (const char* name : {"biped", "android", "snake", "liu16"}) {
    const Character character = LoadCharacter(name);
    World world;
    world.actors = {character};
    const State stand = StandOn(character, world.terrain);
    const SplineBody body = SplineBodyOf(character);
    SplineGait gait = RestGait(body, 2, 4, 2);
    gait.sensor = "inclination";
    gait.layers = {-0.3, 0, 0.3};
    Random random(7);
    for (std::size_t a = 0; a < gait.curves.size(); ++a) {
      const SplineBody::Actuator& actuator = body.actuators[a];
      gait.curves[a].cycle.values.resize(12);
      for (double& value : gait.curves[a].cycle.values) {
        value = std::clamp(actuator.rest + random.Uniform(-0.1, 0.1), actuator.low, actuator.high);
      }
    }
    for (const char* sensor : {"roll", "inclination_rate", "sideways"}) {
      gait.AddFurther(sensor, SplineLayers(SplineSensorOf(character, sensor), 2));
      for (CurvePoints& cycle : gait.further.back().cycles) {
        for (double& value : cycle.values) value = random.Uniform(-0.1, 0.1);
      }
    }
    for (SplineGait::Gains& gains : gait.gains) gains.integral = 0.5;
    const SplineProgram program = MakeSplineProgram(world, stand, body, gait);
    const std::vector<double> parameters = SplineParameters(gait);
    ASSERT_EQ(static_cast<int>(parameters.size()), program.Parameters());

    RolloutSetup setup;
    setup.character = character;
    setup.scenario.seconds = 0.5;
    const Workers workers(1);
    const auto run = [&](const LaneDriverMaker& driver) {
      setup.driver = driver;
      return Rollouts(setup, workers).Run(1, [&](int, Rollout* trial) {
        trial->parameters = parameters;
        trial->start = stand;
      })[0];
    };
    const RolloutResult lanes = run(DriveByProgram(MakeLaneProgram(program)));
    const RolloutResult clones = run(DriveByClones(character, [&](std::span<const double> p) {
      return std::make_unique<ProgramController<SplineProgram>>(
          program, world, stand, std::vector<double>(p.begin(), p.end()));
    }));
    ASSERT_EQ(lanes.seconds, clones.seconds) << name;
    for (std::size_t k = 0; k < lanes.end.q.size(); ++k) {
      EXPECT_NEAR(lanes.end.q[k], clones.end.q[k], 2e-3) << name << " " << k;
    }
  }
}

TEST(SplineFit, FindsTheCycleAndThePointsOfAClip) {
  const Character character = LoadCharacter("biped");
  const SplineBody body = SplineBodyOf(character);
  SplineGait gait = RestGait(body, 2, 8, 2);
  gait.cycle_seconds = 0.9;
  for (std::size_t a = 0; a < gait.curves.size(); ++a) {
    for (int k = 0; k < 8; ++k) {
      const SplineBody::Actuator& actuator = body.actuators[a];
      gait.curves[a].cycle.values[k] = std::clamp(
          0.3 + 0.2 * std::sin(2 * std::numbers::pi * (k / 8.0 + a / 6.0)) - 0.6 * (a % 3 == 0),
          actuator.low, actuator.high);
    }
  }
  Motion motion;
  motion.character = "biped";
  motion.fps = 60;
  const Layout layout = LayoutOf(character);
  for (int frame = 0; frame < 200; ++frame) {
    std::vector<double> q = character.rest_q;
    const double phase = frame / 60.0 / gait.cycle_seconds;
    for (std::size_t a = 0; a < gait.curves.size(); ++a) {
      q[layout.q[body.servos[a].body]] =
          Sum(Cycle(gait.curves[a].cycle.times, phase - std::floor(phase)),
              gait.curves[a].cycle.values);
    }
    motion.frames.push_back(q);
    motion.contacts.push_back(0);
  }
  const SplineFit fit = FitSplines(character, body, motion, RestGait(body, 2, 8, 2));
  EXPECT_NEAR(fit.gait.cycle_seconds, 0.9, 0.02);
  EXPECT_LT(fit.error, 0.01);
  EXPECT_FALSE(fit.period_given);
  // A loop says where it ends: the points come back.
  motion.loops = true;
  motion.frames.resize(55);
  motion.contacts.resize(55);
  const SplineFit loop = FitSplines(character, body, motion, RestGait(body, 2, 8, 2));
  EXPECT_NEAR(loop.gait.cycle_seconds, 0.9, 1e-9);
  for (std::size_t a = 0; a < gait.curves.size(); ++a) {
    for (int k = 0; k < 8; ++k) {
      EXPECT_NEAR(loop.gait.curves[a].cycle.values[k], gait.curves[a].cycle.values[k], 5e-3);
    }
  }
  motion.loops = false;
  motion.frames.resize(10);
  motion.contacts.resize(10);
  EXPECT_THROW(FitSplines(character, body, motion, RestGait(body, 2, 8, 2)), InputError);
}

// Near a gait that is there: where it is, the genome reads and writes it.
TEST(SplineGenome, StaysNearAGait) {
  const Character character = LoadCharacter("biped");
  const SplineBody body = SplineBodyOf(character);
  SplineGait gait = RestGait(body, 2, 4, 2);
  gait.cycle_seconds = 3;                                // no swing of a pendulum of its size
  gait.curves[0].cycle.values = {-1.2, -1, -0.9, -0.8};  // far from rest
  const SplineGenome genome(character, body, gait,
                            {.cycle = true, .blends = true, .seconds = true, .around = true}, 0.2);
  const std::vector<double> own = SplineParameters(gait);
  EXPECT_EQ(genome.Complete(own, genome.GenesOf(own)), own);
  for (std::size_t k = 3; k < genome.Genes().size(); ++k) {
    EXPECT_LE(genome.Genes()[k].high - genome.Genes()[k].low, 0.4 + 1e-9) << k;
  }
  EXPECT_GT(genome.Genes()[0].high, 3);
}

}  // namespace
}  // namespace stride
