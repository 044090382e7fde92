#pragma once

#include <vector>

#include "stride/controllers/control_graph/samcon.h"

namespace stride {

struct RegressionOptions {
  double lambda = 1e-6;  // ridge, for each pair (paper: 1e-6 in all)
  int min_pairs = 40;    // fewer leave a fragment's policy as it was
  bool heading = true;   // feedback on it; else its gains are zero
};

// Equations 14 to 19 of liu16 for every fragment: gains, offset and exploration from pairs.
void FitPolicies(const std::vector<SamplePair>& pairs, const RegressionOptions& options,
                 Policies* policies);

}  // namespace stride
