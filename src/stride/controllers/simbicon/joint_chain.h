#pragma once

#include <string>
#include <vector>

#include "stride/character/character.h"
#include "stride/sim/lanes.h"

// Joints as a walking controller sees them: turned about an axis, aimed at a rotation, whatever
// they are made of.
namespace stride {

// One joint of the body, or a chain of hinges through massless links that stands for one.
struct JointChain {
  int count = 0;  // 0: the body has no such joint
  int body[3] = {};
  int axis[3] = {};     // 0, 1, 2: a hinge about x, y, z; -1: a ball
  double sign[3] = {};  // of the hinge's axis
};

// The joint that moves a body, with the links it may consist of; of no count for no body (-1).
JointChain ChainOf(const Character& character, int body);
JointChain ChainOf(const Character& character, Role role);

struct LegRoles {
  Role thigh, shank, foot, toe, arm, forearm;
};
inline constexpr LegRoles kSides[2] = {
    {Role::kLeftThigh, Role::kLeftShank, Role::kLeftFoot, Role::kLeftToe, Role::kLeftUpperArm,
     Role::kLeftForearm},
    {Role::kRightThigh, Role::kRightShank, Role::kRightFoot, Role::kRightToe, Role::kRightUpperArm,
     Role::kRightForearm}};

// Why a body has no two legs that these controllers can use, in words for the user; empty: it has.
std::string RefusesLegs(const Character& character);

// From the middle between the ankles to the centre of mass of a stand, ahead, m.
double StandAhead(const Character& character, const std::vector<double>& stand_q);

// Gains of a joint about its axes x, y, z.
template <class S>
struct AxisGains {
  Vec3<S> kp, kd;
};

// 0, 1, 2: about x, y, z.
template <class S>
STRIDE_INLINE Quat<S> About(int axis, const S& angle) {
  S s, c;
  SinCos(angle * S(0.5), &s, &c);
  return {c, axis == 0 ? s : S(0), axis == 1 ? s : S(0), axis == 2 ? s : S(0)};
}

// Of the chain's last body in the frame of what it hangs on.
template <class S, class Real>
STRIDE_INLINE Quat<S> Rotation(const LaneView<S, Real>& view, const JointChain& chain) {
  Quat<S> rotation = Quat<S>::Identity();
  for (int k = 0; k < chain.count; ++k) {
    const JointState<S>& joint = view.Joint(chain.body[k]);
    rotation =
        rotation *
        (chain.axis[k] < 0 ? joint.rot : About(chain.axis[k], joint.angle * S(chain.sign[k])));
  }
  return rotation;
}

// Angle of a hinge in a chain that aims at a rotation. Hinges take what they can of it: exact for
// one hinge, and for two that cross.
template <class S>
STRIDE_INLINE S HingeAngle(int axis, const Quat<S>& target) {
  const Vec3<S> turn =
      RotationVector(Normalized(Quat<S>{target.w, axis == 0 ? target.x : S(0),
                                        axis == 1 ? target.y : S(0), axis == 2 ? target.z : S(0)}));
  return axis == 0 ? turn.x : axis == 1 ? turn.y : turn.z;
}

template <class S, class Real>
STRIDE_INLINE void Aim(const LaneView<S, Real>& view, const JointChain& chain,
                       const Quat<S>& target, const S& kp, const S& kd) {
  for (int k = 0; k < chain.count; ++k) {
    JointDrive<S>& drive = view.drives[chain.body[k]];
    drive.kp = kp, drive.kd = kd;
    const int axis = chain.axis[k];
    drive.target =
        axis < 0 ? target : Quat<S>{HingeAngle(axis, target) * S(chain.sign[k]), S(0), S(0), S(0)};
  }
}

template <class S>
STRIDE_INLINE Quat<S> FromRotationVector(const Vec3<S>& v) {
  const S angle = Sqrt(SquaredNorm(v) + S(1e-12));
  S s, c;
  SinCos(angle * S(0.5), &s, &c);
  const S f = s / angle;
  return {c, v.x * f, v.y * f, v.z * f};
}

// With gains of its own about each axis, also for a ball, whose servo has one pair for all: that is
// given the largest, and where an axis has less, its error is shortened and its damper told that
// the joint turns more slowly than it does. What is implicit in the step is the larger gain, so
// that this is as stable as any servo. `error`: what remains to be turned, in the child's axes.
template <class S, class Real>
STRIDE_INLINE void AimByError(const LaneView<S, Real>& view, int body, const Vec3<S>& error,
                              const AxisGains<S>& gains) {
  JointDrive<S>& drive = view.drives[body];
  const JointState<S>& joint = view.Joint(body);
  const S least(1e-3);
  drive.kp = Max(Max(gains.kp.x, gains.kp.y), Max(gains.kp.z, least));
  drive.kd = Max(Max(gains.kd.x, gains.kd.y), Max(gains.kd.z, least));
  const S p = S(1) / drive.kp, d = S(1) / drive.kd;
  drive.target =
      joint.rot * FromRotationVector(Vec3<S>{error.x * gains.kp.x * p, error.y * gains.kp.y * p,
                                             error.z * gains.kp.z * p});
  drive.target_v = {joint.w.x * (S(1) - gains.kd.x * d), joint.w.y * (S(1) - gains.kd.y * d),
                    joint.w.z * (S(1) - gains.kd.z * d)};
}
template <class S, class Real>
STRIDE_INLINE void Aim(const LaneView<S, Real>& view, const JointChain& chain,
                       const Quat<S>& target, const AxisGains<S>& gains) {
  for (int k = 0; k < chain.count; ++k) {
    const int axis = chain.axis[k];
    if (axis < 0) {
      const Vec3<S> error = RotationVector(Conjugate(view.Joint(chain.body[k]).rot) * target);
      AimByError(view, chain.body[k], error, gains);
      continue;
    }
    JointDrive<S>& drive = view.drives[chain.body[k]];
    drive.kp = axis == 0 ? gains.kp.x : axis == 1 ? gains.kp.y : gains.kp.z;
    drive.kd = axis == 0 ? gains.kd.x : axis == 1 ? gains.kd.y : gains.kd.z;
    drive.target = {HingeAngle(axis, target) * S(chain.sign[k]), S(0), S(0), S(0)};
  }
}

template <class S>
STRIDE_INLINE Quat<S> Broadcast(const Quatd& q) {
  return {S(q.w), S(q.x), S(q.y), S(q.z)};
}
// All joints to what they hold at rest, for what is not aimed besides.
template <class S, class Real>
STRIDE_INLINE void HoldRest(const LaneView<S, Real>& view, const JointDrive<double>* rest) {
  for (int i = 0; i < view.Bodies(); ++i) {
    const JointDrive<double>& r = rest[i];
    view.drives[i] = {
        Broadcast<S>(r.target), {S(0), S(0), S(0)}, {S(0), S(0), S(0)}, S(r.kp), S(r.kd)};
  }
}

template <class S>
STRIDE_INLINE Quat<S> Choose(const Mask<S>& mask, const Quat<S>& a, const Quat<S>& b) {
  return {Select(mask, a.w, b.w), Select(mask, a.x, b.x), Select(mask, a.y, b.y),
          Select(mask, a.z, b.z)};
}
template <class S>
STRIDE_INLINE Vec3<S> Choose(const Mask<S>& mask, const Vec3<S>& a, const Vec3<S>& b) {
  return {Select(mask, a.x, b.x), Select(mask, a.y, b.y), Select(mask, a.z, b.z)};
}
template <class S>
STRIDE_INLINE S Clamped(const S& x, const S& most) {
  return Min(Max(x, -most), most);
}

}  // namespace stride
