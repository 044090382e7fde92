#pragma once

#include <array>
#include <span>
#include <vector>

#include "stride/controllers/pendulum/flight_physics.h"

// On the ground a body can only be pushed from under its feet and hands. A clip made for another
// body asks for more: a stand over the tips of its toes, a flight's turning that no foot gave it.
// Here the way of the centre of mass aside and the turning of the body are changed until the ground
// can push where it would have to.
namespace stride {

// `clip`: what the poses were before any of it, from which they shall differ little. `poses` at
// `rate` Hz, flights made physical. Returns the largest change: a turn of the body, rad.
double MakeGroundPhysical(const Kinematics& kinematics, std::span<const BodyMass> masses,
                          const LimbSolver& limbs,
                          const std::array<std::vector<char>, kMostLimbs>& stands, double rate,
                          std::span<const FlightPath> paths,
                          const std::vector<std::vector<double>>& clip,
                          std::vector<std::vector<double>>* poses);

}  // namespace stride
