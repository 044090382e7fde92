#include "stride/app/experiments/bisect.h"

#include <cmath>

#include "stride/core/error.h"
#include "stride/core/parallel.h"

namespace stride {

Limit FindLimit(const LimitSearch& search,
                const std::function<bool(double value, int sample)>& survives) {
  STRIDE_CHECK(search.samples > 0 && search.tolerance > 0);
  STRIDE_CHECK(std::isfinite(search.easy) && std::isfinite(search.hard));
  Limit limit;
  std::vector<char> survived(search.samples);
  const auto holds = [&](double value) {
    ForEachInParallel(search.samples, search.threads,
                      [&](int i) { survived[i] = survives(value, i); });
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
