#include <algorithm>
#include <numbers>

#include <fmt/format.h>

#include "stride/app/experiments/bisect.h"
#include "stride/app/experiments/experiment.h"
#include "stride/app/simulate.h"
#include "stride/character/library.h"
#include "stride/character/mjcf.h"
#include "stride/core/random.h"

// The push resistance of a body that only holds its pose: what balance feedback has to beat. The
// largest push of 0.2 s in eight directions, found by bisection, in two engines that share nothing
// but the contract.
namespace stride::experiments::stride_standing {
namespace {

constexpr double kPushSeconds = 0.2;
constexpr double kAfterwards = 4;   // s without a fall: survived
constexpr double kMostForce = 400;  // N

struct Config {
  int samples = 8;       // runs a probe
  double share = 0.5;    // of them that must stand
  double tolerance = 2;  // N
  int directions = 8;
  std::vector<std::string> engines = {"native", "mujoco"};
};

// The run of one sample: small nudges shake the stand before the push, so that no two begin alike.
RunSetup SetupOf(const std::string& engine, double force, double heading, std::uint64_t seed,
                 int sample) {
  Random random(seed, 0, static_cast<std::uint32_t>(sample));
  RunSetup setup{.engine = engine, .seed = seed};
  Scenario& scenario = setup.scenario;
  scenario.name = "standing push";
  scenario.stop_at_fall = true;
  for (int nudge = 0; nudge < 3; ++nudge) {
    scenario.pushes.push_back({.force = random.Uniform(0, 15),
                               .heading = random.Uniform(0, 2 * std::numbers::pi),
                               .at = 0.3 * nudge,
                               .duration = 0.1});
  }
  const double at = random.Uniform(1.0, 1.5);
  scenario.pushes.push_back(
      {.force = force, .heading = heading, .at = at, .duration = kPushSeconds});
  scenario.seconds = at + kPushSeconds + kAfterwards;
  return setup;
}

bool Survives(const RunSetup& setup) {
  Run run(setup);
  while (!run.Finished()) run.Step();
  return !run.Fell() && !run.Failed();
}

std::string NoteOf(const Limit& limit, const Config& config) {
  const std::string bracket = !limit.holds   ? "falls without a push"
                              : !limit.fails ? "the largest that was tried"
                                             : fmt::format("does not at {:.0f} N", *limit.fails);
  return fmt::format("at least {:g} % of {} runs stand; {}", 100 * config.share, config.samples,
                     bracket);
}

Plot SharesPlot(const Limit& limit, const Config& config, const std::string& name) {
  std::vector<Probe> probes = limit.probes;
  std::sort(probes.begin(), probes.end(),
            [](const Probe& a, const Probe& b) { return a.value < b.value; });
  Series series{"stand", {}, {}};
  for (const Probe& probe : probes) {
    series.x.push_back(probe.value);
    series.y.push_back(100.0 * probe.survived / config.samples);
  }
  return {.title = "Probes of the search: " + name,
          .x_label = "push, N",
          .y_label = "runs that stand, %",
          .series = {std::move(series)}};
}

}  // namespace

std::string Describe() {
  return "largest push of 0.2 s that the pose-holding liu16 body takes, in 8 directions";
}

Findings Measure(const ExperimentContext& context) {
  const Config config =
      context.quick ? Config{.samples = 2, .tolerance = 25, .directions = 4, .engines = {"native"}}
                    : Config{};
  Findings findings;
  std::vector<Row> means;
  Plot resistance{.kind = Plot::Kind::kPolar,
                  .title = "Largest push of 0.2 s survived",
                  .y_label = "push, N, drawn towards where it goes"};
  for (const std::string& engine : config.engines) {
    Series series{engine, {}, {}};
    double sum = 0;
    for (int k = 0; k < config.directions; ++k) {
      const double heading = k * 2 * std::numbers::pi / config.directions;
      const std::string name =
          fmt::format("{}, towards {:.0f} deg", engine, heading * 180 / std::numbers::pi);
      const Limit limit =
          FindLimit({.easy = 0,
                     .hard = kMostForce,
                     .tolerance = config.tolerance,
                     .samples = config.samples,
                     .share = config.share,
                     .threads = context.threads},
                    [&](double force, int sample) {
                      return Survives(SetupOf(engine, force, heading, context.seed, sample));
                    });
      const double holds = limit.holds.value_or(0);
      context.Tell(fmt::format("{}: {:.0f} N", name, holds));
      findings.rows.push_back({.name = name,
                               .ours = holds,
                               .unit = "N",
                               .note = NoteOf(limit, config) + (context.quick ? "; quick" : "")});
      series.x.push_back(heading);
      series.y.push_back(holds);
      sum += holds;
      if (k == 0 && engine == config.engines[0]) {
        findings.plots.push_back(SharesPlot(limit, config, name));
        Simulate({.setup = SetupOf(engine, holds, heading, context.seed, 0),
                  .record = context.folder + "/largest_push_forwards.stride"});
      }
    }
    means.push_back({.name = engine + ", mean of the directions",
                     .ours = sum / config.directions,
                     .unit = "N",
                     .note = context.quick ? "quick" : ""});
    resistance.series.push_back(std::move(series));
  }
  findings.rows.insert(findings.rows.begin(), means.begin(), means.end());
  findings.plots.insert(findings.plots.begin(), std::move(resistance));
  findings.inputs = {{"character liu16", InputHash(WriteMjcf(LoadCharacter("liu16")))}};
  findings.config = {{"run", ToJson(SetupOf(config.engines[0], 0, 0, context.seed, 0))},
                     {"samples", config.samples},
                     {"share", config.share},
                     {"tolerance", config.tolerance},
                     {"directions", config.directions},
                     {"engines", config.engines}};
  return findings;
}

}  // namespace stride::experiments::stride_standing
