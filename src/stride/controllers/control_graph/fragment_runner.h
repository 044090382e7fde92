#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stride/controllers/control_graph/control_graph.h"
#include "stride/controllers/control_graph/fragment_kernel.h"
#include "stride/core/random.h"
#include "stride/scenario/variation.h"
#include "stride/sim/batch.h"
#include "stride/sim/lane_floats.h"

// Runs control fragments on the lanes of one batch: the innermost loop of all that learns. One for
// each thread.
namespace stride {

class FragmentRunner {
 public:
  // `world`: the character and its ground, a plane. `instruction_set`: as Batch takes it.
  FragmentRunner(const World& world, const SkillParts& parts,
                 const std::string& instruction_set = "");

  const char* InstructionSet() const { return batch_.InstructionSet(); }
  // Divides a block of trials (kTrialBlock).
  int Lanes() const { return kernel_->lanes; }
  // Floats of a stored state.
  int StateSize() const { return state_size_; }

  // A state of one lane as it is, but for its place on the ground: the origin is below the root.
  void Store(int lane, float* state) const;
  void Load(int lane, const float* state);
  void Load(int lane, const State& state);
  State Read(int lane) const;

  // Heading that the clip's beginning has in the world.
  void SetBase(int lane, double heading);
  double Base(int lane) const { return base_[lane]; }

  void SetConditions(int lane, const WorldVariation& variation, Random* random);
  // On the trunk, N, until changed.
  void SetPush(int lane, double x, double y);

  // Features of all lanes, and their costs, against a border. After Load: call Refresh() first.
  void Refresh() { batch_.Refresh(); }
  void Judge(const BorderReference& border, const CostWeights& weights, bool with_cost);
  const float* Features() const { return features_.data(); }  // [kFeatureCount][Lanes()]
  float Feature(int lane, int k) const { return features_.At(k, lane); }
  float Cost(int lane) const { return cost_.At(0, lane); }

  float& Action(int lane, int k) { return actions_.At(k, lane); }
  // The steps of a fragment with the actions set, or some of the graph's steps.
  void Run(const ControlGraph& graph, int fragment);
  void RunSteps(const ControlGraph& graph, int begin, int end);

  // From now on adds the seconds spent in the batch's steps to a number, for measurements; null:
  // no longer.
  void TimePhysics(double* seconds) { physics_seconds_ = seconds; }

  bool Failed(int lane) const { return batch_.Failed(lane); }
  void Freeze(int lane) { batch_.Freeze(lane); }  // until it is loaded
  // Away from the border's reference, as last judged.
  bool Fallen(int lane, const BorderReference& border) const;

 private:
  Batch batch_;
  SkillParts parts_;
  const FragmentKernel* kernel_;
  int bodies_, state_size_, trunk_;
  Vec3d trunk_com_;
  LaneConditions conditions_;
  std::vector<float> gains_;  // kp, kd of each body
  std::vector<double> base_;
  double* physics_seconds_ = nullptr;
  LaneFloats features_, cost_, actions_;
  LaneFloats base_half_;  // cosine and sine of half the base
};

}  // namespace stride
