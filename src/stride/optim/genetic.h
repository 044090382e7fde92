#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "stride/core/random.h"
#include "stride/optim/optimizer.h"

// A genetic algorithm on chromosomes of binary fixed-point genes: selection by return, one-point
// crossover, mutation of bits, and an elite that lives on. The defaults are those of boeing08
// (table I), but for the elite, which the paper does not name.
namespace stride {

// A parameter as a number of `bits` bits, from low (all 0) to high (all 1) in equal steps.
struct Gene {
  double low = 0, high = 1;
  int bits = 8;  // 1 to 53
  friend bool operator==(const Gene&, const Gene&) = default;
};

// Bits of the nearest value that the gene has, most significant first, each 0 or 1; and back.
void EncodeGene(const Gene& gene, double value, std::span<std::uint8_t> bits);
double DecodeGene(const Gene& gene, std::span<const std::uint8_t> bits);

struct GeneticOptions {
  int population = 50;  // paper: 50
  // roulette: as likely as its return is large (paper); where one is negative, as it lies above the
  // worst. rank: the best `pressure` times as likely as the average, falling evenly to the worst.
  std::string selection = "roulette";
  double pressure = 1.8;
  double crossover = 0.7;  // probability of a pair (paper: 70 %)
  // one_bit: of an individual, that one of its bits flips ("single bit mutate operator", paper:
  // 30 %); each_bit: of each bit.
  std::string mutation = "one_bit";
  double mutation_rate = 0.3;
  int elite = 1;  // the best live on unchanged, and are evaluated again
};

template <class Visitor>
void VisitConfig(GeneticOptions& o, Visitor& visit) {
  visit("population", o.population, {2, 1e6}, "individuals of a generation");
  visit("selection", o.selection, {"roulette", "rank"}, "how parents are drawn");
  visit("pressure", o.pressure, {1, 2},
        "of selection by rank: how much more often than the average the best is drawn");
  visit("crossover", o.crossover, {0, 1}, "probability that a pair of parents is crossed");
  visit("mutation", o.mutation, {"one_bit", "each_bit"},
        "whether the rate is of an individual, for one bit of it, or of each bit");
  visit("mutation_rate", o.mutation_rate, {0, 1}, "probability of a mutation");
  visit("elite", o.elite, {0, 1e6}, "so many of the best live on unchanged");
}

// All memory of the search.
struct GeneticState {
  std::uint32_t iteration = 0;
  std::vector<std::uint8_t> bits;  // of all individuals, one after the other, each 0 or 1
  std::vector<double> fittest;     // of the last generation told; of the first, before
  std::vector<double> best;
  double best_return = -std::numeric_limits<double>::infinity();
  friend bool operator==(const GeneticState&, const GeneticState&) = default;
};

template <class Archive>
void VisitState(GeneticState& s, Archive& archive) {
  archive(s.iteration);
  archive(s.bits);
  archive(s.fittest);
  archive(s.best);
  archive(s.best_return);
}

// Probability of each to be drawn as a parent. Returns that are not finite count as the worst, and
// are not drawn by roulette while others can be.
std::vector<double> SelectionShares(const GeneticOptions& options, std::span<const double> returns);

class Genetic final : public Optimizer {
 public:
  // The first generation is random; or, with a start, that and others of which more and more genes,
  // up to half of them, are random. Throws InputError where a gene, the elite or the start makes no
  // sense.
  Genetic(const GeneticOptions& options, std::uint64_t seed, std::vector<Gene> genes,
          std::span<const double> start = {});

  const GeneticState& State() const { return state_; }
  int ChromosomeBits() const { return chromosome_bits_; }
  std::span<const std::uint8_t> Chromosome(int individual) const;

  int Dimension() const override { return static_cast<int>(genes_.size()); }
  std::uint32_t Iteration() const override { return state_.iteration; }
  int Population() const override { return options_.population; }
  void Ask(int candidate, std::span<double> parameters) const override;
  void Tell(std::span<const double> returns) override;
  std::span<const double> Mean() const override { return state_.fittest; }
  std::span<const double> Best() const override { return state_.best; }
  double BestReturn() const override { return state_.best_return; }
  std::string Save() const override;
  void Restore(std::string_view bytes) override;

 private:
  void Mutate(std::span<std::uint8_t> chromosome, Random* random) const;
  std::string Setup() const;

  GeneticOptions options_;
  std::uint64_t seed_;
  std::vector<Gene> genes_;
  int chromosome_bits_ = 0;
  GeneticState state_;
};

}  // namespace stride
