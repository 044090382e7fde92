#pragma once

#include "stride/motion/motion.h"

namespace stride {

// One stride: a pair of frames whose poses and velocities match best.
struct Cycle {
  bool found = false;
  int first = 0, last = 0;
  double distance = 0;  // of the two frames' point clouds, m (point_cloud.h)
};

struct CycleOptions {
  double shortest = 0.4, longest = 3;  // s
  double largest_distance = 0.1;       // m; above this there is no cycle
  double half_window = 0.08;           // of the point clouds, s
};

// With contact labels: in between each foot lands once, and both frames have the same labels.
// Without, or where no such pair matches: the shortest time after which the pose comes back about
// as well as it does at best, having been away.
Cycle FindCycle(const Character& character, const Motion& motion, const CycleOptions& options = {});

}  // namespace stride
