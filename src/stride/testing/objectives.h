#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>
#include <vector>

// Functions that searches are tested with. All have their minimum, 0, in one point: at 0, and of
// Rosenbrock's at 1.
namespace stride {

inline double Sphere(std::span<const double> x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  return sum;
}

// Axes along the coordinates; the largest curvature is `condition` times the smallest.
inline double Ellipsoid(std::span<const double> x, double condition) {
  const double ratio = std::pow(condition, 1.0 / (static_cast<double>(x.size()) - 1));
  double sum = 0, weight = 1;
  for (const double v : x) {
    sum += weight * v * v;
    weight *= ratio;
  }
  return sum;
}

// One of condition 1e6, mirrored on a plane that no coordinate lies in: its axes lie askew.
inline double SkewEllipsoid(std::span<const double> x) {
  std::vector<double> y(x.begin(), x.end());
  double along = 0, norm = 0;
  const auto normal = [](std::size_t j) { return 1.0 + static_cast<double>(j % 3); };
  for (std::size_t j = 0; j < x.size(); ++j) {
    along += normal(j) * x[j];
    norm += normal(j) * normal(j);
  }
  for (std::size_t j = 0; j < x.size(); ++j) y[j] -= 2 * along / norm * normal(j);
  return Ellipsoid(y, 1e6);
}

inline double Rosenbrock(std::span<const double> x) {
  double sum = 0;
  for (std::size_t j = 0; j + 1 < x.size(); ++j) {
    sum += 100 * std::pow(x[j + 1] - x[j] * x[j], 2) + std::pow(1 - x[j], 2);
  }
  return sum;
}

// A bowl with a local minimum near every point of whole numbers.
inline double Rastrigin(std::span<const double> x) {
  double sum = 0;
  for (const double v : x) sum += v * v + 10 * (1 - std::cos(2 * std::numbers::pi * v));
  return sum;
}

}  // namespace stride
