#pragma once

#include <array>
#include <string>
#include <vector>

#include "stride/motion/import/skeleton_map.h"
#include "stride/motion/import/source_clip.h"
#include "stride/motion/motion.h"
#include "stride/motion/skeleton_clip.h"

// From a clip's skeleton to a character.
//
// Each mapped part gets the source's rotation, corrected by a constant that is found once: for
// trunk and head from the rest pose; for limbs so that the bone has the source's direction, with
// the twist that makes knees and elbows bend about the character's axes, as seen in the clip; for
// feet so that they are flat when the source stands. In every frame a limb's bone then takes the
// source's direction in the world. Where the character's knee or elbow is a hinge, the thigh or
// upper arm is twisted so that the hinge lies across the plane of the limb. Lengths are the
// character's; the middle between its hip joints follows the source's, scaled by the ratio of leg
// lengths. Heights still are the capture's: ground_contact.h puts the feet on the ground.
namespace stride {

struct RetargetOptions {
  double source_fps = 0;  // true rate of the clip, frames/s; 0: what its file says
  double fps = 0;         // rate of the result, frames/s; 0: the clip's
  int first_frame = 0;    // of the file
  int last_frame = -1;    // of the file; -1: its last
  double cutoff = 10;     // low-pass filter, Hz, -3 dB; 0: none
  // How a foot stands flat is taken from where it rests in the clip; else from the reference pose.
  bool watch_feet = true;
};

// Limb bones whose directions are kept, as roles.
inline constexpr std::array<Role, 8> kLimbBones = {
    Role::kLeftThigh,    Role::kLeftShank,   Role::kRightThigh,    Role::kRightShank,
    Role::kLeftUpperArm, Role::kLeftForearm, Role::kRightUpperArm, Role::kRightForearm};
using LimbDirections = std::array<Vec3d, kLimbBones.size()>;  // unit, world; zero: not mapped

struct Retargeted {
  Motion motion;
  double scale = 0;          // metres on the character per unit of the file
  double source_height = 0;  // of the clip's skeleton on that scale, m
  double turn = 0;           // that the clip was turned by about the vertical to face +X, rad
  std::vector<std::string> mapped, unmapped;  // joints of the clip
  std::vector<LimbDirections> directions;     // of the source, per frame of the motion
};

// The character must be a human (Character::IsHuman). The motion starts above the origin, facing
// (or, when it walks straight on, travelling) along +X. Throws InputError: not a human, legs
// without length.
Retargeted Retarget(const SourceClip& source, const Character& character,
                    const RetargetOptions& options);

// Mean angle between the limb bones of the motion and `directions`, degrees.
double BoneDirectionError(const Character& character, const Motion& motion,
                          const std::vector<LimbDirections>& directions);

}  // namespace stride
