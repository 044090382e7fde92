// What every optimiser promises.
#include "stride/optim/optimizer.h"

#include <cmath>
#include <functional>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/core/chunk.h"
#include "stride/core/parallel.h"
#include "stride/core/random.h"
#include "stride/optim/cma_es.h"
#include "stride/optim/evolution_strategy.h"
#include "stride/optim/genetic.h"
#include "stride/testing/input_error_of.h"
#include "stride/testing/objectives.h"

namespace stride {
namespace {

using testing::HasSubstr;

struct Kind {
  const char* name;
  std::function<std::unique_ptr<Optimizer>(int dimension, std::uint64_t seed)> make;
};

Kind Cma(const char* name, const CmaOptions& options, bool bounded) {
  return {name, [=](int n, std::uint64_t seed) {
            SearchSpace space{.start = std::vector<double>(n, 1.5)};
            if (bounded) {
              space.lower.assign(n, -1);
              space.upper.assign(n, 2);
            }
            return std::make_unique<CmaEs>(options, seed, space);
          }};
}

Kind Ga(const char* name, const GeneticOptions& options) {
  return {name, [=](int n, std::uint64_t seed) {
            std::vector<Gene> genes(n, Gene{-1, 2, 8});
            genes[0].bits = 16;
            return std::make_unique<Genetic>(options, seed, genes);
          }};
}

const Kind kKinds[] = {
    Cma("Full", {}, false),
    Cma("Separable", {.covariance = "separable"}, true),
    // Ends and begins anew every few iterations.
    Cma("Restarts", {.restarts = 8, .tolerance_parameter = 0.5}, true),
    Cma("Noise", {.reevaluated = 0.2}, false),
    {"Evolution",
     [](int n, std::uint64_t seed) {
       EvolutionState state;
       state.parameters.assign(n, 1.5f);
       return std::make_unique<EvolutionStrategy>(
           EvolutionOptions{.pairs = 16, .sigma = 0.05, .rate = 0.02}, seed, WhitePerturbation,
           state);
     }},
    Ga("Roulette", {}),
    Ga("Rank", {.selection = "rank", .mutation = "each_bit", .mutation_rate = 0.02, .elite = 2}),
};

class OptimizerTest : public testing::TestWithParam<Kind> {};

double NoisySphere(std::span<const double> x, Random random) {
  return -Sphere(x) + 0.1 * random.Normal();
}

void Advance(int iterations, Optimizer* search) {
  std::vector<double> x(search->Dimension()), returns;
  for (int k = 0; k < iterations; ++k) {
    returns.resize(search->Population());
    for (int i = 0; i < search->Population(); ++i) {
      search->Ask(i, x);
      returns[i] = NoisySphere(x, Random(77, search->Iteration(), i));
    }
    search->Tell(returns);
  }
}

TEST_P(OptimizerTest, ComesCloser) {
  const auto search = GetParam().make(5, 1);
  EXPECT_EQ(search->Dimension(), 5);
  EXPECT_EQ(search->Iteration(), 0u);
  EXPECT_TRUE(search->Best().empty());
  EXPECT_EQ(search->BestReturn(), -HUGE_VAL);
  EXPECT_EQ(search->Mean().size(), 5u);
  Advance(120, search.get());
  EXPECT_LT(Sphere(search->Mean()), 1);  // from 11.25, or so much between random individuals
  EXPECT_LT(Sphere(search->Best()), 1);
  EXPECT_NEAR(search->BestReturn(), -Sphere(search->Best()), 0.5);
}

TEST_P(OptimizerTest, CandidatesInAnyOrderAndFromThreads) {
  const auto search = GetParam().make(5, 2);
  Advance(7, search.get());
  const int n = search->Population();
  std::vector<std::vector<double>> backward(n, std::vector<double>(5)), threads = backward;
  for (int i = n - 1; i >= 0; --i) search->Ask(i, backward[i]);
  ForEachInParallel(n, 4, [&](int i) { search->Ask(i, threads[i]); });
  EXPECT_EQ(backward, threads);
  const auto again = GetParam().make(5, 2);
  Advance(7, again.get());
  EXPECT_EQ(again->Save(), search->Save());
  const auto other = GetParam().make(5, 3);
  Advance(7, other.get());
  EXPECT_NE(std::vector(other->Mean().begin(), other->Mean().end()),
            std::vector(search->Mean().begin(), search->Mean().end()));
}

TEST_P(OptimizerTest, GoesOnToTheSameBitsFromAnyIteration) {
  constexpr int kIterations = 40;
  const auto search = GetParam().make(4, 5);
  std::vector<std::string> saved;
  for (int k = 0; k < kIterations; ++k) {
    saved.push_back(search->Save());
    Advance(1, search.get());
  }
  for (int k = 0; k < kIterations; ++k) {
    const auto restored = GetParam().make(4, 5);
    restored->Restore(saved[k]);
    EXPECT_EQ(restored->Save(), saved[k]);
    Advance(kIterations - k, restored.get());
    EXPECT_EQ(restored->Save(), search->Save()) << "from iteration " << k;
    EXPECT_TRUE(
        std::equal(restored->Mean().begin(), restored->Mean().end(), search->Mean().begin()));
    EXPECT_EQ(restored->BestReturn(), search->BestReturn());
    EXPECT_EQ(restored->StopReason(), search->StopReason());
  }
}

TEST_P(OptimizerTest, NothingIsPoisoned) {
  const auto search = GetParam().make(4, 6);
  const double bad[] = {std::nan(""), HUGE_VAL, -HUGE_VAL, 1e308, -1e308, 0.0};
  std::vector<double> x(4), returns;
  for (int iteration = 0; iteration < 60; ++iteration) {
    returns.resize(search->Population());
    for (int i = 0; i < search->Population(); ++i) {
      search->Ask(i, x);
      for (const double v : x) ASSERT_TRUE(std::isfinite(v)) << iteration;
      returns[i] = iteration % 5 == 0 ? std::nan("") : bad[(i * 7 + iteration) % 6];
    }
    search->Tell(returns);
  }
  // The worst never is the best.
  EXPECT_EQ(search->BestReturn(), 1e308);
  const auto other = GetParam().make(4, 6);
  other->Restore(search->Save());  // which checks that all is finite
}

TEST_P(OptimizerTest, RefusesBytesThatAreDamagedOrOfAnother) {
  const auto search = GetParam().make(3, 7);
  Advance(5, search.get());
  const std::string saved = search->Save();
  const auto error = [&](std::string_view bytes) {
    const std::string message = InputErrorOf([&] { search->Restore(bytes); });
    EXPECT_EQ(search->Save(), saved);
    return message;
  };
  for (std::size_t size = 0; size < saved.size(); ++size) {
    EXPECT_NE(error(saved.substr(0, size)), "") << size;
  }
  for (std::size_t k = 0; k < saved.size(); ++k) {
    std::string altered = saved;
    altered[k] = static_cast<char>(altered[k] ^ 0x40);
    EXPECT_NE(error(altered), "") << k;
  }
  EXPECT_NE(error(saved + saved), "");
  EXPECT_NE(error(saved + "x"), "");
  EXPECT_THAT(error(GetParam().make(4, 7)->Save()), HasSubstr("another dimension"));
  EXPECT_THAT(error(GetParam().make(3, 8)->Save()), HasSubstr("another seed"));
  EXPECT_EQ(error(saved), "");
}

// Bytes that carry a right checksum all the same: refused, or a state that asks and tells without
// harm. Sizes are among what is altered.
TEST_P(OptimizerTest, SurvivesAlteredStates) {
  const auto original = GetParam().make(3, 7);
  Advance(5, original.get());
  const std::string saved = original->Save();
  const std::string payload(ChunkReader(saved, 0).Next()->payload);
  Random random(11);
  int refused = 0;
  for (int k = 0; k < 3000; ++k) {
    std::string altered = payload;
    const int changes = 1 + random.Index(3);
    for (int c = 0; c < changes; ++c) {
      const int at = random.Index(static_cast<int>(altered.size()));
      altered[at] = static_cast<char>(random.Index(4) == 0 ? 0xff : random.Bits());
    }
    if (random.Index(4) == 0) altered.resize(random.Index(static_cast<int>(altered.size())));
    std::string bytes;
    BeginChunk(saved.substr(0, 4), &bytes);
    bytes += altered;
    EndChunk(&bytes);
    const auto search = GetParam().make(3, 7);
    if (!InputErrorOf([&] { search->Restore(bytes); }).empty()) {
      ++refused;
    } else {
      Advance(2, search.get());
    }
  }
  EXPECT_GT(refused, 500);
}

INSTANTIATE_TEST_SUITE_P(Kinds, OptimizerTest, testing::ValuesIn(kKinds),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace stride
