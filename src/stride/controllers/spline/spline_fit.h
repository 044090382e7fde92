#pragma once

#include "stride/controllers/spline/spline_gait.h"
#include "stride/motion/motion.h"

// Gait fitting: control points from a clip.
namespace stride {

struct SplineFit {
  SplineGait gait;
  double error = 0;           // root mean square over time and actuators, rad
  double first = 0;           // where in the clip its cycle begins, s
  double speed = 0;           // of the clip's root over that cycle, m/s
  bool period_given = false;  // the clip is a loop; otherwise its period was looked for
};

// The shape's times of points; their values by least squares over the phase. Of a clip that is no
// loop the cycle is the stretch after which its joints are most like at its start. Throws
// InputError: a clip of another body, or one too short to hold a cycle.
SplineFit FitSplines(const Character& character, const SplineBody& body, const Motion& motion,
                     const SplineGait& shape);

}  // namespace stride
