#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "stride/scenario/push.h"
#include "stride/sim/world.h"

// The job that engines are compared on: a character holds its stand while a horizontal push at its
// trunk changes every 0.2 s. Who falls or fails goes back to the rest pose, and that is counted.
namespace stride {

struct StandJob {
  World world;  // one actor, standing on a plane
  Disturbance disturbance{.amplitude = 20, .interval = 0.2, .seed = 0};

  int StepsPerInterval() const;
};

class StandRunner {
 public:
  virtual ~StandRunner() = default;
  // Simulates one interval of the disturbance in every lane; returns the steps made, over all
  // lanes.
  virtual long RunInterval() = 0;
  int resets() const { return resets_; }

 protected:
  int interval_ = 0, resets_ = 0;
};

// One character through the Engine contract.
std::unique_ptr<StandRunner> MakeEngineRunner(const StandJob& job, const std::string& engine);

// All lanes of a Batch. `first_lane` tells batches on several threads apart.
std::unique_ptr<StandRunner> MakeBatchRunner(const StandJob& job,
                                             const std::string& instruction_set = "",
                                             int first_lane = 0);

// MuJoCo as its own user would run it: mj_step alone, with what the job does not use switched off.
// The defaults are the fastest of all combinations that hold the stand as long as the native engine
// does; fewer iterations or the elliptic cone without warm start fall more often, Newton is slower.
struct MujocoSettings {
  enum class Solver { kPgs, kCg, kNewton };
  Solver solver = Solver::kCg;
  bool elliptic = false;    // friction cone; else pyramidal
  int iterations = 2;       // of the solver, at most
  double tolerance = 1e-8;  // at which it stops earlier
  bool sparse = false;      // constraint Jacobian
  bool warm_start = false;
  // The servo's damping as MuJoCo's own (which costs it a second factorisation of the mass matrix),
  // or as an applied force with the implicit part in the armature.
  bool own_damping = false;
  // Only feet and toes collide: enough for a stand, and 10 to 20 % faster. The other engines test
  // every contact point of the body.
  bool feet_only = true;
  friend bool operator==(const MujocoSettings&, const MujocoSettings&) = default;
};
std::string Describe(const MujocoSettings& settings);
std::unique_ptr<StandRunner> MakeMujocoRunner(const StandJob& job,
                                              const MujocoSettings& settings = {});

}  // namespace stride
