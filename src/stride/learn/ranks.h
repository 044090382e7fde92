#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

// The processes of one run. A program alone is a run of one; the ranks of an mpirun stand in
// learn/mpi/, so that only programs that want them link MPI.
namespace stride {

class Ranks {
 public:
  // `largest_part`: bytes that BroadcastPart can take at once.
  explicit Ranks(std::size_t largest_part = std::size_t{1} << 30) : largest_part_(largest_part) {}
  virtual ~Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  virtual int Size() const { return 1; }
  virtual int Rank() const { return 0; }
  virtual int LocalSize() const { return 1; }  // ranks on this machine, this one too

  // From rank `from` to all. Every rank calls it, with the same size.
  void Broadcast(void* bytes, std::size_t size, int from) const;

  // Logs the message and ends all ranks with exit code 1, so that none waits for ever for the one
  // that failed. Where all fail alike, one of them speaks. Returns in a run of one only.
  virtual void Fail(const std::string& message) const;

 private:
  virtual void BroadcastPart(char*, std::size_t, int) const {}

  std::size_t largest_part_;
};

// The ranks this process is one of: a run of one, until a program says otherwise.
const Ranks& InstalledRanks();
void InstallRanks(std::unique_ptr<Ranks> ranks);

// Runs the work of a program: whatever is thrown in it becomes one message and ends all ranks.
// Returns the exit code: 0, or 1 after an exception.
int RunOnAllRanks(const std::function<void()>& work);

}  // namespace stride
