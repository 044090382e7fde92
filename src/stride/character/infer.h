#pragma once

#include <span>
#include <vector>

#include "stride/character/character.h"

// What a character needs and files often do not say.
namespace stride {

// The roles that are not given yet, from the names of bodies: "left_thigh", "LeftUpLeg", "l_femur",
// "thigh.L", ...; legs else from the tree itself (contact points must be there): the two limbs that
// alone reach the ground. What both legs hang on is the pelvis, and the trunk too where there is
// none. Bodies without mass play no part.
void InferRoles(Character* character);

// A box that stands for a flat cylinder of the same height and base area.
struct FlatCylinder {
  int body = 0, shape = 0;
};

// Contact points of every shape that collides (AddContactPoints; of a flat cylinder eight on each
// rim), but those that another shape of the body always covers, or one of its parent where they sit
// on the joint.
void InferContactPoints(Character* character, std::span<const FlatCylinder> cylinders = {});

// Bodies that nothing hangs on and that have no contact point.
std::vector<int> EndsWithoutContact(const Character& character);

// Servo gains of every joint but a free one. A joint that stands between the root and what touches
// the ground in the zero pose carries the character: kp = m g h (h: height of the centre of mass),
// so that two ankles are twice as stiff as gravity topples. Others carry what hangs on them:
// gravity turns them by 1/20 rad at most, or moves a slide by 1/20 m. kd = kp / 10 s. Contact
// points must be there.
void InferGains(Character* character);
// Takes them from rails (RunsOnRails) again.
void ReleaseRails(Character* character);

// The zero pose, joints whose range leaves it out in the middle of that; a root that is free or on
// rails is set to the height at which the lowest contact point touches z = 0.
void InferRestPose(Character* character);

}  // namespace stride
