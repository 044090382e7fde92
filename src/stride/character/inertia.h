#pragma once

#include "stride/math/vec.h"

// Which matrices can be the inertia of a body.
namespace stride {

// Sylvester's criterion on m / trace + tolerance: the leading minors are positive.
inline bool IsPositiveDefinite(const Sym3d& m, double tolerance = 0) {
  const double trace = m.xx + m.yy + m.zz;
  if (!(trace > 0)) return false;
  const Sym3d n = m * (1 / trace) + Sym3d::Diagonal(tolerance);
  const double determinant = n.xx * (n.yy * n.zz - n.yz * n.yz) -
                             n.xy * (n.xy * n.zz - n.yz * n.xz) +
                             n.xz * (n.xy * n.yz - n.yy * n.xz);
  return n.xx > 0 && n.xx * n.yy > n.xy * n.xy && determinant > 0;
}

// The second moments of mass, (trace / 2) 1 - I, cannot be negative: no principal moment exceeds
// the sum of the other two. Flat bodies lie on the bound, hence the tolerance.
inline bool HasPossibleMoments(const Sym3d& inertia) {
  const double half_trace = 0.5 * (inertia.xx + inertia.yy + inertia.zz);
  return IsPositiveDefinite(Sym3d::Diagonal(half_trace) - inertia, 1e-6);
}

}  // namespace stride
