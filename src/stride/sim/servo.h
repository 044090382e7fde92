#pragma once

#include "stride/character/character.h"
#include "stride/math/rotation.h"

// The servo of one joint, the same in every engine: implicit in the step h, so that stiff gains
// stay stable. With acceleration a, v' = v + h a and q' = q + h v', the torque
//   t = torque + kp (target - q') + kd (target_v - v')
// is t = force - inertia * a with
//   force   = torque + kp (target - q) + kd target_v - (kd + h kp) v,    inertia = h (kd + h kp).
// An engine adds `inertia` to the diagonal of its mass matrix and applies `force`.
namespace stride {

// The numbers of a hinge or slide stand in x; those of a ball joint are in child axes.
struct ServoInput {
  double kp = 0, kd = 0;
  Vec3d error;  // target - q; ball: Log(conj(q) * target)
  Vec3d target_v;
  Vec3d torque;  // on top of the servo
};

struct ImplicitForce {
  Vec3d force;
  double inertia = 0;  // the same on each of the joint's axes
};

// Servo and torque, bounded by the joint's max_torque: where the explicit estimate exceeds it,
// gains and torque shrink together, so that the bounded servo is implicit too. Then the joint's own
// passive spring and damper in the same form; they are not bounded. `rest_error`: spring pose - q.
inline ImplicitForce ServoForce(const Joint& joint, const ServoInput& in, const Vec3d& rest_error,
                                const Vec3d& v, double h) {
  ImplicitForce out;
  const double rate = in.kd + h * in.kp;
  out.force = in.torque + in.kp * in.error + in.kd * in.target_v - rate * v;
  out.inertia = h * rate;
  const double size = Norm(out.force);
  if (joint.max_torque > 0 && size > joint.max_torque) {
    out.force *= joint.max_torque / size;
    out.inertia *= joint.max_torque / size;
  }
  const double passive_rate = joint.damping + h * joint.stiffness;
  out.force += joint.stiffness * rest_error - passive_rate * v;
  out.inertia += h * passive_rate;
  return out;
}

// The same from the joint's numbers: q and target_q of CoordinateCount, v, target_v and torque of
// DofCount. A free joint has no servo: the result is zero.
inline ImplicitForce ServoForce(const Joint& joint, double kp, double kd, const double* q,
                                const double* v, const double* target_q, const double* target_v,
                                const double* torque, double h) {
  switch (joint.kind) {
    case JointKind::kFree: return {};
    case JointKind::kHinge:
    case JointKind::kSlide:
      return ServoForce(joint, {kp, kd, {target_q[0] - q[0]}, {target_v[0]}, {torque[0]}},
                        {joint.spring_angle - q[0]}, {v[0]}, h);
    case JointKind::kBall: break;
  }
  const Quatd inverse{q[0], -q[1], -q[2], -q[3]};
  const Quatd target{target_q[0], target_q[1], target_q[2], target_q[3]};
  return ServoForce(joint,
                    {kp,
                     kd,
                     Log(inverse * target),
                     {target_v[0], target_v[1], target_v[2]},
                     {torque[0], torque[1], torque[2]}},
                    Log(inverse), {v[0], v[1], v[2]}, h);
}

}  // namespace stride
