#include "stride/optim/genetic.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "stride/core/config.h"
#include "stride/core/error.h"
#include "stride/optim/state_bytes.h"

namespace stride {
namespace {

constexpr std::string_view kKind = "GENE";
constexpr int kMostBits = 53;  // that a double holds

double LastStep(const Gene& gene) { return std::ldexp(1.0, gene.bits) - 1; }

std::vector<double> WorstIfNotFinite(std::span<const double> returns) {
  std::vector<double> comparable(returns.begin(), returns.end());
  for (double& r : comparable) r = std::isfinite(r) ? r : -HUGE_VAL;
  return comparable;
}

std::vector<int> BestFirst(std::span<const double> returns) {
  std::vector<int> order(returns.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return returns[a] > returns[b]; });
  return order;
}

std::vector<double> RouletteShares(std::span<const double> returns) {
  // Divided by the largest first, so that no sum is too large.
  double largest = 0, worst = 0;
  for (const double r : returns) {
    if (!std::isfinite(r)) continue;
    largest = std::max(largest, std::abs(r));
    worst = std::min(worst, r);
  }
  if (largest == 0) largest = 1;
  std::vector<double> shares;
  double sum = 0;
  for (const double r : returns) {
    shares.push_back(std::isfinite(r) ? r / largest - worst / largest : 0);
    sum += shares.back();
  }
  const double each = 1.0 / static_cast<double>(shares.size());
  for (double& share : shares) share = sum > 0 ? share / sum : each;
  return shares;
}

std::vector<double> RankShares(double pressure, std::span<const double> returns) {
  const int n = static_cast<int>(returns.size());
  const std::vector<int> order = BestFirst(returns);
  std::vector<double> shares(n);
  for (int begin = 0, end; begin < n; begin = end) {
    end = begin + 1;
    while (end < n && returns[order[end]] == returns[order[begin]]) ++end;
    const double rank = 0.5 * (begin + end - 1);  // equals share theirs
    const double above = 1 - 2 * rank / (n - 1);  // 1 of the best to -1 of the worst
    for (int k = begin; k < end; ++k) shares[order[k]] = (1 + (pressure - 1) * above) / n;
  }
  return shares;
}

int Draw(std::span<const double> cumulative, Random* random) {
  const double at = random->Uniform() * cumulative.back();
  const auto found = std::upper_bound(cumulative.begin(), cumulative.end(), at);
  return static_cast<int>(std::min(found, cumulative.end() - 1) - cumulative.begin());
}

}  // namespace

void EncodeGene(const Gene& gene, double value, std::span<std::uint8_t> bits) {
  const double share = (value - gene.low) / (gene.high - gene.low);
  const auto code =
      static_cast<std::uint64_t>(std::round(std::clamp(share, 0.0, 1.0) * LastStep(gene)));
  for (int k = 0; k < gene.bits; ++k) bits[k] = code >> (gene.bits - 1 - k) & 1;
}

double DecodeGene(const Gene& gene, std::span<const std::uint8_t> bits) {
  std::uint64_t code = 0;
  for (int k = 0; k < gene.bits; ++k) code = code << 1 | bits[k];
  const double share = static_cast<double>(code) / LastStep(gene);
  return gene.low * (1 - share) + gene.high * share;  // exact at both ends
}

std::vector<double> SelectionShares(const GeneticOptions& options,
                                    std::span<const double> returns) {
  if (options.selection == "rank") return RankShares(options.pressure, WorstIfNotFinite(returns));
  return RouletteShares(returns);
}

Genetic::Genetic(const GeneticOptions& options, std::uint64_t seed, std::vector<Gene> genes,
                 std::span<const double> start)
    : options_(options), seed_(seed), genes_(std::move(genes)) {
  if (genes_.empty()) throw InputError("chromosome without genes; expected at least one");
  for (std::size_t k = 0; k < genes_.size(); ++k) {
    const Gene& gene = genes_[k];
    if (gene.bits < 1 || gene.bits > kMostBits) {
      throw InputError(
          fmt::format("gene {} of {} bits; expected 1 to {}", k, gene.bits, kMostBits));
    }
    if (!(gene.low < gene.high) || !std::isfinite(gene.high - gene.low)) {
      throw InputError(fmt::format("gene {} from {} to {}; expected a range that rises", k,
                                   gene.low, gene.high));
    }
    chromosome_bits_ += gene.bits;
  }
  STRIDE_CHECK(options_.population >= 2);
  if (options_.elite < 0 || options_.elite >= options_.population) {
    throw InputError(fmt::format("elite of {} in a population of {}; expected fewer",
                                 options_.elite, options_.population));
  }
  if (!start.empty() && start.size() != genes_.size()) {
    throw InputError(fmt::format("start of {} numbers for {} genes; expected one for each",
                                 start.size(), genes_.size()));
  }
  state_.bits.resize(static_cast<std::size_t>(options_.population) * chromosome_bits_);
  for (int i = 0; i < options_.population; ++i) {
    Random random(seed_, 0, static_cast<std::uint32_t>(i));
    for (int k = 0; k < chromosome_bits_; ++k) {
      state_.bits[static_cast<std::size_t>(i) * chromosome_bits_ + k] = random.Bits() >> 31;
    }
    if (start.empty()) continue;
    std::span<std::uint8_t> bits =
        std::span(state_.bits).subspan(static_cast<std::size_t>(i) * chromosome_bits_);
    for (std::size_t k = 0; k < genes_.size(); ++k, bits = bits.subspan(genes_[k - 1].bits)) {
      if (random.Uniform() * (options_.population - 1) < 0.5 * i) continue;
      EncodeGene(genes_[k], start[k], bits.first(genes_[k].bits));
    }
  }
  state_.fittest.resize(genes_.size());
  Ask(0, state_.fittest);
}

