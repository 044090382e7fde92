#pragma once

#include "stride/motion/feet.h"
#include "stride/motion/kinematics.h"

namespace stride {

// Analytic inverse kinematics of an arm or a leg: elbow or knee from the distance, then the whole
// limb is swung to the target about its upper end. The limb's plane turns with it, so a knee keeps
// pointing where it did.
class LimbIk {
 public:
  // Part of the trunk that the limb hangs on, upper and lower part (bodies). `bend_axis`: flexion
  // in the zero pose.
  LimbIk(const Kinematics& kinematics, int trunk, int upper, int lower, const Vec3d& bend_axis);

  // Farthest that `end`, a point in the lower part's frame, gets from the limb's upper end, m: a
  // little less than the straight limb, where the joint would snap.
  double Reach(const Vec3d& end) const { return 0.9985 * (Norm(to_middle_) + Norm(end)); }
  // Nearest that it gets, m, where the joint's limit stops it.
  double Nearest(const Vec3d& end) const;
  // Brings `end` to the target; one beyond reach is brought within it. `frames` are those of q as
  // it comes. `twist`: turn of the limb about the line to its end, rad. Sets both joints; returns
  // the lower part's rotation in the world.
  Quatd Solve(const BodyFrames& frames, const Vec3d& end, const Vec3d& target, double twist,
              std::vector<double>* q) const;
  Vec3d UpperEnd(const BodyFrames& frames) const;

 private:
  int trunk_, upper_, lower_;
  PartJoint upper_joint_, lower_joint_;
  Vec3d upper_offset_;  // of the limb's upper end in the trunk's frame
  Vec3d to_middle_;     // in the upper part's frame
  bool hinge_;
  Vec3d bend_axis_;   // upper part's frame
  double most_bent_;  // rad about bend_axis_; pi without a limit
};

// A leg with its foot.
class LegIk {
 public:
  LegIk(const Kinematics& kinematics, const FootParts& foot);

  double Reach() const { return limb_.Reach(to_ankle_); }
  double Nearest() const { return limb_.Nearest(to_ankle_); }
  Vec3d Hip(const BodyFrames& frames) const { return limb_.UpperEnd(frames); }
  // As LimbIk::Solve for the ankle; the foot gets its rotation, the toes their angle about the
  // foot's +Y, rad. An ankle that cannot turn about the leg lets the whole leg do it.
  void Solve(const BodyFrames& frames, const Vec3d& ankle, const Quatd& foot_rotation,
             double toe_angle, std::vector<double>* q) const;
  // Angle of the toes in q as Solve takes it; 0 without toes.
  double ToeAngle(const BodyFrames& frames) const;
  // The nearest angle that the toes' joint can take.
  double NearestToeAngle(double angle) const;

 private:
  const Character* character_;
  FootParts parts_;
  LimbIk limb_;
  Vec3d to_ankle_;  // in the shank's frame
  PartJoint ankle_, toe_;
  bool ball_ankle_;
};

}  // namespace stride
