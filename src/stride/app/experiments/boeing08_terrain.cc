#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stride/app/experiments/boeing08_gaits.h"
#include "stride/app/simulate.h"
#include "stride/scenario/ground.h"

// Rugged terrain (Fig. 10): surfaces over what the torso senses against the open loop. The paper
// shows a controller with feedback on "the torsos inclination" that crosses and compares it with
// none: the arms are ours. All are evolved in the same way from the same gait of the level.
namespace stride::experiments::boeing08_terrain {
namespace {

constexpr int kTerrains = 10;
constexpr double kFirst = 0.01, kStep = 0.01;  // m, amplitudes of the fields that grow
constexpr double kCrossed = 0.05;              // m, of the ten that do not
constexpr double kHalfSide = 30;               // m: none runs off the field
constexpr const char* kLevel = "spline-biped";

// How the torso leans and moves, all of it.
constexpr const char* kSensors = "inclination,roll,inclination_rate,roll_rate,speed,sideways";

struct Arm {
  const char* name;
  std::string file;
};
enum { kLevelArm, kOpen, kInclination, kTorso, kArms };

// On fields of up to 10 cm, begun anywhere: far from the seeds and the places of the test.
std::string EvolvedArm(const std::string& name, const std::string& sensors,
                       const ExperimentContext& context) {
  std::vector<std::string> settings = {
      "optimizer=cma", "generations=200",  "population=48", "seconds=20",  "servo_generations=0",
      "servos=true",   "fitness=distance", "trials=12",     "redraw=true", "speed=1.2"};
  if (!sensors.empty()) settings.push_back("feedback=" + sensors);
  return ObtainGait({name, "biped", settings}, context.seed, context,
                    {{"terrain", {"field:1000000000,0.1"}}, {"from", {kLevel}}})
      .file;
}

RunSetup OnField(const std::string& file, std::uint64_t seed, double amplitude) {
  RunSetup setup = GaitSetup(file, kGaitSeconds, -1);
  setup.scenario.world.terrain = RandomField(seed, amplitude, kHalfSide);
  setup.scenario.chosen.emplace_back(kChosenGround);
  return setup;
}

// From where it began, whichever way the ground has turned it: no gait steers.
double DistanceOf(const GaitRun& run) { return std::hypot(run.forwards, run.sideways); }

}  // namespace

std::string Describe() {
  return "ten rugged terrains of growing height, ten of 5 cm: distance and falls with feedback, on "
         "the torso's inclination and on all it senses, and without";
}

Findings Measure(const ExperimentContext& context) {
  Findings findings;
  const Arm arms[kArms] = {
      {"open loop, evolved on the level", kLevel},
      {"open loop, evolved on rugged ground", EvolvedArm("rugged_open", "", context)},
      {"feedback on the inclination, evolved on rugged ground",
       EvolvedArm("rugged_inclination", "inclination", context)},
      {"feedback on six sensors, evolved on rugged ground",
       EvolvedArm("rugged_torso", kSensors, context)}};
  double mean[kArms] = {};
  Plot plot{.title = "Distance over rugged ground", .x_label = "amplitude, m", .y_label = "m"};
  for (int who = 0; who < kArms; ++who) {
    const Arm& arm = arms[who];
    int falls = 0;
    Series series{.name = arm.name};
    for (int k = 0; k < kTerrains; ++k) {
      const double amplitude = kFirst + kStep * k;
      const GaitRun run = PerformGait(OnField(arm.file, context.seed + 1 + k, amplitude));
      mean[who] += DistanceOf(run) / kTerrains;
      falls += run.fell;
      series.x.push_back(amplitude);
      series.y.push_back(DistanceOf(run));
    }
    plot.series.push_back(series);
    findings.rows.push_back(
        {.name = arm.name,
         .ours = mean[who],
         .unit = "m",
         .note = fmt::format("mean of {} terrains of growing height, 20 s each, {} falls",
                             kTerrains, falls)});
  }
  const std::string quick = context.quick ? "quick; " : "";
  // Of the open loops the better: one may be evolved to hardly move, and not to fall.
  const double open = std::max({mean[kLevelArm], mean[kOpen], 1e-3});
  for (const int who : {kInclination, kTorso}) {
    Row ratio{.name = fmt::format("{} against the better open loop",
                                  who == kTorso ? "six sensors" : "inclination alone"),
              .paper_text = "Fig. 10: crosses",
              .ours = mean[who] / open,
              .unit = "times",
              .note = fmt::format("{}asked: 2; against that of rugged ground {:.2f} times, of the "
                                  "level {:.2f} times",
                                  quick, mean[who] / std::max(mean[kOpen], 1e-3),
                                  mean[who] / std::max(mean[kLevelArm], 1e-3))};
    if (!context.quick) ratio.met = ratio.ours >= 2;
    findings.rows.push_back(ratio);
  }
  findings.plots.push_back(plot);

  // Ground of one height, other fields: who crosses where another falls.
  bool fell[kArms][kTerrains];
  double far[kArms] = {};
  for (int who = 0; who < kArms; ++who) {
    for (int k = 0; k < kTerrains; ++k) {
      const GaitRun run = PerformGait(OnField(arms[who].file, context.seed + 51 + k, kCrossed));
      fell[who][k] = run.fell;
      far[who] += DistanceOf(run) / kTerrains;
    }
  }
  const auto falls_of = [&](int who) {
    return static_cast<int>(std::count(std::begin(fell[who]), std::end(fell[who]), true));
  };
  for (const int with : {kInclination, kTorso}) {
    for (const int without : {kLevelArm, kOpen}) {
      const int falls = falls_of(without);
      int crossed = 0;
      for (int k = 0; k < kTerrains; ++k) crossed += fell[without][k] && !fell[with][k];
      Row row{.name = fmt::format("crossed with {} where falls: {}",
                                  with == kTorso ? "six sensors" : "the inclination alone",
                                  arms[without].name),
              .paper_text = "Fig. 10: crosses",
              .ours = static_cast<double>(crossed),
              .unit = "terrains",
              .note = fmt::format(
                  "{}of {} falls on {} fields of {:g} m; feedback falls on {}; {:.1f} against "
                  "{:.1f} m; asked: 8 in 10 of them crossed",
                  quick, falls, kTerrains, kCrossed, falls_of(with), far[with], far[without])};
      // Who hardly moves does not fall: no verdict.
      if (!context.quick && falls > 0) row.met = crossed >= 0.8 * falls;
      findings.rows.push_back(row);
    }
  }
  Simulate({.setup = OnField(arms[kTorso].file, context.seed + 51, kCrossed),
            .sheet = context.folder + "/rugged.png"});
  findings.config = {{"amplitudes", {kFirst, kFirst + kStep * (kTerrains - 1)}},
                     {"crossed", kCrossed}};
  return findings;
}

}  // namespace stride::experiments::boeing08_terrain
