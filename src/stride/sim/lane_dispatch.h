#pragma once

#include <cstdlib>
#include <cstring>

// The one dispatch over instruction sets. A kernel is a struct of constants and function pointers
// that begins with `const char* instruction_set; int lanes;`. Its header says
//   STRIDE_LANE_KERNEL(FragmentKernel, FragmentKernels)
// and a source named *_lanes.cc, which is compiled once for each set (cmake/lanes.cmake),
//   STRIDE_DEFINE_LANE_KERNEL(FragmentKernel, FragmentKernels, Judge, Aim)
// Then FragmentKernels().For("avx2") is the one of a set.
namespace stride {

template <class Kernel>
struct LaneKernels {
  const Kernel* all[3];  // the widest first

  // Every kernel stands for every set: which of them this processor can run, the Batch knows.
  const Kernel& For(const char* instruction_set) const {
    for (const Kernel* kernel : all) {
      if (std::strcmp(kernel->instruction_set, instruction_set) == 0) return *kernel;
    }
    std::abort();
  }
};

#define STRIDE_LANE_KERNEL(Kernel, Name)                                                          \
  const Kernel& Name##Sse2();                                                                     \
  const Kernel& Name##Avx2();                                                                     \
  const Kernel& Name##Avx512();                                                                   \
  inline const LaneKernels<Kernel>& Name() {                                                      \
    static const LaneKernels<Kernel> kernels = {{&Name##Avx512(), &Name##Avx2(), &Name##Sse2()}}; \
    return kernels;                                                                               \
  }

// In namespace stride, after math/lanes.h; the functions it names stand in
// STRIDE_LANES_NAMESPACE.
#define STRIDE_DEFINE_LANE_KERNEL(Kernel, Name, ...)                                     \
  const Kernel& STRIDE_LANE_NAME(Name)() {                                               \
    using namespace STRIDE_LANES_NAMESPACE; /* NOLINT: its functions are the kernel's */ \
    static constexpr Kernel kernel = {STRIDE_LANE_SET, STRIDE_LANE_COUNT, __VA_ARGS__};  \
    return kernel;                                                                       \
  }

}  // namespace stride
