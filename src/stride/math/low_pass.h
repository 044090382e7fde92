#pragma once

#include <vector>

namespace stride {

// Half of a Gaussian low-pass kernel without delay, -3 dB at `cutoff` Hz, for samples at `rate` a
// second: the weight of the middle, then of each sample away from it on either side; all of them
// together 1. Three standard deviations wide, or `widest` samples on either side. One weight: there
// is nothing to filter.
std::vector<double> LowPassKernel(double cutoff, double rate, int widest);

}  // namespace stride
