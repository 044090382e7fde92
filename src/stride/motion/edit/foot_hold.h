#pragma once

#include <array>
#include <vector>

#include "stride/motion/edit/ground_move.h"
#include "stride/motion/feet.h"

// Keeps the feet of an edited motion from sliding.
//
// An edit treats the feet's places in the world like further coordinates: it blends or warps them
// as it does the joints. HoldFeet then moves each contact so that the foot slides as little in it
// as in the motions it was made from and is as high, lets the correction fade in the swings beside
// it, lifts a foot that would go through the ground, and solves the legs.
namespace stride {

struct FootPose {
  Vec3d position;                      // of the foot's frame in the world
  Quatd rotation = Quatd::Identity();  // foot to world
  double height = 0;                   // of the sole's lowest point
  bool down = false;                   // in contact
  Vec3d slip;  // in contact: way of the points that touch since the frame before, ground plane
};
// Left and right, a pose a frame; both empty if the character is not a human.
using FootPaths = std::array<std::vector<FootPose>, 2>;

FootPaths TrackFeet(const Character& character, const Motion& motion);
void MoveFeet(const GroundMove& move, FootPaths* paths);

// Brings the feet to `wanted` as it is, but not through the ground.
void BringFeet(const Character& character, const FootPaths& wanted, Motion* motion);

// Brings the feet to `wanted`, corrected as above where the motion's labels say contact. In a loop,
// contacts and swings go on over its end. Frames whose feet are where they should be keep their
// exact coordinates, here as above.
void HoldFeet(const Character& character, const FootPaths& wanted, Motion* motion);

}  // namespace stride
