#pragma once

#include <cstdint>
#include <string>

#include "stride/app/simulate.h"

// The options of `simulate` that have a small syntax of their own. Degrees here, radians in the
// values. Each throws InputError naming the option, what was found and what is expected.
namespace stride {

Push ParsePush(const std::string& text);    // N,deg,at,duration
Load ParseLoad(const std::string& text);    // BODY,KG
Throw ParseThrow(const std::string& text);  // kg,m/s,at[,deg]

// DEG[,HEADING_DEG] tilts the plane of `terrain`.
void ParseSlope(const std::string& text, Terrain* terrain);

// plane | steps:RISE,DEPTH,COUNT[,START] | field:SEED,AMPLITUDE
Terrain ParseTerrain(const std::string& text);

}  // namespace stride
