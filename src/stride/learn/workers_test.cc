#include "stride/learn/workers.h"

#include <array>
#include <atomic>
#include <barrier>
#include <cstring>
#include <functional>
#include <new>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/core/error.h"

// Workers on ranks that are threads of the test; those of MPI are in tests/cli/ranks_test.py.
namespace stride {
namespace {

using ::testing::ElementsAre;

constexpr int kRanks = 3;

struct Wire {
  std::barrier<> barrier{kRanks};
  char* from = nullptr;
};

class ThreadRanks final : public Ranks {
 public:
  ThreadRanks(int rank, Wire* wire) : Ranks(7), rank_(rank), wire_(wire) {}
  int Size() const override { return kRanks; }
  int Rank() const override { return rank_; }
  int LocalSize() const override { return kRanks; }

 private:
  void BroadcastPart(char* bytes, std::size_t size, int from) const override {
    EXPECT_LE(size, 7U);
    if (rank_ == from) wire_->from = bytes;
    wire_->barrier.arrive_and_wait();
    if (rank_ != from) std::memcpy(bytes, wire_->from, size);
    wire_->barrier.arrive_and_wait();
  }

  int rank_;
  Wire* wire_;
};

void OnEachRank(const std::function<void(const Workers&)>& work) {
  Wire wire;
  std::array<std::thread, kRanks> threads;
  for (int rank = 0; rank < kRanks; ++rank) {
    threads[rank] = std::thread([&, rank] {
      const ThreadRanks ranks(rank, &wire);
      work(Workers(2, ranks));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Workers, EveryRankGetsAllResultsInTheirOrder) {
  for (const int count : {0, 1, 2, 3, 20}) {
    OnEachRank([count](const Workers& workers) {
      std::vector<double> squares(count, -1);
      workers.Map(
          count, sizeof(double),
          [](int i, char* result) {
            const double square = i * i;
            std::memcpy(result, &square, sizeof square);
          },
          reinterpret_cast<char*>(squares.data()));
      for (int i = 0; i < count; ++i) EXPECT_EQ(squares[i], i * i);
    });
  }
}

TEST(Workers, EachPieceIsDoneOnce) {
  std::array<std::atomic<int>, 20> done{};
  OnEachRank([&](const Workers& workers) {
    std::vector<char> results(done.size());
    workers.Map(
        static_cast<int>(done.size()), 1, [&](int i, char*) { ++done[i]; }, results.data());
  });
  for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
}

TEST(Workers, ResultsOfAnyLengthArriveWhole) {
  OnEachRank([](const Workers& workers) {
    std::vector<std::string> texts;
    workers.MapBlobs(
        11, [](int i) { return std::string(5 * i, static_cast<char>('a' + i)); }, &texts);
    ASSERT_EQ(texts.size(), 11U);
    for (int i = 0; i < 11; ++i) {
      EXPECT_EQ(texts[i], std::string(5 * i, static_cast<char>('a' + i)));
    }
  });
}

TEST(Workers, TheLeadersWordCounts) {
  OnEachRank([](const Workers& workers) {
    EXPECT_TRUE(workers.Agree(workers.Leader()));
    EXPECT_FALSE(workers.Agree(!workers.Leader()));
  });
}

TEST(Workers, RanksThatDifferAreFound) {
  OnEachRank([](const Workers& workers) {
    EXPECT_TRUE(workers.AllSame("avx512"));
    const std::string mine = workers.Rank() == 2 ? "a much longer one" : "avx512";
    EXPECT_FALSE(workers.AllSame(mine));
    EXPECT_THAT(workers.OfAllRanks(mine), ElementsAre("avx512", "avx512", "a much longer one"));
  });
}

TEST(Workers, AProgramAloneIsARunOfOne) {
  const Workers workers(1);
  EXPECT_EQ(workers.Ranks(), 1);
  EXPECT_TRUE(workers.Leader());
  EXPECT_TRUE(workers.Agree(true));
  EXPECT_TRUE(workers.AllSame("avx512"));
}

TEST(Ranks, WhateverIsThrownFailsTheProgram) {
  EXPECT_EQ(RunOnAllRanks([] {}), 0);
  EXPECT_EQ(RunOnAllRanks([] { throw InputError("bad input"); }), 1);
  EXPECT_EQ(RunOnAllRanks([] { throw std::bad_alloc(); }), 1);
  EXPECT_EQ(RunOnAllRanks([] { throw std::logic_error("surprise"); }), 1);
}

}  // namespace
}  // namespace stride
