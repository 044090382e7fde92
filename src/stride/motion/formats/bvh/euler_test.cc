#include "stride/motion/formats/bvh/euler.h"

#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "stride/math/rotation.h"

namespace stride {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr int kOrders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

double AngleBetween(const Quatd& a, const Quatd& b) { return Norm(Log(Conjugate(a) * b)); }

TEST(EulerTest, ProductGoesFromLeftToRight) {
  const Mat3d x{1, 0, 0, 0, 0, -1, 0, 1, 0};  // a quarter turn about x, and about z
  const Mat3d z{0, -1, 0, 1, 0, 0, 0, 0, 1};
  const int axes[] = {2, 0};
  const double angles[] = {kPi / 2, kPi / 2};
  EXPECT_LT(AngleBetween(FromAxisAngles(axes, angles), FromMat3(z * x)), 1e-12);
}

TEST(EulerTest, ReproducesRandomRotationsInAllOrders) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (const auto& axes : kOrders) {
    for (int n = 0; n < 2000; ++n) {
      const Quatd q =
          Normalized(Quatd{normal(random), normal(random), normal(random), normal(random)});
      const auto angles = ToAxisAngles(q, axes, {normal(random), normal(random), normal(random)});
      EXPECT_LT(AngleBetween(q, FromAxisAngles(axes, angles)), 1e-12);
    }
  }
}

TEST(EulerTest, ReproducesRotationsInAndNearGimbalLock) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> angle(-kPi, kPi), exponent(-16, -1);
  for (const auto& axes : kOrders) {
    for (int n = 0; n < 2000; ++n) {
      const double off = n % 5 == 0 ? 0 : std::pow(10, exponent(random));
      const double middle = (n % 2 ? 0.5 : -0.5) * kPi + off;
      const double given[] = {angle(random), middle, angle(random)};
      const Quatd q = FromAxisAngles(axes, given);
      const auto angles = ToAxisAngles(q, axes, {0, 0, 0});
      EXPECT_LT(AngleBetween(q, FromAxisAngles(axes, angles)), 3e-9) << "off lock by " << off;
    }
  }
}

TEST(EulerTest, ReturnsTheAnglesItStartedFrom) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> angle(-9, 9);  // beyond a turn, middle beyond a quarter
  for (const auto& axes : kOrders) {
    for (int n = 0; n < 500; ++n) {
      const std::array<double, 3> given{angle(random), angle(random), angle(random)};
      if (std::fabs(std::cos(given[1])) < 0.05) continue;
      const auto angles = ToAxisAngles(FromAxisAngles(axes, given), axes, given);
      for (int i = 0; i < 3; ++i) EXPECT_NEAR(angles[i], given[i], 1e-12);
    }
  }
}

TEST(EulerTest, OneAndTwoAxesReturnTheirAngles) {
  for (const auto& order : kOrders) {
    const double given[] = {2.5, -1.9};
    for (std::size_t count = 0; count <= 2; ++count) {
      const std::span<const int> axes(order, count);
      const auto angles = ToAxisAngles(FromAxisAngles(axes, {given, count}), axes, {0, 0, 0});
      for (std::size_t i = 0; i < count; ++i) EXPECT_NEAR(angles[i], given[i], 1e-12);
    }
  }
}

}  // namespace
}  // namespace stride
