#pragma once

#include <vector>

// Smooth curves through given points.
namespace stride {

// A cubic spline with continuous acceleration. Times ascend strictly.
class Curve {
 public:
  Curve() = default;
  // Through the points, with the given slopes at the ends; before and after it stays at its ends.
  Curve(std::vector<double> times, std::vector<double> values, double first_slope = 0,
        double last_slope = 0);
  // Periodic: the value at times.front() + period is the one at times.front().
  static Curve Periodic(std::vector<double> times, std::vector<double> values, double period);

  // Never beyond the values it goes through (Fritsch and Carlson): it rests at its highest and
  // lowest points, and at both ends unless it `rolls` in and out along the first and last chord.
  // Its acceleration may jump.
  static Curve Monotone(std::vector<double> times, std::vector<double> values, bool rolls = false);

  double At(double t) const;

 private:
  std::vector<double> times_, values_, slopes_;
  double period_ = 0;  // 0: not periodic
};

// From value and slope at u = 0 to those at u = 1, both slopes over u: a cubic.
double Hermite(double a, double slope_a, double b, double slope_b, double u);

}  // namespace stride
