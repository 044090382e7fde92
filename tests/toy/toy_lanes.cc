// Compiled once for each instruction set: see cmake/lanes.cmake.
#include "stride/control/lane_kernel.h"
#include "toy_program.h"

namespace stride {

STRIDE_LANE_PROGRAM(ToyProgram, ToyKernels)

}  // namespace stride
