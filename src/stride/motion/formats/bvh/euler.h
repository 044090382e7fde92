#pragma once

#include <array>
#include <span>

#include "stride/math/vec.h"

// Angles about coordinate axes (0 x, 1 y, 2 z), radians.
namespace stride {

// R = R_axes[0](angles[0]) R_axes[1](angles[1]) ...; at most three different axes.
Quatd FromAxisAngles(std::span<const int> axes, std::span<const double> angles);

// The angles whose product is nearest in form to q: exactly q for three axes, gimbal lock included;
// for fewer axes exactly q if q can be made from them. Of the equivalent sets, the one closest to
// `near`.
std::array<double, 3> ToAxisAngles(const Quatd& q, std::span<const int> axes,
                                   const std::array<double, 3>& near);

}  // namespace stride
