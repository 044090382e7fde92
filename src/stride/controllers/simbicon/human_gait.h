#pragma once

#include <array>

#include "stride/math/scalar.h"

// How people's legs move over the gait cycle: the mean curves of the built-in band `walks`
// (data/gait/walks.csv, 18 captured walks; docs/gait.md has the angles) as Fourier series, rad.
namespace stride {

struct HumanCurve {
  static constexpr int kHarmonics = 6;
  double mean;
  std::array<double, kHarmonics> cosine, sine;
  double deviation;  // between people, mean over the cycle

  // At the angle (0 at the foot's strike, 2 pi at its next) that has this sine and cosine.
  template <class S>
  STRIDE_INLINE S At(const S& s, const S& c) const {
    S sum(mean), sk = s, ck = c;
    for (int k = 0; k < kHarmonics; ++k) {
      sum += S(cosine[k]) * ck + S(sine[k]) * sk;
      const S next = ck * c - sk * s;
      sk = sk * c + ck * s;
      ck = next;
    }
    return sum;
  }
};

inline constexpr int kHumanCurves = 3;
inline constexpr HumanCurve kHumanThigh = {0.2117,
                                           {0.4068, -0.0539, -0.0132, -0.0091, -0.0056, 0.0026},
                                           {0.0543, -0.0879, 0.0389, -0.0027, -0.0003, 0.0040},
                                           0.061};
inline constexpr HumanCurve kHumanKnee = {0.5913,
                                          {0.1364, -0.2931, -0.0427, -0.0307, -0.0139, 0.0011},
                                          {-0.2553, -0.0780, 0.0990, 0.0001, 0.0051, 0.0097},
                                          0.097};
inline constexpr HumanCurve kHumanFoot = {-0.1943,
                                          {0.2535, 0.3286, -0.0036, 0.0249, 0.0395, 0.0021},
                                          {0.4324, -0.1225, -0.0962, 0.0308, -0.0116, -0.0060},
                                          0.077};

}  // namespace stride
