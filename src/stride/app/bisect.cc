#include "stride/app/bisect.h"

#include <cmath>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "stride/core/error.h"

namespace stride {

Limit FindLimit(const LimitSearch& search,
                const std::function<bool(double value, int sample)>& survives) {
  STRIDE_CHECK(search.samples > 0 && search.tolerance > 0);
  STRIDE_CHECK(std::isfinite(search.easy) && std::isfinite(search.hard));
  // More threads than cores are possible too, as asked.
  std::optional<tbb::global_control> more;
  if (search.threads > tbb::this_task_arena::max_concurrency()) {
    more.emplace(tbb::global_control::max_allowed_parallelism, search.threads);
  }
  tbb::task_arena arena(search.threads > 0 ? search.threads : tbb::task_arena::automatic);
  Limit limit;
  std::vector<char> survived(search.samples);
  const auto holds = [&](double value) {
    // Runs differ in length (a fall ends one early), so each is a task of its own.
    arena.execute([&] {
      tbb::parallel_for(
          tbb::blocked_range<int>(0, search.samples, 1),
          [&](const tbb::blocked_range<int>& range) {
            for (int i = range.begin(); i < range.end(); ++i) survived[i] = survives(value, i);
          },
          tbb::simple_partitioner());
    });
    Probe probe{.value = value};
    for (const char each : survived) probe.survived += each;
    // A share such as 0.9 of 10 must not fail by rounding.
    probe.holds = probe.survived >= search.share * search.samples - 1e-9;
    limit.probes.push_back(probe);
    (probe.holds ? limit.holds : limit.fails) = value;
    return probe.holds;
  };
  if (!holds(search.easy) || holds(search.hard)) return limit;
  while (std::fabs(*limit.fails - *limit.holds) > search.tolerance) {
    const double middle = 0.5 * (*limit.holds + *limit.fails);
    if (middle == *limit.holds || middle == *limit.fails) break;  // no number lies between
    holds(middle);
  }
  return limit;
}

}  // namespace stride
