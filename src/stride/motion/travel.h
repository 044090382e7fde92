#pragma once

#include "stride/motion/motion.h"

namespace stride {

struct Travel {
  double speed = 0;               // way of the pelvis over the ground per time, m/s
  double heading_change_deg = 0;  // how far it turns about the vertical, positive to the left
};

// Of the pelvis, or of the root where there is none.
Travel MeasureTravel(const Character& character, const Motion& motion);

}  // namespace stride
