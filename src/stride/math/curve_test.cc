#include "stride/math/curve.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace stride {
namespace {

constexpr double kStep = 1e-5;
double SlopeOf(const Curve& curve, double t) {
  return (curve.At(t + kStep) - curve.At(t - kStep)) / (2 * kStep);
}

TEST(Curve, GoesThroughItsPointsWithItsSlopes) {
  const Curve curve({0, 1, 1.5, 4}, {2, -1, 0.5, 3}, 0.7, -2);
  EXPECT_NEAR(curve.At(0), 2, 1e-12);
  EXPECT_NEAR(curve.At(1), -1, 1e-12);
  EXPECT_NEAR(curve.At(1.5), 0.5, 1e-12);
  EXPECT_NEAR(curve.At(4), 3, 1e-12);
  EXPECT_NEAR((curve.At(kStep) - 2) / kStep, 0.7, 1e-3);
  EXPECT_NEAR((3 - curve.At(4 - kStep)) / kStep, -2, 1e-3);
  EXPECT_EQ(curve.At(-5), 2);
  EXPECT_EQ(curve.At(9), 3);
  // Continuous acceleration at the inner points.
  for (const double t : {1.0, 1.5}) {
    const double h = 1e-4;
    const double before = (SlopeOf(curve, t - h) - SlopeOf(curve, t - 2 * h)) / h;
    const double after = (SlopeOf(curve, t + 2 * h) - SlopeOf(curve, t + h)) / h;
    EXPECT_NEAR(before, after, 0.05);
  }
}

TEST(Curve, ReproducesACubic) {
  const auto f = [](double t) { return 1 - 2 * t + 0.5 * t * t * t; };
  const Curve curve({-1, 0, 0.5, 2}, {f(-1), f(0), f(0.5), f(2)}, -2 + 1.5, -2 + 6);
  for (double t = -1; t <= 2; t += 0.1) EXPECT_NEAR(curve.At(t), f(t), 1e-12);
}

TEST(Curve, PeriodicOnesRepeat) {
  std::vector<double> times, values;
  for (int i = 0; i < 12; ++i) {
    times.push_back(i / 12.0);
    values.push_back(std::sin(2 * std::numbers::pi * i / 12));
  }
  const Curve curve = Curve::Periodic(times, values, 1);
  for (double t = -1.3; t < 2.5; t += 0.037) {
    EXPECT_NEAR(curve.At(t), std::sin(2 * std::numbers::pi * t), 2e-3);
    EXPECT_NEAR(curve.At(t), curve.At(t + 1), 1e-12);
  }
  EXPECT_NEAR((curve.At(kStep) - curve.At(0)) / kStep, (curve.At(1) - curve.At(1 - kStep)) / kStep,
              1e-2);
}

TEST(Curve, MonotoneOnesDoNotOvershoot) {
  const Curve curve = Curve::Monotone({0, 1, 1.1, 3}, {0, 0, 10, 11});
  double last = -1;
  for (double t = 0; t <= 3; t += 0.01) {
    EXPECT_GE(curve.At(t), last - 1e-12);
    EXPECT_LE(curve.At(t), 11);
    last = curve.At(t);
  }
  EXPECT_NEAR(SlopeOf(curve, 3 - 2 * kStep), 0, 1e-3);
  const Curve rolling = Curve::Monotone({0, 1, 2}, {0, 1, 3}, true);
  EXPECT_NEAR(SlopeOf(rolling, 2 - 2 * kStep), 2, 1e-3);
}

}  // namespace
}  // namespace stride
