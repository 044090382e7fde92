#include "stride/motion/formats/bvh/euler.h"

#include <cmath>
#include <numbers>

namespace stride {
namespace {

constexpr double kPi = std::numbers::pi;

using Matrix = std::array<std::array<double, 3>, 3>;

Matrix ToMatrix(const Quatd& q) {
  const Mat3d m = ToMat3(q);
  return {{{m.xx, m.xy, m.xz}, {m.yx, m.yy, m.yz}, {m.zx, m.zy, m.zz}}};
}

// The angle equal to `angle` modulo a turn that is closest to `near`.
double Unwrap(double angle, double near) {
  return angle + 2 * kPi * std::round((near - angle) / (2 * kPi));
}

std::array<double, 3> UnwrapAll(const std::array<double, 3>& a, const std::array<double, 3>& near) {
  return {Unwrap(a[0], near[0]), Unwrap(a[1], near[1]), Unwrap(a[2], near[2])};
}

double Distance(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return std::fabs(a[0] - b[0]) + std::fabs(a[1] - b[1]) + std::fabs(a[2] - b[2]);
}

}  // namespace

Quatd FromAxisAngles(std::span<const int> axes, std::span<const double> angles) {
  Quatd q = Quatd::Identity();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const double c = std::cos(0.5 * angles[i]), s = std::sin(0.5 * angles[i]);
    q = q * Quatd{c, axes[i] == 0 ? s : 0, axes[i] == 1 ? s : 0, axes[i] == 2 ? s : 0};
  }
  return q;
}

std::array<double, 3> ToAxisAngles(const Quatd& q, std::span<const int> axes,
                                   const std::array<double, 3>& near) {
  if (axes.empty()) return near;
  const Matrix m = ToMatrix(q);
  const int i = axes[0];
  const int j = axes.size() > 1 ? axes[1] : (i + 1) % 3;
  const int k = 3 - i - j;
  const double e = (j - i + 3) % 3 == 1 ? 1 : -1;  // sign of the order (i, j, k)
  if (axes.size() < 3) {
    // m = Ri(a) Rj(b): column j is that of Ri(a), row i that of Rj(b).
    const double a = std::atan2(e * m[k][j], m[j][j]);
    const double b = axes.size() > 1 ? std::atan2(e * m[i][k], m[i][i]) : 0;
    return {Unwrap(a, near[0]), Unwrap(b, near[1]), near[2]};
  }
  // m = Ri(a) Rj(b) Rk(c). In gimbal lock a is free: leave it as it was. Whatever a is, b and c are
  // taken from Ri(-a) m, so that an ill-conditioned a costs no accuracy.
  const bool locked = std::hypot(m[j][k], m[k][k]) < 1e-9;
  const double a = locked ? near[0] : std::atan2(-e * m[j][k], m[k][k]);
  const double ca = std::cos(a), sa = e * std::sin(a);
  const auto row_j = [&](int n) { return ca * m[j][n] + sa * m[k][n]; };
  const auto row_k = [&](int n) { return ca * m[k][n] - sa * m[j][n]; };
  const double b = std::atan2(e * m[i][k], row_k(k));
  const double c = std::atan2(e * row_j(i), row_j(j));
  const std::array<double, 3> one = UnwrapAll({a, b, c}, near);
  const std::array<double, 3> other = UnwrapAll({a + kPi, kPi - b, c + kPi}, near);
  return Distance(one, near) <= Distance(other, near) ? one : other;
}

}  // namespace stride
