#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stride/app/experiments/experiment.h"
#include "stride/run/run.h"

// The walks and turns of lee10's Figure 5 and runs of them under data-driven control: what its
// experiments share.
namespace stride::experiments {

struct Lee10Clip {
  std::string name;  // "normal"; rows of gains are called like it
  std::string file;  // in the folder snumrl of the captured clips; empty: a built-in motion
  int first, last;   // frames of the file
  double friction;   // of the authors' program
};
// With captured clips the paper's own; else those built-in motions that are of the same kind.
std::vector<Lee10Clip> Lee10Walks(const ExperimentContext& context);
std::vector<Lee10Clip> Lee10Turns(const ExperimentContext& context);

// The clip on a character, as a loop or (turns) as it is: a file in the experiment's folder, or a
// built-in motion's name.
std::string Lee10Motion(const Lee10Clip& clip, bool loop, const std::string& character,
                        const ExperimentContext& context, Findings* findings);

// `gains`: row, such as "tuned_normal". In the native engine at 900 Hz, ended by a fall.
RunSetup Lee10Setup(const Lee10Clip& clip, const std::string& motion, const std::string& character,
                    const std::string& gains, double seconds);

// A start that is off: a push of 0.2 s in its first second, of a size drawn from N(0, 20 N) in a
// random direction. The paper says only that states were perturbed.
void PerturbStart(std::uint64_t seed, RunSetup* setup);

struct Lee10Run {
  double seconds = 0;  // until it fell, or all that was asked for
  bool fell = false;
  Metrics metrics;
};
Lee10Run Follow(const RunSetup& setup);

// Ways of tracking, and how many times faster than real time the built-in walk runs on one core in
// processor time: controller, physics and metrics.
struct Lee10Mode {
  const char* name;
  const char* tracking;
  double time_step;  // s
};
inline constexpr Lee10Mode kLee10Modes[] = {
    {"accelerations prescribed, 900 Hz", "prescribed", 1.0 / 900},
    {"inverse dynamics, 900 Hz", "inverse", 1.0 / 900},
    {"servos, 5 ms", "servo", 0.005}};
double RealTimeFactor(const Lee10Mode& mode, double seconds);

// Row of gains for a clip on a character: tuned where there are some, else the paper's.
std::string GainsFor(const std::string& clip);

}  // namespace stride::experiments
