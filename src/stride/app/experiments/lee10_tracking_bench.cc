#include <fmt/format.h>

#include "stride/app/bench/bench.h"
#include "stride/app/experiments/lee10_walks.h"

namespace stride::benches::lee10_tracking {

MethodSpeed Measure(const BenchOptions& options) {
  if (options.progress) options.progress("data-driven control");
  MethodSpeed speed{.key = "data_driven",
                    .text = "data-driven control, times real time on one core\n"};
  for (const experiments::Lee10Mode& mode : experiments::kLee10Modes) {
    const double factor = experiments::RealTimeFactor(mode, options.quick ? 5 : 60);
    speed.json[mode.name] = factor;
    speed.text += fmt::format("  {:<34}{:.0f}\n", mode.name, factor);
  }
  return speed;
}

}  // namespace stride::benches::lee10_tracking
