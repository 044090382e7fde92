#pragma once

#include "stride/sim/world.h"

namespace stride {

// Signed distance of a point above the ground and the direction out of it: exact for a plane, along
// the local normal for a height field; for steps the nearer of tread and riser, so that a toe that
// meets a riser is pushed back, not lifted.
double DistanceToGround(const Terrain& terrain, const Vec3d& point, Vec3d* normal);

}  // namespace stride
