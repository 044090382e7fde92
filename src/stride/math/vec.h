#pragma once

#include <cmath>

#include "stride/math/scalar.h"

// Small vectors and matrices, generic over the scalar: `double`, `float`, or a vector of lanes.
// Everything is by value and inlined; a lane scalar makes each operation work on all lanes at once.
namespace stride {

template <class S>
struct Vec3 {
  S x{}, y{}, z{};

  friend STRIDE_INLINE Vec3 operator+(const Vec3& a, const Vec3& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend STRIDE_INLINE Vec3 operator-(const Vec3& a, const Vec3& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend STRIDE_INLINE Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
  friend STRIDE_INLINE Vec3 operator*(const Vec3& a, const S& s) {
    return {a.x * s, a.y * s, a.z * s};
  }
  friend STRIDE_INLINE Vec3 operator*(const S& s, const Vec3& a) { return a * s; }
  STRIDE_INLINE Vec3& operator+=(const Vec3& b) { return *this = *this + b; }
  STRIDE_INLINE Vec3& operator-=(const Vec3& b) { return *this = *this - b; }
  STRIDE_INLINE Vec3& operator*=(const S& s) { return *this = *this * s; }
  friend bool operator==(const Vec3&, const Vec3&) = default;
};

template <class S>
STRIDE_INLINE S Dot(const Vec3<S>& a, const Vec3<S>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class S>
STRIDE_INLINE Vec3<S> Cross(const Vec3<S>& a, const Vec3<S>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class S>
STRIDE_INLINE S SquaredNorm(const Vec3<S>& a) {
  return Dot(a, a);
}
template <class S>
STRIDE_INLINE S Norm(const Vec3<S>& a) {
  return Sqrt(Dot(a, a));
}
template <class S>
STRIDE_INLINE Vec3<S> Normalized(const Vec3<S>& a) {
  return a * (S(1) / Norm(a));
}

// Row-major 3x3 matrix.
template <class S>
struct Mat3 {
  S xx{}, xy{}, xz{}, yx{}, yy{}, yz{}, zx{}, zy{}, zz{};

  static STRIDE_INLINE Mat3 Identity() {
    return {S(1), S(0), S(0), S(0), S(1), S(0), S(0), S(0), S(1)};
  }
  STRIDE_INLINE Vec3<S> Col0() const { return {xx, yx, zx}; }
  STRIDE_INLINE Vec3<S> Col1() const { return {xy, yy, zy}; }
  STRIDE_INLINE Vec3<S> Col2() const { return {xz, yz, zz}; }
  static STRIDE_INLINE Mat3 FromColumns(const Vec3<S>& a, const Vec3<S>& b, const Vec3<S>& c) {
    return {a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z};
  }
  friend STRIDE_INLINE Mat3 operator+(const Mat3& a, const Mat3& b) {
    return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yx + b.yx, a.yy + b.yy,
            a.yz + b.yz, a.zx + b.zx, a.zy + b.zy, a.zz + b.zz};
  }
  friend STRIDE_INLINE Mat3 operator*(const Mat3& a, const S& s) {
    return {a.xx * s, a.xy * s, a.xz * s, a.yx * s, a.yy * s,
            a.yz * s, a.zx * s, a.zy * s, a.zz * s};
  }
  friend bool operator==(const Mat3&, const Mat3&) = default;
};

template <class S>
STRIDE_INLINE Vec3<S> operator*(const Mat3<S>& m, const Vec3<S>& v) {
  return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.yx * v.x + m.yy * v.y + m.yz * v.z,
          m.zx * v.x + m.zy * v.y + m.zz * v.z};
}
// m^T v
template <class S>
STRIDE_INLINE Vec3<S> TransposeMul(const Mat3<S>& m, const Vec3<S>& v) {
  return {m.xx * v.x + m.yx * v.y + m.zx * v.z, m.xy * v.x + m.yy * v.y + m.zy * v.z,
          m.xz * v.x + m.yz * v.y + m.zz * v.z};
}
template <class S>
STRIDE_INLINE Mat3<S> operator*(const Mat3<S>& a, const Mat3<S>& b) {
  return Mat3<S>::FromColumns(a * b.Col0(), a * b.Col1(), a * b.Col2());
}
template <class S>
STRIDE_INLINE Mat3<S> Transpose(const Mat3<S>& m) {
  return {m.xx, m.yx, m.zx, m.xy, m.yy, m.zy, m.xz, m.yz, m.zz};
}
// [v]x: the matrix of the cross product with v.
template <class S>
STRIDE_INLINE Mat3<S> Skew(const Vec3<S>& v) {
  return {S(0), -v.z, v.y, v.z, S(0), -v.x, -v.y, v.x, S(0)};
}

// Symmetric 3x3 matrix.
template <class S>
struct Sym3 {
  S xx{}, xy{}, xz{}, yy{}, yz{}, zz{};

  static STRIDE_INLINE Sym3 Diagonal(const S& d) { return {d, S(0), S(0), d, S(0), d}; }
  friend STRIDE_INLINE Sym3 operator+(const Sym3& a, const Sym3& b) {
    return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
  }
  friend STRIDE_INLINE Sym3 operator-(const Sym3& a, const Sym3& b) {
    return {a.xx - b.xx, a.xy - b.xy, a.xz - b.xz, a.yy - b.yy, a.yz - b.yz, a.zz - b.zz};
  }
  friend STRIDE_INLINE Sym3 operator*(const Sym3& a, const S& s) {
    return {a.xx * s, a.xy * s, a.xz * s, a.yy * s, a.yz * s, a.zz * s};
  }
  STRIDE_INLINE Sym3& operator+=(const Sym3& b) { return *this = *this + b; }
  friend bool operator==(const Sym3&, const Sym3&) = default;
};

template <class S>
STRIDE_INLINE Vec3<S> operator*(const Sym3<S>& m, const Vec3<S>& v) {
  return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
          m.xz * v.x + m.yz * v.y + m.zz * v.z};
}
template <class S>
STRIDE_INLINE Mat3<S> operator*(const Sym3<S>& a, const Mat3<S>& b) {
  return Mat3<S>::FromColumns(a * b.Col0(), a * b.Col1(), a * b.Col2());
}
template <class S>
STRIDE_INLINE Mat3<S> ToMat3(const Sym3<S>& m) {
  return {m.xx, m.xy, m.xz, m.xy, m.yy, m.yz, m.xz, m.yz, m.zz};
}
// v v^T
template <class S>
STRIDE_INLINE Sym3<S> Outer(const Vec3<S>& v) {
  return {v.x * v.x, v.x * v.y, v.x * v.z, v.y * v.y, v.y * v.z, v.z * v.z};
}
// -[v]x [v]x = (v.v) 1 - v v^T: the inertia of a unit point mass at v.
template <class S>
STRIDE_INLINE Sym3<S> PointInertia(const Vec3<S>& v) {
  const S xx = v.x * v.x, yy = v.y * v.y, zz = v.z * v.z;
  return {yy + zz, -v.x * v.y, -v.x * v.z, xx + zz, -v.y * v.z, xx + yy};
}
template <class S>
STRIDE_INLINE Sym3<S> Inverse(const Sym3<S>& m) {
  const S c0 = m.yy * m.zz - m.yz * m.yz;
  const S c1 = m.xz * m.yz - m.xy * m.zz;
  const S c2 = m.xy * m.yz - m.xz * m.yy;
  const S d = S(1) / (m.xx * c0 + m.xy * c1 + m.xz * c2);
  return {c0 * d,
          c1 * d,
          c2 * d,
          (m.xx * m.zz - m.xz * m.xz) * d,
          (m.xy * m.xz - m.xx * m.yz) * d,
          (m.xx * m.yy - m.xy * m.xy) * d};
}
// r m r^T
template <class S>
STRIDE_INLINE Sym3<S> Rotate(const Mat3<S>& r, const Sym3<S>& m) {
  const Vec3<S> a = m * Vec3<S>{r.xx, r.xy, r.xz};
  const Vec3<S> b = m * Vec3<S>{r.yx, r.yy, r.yz};
  const Vec3<S> c = m * Vec3<S>{r.zx, r.zy, r.zz};
  return {r.xx * a.x + r.xy * a.y + r.xz * a.z, r.xx * b.x + r.xy * b.y + r.xz * b.z,
          r.xx * c.x + r.xy * c.y + r.xz * c.z, r.yx * b.x + r.yy * b.y + r.yz * b.z,
          r.yx * c.x + r.yy * c.y + r.yz * c.z, r.zx * c.x + r.zy * c.y + r.zz * c.z};
}

// Unit quaternion (w, x, y, z); as an orientation it maps child axes to parent axes.
template <class S>
struct Quat {
  S w{}, x{}, y{}, z{};

