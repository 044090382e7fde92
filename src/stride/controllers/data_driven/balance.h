#pragma once

#include <array>
#include <vector>

#include "stride/controllers/data_driven/gains.h"
#include "stride/motion/edit/leg_ik.h"
#include "stride/motion/feet.h"
#include "stride/motion/kinematics.h"

// Balancing by editing the target pose: lee10, Section 4.1. Each equation is a function; the order
// of the edits is the authors' (controllers/data_driven/README.md).
namespace stride {

// A body as the edits see it. Not copied: its parts point at each other.
struct Rig {
  explicit Rig(const Character& character);
  Rig(const Rig&) = delete;

  Character character;
  Kinematics kinematics;
  int pelvis;
  std::array<FootParts, 2> feet;
  std::vector<PartJoint> hips, ankles;  // left, right
  std::vector<LegIk> legs;              // left, right

  // Bodies' frames after what a leg's joints have become; those of other bodies stay.
  void UpdateLeg(int side, const std::vector<double>& q, BodyFrames* frames) const;

  // From the hip down to the foot's or toes' body.
  const std::vector<int>& LegBodies(int side) const { return leg_bodies_[side]; }

 private:
  std::array<std::vector<int>, 2> leg_bodies_;
};

// The pose that is edited, and where its bodies are.
struct EditedPose {
  std::vector<double> q;
  BodyFrames frames;
};

// How the pelvis moves over the stance ankle, in the ground plane: here minus in the reference.
struct BalanceError {
  Vec3d velocity, position;  // v - v_d, d - d_d
  Vec3d along;               // unit, the way of the reference: the sagittal plane
};

// What eqs. 3 and 4 have in common: gains times errors in both planes, as a horizontal vector, rad.
Vec3d SwingFeedback(const FeedbackGains& gains, const BalanceError& error);
Vec3d AnkleFeedback(const FeedbackGains& gains, const BalanceError& error);

// The world orientation of a foot; its ankle follows.
void SetFoot(const Rig& rig, int side, const Quatd& foot, EditedPose* pose);

// Eq. 2: the stance thigh goes over to where it is in the simulation, by `share`; the pelvis keeps
// the reference's orientation, so the hip turns the pelvis there.
void MatchStanceHip(const Rig& rig, int side, const Quatd& thigh, double share, EditedPose* pose);

// Eq. 3: turns the swing thigh in the world so that the foot goes along `feedback` (rad): forward
// for who is too fast or ahead. `level`: how far the foot keeps its orientation.
void TurnSwingHip(const Rig& rig, int side, const Vec3d& feedback, double level, EditedPose* pose);

// Eq. 4: turns the stance foot in the world, toes down for who is too fast or ahead.
void TurnStanceAnkle(const Rig& rig, int side, const Vec3d& feedback, EditedPose* pose);

// Eq. 5: raises a foot by `height` (m) along the vertical of a world in which the root is turned
// like `root`; it keeps its orientation.
void RaiseFoot(const Rig& rig, int side, const Quatd& root, double height, EditedPose* pose,
               EditedPose* scratch);

}  // namespace stride
