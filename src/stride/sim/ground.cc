#include "stride/sim/ground.h"

#include <algorithm>
#include <cmath>

namespace stride {

double DistanceToGround(const Terrain& terrain, const Vec3d& point, Vec3d* normal) {
  const Surface surface = SurfaceAt(terrain, point.x, point.y);
  const double above = (point.z - surface.height) * surface.normal.z;
  *normal = surface.normal;
  if (terrain.kind != Terrain::Kind::kSteps || above >= 0) return above;
  // Below a tread: the riser of this tread is at its low side (behind going up, ahead going down).
  const double k = std::floor((point.x - terrain.step_start) / terrain.step_depth);
  const bool up = terrain.step_rise > 0;
  const double edge = terrain.step_start + (up ? k : k + 1) * terrain.step_depth;
  const bool has_riser =
      up ? (k >= 0 && k < terrain.step_count) : (k + 1 >= 0 && k + 1 < terrain.step_count);
  const double into = up ? point.x - edge : edge - point.x;
  // Only where the neighbouring tread is lower than the point is there a riser face beside it.
  const double lower_tread = surface.height - std::fabs(terrain.step_rise);
  if (has_riser && into < -above && point.z > lower_tread) {
    *normal = {up ? -1.0 : 1.0, 0, 0};
    return -into;
  }
  return above;
}

}  // namespace stride
