#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stride/learn/lane_driver.h"
#include "stride/learn/rollout_block.h"
#include "stride/learn/workers.h"
#include "stride/scenario/scenario.h"
#include "stride/sim/batch.h"

// Many short runs of one body under a scenario, over lanes x threads x ranks: what learning is made
// of. Trials are cut into blocks of kTrialBlock whatever the lanes of the machine, and a trial's
// numbers depend on nothing but its own: on no neighbour, thread or rank.
namespace stride {

// What all trials of a call share.
struct RolloutSetup {
  Character character;
  // Seconds, ground, pushes, random pushes, disturbance and commands; who falls has ended. Throws,
  // loads and changes of the body are no part of it: change the character.
  Scenario scenario;
  LaneDriverMaker driver;
  std::string instruction_set;  // empty: the best of this processor
};

// One trial: each is asked for by its index.
struct Rollout {
  std::vector<double> parameters;
  std::uint64_t stream = 0;                  // of its random pushes
  bool pushed = true;                        // false: the scenario's pushes leave it alone
  State start;                               // as a controller would begin
  Command command;                           // from the start, until the scenario's own
  double command_delay = 0;                  // s, that the scenario's come later
  std::vector<TimedCommand> commands;        // in their stead, where there are any; by time
  std::optional<LaneConditions> conditions;  // those of the scenario's world if there are none
};

struct RolloutResult {
  double seconds = 0;  // until it fell, failed or the scenario was over
  bool fell = false, failed = false;
  double forwards = 0, sideways = 0;  // of the root over ground, along +X and +Y, m
  double joint_power = 0;             // mean of the sum over joints of |torque . velocity|, W
  double cost_of_transport = 0;       // joint_power / (mass gravity speed); 0 where it hardly moves
  std::vector<double> values;         // what the lane program measured
  State end;
  friend bool operator==(const RolloutResult&, const RolloutResult&) = default;
};

class Rollouts {
 public:
  // Throws InputError: a scenario with what rollouts cannot do.
  Rollouts(const RolloutSetup& setup, const Workers& workers);
  ~Rollouts();

  // Trials 0 .. count - 1, on all ranks; every rank gets all results. `trial` fills in one; called
  // from any thread.
  std::vector<RolloutResult> Run(int count, const std::function<void(int, Rollout*)>& trial) const;
  long LaneSteps() const { return lane_steps_; }  // of the trials of all calls
  const char* InstructionSet() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  mutable long lane_steps_ = 0;
};

}  // namespace stride
