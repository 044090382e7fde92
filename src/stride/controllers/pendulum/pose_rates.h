#pragma once

#include <vector>

#include "stride/motion/kinematics.h"

// Between poses and their rates, without allocation.
namespace stride {

// PoseDifference of two poses that are 1 / `per_second` apart.
void RateBetween(const Kinematics& kinematics, const std::vector<double>& a,
                 const std::vector<double>& b, double per_second, std::vector<double>* rate);

// Coordinates of the bodies from `first` on, moved at a rate for a time.
void IntegratePose(const Kinematics& kinematics, int first, const std::vector<double>& rate,
                   double dt, std::vector<double>* q);

}  // namespace stride
