#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <span>

// Functions that searches are tested with. All have their minimum, 0, in one point: at 0, and of
// Rosenbrock's at 1.
namespace stride {

inline double Sphere(std::span<const double> x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  return sum;
}

// Axes along the coordinates, the longest 1000 times the shortest.
inline double Ellipsoid(std::span<const double> x) {
  double sum = 0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t j = 0; j < x.size(); ++j) {
    sum += std::pow(1e6, static_cast<double>(j) / (n - 1)) * x[j] * x[j];
  }
  return sum;
}

// The same, mirrored on a plane that no coordinate lies in: its axes lie askew.
inline double SkewEllipsoid(std::span<const double> x) {
  double along = 0, norm = 0, sum = 0;
  const auto n = static_cast<double>(x.size());
  const auto normal = [](std::size_t j) { return 1.0 + static_cast<double>(j % 3); };
  for (std::size_t j = 0; j < x.size(); ++j) {
    along += normal(j) * x[j];
    norm += normal(j) * normal(j);
  }
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double y = x[j] - 2 * along / norm * normal(j);
    sum += std::pow(1e6, static_cast<double>(j) / (n - 1)) * y * y;
  }
  return sum;
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
