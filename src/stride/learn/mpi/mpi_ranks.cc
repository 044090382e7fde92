#include "stride/learn/mpi/mpi_ranks.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <thread>

#define OMPI_SKIP_MPICXX 1  // the C functions only
#include <mpi.h>

#include "stride/core/error.h"
#include "stride/learn/ranks.h"

namespace stride {
namespace {

bool StartedByMpirun() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"}) {
    if (std::getenv(name)) return true;
  }
  return false;
}

class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm machine;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &local_size_);
    MPI_Comm_free(&machine);
  }

  int Size() const override { return size_; }
  int Rank() const override { return rank_; }
  int LocalSize() const override { return local_size_; }

  void Fail(const std::string& message) const override {
    // Most errors come on all ranks at once. Each gives those before it time to speak and to end
    // the run; the signal by which they end it must not wake this one to speak too.
    std::signal(SIGTERM, SIG_DFL);
    std::this_thread::sleep_for(std::chrono::milliseconds(300) * std::min(rank_, 10));
    Ranks::Fail(size_ == 1 ? message : message + " (rank " + std::to_string(rank_) + ")");
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();  // MPI_Abort does not return
  }

 private:
  void BroadcastPart(char* bytes, std::size_t size, int from) const override {
    MPI_Bcast(bytes, static_cast<int>(size), MPI_BYTE, from, MPI_COMM_WORLD);
  }

  int size_ = 1, rank_ = 0, local_size_ = 1;
};

}  // namespace

void UseMpiRanks() {
  if (!StartedByMpirun()) return;
  int provided = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
    throw InputError("MPI did not start; run without mpirun, or check the installation");
  }
  std::atexit([] {
    int ended = 0;
    MPI_Finalized(&ended);
    if (!ended) MPI_Finalize();
  });
  InstallRanks(std::make_unique<MpiRanks>());
}

}  // namespace stride
