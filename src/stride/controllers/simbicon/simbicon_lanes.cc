// Compiled once for each instruction set: see cmake/lanes.cmake.
#include "stride/control/lane_kernel.h"
#include "stride/controllers/simbicon/simbicon_program.h"

namespace stride {

STRIDE_LANE_PROGRAM(SimbiconProgram, SimbiconKernels)

}  // namespace stride
