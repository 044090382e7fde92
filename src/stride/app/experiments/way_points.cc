#include "stride/app/experiments/way_points.h"

#include <cmath>
#include <numbers>

#include "stride/core/random.h"

namespace stride::experiments {

std::vector<Vec3d> WayPoints(int count, std::uint64_t seed) {
  Random random(seed, 3);
  std::vector<Vec3d> points;
  Vec3d at;
  double heading = 0;
  for (int k = 0; k < count; ++k) {
    heading += random.Uniform(-kSharpest, kSharpest) * std::numbers::pi / 180;
    at += Vec3d{std::cos(heading), std::sin(heading), 0} * random.Uniform(kNearest, kFarthest);
    points.push_back(at);
  }
  return points;
}

double CourseLength(const std::vector<Vec3d>& way_points) {
  double length = 0;
  Vec3d last;
  for (const Vec3d& point : way_points) {
    length += Norm(point - last);
    last = point;
  }
  return length;
}

double PathLength(std::span<const double> x, std::span<const double> y) {
  double length = 0;
  for (std::size_t k = 1; k < x.size(); ++k) length += std::hypot(x[k] - x[k - 1], y[k] - y[k - 1]);
  return length;
}

}  // namespace stride::experiments
