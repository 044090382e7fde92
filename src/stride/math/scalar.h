#pragma once

#include <cmath>

// What the generic mathematics asks of a scalar, for double and float. lanes.h gives the same
// functions for a vector of lanes; there a comparison yields a mask, here a bool.

// The mathematics below is inlined without exception: a lane scalar passed through memory costs
// more than the operation.
#define STRIDE_INLINE inline __attribute__((always_inline))

namespace stride {

inline double Sqrt(double a) { return std::sqrt(a); }
inline double Abs(double a) { return std::fabs(a); }
inline double Min(double a, double b) { return a < b ? a : b; }
inline double Max(double a, double b) { return a > b ? a : b; }
inline double Select(bool mask, double a, double b) { return mask ? a : b; }
inline float Sqrt(float a) { return std::sqrt(a); }
inline float Abs(float a) { return std::fabs(a); }
inline float Min(float a, float b) { return a < b ? a : b; }
inline float Max(float a, float b) { return a > b ? a : b; }
inline float Select(bool mask, float a, float b) { return mask ? a : b; }
inline bool Any(bool mask) { return mask; }
inline bool All(bool mask) { return mask; }
inline void SinCos(double a, double* sine, double* cosine) {
  *sine = std::sin(a);
  *cosine = std::cos(a);
}
inline void SinCos(float a, float* sine, float* cosine) {
  *sine = std::sin(a);
  *cosine = std::cos(a);
}
// acos(w) / sqrt(1 - w^2) for 0 <= w <= 1: half a rotation's angle over the sine of that half.
inline double AcosOverSin(double w) {
  const double s = std::sqrt(1 - w * w);
  return w < 1 && s > 1e-6 ? std::atan2(s, w) / s : 1.0;
}
inline float AcosOverSin(float w) {
  return static_cast<float>(AcosOverSin(static_cast<double>(w)));
}

// The type a comparison of scalars yields.
template <class S>
struct MaskOf {
  using Type = decltype(S{} < S{});
};
template <class S>
using Mask = typename MaskOf<S>::Type;

}  // namespace stride
