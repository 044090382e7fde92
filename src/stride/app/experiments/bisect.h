#pragma once

#include <functional>
#include <optional>
#include <vector>

// The limit of something that only gets harder: the largest push, slope or smallest friction that
// is survived. Noise is met by many samples a probe.
namespace stride {

struct LimitSearch {
  // Between which the limit is sought; `hard` may be the smaller one (friction).
  double easy = 0, hard = 1;
  double tolerance = 0.01;  // width of the bracket at which the search ends
  int samples = 8;          // runs a probe, each with its own random start
  double share = 0.5;       // a value holds if at least this share of its runs survives
  int threads = 0;          // 0: all cores
};

struct Probe {
  double value = 0;
  int survived = 0;
  bool holds = false;
  friend bool operator==(const Probe&, const Probe&) = default;
};

// The limit lies between the two. No `holds`: even the easy end fails; no `fails`: even the hard
// end holds.
struct Limit {
  std::optional<double> holds, fails;
  std::vector<Probe> probes;  // in the order they were made
  friend bool operator==(const Limit&, const Limit&) = default;
};

// `survives(value, sample)` is called from several threads and must depend on its arguments alone:
// the result is then the same for any number of threads. The samples are the same at every value,
// so that chance moves all probes alike. Exceptions pass through.
Limit FindLimit(const LimitSearch& search,
                const std::function<bool(double value, int sample)>& survives);

}  // namespace stride
