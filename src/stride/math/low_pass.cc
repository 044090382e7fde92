#include "stride/math/low_pass.h"

#include <algorithm>
#include <cmath>

namespace stride {

std::vector<double> LowPassKernel(double cutoff, double rate, int widest) {
  const double sigma = std::sqrt(std::log(2.0)) / (2 * M_PI * cutoff) * rate;  // samples
  const int radius = std::min(static_cast<int>(std::ceil(3 * sigma)), widest);
  if (radius < 1) return {1};
  std::vector<double> kernel(radius + 1);
  double sum = 0;
  for (int k = 0; k <= radius; ++k) {
    kernel[k] = std::exp(-0.5 * k * k / (sigma * sigma));
    sum += (k ? 2 : 1) * kernel[k];
  }
  for (double& weight : kernel) weight /= sum;
  return kernel;
}

}  // namespace stride
