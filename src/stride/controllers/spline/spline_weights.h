#pragma once

#include "stride/math/scalar.h"

// Equation (1): a cubic Hermite spline through control points, as weights of its points. Once the
// weights at a time are known, each curve on the same times costs one sum.
namespace stride {

// Points of a part of a curve (a blend or the cycle), and layers of feedback.
inline constexpr int kMostCurvePoints = 24;

// Weights of the values and tangents (over the same unit as times) of `count` nodes at `u`. Beyond
// the first and last node the curve stays.
template <class S>
STRIDE_INLINE void NodeWeights(const double* times, int count, const S& u, S* value, S* tangent) {
  for (int k = 0; k < count; ++k) value[k] = tangent[k] = S(0);
  value[0] = S(1);
  for (int k = 0; k + 1 < count; ++k) {
    const double length = times[k + 1] - times[k];
    // 0 before the segment, 1 behind it: there it hands all weight on and its tangents have none.
    const S s = Min(Max((u - S(times[k])) * S(1 / length), S(0)), S(1));
    const S h2 = s * s * (S(3) - S(2) * s);  // h1 = 1 - h2
    value[k + 1] = value[k] * h2;
    value[k] -= value[k + 1];
    tangent[k] += s * (S(1) - s) * (S(1) - s) * S(length);  // h3
    tangent[k + 1] += s * s * (s - S(1)) * S(length);       // h4
  }
}

// Tangents of cardinal splines: inner ones along the chord of the neighbours.
template <class S>
STRIDE_INLINE void SpreadInnerTangents(const double* times, int count, const S* tangent, S* value) {
  for (int k = 1; k + 1 < count; ++k) {
    const S share = tangent[k] * S(1 / (times[k + 1] - times[k - 1]));
    value[k + 1] += share;
    value[k - 1] -= share;
  }
}

// A closed curve over a period of 1: times[count] from 0 to below 1; `u` within 0 and 1.
template <class S>
STRIDE_INLINE void CycleWeights(const double* times, int count, const S& u, S* value) {
  double around[kMostCurvePoints + 1];
  S tangent[kMostCurvePoints + 1]{}, all[kMostCurvePoints + 1]{};
  for (int k = 0; k < count; ++k) around[k] = times[k];
  around[count] = times[0] + 1;
  NodeWeights(around, count + 1, Select(u < S(times[0]), u + S(1), u), all, tangent);
  for (int k = 0; k < count; ++k) value[k] = all[k];
  value[0] += all[count];
  tangent[0] += tangent[count];
  for (int k = 0; k < count; ++k) {
    const int next = k + 1 < count ? k + 1 : 0, last = k > 0 ? k - 1 : count - 1;
    if (next == last) continue;  // of one or two points: it turns at each
    double span = times[next] - times[last];
    if (span <= 0) span += 1;
    const S share = tangent[k] * S(1 / span);
    value[next] += share;
    value[last] -= share;
  }
}

// A curve that is known between its ends only and stays beyond: layers of feedback.
template <class S>
STRIDE_INLINE void OpenWeights(const double* times, int count, const S& u, S* value) {
  S tangent[kMostCurvePoints];
  NodeWeights(times, count, u, value, tangent);
  SpreadInnerTangents(times, count, tangent, value);
  if (count < 2) return;
  // One-sided at the ends.
  const S first = tangent[0] * S(1 / (times[1] - times[0]));
  value[1] += first, value[0] -= first;
  const S last = tangent[count - 1] * S(1 / (times[count - 1] - times[count - 2]));
  value[count - 1] += last, value[count - 2] -= last;
}

}  // namespace stride