std::span<const std::uint8_t> Genetic::Chromosome(int individual) const {
  return std::span(state_.bits)
      .subspan(static_cast<std::size_t>(individual) * chromosome_bits_, chromosome_bits_);
}

void Genetic::Ask(int candidate, std::span<double> parameters) const {
  STRIDE_CHECK(candidate >= 0 && candidate < Population());
  std::span<const std::uint8_t> bits = Chromosome(candidate);
  for (std::size_t k = 0; k < genes_.size(); ++k) {
    parameters[k] = DecodeGene(genes_[k], bits);
    bits = bits.subspan(genes_[k].bits);
  }
}

void Genetic::Mutate(std::span<std::uint8_t> chromosome, Random* random) const {
  if (options_.mutation == "each_bit") {
    for (std::uint8_t& bit : chromosome) bit ^= random->Uniform() < options_.mutation_rate;
  } else if (random->Uniform() < options_.mutation_rate) {
    chromosome[random->Index(chromosome_bits_)] ^= 1;
  }
}

void Genetic::Tell(std::span<const double> returns) {
  STRIDE_CHECK(static_cast<int>(returns.size()) == Population());
  const std::vector<int> order = BestFirst(WorstIfNotFinite(returns));
  if (const double most = returns[order[0]]; std::isfinite(most)) {
    Ask(order[0], state_.fittest);
    if (most > state_.best_return) {
      state_.best = state_.fittest;
      state_.best_return = most;
    }
  }

  std::vector<double> cumulative = SelectionShares(options_, returns);
  std::partial_sum(cumulative.begin(), cumulative.end(), cumulative.begin());
  ++state_.iteration;
  std::vector<std::uint8_t> next;
  next.reserve(state_.bits.size());
  const auto append = [&](std::span<const std::uint8_t> bits) {
    next.insert(next.end(), bits.begin(), bits.end());
  };
  for (int k = 0; k < options_.elite; ++k) append(Chromosome(order[k]));
  for (std::uint32_t pair = 0; next.size() < state_.bits.size(); ++pair) {
    Random random(seed_, state_.iteration, pair);
    const auto a = Chromosome(Draw(cumulative, &random));
    const auto b = Chromosome(Draw(cumulative, &random));
    const bool crossed = random.Uniform() < options_.crossover && chromosome_bits_ > 1;
    const int point = crossed ? 1 + random.Index(chromosome_bits_ - 1) : chromosome_bits_;
    for (const auto& [head, tail] : {std::pair(a, b), std::pair(b, a)}) {
      if (next.size() == state_.bits.size()) break;
      append(head.first(point));
      append(tail.subspan(point));
      Mutate(std::span(next).last(chromosome_bits_), &random);
    }
  }
  state_.bits = std::move(next);
}

std::string Genetic::Setup() const {
  std::string setup = ConfigToJson(options_).dump();
  StateWriter writer(&setup);
  writer(seed_);
  for (const Gene& gene : genes_) {
    writer(gene.low);
    writer(gene.high);
    writer(gene.bits);
  }
  return setup;
}

std::string Genetic::Save() const { return SaveState(kKind, Setup(), state_); }

void Genetic::Restore(std::string_view bytes) {
  GeneticState state = LoadState<GeneticState>(kKind, Setup(), bytes);
  ExpectInState(state.bits.size() == state_.bits.size() && state.fittest.size() == genes_.size() &&
                    (state.best.empty() || state.best.size() == genes_.size()),
                "numbers are missing");
  ExpectInState(std::all_of(state.bits.begin(), state.bits.end(), [](int bit) { return bit <= 1; }),
                "a bit is neither 0 nor 1");
  ExpectInState(AllFinite(state.fittest) && AllFinite(state.best) && !std::isnan(state.best_return),
                "a number is not finite");
  state_ = std::move(state);
}

}  // namespace stride
