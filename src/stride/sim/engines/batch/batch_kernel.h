#pragma once

#include <cstddef>

#include "stride/sim/lanes.h"

// Between the host side of a batch and its kernel.
namespace stride {

struct BatchKernel {
  const char* instruction_set;
  int lanes;
  std::size_t (*scratch_bytes)(int bodies, int points);
  // Brings the bodies' motion (in scratch) up to date after the host has written states.
  void (*update)(const Tree<float>& tree, const BatchMemory& memory);
  void (*step)(const Tree<float>& tree, const BatchMemory& memory, int steps);
};
STRIDE_LANE_KERNEL(BatchKernel, BatchKernels)

}  // namespace stride
