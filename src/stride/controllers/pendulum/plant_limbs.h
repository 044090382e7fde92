#pragma once

#include <array>
#include <vector>

#include "stride/controllers/pendulum/flight_physics.h"

// Captured feet slide on the ground, and most of all when they land: a body that follows them drags
// them along under its whole weight.
namespace stride {

// Where a clip's limbs should be so that what stands is on the ground, to the millimetre: a limb
// that waits a centimetre above it for its landing would never land. A sole that is nearly flat is
// flat, and one on which the clip begins or ends in any case: standing on its edge, a body has no
// hold.
std::array<std::vector<LimbSolver::Place>, kMostLimbs> PlacesDown(
    const Kinematics& kinematics, const LimbSolver& limbs,
    const std::array<std::vector<char>, kMostLimbs>& stands, double rate,
    const std::vector<BodyFrames>& frames);

// What stands is put down as above, and stays where it is: the lowest contact points of a limb do
// not move aside while it stands. They stand where they are in the middle of the support; between
// supports the way to there is spread out, and a limb lands without speed aside.
void PlantLimbs(const Kinematics& kinematics, const LimbSolver& limbs,
                const std::array<std::vector<char>, kMostLimbs>& stands, double rate,
                std::vector<std::vector<double>>* poses);

}  // namespace stride
