#pragma once

#include <string>
#include <vector>

#include "stride/motion/feet.h"
#include "stride/motion/motion.h"

// Puts a captured motion on the ground z = 0 and keeps its feet there.
//
// 1. Floor. Captures stand a few centimetres off z = 0, and their floors are not level. Where the
// body is carried
//    (its lowest point is slow), that point's height is the floor's; smoothed over half a second,
//    in flight continued from both sides, it is taken off the whole body.
// 2. Contacts. A foot is down when its sole is low and its lowest part slow; higher bounds on the
// way out than on
//    the way in keep noise from splitting contacts. Hands, knees, trunk and head
//    likewise.
// 3. Clean-up. In contact the foot rolls without slip on z = 0 and does not turn about the vertical
// unless it
//    really pivots; nearly flat it is made flat, and toes stay on the ground while the heel lifts.
//    Between contacts the correction fades from the one to the next, and a foot that would go
//    through the ground is lifted. Legs follow by inverse kinematics; where they are too short the
//    root is lowered. Hands in contact stay where they are by the arms; trunk, head and knees in
//    contact bring the whole body to the ground. What then does not touch is no contact.
namespace stride {

struct GroundOptions {
  double contact_height = 0.035, release_height = 0.06;  // of the sole above the floor, m
  double contact_speed = 0.45, release_speed = 0.7;      // of the sole's lowest part, m/s
  double shortest_contact = 0.05;                        // s; shorter contacts and gaps are dropped
  // Step 3. Without it the pose stays as it was captured, on the floor of step 1.
  bool clean_up = true;
  double longest_drag = 0.08;  // way of a foot in one contact, m, before it counts as shuffling
};

struct GroundReport {
  double ground_offset = 0;  // height of the capture's floor, m (median), that was removed
  double floor_range = 0;    // between its lowest and highest place under feet in contact, m
  double root_lowered = 0;   // the most, m
  FootMeasures before, after;
  std::vector<std::string> warnings;
};

// Changes frames and contacts of the motion. The character must be a human.
GroundReport PutFeetOnGround(const Character& character, const GroundOptions& options,
                             Motion* motion);

}  // namespace stride
