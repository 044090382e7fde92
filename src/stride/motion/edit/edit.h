#pragma once

#include <utility>
#include <vector>

#include "stride/motion/motion.h"

// Edits along time, and mirroring. Editing by blending stands in blend.h, joints of clips and loops
// in seam.h and cycle.h, placing in the world in ground_move.h, warping in displacement.h.
namespace stride {

// Frames first..last. Throws InputError if the motion does not have them. The part of a loop is a
// loop only if it is the whole.
Motion Cut(const Motion& motion, int first, int last);

// Coordinates at time t like SampleMotion, but with velocities that do not jump at the frames: a
// cubic between neighbours with central differences as slopes. Meets the frames.
std::vector<double> SampleSmooth(const Motion& motion, const Character& character, double t);

// A growing curve through points: cubic, with continuous slope, and never turning back (Fritsch and
// Carlson, 1980, "Monotone piecewise cubic interpolation"). A straight line through points on a
// line.
class TimeCurve {
 public:
  // Both numbers of the points must grow, at least two points; throws InputError. `periodic`: the
  // slope at the end is that at the start.
  explicit TimeCurve(std::vector<std::pair<double, double>> points, bool periodic = false);
  double operator()(double x) const;  // beyond the ends: their values
  double Start() const { return points_.front().first; }
  double End() const { return points_.back().first; }

 private:
  std::vector<std::pair<double, double>> points_;
  std::vector<double> slopes_;
};

// `factor` times as long, at the same rate of frames; 0.01 to 100.
Motion TimeScaled(const Motion& motion, const Character& character, double factor);

// At time t of the result, from the curve's start on, stands what the motion has at curve(t). The
// number of frames is rounded, and the curve stretched by less than half a frame to end on one.
Motion TimeWarped(const Motion& motion, const Character& character, const TimeCurve& curve);

// Left and right exchanged, by a mirror in the plane y = 0; contact labels too. Throws InputError
// if the character's own left and right differ.
Motion Mirrored(const Motion& motion, const Character& character);

// For each body the one on the other side; itself in the middle. Found from the roles, and from
// there by place in the tree. Throws InputError.
std::vector<int> MirrorBodies(const Character& character);

}  // namespace stride
