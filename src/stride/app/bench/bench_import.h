#pragma once

#include <string>

#include "stride/character/character.h"
#include "stride/motion/motion.h"

// The import that `stride bench` and bench/ measure: a capture as BVH text in memory.
namespace stride {

struct CaptureJob {
  std::string text;  // BVH
  int joints = 0, frames = 0;
};

// The built-in walk, for ten seconds at 120 frames/s, on a skeleton of 31 joints as in the CMU
// captures: the character's, and moving joints on the pelvis that are no part of a human.
CaptureJob MakeCaptureJob(const Character& character);

// Read and retargeted, and, if asked for, cleaned up on the ground: what `stride import` does to
// the motion, on one core.
Motion ImportCapture(const CaptureJob& job, const Character& character, bool on_ground);

}  // namespace stride
