#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "stride/controllers/control_graph/samcon.h"
#include "stride/learn/learning_job.h"
#include "stride/learn/workers.h"
#include "stride/motion/import/motion_source.h"

// Sampling control alone (SAMCON): a clip performed by the simulated body, once, as a motion file.
// No feedback is learned. Behind `stride learn openloop`.
namespace stride {

struct OpenLoopOptions {
  int samples = 1000;     // a fragment (paper: 1000)
  int paths = 4;          // independent; the best is kept
  int passes = 3;         // over the course, each from where the one before moved the sampling
  int cycles = 4;         // of a clip that loops; another is performed once
  double sigma_deg = 5;   // exploration at first (paper: 5); every other path twice that
  double time_scale = 1;  // the clip takes so many times as long
  double fragment = 0.1;  // s (paper: 0.1)
  double lead = 0.9;      // of the servo's lag, as in LearnOptions
};
template <class Visitor>
void VisitConfig(OpenLoopOptions& o, Visitor& visit) {
  visit("samples", o.samples, {8, 100000}, "samples a fragment (paper: 1000)");
  visit("paths", o.paths, {1, 1024}, "independent sampled paths, of which the best is kept");
  visit("passes", o.passes, {1, 100}, "over the course, with a sampling distribution that evolves");
  visit("cycles", o.cycles, {1, 1000}, "rounds of a clip that loops");
  visit("sigma_deg", o.sigma_deg, {0.1, 45, "deg"},
        "exploration at first (paper: 5); every other path explores twice as far");
  visit("time_scale", o.time_scale, {0.1, 10}, "the clip takes so many times as long");
  visit("fragment", o.fragment, {0.02, 1, "s"}, "length of a control fragment (paper: 0.1)");
  visit("lead", o.lead, {0, 2}, "how far servo targets run ahead, in units of the servo's lag");
}

// What the simulated body did.
struct OpenLoopPerformance {
  bool complete = false;
  int fragments = 0;       // performed
  int retries = 0;         // roll-backs of this pass
  int path = 0, pass = 0;  // which one it is
  double mean_cost = 0;
  std::vector<double> costs;  // at the end of each fragment (liu16, equation 20)
  Motion motion;              // every step of the simulation; no frame where nothing was performed
};

// All paths and passes; the best performance: a complete one before others, then the longer, then
// the cheaper. Throws InputError as MakeControlGraph does. `tick` is called before each fragment of
// each path, from any thread; true ends the work early.
OpenLoopPerformance PerformOpenLoop(const Motion& clip, const Character& character,
                                    const OpenLoopOptions& options, std::uint64_t seed,
                                    const Workers& workers, const std::function<bool()>& tick = {});

struct LearnOpenLoopRequest {
  std::string clip;                 // as LoadAnyMotion takes it
  CaptureOptions capture;           // what of it to take
  std::string character = "liu16";  // built-in name or MJCF file
  std::string sheet;                // PNG; empty: none
  OpenLoopOptions options;
  std::uint64_t seed = 0;
  std::string out;
};

// One iteration, no checkpoint. A clip that cannot be followed to its end is a result: the motion
// goes as far as the body did. Throws InputError.
std::unique_ptr<LearningJob> MakeOpenLoopJob(const LearnOpenLoopRequest& request,
                                             const Workers& workers,
                                             std::vector<std::string>* warnings);
LearningMethod OpenLoopMethod();

}  // namespace stride
