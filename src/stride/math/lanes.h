#pragma once

#include <immintrin.h>

#include "stride/math/scalar.h"

// A vector of float lanes that behaves as a scalar. Included only by sources named *_lanes.cc,
// which are compiled once for each instruction set with its own namespace and number of lanes:
// every template instantiated with Lanes then has a name of its own, and the linker cannot mix code
// for different processors. (See cmake/lanes.cmake.)
#if !defined(STRIDE_LANES_NAMESPACE) || !defined(STRIDE_LANE_COUNT)
#error "lanes.h is for sources compiled by stride_add_lanes (cmake/lanes.cmake)"
#endif

// The name of a function that stands once for each instruction set, and that set's name
// (sim/lane_dispatch.h).
#if STRIDE_LANE_COUNT == 16
#define STRIDE_LANE_NAME(name) name##Avx512
#define STRIDE_LANE_SET "avx512"
#elif STRIDE_LANE_COUNT == 8
#define STRIDE_LANE_NAME(name) name##Avx2
#define STRIDE_LANE_SET "avx2"
#else
#define STRIDE_LANE_NAME(name) name##Sse2
#define STRIDE_LANE_SET "sse2"
#endif

namespace stride::STRIDE_LANES_NAMESPACE {

constexpr int kLanes = STRIDE_LANE_COUNT;
typedef float FloatVector __attribute__((vector_size(4 * STRIDE_LANE_COUNT)));
typedef int IntVector __attribute__((vector_size(4 * STRIDE_LANE_COUNT)));

// All bits of a lane set where a comparison holds.
struct LaneMask {
  IntVector v;
  STRIDE_INLINE LaneMask() : v{} {}
  STRIDE_INLINE explicit LaneMask(IntVector m) : v(m) {}
  STRIDE_INLINE explicit LaneMask(bool all) : v(all ? ~IntVector{} : IntVector{}) {}
  friend STRIDE_INLINE LaneMask operator&(LaneMask a, LaneMask b) { return LaneMask(a.v & b.v); }
  friend STRIDE_INLINE LaneMask operator|(LaneMask a, LaneMask b) { return LaneMask(a.v | b.v); }
  friend STRIDE_INLINE LaneMask operator!(LaneMask a) { return LaneMask(~a.v); }
};

struct Lanes {
  FloatVector v;
  STRIDE_INLINE Lanes() : v{} {}
  STRIDE_INLINE explicit Lanes(FloatVector a) : v(a) {}
  STRIDE_INLINE Lanes(float a) : v(FloatVector{} + a) {}  // NOLINT: a scalar
  STRIDE_INLINE explicit Lanes(double a) : v(FloatVector{} + static_cast<float>(a)) {}
  STRIDE_INLINE explicit Lanes(int a) : v(FloatVector{} + static_cast<float>(a)) {}

