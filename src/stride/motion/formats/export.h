#pragma once

#include "stride/character/character.h"
#include "stride/motion/motion.h"
#include "stride/motion/skeleton_clip.h"

namespace stride {

// A character's motion as a clip, for the writers of formats/formats.h. Every body is a joint of
// its name, at rest in the zero pose; hinges that turn about one point, with massless links between
// them, are one joint. The ends of the skeleton are the far ends of the bodies' shapes. Metres.
// Throws InputError if the motion is not the character's.
SkeletonClip ClipFromMotion(const Motion& motion, const Character& character);

}  // namespace stride
