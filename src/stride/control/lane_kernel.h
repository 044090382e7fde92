#pragma once

#include "stride/control/lane_program.h"
#include "stride/math/lanes.h"

// Makes the kernel of a lane program: for sources named *_lanes.cc.
namespace stride::STRIDE_LANES_NAMESPACE {

STRIDE_INLINE LaneCommand<Lanes> CommandOf(const LaneNumbers& numbers) {
  const Lanes* c = reinterpret_cast<const Lanes*>(numbers.commands);
  return {c[0], c[1], c[2], c[3]};
}
STRIDE_INLINE const Lanes* ParametersOf(const LaneNumbers& numbers) {
  return reinterpret_cast<const Lanes*>(numbers.parameters);
}
STRIDE_INLINE Lanes* MemoryOf(const LaneNumbers& numbers) {
  return reinterpret_cast<Lanes*>(numbers.memory);
}

template <class Program>
struct LaneProgramRun {
  static void Begin(const void* program, const Tree<float>& tree, const BatchMemory& memory,
                    const LaneNumbers& numbers) {
    static_cast<const Program*>(program)->Begin(ViewOf<Lanes>(tree, memory), CommandOf(numbers),
                                                ParametersOf(numbers), MemoryOf(numbers));
  }
  static void Step(const void* program, const Tree<float>& tree, const BatchMemory& memory,
                   const LaneNumbers& numbers) {
    static_cast<const Program*>(program)->Step(ViewOf<Lanes>(tree, memory), CommandOf(numbers),
                                               ParametersOf(numbers), MemoryOf(numbers));
  }
  static void Measure(const void* program, const Tree<float>& tree, const BatchMemory& memory,
                      const LaneNumbers& numbers, float* values) {
    static_cast<const Program*>(program)->Measure(ViewOf<Lanes>(tree, memory),
                                                  static_cast<const Lanes*>(MemoryOf(numbers)),
                                                  reinterpret_cast<Lanes*>(values));
  }
};

}  // namespace stride::STRIDE_LANES_NAMESPACE

// In namespace stride.
#define STRIDE_LANE_PROGRAM(Program, Kernels)                                           \
  STRIDE_DEFINE_LANE_KERNEL(LaneProgramKernel, Kernels, LaneProgramRun<Program>::Begin, \
                            LaneProgramRun<Program>::Step, LaneProgramRun<Program>::Measure)
