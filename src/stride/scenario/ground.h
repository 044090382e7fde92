#pragma once

#include <cstdint>
#include <string>

#include "stride/sim/world.h"

namespace stride {

// Uneven ground around the origin, `half_side` (m) to each side: a random height up to `amplitude`
// (m) either way every half metre, level within a metre of the origin so that a character can start
// there.
Terrain RandomField(std::uint64_t seed, double amplitude, double half_side = 10);

// plane | steps:RISE,DEPTH,COUNT[,START] | field:SEED,AMPLITUDE. Throws InputError that names
// `option`.
Terrain ParseTerrain(const std::string& text, const char* option = "--terrain");

}  // namespace stride
