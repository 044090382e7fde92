// Compiled once for each instruction set: see cmake/lanes.cmake.
#include "stride/control/lane_kernel.h"
#include "stride/controllers/spline/spline_program.h"

namespace stride {

STRIDE_LANE_PROGRAM(SplineProgram, SplineKernels)

}  // namespace stride
