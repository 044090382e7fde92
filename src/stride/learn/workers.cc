#include "stride/learn/workers.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <thread>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace stride {

struct Workers::Impl {
  const stride::Ranks& ranks;
  int threads = 1;
  std::unique_ptr<tbb::task_arena> arena;

  // Calls work(i) for those of 0 .. count - 1 that are this rank's.
  void Share(int count, const std::function<void(int)>& work) const {
    const int size = ranks.Size(), rank = ranks.Rank();
    arena->execute([&] {
      tbb::parallel_for(
          tbb::blocked_range<int>(0, CountOf(count, rank), 1),
          [&](const tbb::blocked_range<int>& range) {
            for (int k = range.begin(); k < range.end(); ++k) work(rank + k * size);
          },
          tbb::simple_partitioner());
    });
  }
  int CountOf(int count, int rank) const {
    return (count - rank + ranks.Size() - 1) / ranks.Size();
  }
  void Broadcast(std::string* text, int from) const {
    std::uint64_t size = text->size();
    ranks.Broadcast(&size, sizeof size, from);
    text->resize(size);
    ranks.Broadcast(text->data(), size, from);
  }
};

Workers::Workers(int threads, const stride::Ranks& ranks) : impl_(new Impl{ranks}) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  impl_->threads = threads > 0 ? threads : std::max(1, cores / ranks.LocalSize());
  impl_->arena = std::make_unique<tbb::task_arena>(impl_->threads);
}

Workers::~Workers() = default;
int Workers::Threads() const { return impl_->threads; }
int Workers::Ranks() const { return impl_->ranks.Size(); }
int Workers::Rank() const { return impl_->ranks.Rank(); }

void Workers::Map(int count, std::size_t bytes, const std::function<void(int, char*)>& work,
                  char* results) const {
  const int ranks = Ranks(), rank = Rank();
  impl_->Share(count, [&](int i) { work(i, results + static_cast<std::size_t>(i) * bytes); });
  if (ranks == 1) return;
  // Results of a rank are spread over the array: one broadcast a rank keeps the order.
  std::vector<char> block;
  for (int r = 0; r < ranks; ++r) {
    const int theirs = impl_->CountOf(count, r);
    block.resize(static_cast<std::size_t>(theirs) * bytes);
    const auto at = [&](int k) {
      return results + (r + static_cast<std::size_t>(k) * ranks) * bytes;
    };
    if (r == rank) {
      for (int k = 0; k < theirs; ++k) std::memcpy(&block[k * bytes], at(k), bytes);
    }
    impl_->ranks.Broadcast(block.data(), block.size(), r);
    if (r != rank) {
      for (int k = 0; k < theirs; ++k) std::memcpy(at(k), &block[k * bytes], bytes);
    }
  }
}

void Workers::MapBlobs(int count, const std::function<std::string(int)>& work,
                       std::vector<std::string>* results) const {
  results->assign(count, {});
  impl_->Share(count, [&](int i) { (*results)[i] = work(i); });
  if (Ranks() == 1) return;
  for (int i = 0; i < count; ++i) impl_->Broadcast(&(*results)[i], i % Ranks());
}

bool Workers::Agree(bool leaders) const {
  impl_->ranks.Broadcast(&leaders, sizeof leaders, 0);
  return leaders;
}

std::vector<std::string> Workers::OfAllRanks(const std::string& mine) const {
  std::vector<std::string> all(Ranks());
  all[Rank()] = mine;
  for (int r = 0; r < Ranks(); ++r) impl_->Broadcast(&all[r], r);
  return all;
}

bool Workers::AllSame(const std::string& mine) const {
  const std::vector<std::string> all = OfAllRanks(mine);
  return std::all_of(all.begin(), all.end(), [&](const std::string& one) { return one == all[0]; });
}

}  // namespace stride
