#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "stride/motion/kinematics.h"
#include "stride/motion/motion.h"

// Where feet touch, how far they slide: measured from the character's contact points.
namespace stride {

// Leg and sole of one side.
struct FootParts {
  int thigh = -1, shank = -1, foot = -1, toe = -1;  // bodies; toe -1: none
  std::vector<ContactPoint> sole;                   // of the foot and what hangs on it; never empty
  std::uint8_t flag = 0;                            // its ContactFlag
};
// Left and right. The character must be a human.
std::array<FootParts, 2> FeetOf(const Character& character);

// Another part that may touch the ground.
struct ContactPart {
  std::string name;  // "left_hand"
  std::uint8_t flag = 0;
  std::vector<ContactPoint> points;  // never empty
};
// Hands (without one, the forearm's far end), trunk, head, knees: those that have contact points.
std::vector<ContactPart> OtherParts(const Character& character);

// Lowest place of a contact point in the world.
inline Vec3d PointAt(const BodyFrames& frames, const ContactPoint& point) {
  return frames.position[point.body] + Rotate(frames.rotation[point.body], point.position) -
         Vec3d{0, 0, point.radius};
}

// Mean way of those points of a sole that touch the ground in both of two frames: within 1 cm of
// the sole's lowest, from half a centimetre on with less weight.
Vec3d TouchingWay(const std::vector<Vec3d>& before, const std::vector<Vec3d>& now);

// One contact: frames first..last in which a foot is labelled as down.
struct ContactSpan {
  int first = 0, last = 0;
};
std::vector<ContactSpan> ContactSpans(const Motion& motion, std::uint8_t flag);

// The measures of `stride import`, over both feet.
struct FootMeasures {
  // How far a foot is dragged during one contact, m: the ways of the points that touch
  // (TouchingWay) are added up over the contact; the largest distance from its start, over all
  // contacts. Rolling from heel to toe and turning on the spot do not count.
  double max_slide = 0;
  // Height of the sole's lowest point over z = 0 in contact, m, the largest.
  double max_contact_height = 0;
  // Depth of a sole's lowest point under z = 0 in any frame, in contact or not, m, the largest; 0
  // if none.
  double max_depth = 0;
  // The same for all other contact points of the body.
  double max_body_depth = 0;
  // Height of the lowest point of another part over z = 0 in its contacts, m, the largest.
  double max_other_height = 0;
  int contacts = 0;
};
FootMeasures MeasureFeet(const Character& character, const Motion& motion);

}  // namespace stride
