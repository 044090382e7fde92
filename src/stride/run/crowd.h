#pragma once

#include "stride/run/run_setup.h"

namespace stride {

// Copies of the first character on a circle that goes through where it starts, all facing its
// middle, so that they meet there; places and headings are a little off by the seed, so that they
// meet in many ways. `count`: of all. Throws InputError.
void AddCrowd(int count, RunSetup* setup);

}  // namespace stride
