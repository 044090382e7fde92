#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/control/program_controller.h"
#include "stride/controllers/spline/spline_genome.h"
#include "stride/core/error.h"
#include "stride/math/rotation.h"
#include "stride/scenario/placement.h"

// Feedback on several sensors: surfaces that are added to the first.
namespace stride {
namespace {

const std::vector<std::string>& AllSensors() {
  static const std::vector<std::string> names = {"roll",  "inclination_rate", "roll_rate",
                                                 "speed", "sideways",         "height"};
  return names;
}

SplineGait GaitWith(const Character& character, const SplineBody& body) {
  SplineGait gait = RestGait(body, 2, 4, 2);
  gait.symmetry = "alternate";
  gait.sensor = "inclination";
  gait.layers = {-0.4, 0, 0.4};
  for (SplineGait::Curve& curve : gait.curves) {
    const std::vector<double> one = curve.cycle.values;
    for (int k = 0; k < 2; ++k) {
      curve.cycle.values.insert(curve.cycle.values.end(), one.begin(), one.end());
    }
  }
  for (const std::string& name : AllSensors()) {
    gait.AddFurther(name, SplineLayers(SplineSensorOf(character, name), 2));
  }
  return gait;
}

// Turned to the left by 0.7, leaning, and moving: each sensor tells what was put there.
TEST(SplineFeedback, AddsWhatEachSensorTells) {
  const Character character = LoadCharacter("biped");
  World world;
  world.actors = {character};
  const State stand = StandOn(character, world.terrain);
  const SplineBody body = SplineBodyOf(character);
  constexpr double kYaw = 0.7, kAhead = 0.4, kLeft = -0.3;
  const auto told = [&](const std::string& name, double lean, double roll, const Vec3d& turning) {
    const SplineSensor sensor = SplineSensorOf(character, name);
    SplineGait gait = RestGait(body, 2, 4, 2);
    gait.AddFurther(name, SplineLayers(sensor, 2));
    // One of the two layers raises the knee by 0.2 where the sensor is at its most.
    constexpr int kKnee = 1;
    gait.curves[kKnee].cycle.values.assign(4, 1.0);
    gait.further[0].cycles[kKnee].values = {0, 0, 0, 0, 0.2, 0.2, 0.2, 0.2};
    ProgramController<SplineProgram> controller(MakeSplineProgram(world, stand, body, gait), world,
                                                stand, SplineParameters(gait));
    State state = stand;
    const Quatd turned = Exp(Vec3d{0, 0, kYaw}) * Exp(Vec3d{0, lean, 0}) * Exp(Vec3d{roll, 0, 0});
    const Layout layout = LayoutOf(character);
    double* q = &state.q[layout.q[0]];
    q[3] = turned.w, q[4] = turned.x, q[5] = turned.y, q[6] = turned.z;
    // In the state the velocity has the world's axes, the turning the body's.
    const auto heading = [&](const Vec3d& v) { return Rotate(Exp(Vec3d{0, 0, kYaw}), v); };
    const Vec3d v = heading({kAhead, kLeft, 0});
    const Vec3d w = Rotate(Conjugate(turned), heading(turning));
    double* velocity = &state.v[layout.v[0]];
    velocity[0] = v.x, velocity[1] = v.y, velocity[2] = v.z;
    velocity[3] = w.x, velocity[4] = w.y, velocity[5] = w.z;
    Actuation actuation = Passive(character);
    // Long enough to be in the cycle, and for what is smoothed.
    for (int k = 0; k < 400; ++k) controller.Step({0, state, {}}, {}, &actuation);
    const double value = actuation.target_q[layout.q[body.servos[kKnee].body]] - 1.0;
    return sensor.low + (sensor.high - sensor.low) * value / 0.2;
  };
  constexpr double kNear = 2e-3;
  EXPECT_NEAR(told("inclination", 0.2, 0, {}), 0.2, kNear);
  EXPECT_NEAR(told("roll", 0, 0.15, {}), 0.15, kNear);
  EXPECT_NEAR(told("inclination_rate", 0, 0, {0.3, 1.1, 0.2}), 1.1, kNear);
  EXPECT_NEAR(told("roll_rate", 0, 0, {0.3, 1.1, 0.2}), 0.3, kNear);
  EXPECT_NEAR(told("speed", 0, 0, {}), kAhead, kNear);
  EXPECT_NEAR(told("sideways", 0, 0, {}), kLeft, kNear);
}

// Whatever the genes, a side does what the other did half a cycle ago, at what is for it the same
// sensor, and no more to one side of the sensor than to the other.
TEST(SplineFeedback, TheGenomeMakesBothSidesOfIt) {
  const Character character = LoadCharacter("biped");
  const SplineBody body = SplineBodyOf(character);
  const SplineGait gait = GaitWith(character, body);
  const GenomeParts parts{.cycle = true};
  const SplineGenome genome(character, body, gait, parts, 0.6);
  SplineGait first = gait;
  first.further.clear();
  const SplineGenome without(character, body, first, parts, 0.6);
  // Four points of three joints for each sensor.
  EXPECT_EQ(genome.Genes().size(), without.Genes().size() + 12 * AllSensors().size());

  std::vector<double> genes;
  Random random(3);
  for (const Gene& gene : genome.Genes()) genes.push_back(random.Uniform(gene.low, gene.high));
  const std::vector<double> own = SplineParameters(gait);
  const std::vector<double> complete = genome.Complete(own, genes);
  const SplineGait found = WithParameters(gait, complete);
  EXPECT_EQ(SplineParameters(found), complete);
  EXPECT_EQ(genome.GenesOf(complete), genes);
  for (const SplineGait::Further& more : found.further) {
    const bool odd = SplineSensorOf(character, more.sensor).odd;
    for (int a = 0; a < 6; ++a) {
      const std::vector<double>&mine = more.cycles[a].values,
            &others = more.cycles[body.actuators[a].mirror].values;
      for (int k = 0; k < 4; ++k) {
        EXPECT_NE(mine[k], 0);
        EXPECT_EQ(mine[k], -mine[4 + k]);
        for (int layer = 0; layer < 2; ++layer) {
          const int its = odd ? 1 - layer : layer;
          EXPECT_EQ(mine[4 * layer + k], body.actuators[a].sign * others[4 * its + (k + 2) % 4])
              << more.sensor << " " << a;
        }
      }
    }
  }
  // As a skill has it, and back.
  const nlohmann::ordered_json json = ToJson(character, body, found);
  EXPECT_EQ(SplineGaitOf(character, body, JsonNode(json, "payload")), found);
}

TEST(SplineFeedback, FurtherSurfacesAreCurvesOfTheirOwn) {
  const Character character = LoadCharacter("biped");
  const SplineBody body = SplineBodyOf(character);
  SplineGait gait = GaitWith(character, body);
  const std::vector<ControlCurve> curves = CurvesOf(character, body, gait);
  ASSERT_EQ(curves.size(), 6 * (1 + AllSensors().size()));
  EXPECT_EQ(curves[7].name, "left_shank by roll");
  EXPECT_EQ(curves[7].mirror, 10);
  EXPECT_TRUE(curves[7].mirror_reverses);
  EXPECT_EQ(curves[7].layers.size(), 2u);
  EXPECT_EQ(curves[7].rest, 0);
  EXPECT_TRUE(curves[7].blend_in.times.empty());
  Apply({7, "cycle", {{0, 0.5}, {0.1, 0.2, -0.1, -2.6}}}, body, &gait);
  EXPECT_EQ(gait.further[0].cycles[1].values[3], -2.6);
  EXPECT_EQ(CurvesOf(character, body, gait)[7].cycle.times.size(), 2u);
  const SplineGait before = gait;
  EXPECT_THROW(Apply({7, "blend_in", {{0.5}, {0}}}, body, &gait), InputError);
  EXPECT_THROW(Apply({7, "cycle", {{0, 0.5}, {0.1, 0.2}}}, body, &gait), InputError);
  EXPECT_THROW(Apply({7, "cycle", {{0, 0.5}, {0.1, 0.2, 0, 9}}}, body, &gait), InputError);
  EXPECT_THROW(Apply({42, "cycle", {{0}, {0}}}, body, &gait), InputError);
  EXPECT_EQ(gait, before);
}

TEST(SplineFeedback, RefusesWhatIsNone) {
  const Character character = LoadCharacter("biped");
  const SplineBody body = SplineBodyOf(character);
  const nlohmann::ordered_json json = ToJson(character, body, GaitWith(character, body));
  const auto refused = [&](auto change, const std::string& says) {
    nlohmann::ordered_json broken = json;
    change(broken["further"]);
    try {
      SplineGaitOf(character, body, JsonNode(broken, "payload"));
      ADD_FAILURE() << says;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
    }
  };
  using J = nlohmann::ordered_json;
  refused([](J& j) { j[1]["sensor"] = "smell"; }, "no sensor 'smell'");
  refused([](J& j) { j[1]["sensor"] = ""; }, "the name of a sensor");
  refused([](J& j) { j[0]["layers"] = {0.3}; }, "rising values");
  refused([](J& j) { j[0]["layers"] = J::array(); }, "rising values");
  refused([](J& j) { j[0]["cycles"].erase(0); }, "6 curves");
  refused([](J& j) { j[0]["cycles"][0]["values"][2] = 4; }, "expected -3 to 3 rad");
  refused([](J& j) { j[0]["cycles"][0]["values"].erase(0); }, "expected 8");
  refused(
      [](J& j) {
        for (int k = 0; k < 7; ++k) j.push_back(j[0]);
      },
      "at most 24 layers");
  refused([](J& j) { j = 3; }, "further");
}

}  // namespace
}  // namespace stride
