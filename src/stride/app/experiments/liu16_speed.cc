#include <algorithm>
#include <ctime>
#include <memory>

#include <fmt/format.h>

#include "stride/app/bench/bench_jobs.h"
#include "stride/app/experiments/experiment.h"
#include "stride/character/library.h"
#include "stride/character/mjcf.h"
#include "stride/sim/batch.h"

// Simulation speed of liu16 (Liu, van de Panne, Yin 2016, "Guided learning of control graphs for
// physics-based characters"): its simulator runs at ten times real time with steps of 5 ms on one
// core. Learning is made of short rollouts, so the hours it takes depend on this.
namespace stride::experiments::liu16_speed {
namespace {

constexpr double kPaperFactor = 10;
constexpr double kGoalFactor = 4000;

double ProcessorSeconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Simulated time to processor time over one round.
double RoundFactor(StandRunner* runner, double seconds, double time_step) {
  const double start = ProcessorSeconds();
  long steps = 0;
  double elapsed = 0;
  do {
    steps += runner->RunInterval();
    elapsed = ProcessorSeconds() - start;
  } while (elapsed < seconds);
  return static_cast<double>(steps) * time_step / elapsed;
}

struct Contestant {
  std::string name;
  std::unique_ptr<StandRunner> runner;
  std::vector<double> factors;  // of each round

  double Median() const {
    std::vector<double> sorted = factors;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
};

}  // namespace

std::string Describe() {
  return "simulation speed of the liu16 body under its servos at steps of 5 ms, one core";
}

Findings Measure(const ExperimentContext& context) {
  StandJob job;
  job.world.actors = {LoadCharacter("liu16")};
  job.disturbance.seed = context.seed;
  const Batch batch(job.world);
  const int rounds = context.quick ? 5 : 21;
  const double seconds = context.quick ? 0.05 : 0.25;

  std::vector<Contestant> contestants;
  contestants.push_back({"lanes", MakeBatchRunner(job), {}});
  contestants.push_back({"native", MakeEngineRunner(job, "native"), {}});
  contestants.push_back({"MuJoCo", MakeMujocoRunner(job), {}});
  for (Contestant& c : contestants) c.runner->RunInterval();  // warm caches
  // In turns, so that what else the machine does meets them all.
  for (int round = 0; round < rounds; ++round) {
    for (Contestant& c : contestants) {
      c.factors.push_back(RoundFactor(c.runner.get(), seconds, job.world.time_step));
    }
  }
  const double lanes = contestants[0].Median(), native = contestants[1].Median(),
               mujoco = contestants[2].Median();
  const std::string how = fmt::format("median of {} rounds of {:g} s of processor time{}", rounds,
                                      seconds, context.quick ? "; quick" : "");

  Findings findings;
  const std::string unit = "x real time";
  findings.rows = {
      {.name = "rollouts in lanes, one core",
       .paper = kPaperFactor,
       .ours = lanes,
       .unit = unit,
       .met = lanes >= kGoalFactor,
       .note = fmt::format("goal {:g}; {} lanes of {}, {:.2f} million lane steps/s; {}",
                           kGoalFactor, batch.Lanes(), batch.InstructionSet(),
                           1e-6 * lanes / job.world.time_step, how)},
      {.name = "one character in double, one core",
       .paper = kPaperFactor,
       .ours = native,
       .unit = unit,
       .met = native >= kPaperFactor,
       .note = "asked: the paper's; " + how},
      {.name = "MuJoCo on the same body, one core",
       .ours = mujoco,
       .unit = unit,
       .note = "for comparison, measured in the same turns with the settings of `stride bench`"},
      {.name = "lanes to MuJoCo", .ours = lanes / mujoco, .unit = "x", .note = "same turns"}};

  findings.plots.push_back({.kind = Plot::Kind::kBars,
                            .title = "Speed on one core",
                            .y_label = "times real time",
                            .categories = {"liu16 (2016)", "MuJoCo", "native", "lanes"},
                            .log_y = true,
                            .series = {{"speed", {}, {kPaperFactor, mujoco, native, lanes}}}});
  Plot turns{.title = "Rounds, one after the other",
             .x_label = "round",
             .y_label = "times real time",
             .log_y = true};
  for (const Contestant& c : contestants) {
    Series series{c.name, {}, c.factors};
    for (int round = 1; round <= rounds; ++round) series.x.push_back(round);
    turns.series.push_back(std::move(series));
  }
  findings.plots.push_back(std::move(turns));
  findings.inputs = {{"character liu16", InputHash(WriteMjcf(job.world.actors[0]))}};
  findings.config = {{"character", "liu16"},
                     {"time_step", job.world.time_step},
                     {"disturbance", job.disturbance.amplitude},
                     {"disturbance_interval", job.disturbance.interval},
                     {"rounds", rounds},
                     {"round_seconds", seconds},
                     {"mujoco_settings", stride::Describe(MujocoSettings{})}};
  return findings;
}

}  // namespace stride::experiments::liu16_speed
