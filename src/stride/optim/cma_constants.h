#pragma once

#include <vector>

// The numbers that CMA-ES derives from the dimension and the population.
namespace stride {

// As in Hansen, "The CMA evolution strategy: a tutorial" (arXiv 1604.00772), table 1; separable:
// Ros and Hansen (2008), "A simple modification in CMA-ES achieving linear time and space
// complexity", where the fewer numbers of a diagonal are learned (n + 2) / 3 times as fast.
struct CmaConstants {
  // Of the candidates, best first. The first `parents` are positive and sum to 1; the others are
  // negative where the bad directions are unlearned (active), else 0.
  std::vector<double> weights;
  int parents = 0;           // mu
  double mass = 0;           // mu_eff: so many equally weighted parents would average as well
  double sigma_rate = 0;     // c_sigma
  double sigma_damping = 0;  // d_sigma
  double path_rate = 0;      // c_c
  double rank_one_rate = 0;  // c_1
  double rank_mu_rate = 0;   // c_mu
  double expected_norm = 0;  // E|N(0, I)|, approximately
};

CmaConstants MakeCmaConstants(int dimension, int population, bool separable, bool active);

// 4 + 3 ln n, rounded down.
int CmaDefaultPopulation(int dimension);

}  // namespace stride
