#pragma once

#include <string>

#include "stride/character/character.h"

// Whether coordinates of one character mean the same on another.
namespace stride {

// What differs first in what gives coordinates their meaning: which body hangs on which, by what
// joint, about what axis. Names, lengths and masses do not count. Empty: nothing.
std::string StructureDifference(const Character& a, const Character& b);

// The largest distance between a body's place on its parent in one and in the other, m, as a share
// of the first one's height. The same structure is needed.
double LengthDifference(const Character& a, const Character& b);

// What a human has (Character::IsHuman) and this character does not; empty for a human. Says how to
// give it.
std::string WhyNotHuman(const Character& character);

}  // namespace stride