  friend STRIDE_INLINE Lanes operator+(Lanes a, Lanes b) { return Lanes(a.v + b.v); }
  friend STRIDE_INLINE Lanes operator-(Lanes a, Lanes b) { return Lanes(a.v - b.v); }
  friend STRIDE_INLINE Lanes operator-(Lanes a) { return Lanes(-a.v); }
  friend STRIDE_INLINE Lanes operator*(Lanes a, Lanes b) { return Lanes(a.v * b.v); }
  friend STRIDE_INLINE Lanes operator/(Lanes a, Lanes b) { return Lanes(a.v / b.v); }
  STRIDE_INLINE Lanes& operator+=(Lanes b) {
    v += b.v;
    return *this;
  }
  STRIDE_INLINE Lanes& operator-=(Lanes b) {
    v -= b.v;
    return *this;
  }
  STRIDE_INLINE Lanes& operator*=(Lanes b) {
    v *= b.v;
    return *this;
  }
  friend STRIDE_INLINE LaneMask operator<(Lanes a, Lanes b) {
    return LaneMask(IntVector(a.v < b.v));
  }
  friend STRIDE_INLINE LaneMask operator>(Lanes a, Lanes b) {
    return LaneMask(IntVector(a.v > b.v));
  }
  friend STRIDE_INLINE LaneMask operator<=(Lanes a, Lanes b) {
    return LaneMask(IntVector(a.v <= b.v));
  }
  friend STRIDE_INLINE LaneMask operator>=(Lanes a, Lanes b) {
    return LaneMask(IntVector(a.v >= b.v));
  }
};

STRIDE_INLINE Lanes Select(LaneMask m, Lanes a, Lanes b) { return Lanes(m.v ? a.v : b.v); }
STRIDE_INLINE Lanes Min(Lanes a, Lanes b) { return Select(a < b, a, b); }
STRIDE_INLINE Lanes Max(Lanes a, Lanes b) { return Select(a > b, a, b); }
STRIDE_INLINE Lanes Abs(Lanes a) { return Lanes(FloatVector(IntVector(a.v) & 0x7fffffff)); }

#if STRIDE_LANE_COUNT == 16
STRIDE_INLINE Lanes Sqrt(Lanes a) { return Lanes(FloatVector(_mm512_sqrt_ps(__m512(a.v)))); }
STRIDE_INLINE Lanes Round(Lanes a) {
  return Lanes(FloatVector(_mm512_roundscale_ps(__m512(a.v), _MM_FROUND_TO_NEAREST_INT)));
}
STRIDE_INLINE IntVector ToInt(Lanes a) { return IntVector(_mm512_cvtps_epi32(__m512(a.v))); }
STRIDE_INLINE bool Any(LaneMask m) { return _mm512_movepi32_mask(__m512i(m.v)) != 0; }
STRIDE_INLINE bool All(LaneMask m) { return _mm512_movepi32_mask(__m512i(m.v)) == 0xffff; }
#elif STRIDE_LANE_COUNT == 8
STRIDE_INLINE Lanes Sqrt(Lanes a) { return Lanes(FloatVector(_mm256_sqrt_ps(__m256(a.v)))); }
STRIDE_INLINE Lanes Round(Lanes a) {
  return Lanes(
      FloatVector(_mm256_round_ps(__m256(a.v), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)));
}
STRIDE_INLINE IntVector ToInt(Lanes a) { return IntVector(_mm256_cvtps_epi32(__m256(a.v))); }
STRIDE_INLINE bool Any(LaneMask m) { return _mm256_movemask_ps(__m256(m.v)) != 0; }
STRIDE_INLINE bool All(LaneMask m) { return _mm256_movemask_ps(__m256(m.v)) == 0xff; }
#else
STRIDE_INLINE Lanes Sqrt(Lanes a) { return Lanes(FloatVector(_mm_sqrt_ps(__m128(a.v)))); }
STRIDE_INLINE IntVector ToInt(Lanes a) { return IntVector(_mm_cvtps_epi32(__m128(a.v))); }
STRIDE_INLINE Lanes Round(Lanes a) {
  return Lanes(FloatVector(_mm_cvtepi32_ps(__m128i(ToInt(a)))));
}
STRIDE_INLINE bool Any(LaneMask m) { return _mm_movemask_ps(__m128(m.v)) != 0; }
STRIDE_INLINE bool All(LaneMask m) { return _mm_movemask_ps(__m128(m.v)) == 0xf; }
#endif

// Sine and cosine to about 1e-7 for |a| up to a few thousand: reduction to +-pi/4, then the series.
STRIDE_INLINE void SinCos(Lanes a, Lanes* sine, Lanes* cosine) {
  const Lanes n = Round(a * Lanes(0.636619772f));
  const IntVector quadrant = ToInt(n);
  // pi/2 in two parts, so that the difference keeps its digits.
  const Lanes r = a - n * Lanes(1.57079625f) - n * Lanes(7.54978942e-8f);
  const Lanes r2 = r * r;
  const Lanes s =
      r +
      r * r2 * (Lanes(-1.66666667e-1f) + r2 * (Lanes(8.3333310e-3f) + r2 * Lanes(-1.9840874e-4f)));
  const Lanes c =
      Lanes(1.0f) - Lanes(0.5f) * r2 +
      r2 * r2 *
          (Lanes(4.16666418e-2f) + r2 * (Lanes(-1.38873162e-3f) + r2 * Lanes(2.443315711e-5f)));
  const LaneMask swap(IntVector((quadrant & 1) != 0));
  const Lanes ss = Select(swap, c, s), cc = Select(swap, s, c);
  *sine = Select(LaneMask(IntVector((quadrant & 2) != 0)), -ss, ss);
  *cosine = Select(LaneMask(IntVector(((quadrant + 1) & 2) != 0)), -cc, cc);
}

// acos(w) / sqrt(1 - w^2) for 0 <= w <= 1 to 2e-8 (Chebyshev interpolation in 2w - 1; the function
// is smooth there, unlike its two factors): half a rotation's angle over the sine of that half.
STRIDE_INLINE Lanes AcosOverSin(Lanes w) {
  const Lanes x = w + w - Lanes(1.0f);
  Lanes p(-2.24025316e-05f);
  p = p * x + Lanes(6.895964e-05f);
  p = p * x + Lanes(-0.000163297682f);
  p = p * x + Lanes(0.000530057624f);
  p = p * x + Lanes(-0.00177564107f);
  p = p * x + Lanes(0.0058670371f);
  p = p * x + Lanes(-0.0198366534f);
  p = p * x + Lanes(0.0697325043f);
  p = p * x + Lanes(-0.263600166f);
  return p * x + Lanes(1.20919959f);
}

}  // namespace stride::STRIDE_LANES_NAMESPACE
