#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Speed of learning, for `stride bench`: the built-in walk, sampled and in trials, in the lanes of
// one core; and whole learning runs over threads and ranks.
namespace stride {

struct BenchLearning {
  // Measured in turns with the raw lanes (the stand of bench_jobs.h) on one core.
  double raw_steps_per_second = 0;  // lane steps
  struct Work {
    double samples_per_second = 0;  // control fragments of one lane
    double steps_per_second = 0;    // lane steps
    double physics_share = 0;       // of the time, spent in Batch::Step
  };
  Work sampling, episodes;

  // The same small learning run, by wall time without the start of the program. `ranks` above 1 are
  // processes of mpirun, absent where there is no mpirun.
  struct Scaling {
    int threads = 1, ranks = 1;
    double wall_seconds = 0;
    double speedup = 0;  // over one thread
  };
  std::vector<Scaling> scaling;
  std::string missing;  // why there are no ranks; empty: there are
};

// `program`: the path of stride, for mpirun; empty: no ranks.
BenchLearning MeasureLearning(bool quick, std::uint64_t seed, const std::string& program);

}  // namespace stride
