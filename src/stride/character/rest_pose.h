#pragma once

#include <vector>

#include "stride/character/character.h"

// Poses of quiet standing. Works on coordinates alone: where the bodies are, not what moves them.
namespace stride {

// Where the body frames are in the world.
struct BodyFrames {
  std::vector<Vec3d> position;
  std::vector<Quatd> rotation;  // body to world
};
// How body's joint places its frame in its parent's (a free one: in the world), given the joint's
// numbers.
struct JointPlace {
  Vec3d offset;
  Quatd turn = Quatd::Identity();
};
JointPlace PlaceOf(const Body& body, const double* q);

// Frame of RootBody() alone; no allocation.
JointPlace RootFrameAt(const Character& character, const std::vector<double>& q);
BodyFrames FramesAt(const Character& character, const std::vector<double>& q);

Vec3d CenterOfMassAt(const Character& character, const std::vector<double>& q);

// Height of the lowest contact point. The character must have one.
double LowestContactAt(const Character& character, const std::vector<double>& q);

// Middle of the box around all contact points within 1 mm of the lowest, at its height.
Vec3d SupportCenterAt(const Character& character, const std::vector<double>& q);

// Moves the root up by `rise`; on rails along the steepest slide, if there is one that leads up.
void RaiseRoot(const Character& character, double rise, std::vector<double>* q);

// Moves the root up or down so that the lowest contact point is at z = 0.
void PutOnGround(const Character& character, std::vector<double>* q);

// Sets rest_q: the zero pose leaning from the ankles, feet flat, until the centre of mass is over
// the middle of the feet. Needs both feet, in the roles, on ankles at the same x and height that
// turn about Y.
void SetQuietStand(Character* character);

}  // namespace stride
