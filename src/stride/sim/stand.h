#pragma once

#include <vector>

#include "stride/character/character.h"

namespace stride {

// Joint torques (layout of State::v, root entries zero) that carry a character's weight at rest in
// a pose that stands on level ground: with them a servo need not sag before it holds. The weight is
// shared by the lowest contact points, as evenly as balance allows. Zero where the pose does not
// stand (the centre of mass is not over the support, or the root is not free).
std::vector<double> CarryingTorques(const Character& character, const std::vector<double>& q,
                                    double gravity = 9.81);

}  // namespace stride
