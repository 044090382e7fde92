#pragma once

#include <optional>
#include <vector>

#include "stride/motion/edit/ground_move.h"
#include "stride/motion/motion.h"

// Stretches of motions, one after the other, without a jump of pose or velocity.
//
// At a seam the next stretch is laid over the end of the one before (point_cloud.h). What is left
// between the two poses is a displacement D (displacement.h) that changes at a rate V. Half of both
// is added before the seam and half is taken off after it, fading over a time w as the cubic that
// starts with value D/2 and slope V/2 and ends with zero and zero. No frames beyond the seam are
// needed. Feet in contact do not slide (foot_hold.h).
namespace stride {

// Frames first..last of a motion that outlives it.
struct Stretch {
  const Motion* motion = nullptr;
  int first = 0, last = 0;
};

struct SeamOptions {
  double warp = 0.25;         // w, s; at most half of each stretch
  double half_window = 0.08;  // of the point clouds that are laid over each other, s
  // Moves the next stretch to where it goes on, if that is known; else what lays it over the end
  // of the one before.
  std::optional<GroundMove> next;
};

// The last frame of a stretch and the first of the next become one. The result stands where the
// first stretch does, and has its name, source and rate. Throws InputError for a range outside its
// motion or different rates.
Motion Join(const Character& character, const std::vector<Stretch>& stretches,
            const SeamOptions& options = {});

// Frames first..last as a loop: travel and heading change of a round are those of the frames, laid
// over each other, or options.next.
Motion MakeLoop(const Character& character, const Motion& motion, int first, int last,
                const SeamOptions& options = {});

// The same loop, starting at another of its frames.
Motion StartLoopAt(const Character& character, const Motion& loop, int frame);

// Lays b around its frame over a around its frame; if that turns the pelvis round, the roots over
// each other.
GroundMove AlignAt(const Character& character, const Motion& a, int frame_a, const Motion& b,
                   int frame_b, double half_window);

}  // namespace stride
