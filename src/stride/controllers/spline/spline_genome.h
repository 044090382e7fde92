#pragma once

#include <memory>
#include <span>
#include <vector>

#include "stride/controllers/spline/spline_gait.h"
#include "stride/optim/genetic.h"

// What evolution may change of a gait: genes, each of one number of the gait and of those that
// symmetry makes of it.
namespace stride {

// Which numbers of a gait.
struct GenomeParts {
  bool cycle = false, blends = false, seconds = false, servos = false;
  bool around = false;  // points and times near the gait's own, instead of near rest
};

class SplineGenome {
 public:
  // `reach`: how far points may lie from rest (or from the gait's own), rad. `shortest`: cycle, in
  // swings of a pendulum of half the body's size. The servos' genes have 16 bits, all others 8
  // (paper, section IV).
  SplineGenome(const Character& character, const SplineBody& body, const SplineGait& gait,
               const GenomeParts& parts, double reach, double shortest = 0.4);

  const std::vector<Gene>& Genes() const { return genes_; }
  // From all parameters of a gait to genes, and back onto a gait's others. Throws InputError for
  // another number of genes.
  std::vector<double> GenesOf(std::span<const double> parameters) const;
  std::vector<double> Complete(std::span<const double> parameters,
                               std::span<const double> genes) const;

 private:
  struct Target {
    int parameter;
    double scale, shift;  // of the gene
    double most = 0;      // either way; 0: whatever it is
  };
  void AddFurther(const Character& character, const SplineBody& body, const SplineGait& gait,
                  double reach);
  std::vector<Gene> genes_;
  std::vector<std::vector<Target>> targets_;   // of each gene
  std::vector<std::pair<int, double>> fixed_;  // parameters that symmetry leaves no choice
};

// Blends that follow the cycle, backwards from where it begins and on from there, with an amplitude
// that grows from and falls to rest: for gaits whose own have not been evolved.
void BlendWithTheCycle(const SplineBody& body, SplineGait* gait);

}  // namespace stride
