#pragma once

#include "stride/scenario/scenario.h"
#include "stride/sim/world.h"

// Balls that are thrown at a character.
namespace stride {

Character MakeThrownBall(double mass);

// Out of the way until it is thrown, on the ground far to the side.
State ParkedBall(const Character& ball, const Terrain& terrain, int index);

// Where it leaves the hand.
State FlyingBall(const Vec3d& from, const Vec3d& velocity);

// On its way to `target`, from 2 m away, aimed with what gravity will take from it.
State AimedBall(const Throw& thrown, const Vec3d& target, double heading, double gravity);

}  // namespace stride
