#pragma once

#include <vector>

#include "stride/motion/import/retarget.h"
#include "stride/motion/import/source_clip.h"
#include "stride/motion/motion.h"

// Clips as game libraries give them: the root stays over one place, and the feet on the ground
// slide back under it. The way is recovered from the feet: one in stance is held where it is, and
// the root moves so that it is.
namespace stride {

enum class InPlace {
  kAuto,  // if CheckInPlace says so
  kYes,
  kNo
};
// "auto", "yes" or "no". Throws InputError.
InPlace InPlaceFromName(const std::string& name);

// How feet on the ground move against the pelvis of an upright body, step by step.
struct InPlaceCheck {
  double way = 0;  // of feet against the pelvis in all steps of 0.1 m and more, m
  // The foot's part in it, 0 to 1, median: about 0 where feet stand and the body goes on, 1 where
  // the body stays and the feet slide.
  double slide = 0;
  double lesser_foot = 0;  // part of the way of the foot with the shorter one, 0 to 0.5
  double steady = 0;       // 1: all steps go the same way, in the world or as the body sees it
  bool in_place = false;   // feet slide as those of one that walks or runs
  bool slides = false;     // they slide, though perhaps with one step only
};
InPlaceCheck CheckInPlace(const Character& character, const Motion& motion);

// How far each frame must be moved over the ground for feet in stance to stay where they are, m.
// In flight the speed goes on from the contact before to the one after. `ground`: height of the
// captured floor, m; the character's soles tell where it is only as far as they are the captured
// ones.
std::vector<Vec3d> RecoverWay(const Character& character, const Motion& motion, double ground);

struct InPlaceReport {
  InPlaceCheck check;
  bool recovered = false;
};
// Gives an in-place clip its way back. The check is on the retargeted motion, which is what
// `retargeted` holds afterwards.
InPlaceReport RestoreWay(InPlace in_place, const Character& character,
                         const RetargetOptions& options, SourceClip* source,
                         Retargeted* retargeted);

}  // namespace stride
