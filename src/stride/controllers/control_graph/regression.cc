#include "stride/controllers/control_graph/regression.h"

#include <cmath>

#include <Eigen/Dense>

namespace stride {

void FitPolicies(const std::vector<SamplePair>& pairs, const RegressionOptions& options,
                 Policies* policies) {
  for (int p = 0; p < static_cast<int>(policies->size()); ++p) {
    std::vector<const SamplePair*> mine;
    for (const SamplePair& pair : pairs) {
      if (pair.policy == p) mine.push_back(&pair);
    }
    const int n = static_cast<int>(mine.size());
    if (n < options.min_pairs) continue;
    Eigen::MatrixXd s(n, kFeatureCount), a(n, kActionCount);
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < kFeatureCount; ++k) s(i, k) = mine[i]->features[k];
      for (int k = 0; k < kActionCount; ++k) a(i, k) = mine[i]->action[k];
    }
    if (!options.heading) s.col(feature::kHeading).setZero();
    const Eigen::RowVectorXd s_mean = s.colwise().mean(), a_mean = a.colwise().mean();
    s.rowwise() -= s_mean;
    a.rowwise() -= a_mean;
    const Eigen::MatrixXd normal =
        s.transpose() * s +
        options.lambda * n * Eigen::MatrixXd::Identity(kFeatureCount, kFeatureCount);
    const Eigen::MatrixXd m = normal.ldlt().solve(s.transpose() * a).transpose();  // equation 19
    const Eigen::MatrixXd rest = a - s * m.transpose();
    FragmentPolicy& policy = (*policies)[p];
    for (int i = 0; i < kActionCount; ++i) {
      for (int k = 0; k < kFeatureCount; ++k) policy.gains[i][k] = static_cast<float>(m(i, k));
      policy.offset[i] = static_cast<float>(a_mean(i));
      policy.sigma[i] =
          static_cast<float>(std::sqrt(rest.col(i).squaredNorm() / n));  // equation 16
    }
    for (int k = 0; k < kFeatureCount; ++k) policy.mean[k] = static_cast<float>(s_mean(k));
  }
}

}  // namespace stride
