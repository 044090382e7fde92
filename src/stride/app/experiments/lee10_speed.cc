#include "stride/app/experiments/lee10_walks.h"

// "900 Hz tracking and 30 Hz data-driven control in real time": how fast it is here, on one core.
namespace stride::experiments::lee10_speed {

std::string Describe() { return "speed of data-driven control and its physics on one core"; }

Findings Measure(const ExperimentContext& context) {
  Findings findings;
  for (const Lee10Mode& mode : kLee10Modes) {
    const double factor = RealTimeFactor(mode, context.quick ? 1 : 60);
    const bool paper = mode.time_step < 0.002;
    findings.rows.push_back(
        {.name = mode.name,
         .paper = paper ? std::optional<double>(1) : std::nullopt,
         .ours = factor,
         .unit = "times real time",
         .met = context.quick || !paper ? std::nullopt : std::optional<bool>(factor >= 20),
         .note = "built-in walk; controller, physics and metrics, processor time"});
  }
  return findings;
}

}  // namespace stride::experiments::lee10_speed
