#pragma once

#include "stride/character/character.h"
#include "stride/sim/lanes.h"

// Falls and effort of all lanes at once: what scenario/fall.h and scenario/metrics.h say of one
// character, for rollouts.
namespace stride {

// What all lanes share.
struct LaneMeterFacts {
  int trunk = 0;  // or the root of a character that has none
  int root = 0;   // RootBody()
  bool root_moves = true;
};
LaneMeterFacts MeterFactsOf(const Character& character);

// Numbers of a lane, [slot][lane].
enum LaneMeterSlot : int {
  kMeterFallen,       // 1 since it fell
  kMeterWork,         // of the joints, sum over time of |torque . velocity|, J
  kMeterStartHeight,  // of the root above the ground, m
  kMeterStartUp,      // the world's up at the start, in the trunk's axes (3)
  kMeterSlots = kMeterStartUp + 3,
};

struct LaneMeterKernel {
  const char* instruction_set;
  int lanes;
  void (*begin)(const LaneMeterFacts& facts, const Tree<float>& tree, const BatchMemory& memory,
                float* slots);
  // After each step.
  void (*add)(const LaneMeterFacts& facts, const Tree<float>& tree, const BatchMemory& memory,
              float* slots);
};
STRIDE_LANE_KERNEL(LaneMeterKernel, LaneMeterKernels)

}  // namespace stride
