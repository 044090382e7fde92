#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stride/math/vec.h"

// Courses to steer along, from the origin on.
namespace stride::experiments {

inline constexpr double kNearest = 3, kFarthest = 8;  // m from one way point to the next
inline constexpr double kSharpest = 160;              // degrees to either side, all alike likely

std::vector<Vec3d> WayPoints(int count, std::uint64_t seed);
double CourseLength(const std::vector<Vec3d>& way_points);  // from the origin
double PathLength(std::span<const double> x, std::span<const double> y);

}  // namespace stride::experiments
