#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "stride/motion/builtin/human_rig.h"
#include "stride/motion/motion.h"

// From a sketch of a motion (joint angles, a path of the body, and where and when the limbs stand)
// to a clean motion: what stands stays put, what swings leaves and arrives smoothly, and the centre
// of mass goes where it was told.
namespace stride {

// A foot or hand on the ground from one frame to another.
struct Stand {
  int limb = 0;             // 0 and 1: left and right foot, 2 and 3: left and right hand
  int first = 0, last = 0;  // frames
  Vec3d ground;             // below the ankle when the foot is flat; of a hand: below its tip
  double heading = 0;
  std::function<double(int frame)> pitch;  // foot: rad, as HumanRig::StandingFoot; none: flat
};

struct Sketch {
  double fps = 60;
  // Joint angles and orientation of the pelvis in every frame, and a first guess of its position.
  std::vector<HumanPose> poses;
  // In every frame where the pelvis or, `com_driven`, the centre of mass is to be.
  std::vector<Vec3d> path;
  bool com_driven = false;
  bool pelvis_height = false;  // com_driven: the path's height is the pelvis' all the same
  // Nothing but a swinging foot may go below the ground: lift the body where it would (lying,
  // sitting).
  bool rests_on_ground = false;
  // Lower the body where a standing hand or foot would be out of reach.
  bool sinks_to_reach = false;
  std::vector<Stand> stands;  // of one limb in order of time, not overlapping
  // A swinging limb forgets where it left, and prepares for where it lands, within this time.
  double settle_seconds = 0.22;
  double clearance = 0.012;  // of swinging feet in the middle of their swing, m
};

struct Solved {
  std::vector<std::vector<double>> frames;
  std::vector<std::uint8_t> contacts;
};
Solved Solve(const HumanRig& rig, const Sketch& sketch);

}  // namespace stride