  static STRIDE_INLINE Quat Identity() { return {S(1), S(0), S(0), S(0)}; }
  friend bool operator==(const Quat&, const Quat&) = default;
};

template <class S>
STRIDE_INLINE Quat<S> operator*(const Quat<S>& a, const Quat<S>& b) {
  return {
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
template <class S>
STRIDE_INLINE Quat<S> Conjugate(const Quat<S>& q) {
  return {q.w, -q.x, -q.y, -q.z};
}
template <class S>
STRIDE_INLINE S Dot(const Quat<S>& a, const Quat<S>& b) {
  return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class S>
STRIDE_INLINE Quat<S> Normalized(const Quat<S>& q) {
  const S s = S(1) / Sqrt(Dot(q, q));
  return {q.w * s, q.x * s, q.y * s, q.z * s};
}
template <class S>
STRIDE_INLINE Mat3<S> ToMat3(const Quat<S>& q) {
  const S x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
  const S xx = q.x * x2, xy = q.x * y2, xz = q.x * z2, yy = q.y * y2, yz = q.y * z2, zz = q.z * z2;
  const S wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
  return {S(1) - (yy + zz), xy - wz, xz + wy, xy + wz,         S(1) - (xx + zz),
          yz - wx,          xz - wy, yz + wx, S(1) - (xx + yy)};
}
template <class S>
STRIDE_INLINE Vec3<S> Rotate(const Quat<S>& q, const Vec3<S>& v) {
  const Vec3<S> u{q.x, q.y, q.z};
  const Vec3<S> t = Cross(u, v) * S(2);
  return v + t * q.w + Cross(u, t);
}

// Rotation vector (axis times angle) of a unit quaternion, the short way round.
template <class S>
STRIDE_INLINE Vec3<S> RotationVector(const Quat<S>& q) {
  const auto negative = q.w < S(0);
  const S w = Min(Abs(q.w), S(1));
  const S k = S(2) * AcosOverSin(w);
  const S sk = Select(negative, -k, k);
  return {q.x * sk, q.y * sk, q.z * sk};
}
// q turned for a time h at the angular velocity w given in q's own axes.
template <class S>
STRIDE_INLINE Quat<S> Integrate(const Quat<S>& q, const Vec3<S>& w, const S& h) {
  // The half angle is small in a step; beyond 1e-7 the series' error only changes the angle a
  // little, since the result is normalised.
  const Vec3<S> u = w * (S(0.5) * h);
  const S t = Dot(u, u);
  const S c = S(1) + t * (S(-1.0 / 2) + t * (S(1.0 / 24) + t * S(-1.0 / 720)));
  const S s = S(1) + t * (S(-1.0 / 6) + t * (S(1.0 / 120) + t * S(-1.0 / 5040)));
  return Normalized(q * Quat<S>{c, u.x * s, u.y * s, u.z * s});
}

using Vec3d = Vec3<double>;
using Mat3d = Mat3<double>;
using Sym3d = Sym3<double>;
using Quatd = Quat<double>;

}  // namespace stride
