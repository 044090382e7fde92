#pragma once

#include "stride/controllers/control_graph/features.h"
#include "stride/sim/lanes.h"

// What learning does in lanes at the borders of fragments, one kernel for each instruction set.
namespace stride {

struct FragmentKernel {
  const char* instruction_set;
  int lanes;
  // features[kFeatureCount][lanes] and, if `cost` is not null, cost[lanes] against a border.
  // base[2][lanes]: FacingOf().
  void (*judge)(const Tree<float>& tree, const BatchMemory& memory, const SkillParts& parts,
                const BorderReference& border, const CostWeights& weights, const float* base,
                float* features, float* cost);
  // Targets of all servos: the pose (for each body a quaternion or, hinge, an angle), with the
  // actions[kActionCount][lanes] on top.
  void (*aim)(const Tree<float>& tree, const BatchMemory& memory, const SkillParts& parts,
              const Quat<float>* pose, const float* actions);
};

STRIDE_LANE_KERNEL(FragmentKernel, FragmentKernels)

}  // namespace stride
