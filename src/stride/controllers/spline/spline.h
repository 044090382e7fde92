#pragma once

#include "stride/controllers/spline/spline_gait.h"
#include "stride/learn/learning_job.h"

namespace stride {

LearningMethod SplineLearning();

}  // namespace stride
