#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "stride/math/vec.h"
#include "stride/motion/motion.h"
#include "stride/record/recording.h"

// What gait analysis sees of a character, simulated or captured alike.
namespace stride {

struct GaitOptions {
  int actor = 0;  // of a recording
  // What is analysed, s. None: from the start (of a recording of more than 6 s: without its first
  // 2 s, in which a run settles), to the end.
  std::optional<double> from, to;
  // Of a motion: it was captured, and its pose was not cleaned up (CaptureOptions). Its labels
  // begin late, where the foot has come to rest, and its feet have no zero of their own: strikes
  // are looked for before them, and feet are flat where they rest.
  bool captured = false;
};

// Joints whose torques and power are added up.
enum GaitJoints { kHipJoints, kKneeJoints, kAnkleJoints, kOtherJoints, kGaitJointsCount };
// Of one frame.
struct GaitDrive {
  std::array<double, kGaitJointsCount> power{};           // sum of |torque . velocity|, W
  std::array<double, kGaitJointsCount> squared_torque{};  // sum, (N m)^2
};

// Rotations map to world axes and are the identity in the zero pose.
struct GaitFrame {
  struct Side {
    Vec3d ankle;  // origin of the foot's frame, m
    Quatd thigh, shank, foot;
    Vec3d upper_arm;  // direction from shoulder to elbow, trunk's frame; 0: no arm
    bool down = false;
    Vec3d force;  // of the ground on the foot, N
  };
  double time = 0;  // s
  Vec3d pelvis;     // m
  Quatd pelvis_turn, trunk;
  std::array<Side, 2> sides;       // left, right
  std::optional<GaitDrive> drive;  // none: not known
};

struct GaitSource {
  std::string name;       // for messages
  std::string character;  // name
  double mass = 0;        // kg
  double gravity = 0;     // m/s^2
  bool arms = false;
  bool forces = false;             // whether GaitFrame::Side::force is known
  std::vector<GaitFrame> frames;   // at times that increase
  std::vector<std::string> notes;  // what was left out, in sentences
};

// Throw InputError: no such actor, a body without legs, no frame in the time asked for.
//
// Of a recording, a foot is down while the ground carries more than 5 % of the weight through it
// and what hangs on it; a fall ends it. One that was not simulated is taken as a motion.
GaitSource GaitSourceOf(const Recording& recording, const GaitOptions& options);
// Of a motion, a foot is down where its labels say so; one without labels is given those that
// `stride import` would find. A loop is played three times.
GaitSource GaitSourceOf(const Motion& motion, const Character& character,
                        const GaitOptions& options);

}  // namespace stride
