#pragma once

#include "stride/sim/world.h"

namespace stride {

// The character's rest pose put on the ground at the origin: the root's height such that the lowest
// contact point touches, and on a slope the feet of a human flat on it and its body leaning so that
// its centre of mass stays over the ankles as on level ground. At rest. A character whose root is
// fixed to the world stays where it is.
State StandOn(const Character& character, const Terrain& terrain);

// A pose that was made for level ground may begin inside a slope, a step or a hill: raised until no
// contact point is in the ground. On level ground, and where it only sinks a little, it stays.
void RaiseFromGround(const Character& character, const Terrain& terrain, State* state);

}  // namespace stride
