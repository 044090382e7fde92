#pragma once

#include "stride/math/vec.h"

// Exponential coordinates, interpolation and headings of rotations (double).
namespace stride {

// Rotation vector (axis times angle, radians) of q, the short way round: |result| <= pi.
inline Vec3d Log(const Quatd& q) {
  const double sign = q.w < 0 ? -1.0 : 1.0;
  const Vec3d v{q.x * sign, q.y * sign, q.z * sign};
  const double s = Norm(v);
  // Below 1e-9 the ratio angle/sine is 2 to the last bit.
  const double k = s > 1e-9 ? 2.0 * std::atan2(s, q.w * sign) / s : 2.0;
  return v * k;
}
inline Quatd Exp(const Vec3d& v) {
  const double angle = Norm(v);
  const double k = angle > 1e-9 ? std::sin(0.5 * angle) / angle : 0.5;
  return {std::cos(0.5 * angle), v.x * k, v.y * k, v.z * k};
}
inline Quatd AxisAngle(const Vec3d& unit_axis, double angle) { return Exp(unit_axis * angle); }
inline Quatd Slerp(const Quatd& a, const Quatd& b, double t) {
  return Normalized(a * Exp(Log(Conjugate(a) * b) * t));
}
// Shortest rotation that takes direction a to direction b (neither zero).
inline Quatd RotationBetween(const Vec3d& a, const Vec3d& b) {
  const Vec3d u = Normalized(a), v = Normalized(b);
  const double c = Dot(u, v);
  if (c < -0.999999) {
    const Vec3d other = std::fabs(u.x) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
    const Vec3d axis = Normalized(Cross(u, other));
    return {0, axis.x, axis.y, axis.z};
  }
  const Vec3d axis = Cross(u, v);
  return Normalized(Quatd{1 + c, axis.x, axis.y, axis.z});
}
inline Quatd FromMat3(const Mat3d& m) {
  const double trace = m.xx + m.yy + m.zz;
  Quatd q;
  if (trace > 0) {
    const double s = 2 * std::sqrt(1 + trace);
    q = {0.25 * s, (m.zy - m.yz) / s, (m.xz - m.zx) / s, (m.yx - m.xy) / s};
  } else if (m.xx > m.yy && m.xx > m.zz) {
    const double s = 2 * std::sqrt(1 + m.xx - m.yy - m.zz);
    q = {(m.zy - m.yz) / s, 0.25 * s, (m.xy + m.yx) / s, (m.xz + m.zx) / s};
  } else if (m.yy > m.zz) {
    const double s = 2 * std::sqrt(1 + m.yy - m.xx - m.zz);
    q = {(m.xz - m.zx) / s, (m.xy + m.yx) / s, 0.25 * s, (m.yz + m.zy) / s};
  } else {
    const double s = 2 * std::sqrt(1 + m.zz - m.xx - m.yy);
    q = {(m.yx - m.xy) / s, (m.xz + m.zx) / s, (m.yz + m.zy) / s, 0.25 * s};
  }
  return Normalized(q);
}
// Heading: the angle about the vertical of the body's forward (+X) axis, radians.
inline double Heading(const Quatd& q) {
  const Vec3d forward = Rotate(q, Vec3d{1, 0, 0});
  return std::atan2(forward.y, forward.x);
}
// Twist of q about a unit axis (swing-twist decomposition), radians in (-pi, pi].
inline double TwistAngle(const Quatd& q, const Vec3d& unit_axis) {
  const double s = Dot(Vec3d{q.x, q.y, q.z}, unit_axis);
  return 2.0 * std::atan2(q.w < 0 ? -s : s, std::fabs(q.w));
}

}  // namespace stride
