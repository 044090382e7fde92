#include <ctime>

#include <fmt/format.h>

#include "stride/app/experiments/lee10_walks.h"

// "900 Hz tracking and 30 Hz data-driven control in real time": how fast it is here, on one core.
namespace stride::experiments::lee10_speed {
namespace {

double ProcessorSeconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

std::string Describe() { return "speed of data-driven control and its physics on one core"; }

Findings Measure(const ExperimentContext& context) {
  Findings findings;
  struct Mode {
    const char* name;
    const char* tracking;
    double time_step;
  };
  constexpr Mode kModes[] = {{"accelerations prescribed, 900 Hz", "prescribed", 1.0 / 900},
                             {"inverse dynamics, 900 Hz", "inverse", 1.0 / 900},
                             {"servos, 5 ms", "servo", 0.005}};
  for (const Mode& mode : kModes) {
    const Lee10Clip clip{"walk", "", 0, 0, 1};
    RunSetup setup = Lee10Setup(clip, "walk", "lee10", GainsFor("walk"), context.quick ? 1 : 20);
    setup.characters[0].controller_config["tracking"] = mode.tracking;
    setup.scenario.stop_at_fall = false;
    setup.scenario.world.time_step = mode.time_step;
    setup.scenario.chosen = {"time_step"};
    Run run(setup);
    const double start = ProcessorSeconds();
    while (!run.Finished()) run.Step();
    const double factor = run.Time() / (ProcessorSeconds() - start);
    const bool paper = mode.time_step < 0.002;
    findings.rows.push_back(
        {.name = mode.name,
         .paper = paper ? std::optional<double>(1) : std::nullopt,
         .ours = factor,
         .unit = "times real time",
         .met = context.quick || !paper ? std::nullopt : std::optional<bool>(factor >= 20),
         .note = "built-in walk; controller, physics and metrics"});
  }
  return findings;
}

}  // namespace stride::experiments::lee10_speed
