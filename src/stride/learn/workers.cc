#include "stride/learn/workers.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <thread>

#define OMPI_SKIP_MPICXX 1  // the C functions only
#include <mpi.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "stride/core/error.h"

namespace stride {
namespace {

// MPI takes half a second to start: only where mpirun did.
bool StartedByMpirun() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"}) {
    if (std::getenv(name)) return true;
  }
  return false;
}

}  // namespace

struct Workers::Impl {
  bool mpi = false;
  int ranks = 1, rank = 0, threads = 1;
  std::unique_ptr<tbb::task_arena> arena;
};

Workers::Workers(int threads) : impl_(new Impl) {
  int local_ranks = 1;
  int already = 0;
  MPI_Initialized(&already);
  if (already || StartedByMpirun()) {
    if (!already) {
      int provided = 0;
      // A rank that dies takes the run down with a message: MPI's own default.
      if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
        throw InputError("MPI did not start; run without mpirun, or check the installation");
      }
      std::atexit([] {
        int ended = 0;
        MPI_Finalized(&ended);
        if (!ended) MPI_Finalize();
      });
    }
    impl_->mpi = true;
    MPI_Comm_size(MPI_COMM_WORLD, &impl_->ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &impl_->rank);
    MPI_Comm node;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, impl_->rank, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &local_ranks);
    MPI_Comm_free(&node);
  }
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  impl_->threads = threads > 0 ? threads : std::max(1, cores / local_ranks);
  impl_->arena = std::make_unique<tbb::task_arena>(impl_->threads);
}

Workers::~Workers() = default;
int Workers::Threads() const { return impl_->threads; }
int Workers::Ranks() const { return impl_->ranks; }
int Workers::Rank() const { return impl_->rank; }

void Workers::Map(int count, std::size_t bytes, const std::function<void(int, char*)>& work,
                  char* results) const {
  const int ranks = impl_->ranks, rank = impl_->rank;
  const int mine = (count - rank + ranks - 1) / ranks;
  impl_->arena->execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<int>(0, mine, 1),
        [&](const tbb::blocked_range<int>& range) {
          for (int k = range.begin(); k < range.end(); ++k) {
            const int i = rank + k * ranks;
            work(i, results + static_cast<std::size_t>(i) * bytes);
          }
        },
        tbb::simple_partitioner());
  });
  if (ranks == 1) return;
  // Results of a rank are spread over the array: one broadcast a rank keeps the order.
  for (int r = 0; r < ranks; ++r) {
    const int theirs = (count - r + ranks - 1) / ranks;
    std::vector<char> block(static_cast<std::size_t>(theirs) * bytes);
    const auto at = [&](int k) {
      return results + (r + static_cast<std::size_t>(k) * ranks) * bytes;
    };
    if (r == rank) {
      for (int k = 0; k < theirs; ++k) std::memcpy(&block[k * bytes], at(k), bytes);
    }
    MPI_Bcast(block.data(), static_cast<int>(block.size()), MPI_BYTE, r, MPI_COMM_WORLD);
    if (r != rank) {
      for (int k = 0; k < theirs; ++k) std::memcpy(at(k), &block[k * bytes], bytes);
    }
  }
}

void Workers::MapBlobs(int count, const std::function<std::string(int)>& work,
                       std::vector<std::string>* results) const {
  results->assign(count, {});
  const int ranks = impl_->ranks, rank = impl_->rank;
  const int mine = (count - rank + ranks - 1) / ranks;
  impl_->arena->execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<int>(0, mine, 1),
        [&](const tbb::blocked_range<int>& range) {
          for (int k = range.begin(); k < range.end(); ++k) {
            (*results)[rank + k * ranks] = work(rank + k * ranks);
          }
        },
        tbb::simple_partitioner());
  });
  if (ranks == 1) return;
  for (int i = 0; i < count; ++i) {
    std::string& blob = (*results)[i];
    unsigned long size = blob.size();
    MPI_Bcast(&size, 1, MPI_UNSIGNED_LONG, i % ranks, MPI_COMM_WORLD);
    blob.resize(size);
    MPI_Bcast(blob.data(), static_cast<int>(size), MPI_BYTE, i % ranks, MPI_COMM_WORLD);
  }
}

bool Workers::Agree(bool leaders) const {
  if (impl_->ranks == 1) return leaders;
  int value = leaders ? 1 : 0;
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return value != 0;
}

}  // namespace stride
