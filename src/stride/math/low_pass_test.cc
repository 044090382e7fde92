#include "stride/math/low_pass.h"

#include <cmath>

#include <gtest/gtest.h>

namespace stride {
namespace {

// Gain of the kernel for a frequency, from its weights alone.
double Gain(const std::vector<double>& kernel, double frequency, double rate) {
  double gain = kernel[0];
  for (std::size_t k = 1; k < kernel.size(); ++k) {
    gain += 2 * kernel[k] * std::cos(2 * M_PI * frequency * static_cast<double>(k) / rate);
  }
  return gain;
}

TEST(LowPassKernel, HalvesThePowerAtTheCutoffAndKeepsWhatIsSteady) {
  for (const double rate : {60.0, 120.0, 1000.0}) {
    const std::vector<double> kernel = LowPassKernel(6, rate, 10000);
    EXPECT_NEAR(Gain(kernel, 0, rate), 1, 1e-12);
    EXPECT_NEAR(Gain(kernel, 6, rate), std::sqrt(0.5), 0.01);
    EXPECT_LT(Gain(kernel, 20, rate), 0.03);
  }
}

TEST(LowPassKernel, IsNoWiderThanAsked) {
  EXPECT_EQ(LowPassKernel(1, 120, 4).size(), 5u);
  EXPECT_EQ(LowPassKernel(1, 120, 0), std::vector<double>{1});
}

}  // namespace
}  // namespace stride
