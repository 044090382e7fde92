#include "stride/optim/cma_constants.h"

#include <algorithm>
#include <cmath>

namespace stride {

int CmaDefaultPopulation(int dimension) {
  return 4 + static_cast<int>(std::floor(3 * std::log(dimension)));
}

CmaConstants MakeCmaConstants(int dimension, int population, bool separable, bool active) {
  const double n = dimension;
  CmaConstants c;
  c.parents = population / 2;
  c.weights.resize(population);
  double sum[2] = {0, 0}, square[2] = {0, 0};  // of the parents, of the others
  for (int i = 0; i < population; ++i) {
    const double w = std::log((population + 1) / 2.0) - std::log(i + 1.0);
    c.weights[i] = w;
    sum[i >= c.parents] += w;
    square[i >= c.parents] += w * w;
  }
  c.mass = sum[0] * sum[0] / square[0];
  const double other_mass = sum[1] * sum[1] / square[1];
  c.sigma_rate = (c.mass + 2) / (n + c.mass + 5);
  c.sigma_damping = 1 + 2 * std::max(0.0, std::sqrt((c.mass - 1) / (n + 1)) - 1) + c.sigma_rate;
  c.path_rate = (4 + c.mass / n) / (n + 4 + 2 * c.mass / n);
  const double faster = separable ? (n + 2) / 3 : 1;
  c.rank_one_rate = std::min(1.0, faster * 2 / ((n + 1.3) * (n + 1.3) + c.mass));
  c.rank_mu_rate = std::min(1 - c.rank_one_rate, faster * 2 * (0.25 + c.mass + 1 / c.mass - 2) /
                                                     ((n + 2) * (n + 2) + c.mass));
  c.expected_norm = std::sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));

  // As much as there is variance to take, and little enough that the covariance stays positive.
  const double unlearned =
      std::min({1 + c.rank_one_rate / c.rank_mu_rate, 1 + 2 * other_mass / (c.mass + 2),
                (1 - c.rank_one_rate - c.rank_mu_rate) / (n * c.rank_mu_rate)});
  for (int i = 0; i < population; ++i) {
    if (i < c.parents) {
      c.weights[i] /= sum[0];
    } else {
      c.weights[i] *= active ? unlearned / -sum[1] : 0;
    }
  }
  return c;
}

}  // namespace stride
