#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stride/app/experiments/experiment.h"
#include "stride/controllers/pendulum/pendulum.h"

// What the experiments of kwon17 share: a walk and a run, each from one clip, in both uses of the
// quadratic program.
namespace stride::experiments {

// The paper's, where the program is the simulator and knows the pushes; and torques in the native
// engine, which knows nothing of the program.
enum class Kwon17Mode { kProgram, kEngine };
inline constexpr Kwon17Mode kKwon17Modes[] = {Kwon17Mode::kProgram, Kwon17Mode::kEngine};
const char* NameOf(Kwon17Mode mode);

// Built-in, or captured where there is a folder: "walk" or "run".
std::shared_ptr<const PendulumRig> Kwon17Clip(const std::string& gait,
                                              const ExperimentContext& context, Findings* findings);

struct Kwon17Push {
  double newtons = 0, degrees = 0, at = 0, seconds = 0.2;
};
struct Kwon17Trial {
  double seconds = 20;
  std::optional<double> speed;  // m/s
  double turn = 0;              // rad/s, all the time
  double slope = 0;             // degrees, uphill
  std::vector<Kwon17Push> pushes;
  std::optional<PendulumConfig> config;  // none: DefaultConfig
};
struct Kwon17Result {
  double seconds = 0;
  bool fell = false;
  double speed = 0, turn = 0;  // over the last two thirds, m/s and rad/s
};
Kwon17Result Perform(Kwon17Mode mode, const std::shared_ptr<const PendulumRig>& rig,
                     const Kwon17Trial& trial);

}  // namespace stride::experiments
