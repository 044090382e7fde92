#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "stride/character/character.h"

// The ends of limbs that may stand on the ground: both feet, and both hands where the body has
// contact points there.
namespace stride {

inline constexpr int kMostLimbs = 4;

struct LimbParts {
  std::string name;       // "left_foot"
  std::uint8_t flag = 0;  // its ContactFlag
  int body = -1;          // that is placed; -1: the body has no such limb
  Vec3d point;            // of it that is placed: the ankle, the middle of a hand; body frame
};
// Left foot, right foot, left hand, right hand. The character must be a human.
std::array<LimbParts, kMostLimbs> LimbsOf(const Character& character);

// The limb that each of the body's contact points belongs to; -1: none.
std::vector<int> LimbOfPoints(const Character& character);
// The same of each body.
std::vector<int> LimbOfBodies(const Character& character);

}  // namespace stride
