#include "stride/motion/edit/leg_ik.h"

#include <algorithm>
#include <cmath>

#include "stride/math/rotation.h"

namespace stride {
namespace {

constexpr Vec3d kUp{0, 0, 1}, kLeft{0, 1, 0}, kDown{0, 0, -1};

Vec3d OffsetAlong(const Kinematics& kinematics, int ancestor, int body) {
  Vec3d sum;
  for (const int i : kinematics.Path(ancestor, body))
    sum += kinematics.character().bodies[i].offset;
  return sum;
}

}  // namespace

LimbIk::LimbIk(const Kinematics& kinematics, int trunk, int upper, int lower,
               const Vec3d& bend_axis)
    : trunk_(trunk),
      upper_(upper),
      lower_(lower),
      upper_joint_(kinematics, kinematics.Path(trunk, upper), kDown),
      lower_joint_(kinematics, kinematics.Path(upper, lower), kDown),
      upper_offset_(OffsetAlong(kinematics, trunk, upper)),
      to_middle_(OffsetAlong(kinematics, upper, lower)),
      bend_axis_(bend_axis) {
  const std::vector<int> path = kinematics.Path(upper, lower);
  const Joint& joint = kinematics.character().bodies[path[0]].joint;
  hinge_ = path.size() == 1 && joint.kind == JointKind::kHinge;
  most_bent_ = M_PI;
  if (!hinge_) return;
  const bool reversed = Dot(joint.axis, bend_axis) < 0;
  bend_axis_ = reversed ? -joint.axis : joint.axis;
  if (joint.limited) most_bent_ = std::min(M_PI, reversed ? -joint.lower : joint.upper);
}

double LimbIk::Nearest(const Vec3d& end) const {
  return most_bent_ < M_PI ? Norm(to_middle_ + Rotate(AxisAngle(bend_axis_, most_bent_), end)) : 0;
}

Vec3d LimbIk::UpperEnd(const BodyFrames& frames) const {
  return frames.position[trunk_] + Rotate(frames.rotation[trunk_], upper_offset_);
}

Quatd LimbIk::Solve(const BodyFrames& frames, const Vec3d& end, const Vec3d& target, double twist,
                    std::vector<double>* q) const {
  const Quatd& trunk = frames.rotation[trunk_];
  Vec3d way = target - UpperEnd(frames);
  if (Norm(way) < 1e-6) way = {0, 0, -1e-6};
  const double distance = std::min(Norm(way), Reach(end));

  const Quatd& upper = frames.rotation[upper_];
  const Quatd bend = Conjugate(upper) * frames.rotation[lower_];
  const Vec3d lower = Rotate(bend, end);
  Vec3d axis = bend_axis_;
  if (!hinge_) {
    const Vec3d plane = Cross(to_middle_, lower);
    if (Norm(plane) > 0.05 * Norm(to_middle_) * Norm(lower)) axis = Normalized(plane);
  }
  // |to_middle + turned lower| = distance: with u, w the parts across the axis, u.w turned by the
  // angle x is |u||w| cos(x + phase).
  const Vec3d u = to_middle_ - axis * Dot(axis, to_middle_), w = lower - axis * Dot(axis, lower);
  const double size = Norm(u) * Norm(w);
  const double phase = std::atan2(Dot(axis, Cross(u, w)), Dot(u, w));
  const double along = Dot(axis, to_middle_) * Dot(axis, lower);
  const double wanted =
      0.5 * (distance * distance - SquaredNorm(to_middle_) - SquaredNorm(lower)) - along;
  const double open = std::acos(std::clamp(wanted / size, -1.0, 1.0));
  const Quatd bent = lower_joint_.Set(AxisAngle(axis, open - phase) * bend, q);

  const Vec3d limb = to_middle_ + Rotate(bent, end);
  const Quatd swung =
      AxisAngle(Normalized(way), twist) * RotationBetween(Rotate(upper, limb), way) * upper;
  return trunk * upper_joint_.Set(Conjugate(trunk) * swung, q) * bent;
}

LegIk::LegIk(const Kinematics& kinematics, const FootParts& foot)
    : character_(&kinematics.character()),
      parts_(foot),
      limb_(kinematics, kinematics.character().BodyOf(Role::kPelvis), foot.thigh, foot.shank,
            kLeft),
      to_ankle_(OffsetAlong(kinematics, foot.shank, foot.foot)),
      ankle_(kinematics, kinematics.Path(foot.shank, foot.foot), kUp),
      toe_(kinematics, foot.toe < 0 ? std::vector<int>{} : kinematics.Path(foot.foot, foot.toe),
           kUp),
      ball_ankle_(character_->bodies[foot.foot].joint.kind == JointKind::kBall) {}

double LegIk::ToeAngle(const BodyFrames& frames) const {
  if (parts_.toe < 0) return 0;
  return TwistAngle(Conjugate(frames.rotation[parts_.foot]) * frames.rotation[parts_.toe], kLeft);
}

double LegIk::NearestToeAngle(double angle) const {
  if (parts_.toe < 0) return 0;
  const Joint& joint = character_->bodies[parts_.toe].joint;
  if (joint.kind != JointKind::kHinge || !joint.limited) return angle;
  return joint.axis.y > 0 ? std::clamp(angle, joint.lower, joint.upper)
                          : -std::clamp(-angle, joint.lower, joint.upper);
}

void LegIk::Solve(const BodyFrames& frames, const Vec3d& ankle, const Quatd& foot_rotation,
                  double toe_angle, std::vector<double>* q) const {
  constexpr double kMostTwist = 0.8;  // rad
  const Vec3d way = ankle - limb_.UpperEnd(frames);
  double twist = 0;
  for (int iteration = 0;; ++iteration) {
    const Quatd shank = limb_.Solve(frames, to_ankle_, ankle, twist, q);
    const Quatd reached = shank * ankle_.Set(Conjugate(shank) * foot_rotation, q);
    if (ball_ankle_ || iteration == 4 || Norm(way) < 1e-6) break;
    const double left_over = Dot(Log(foot_rotation * Conjugate(reached)), Normalized(way));
    twist = std::clamp(twist + left_over, -kMostTwist, kMostTwist);
    if (std::fabs(left_over) < 1e-3) break;
  }
  if (parts_.toe >= 0) toe_.Set(AxisAngle(kLeft, toe_angle), q);
}

}  // namespace stride
