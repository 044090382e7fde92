#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "stride/learn/ranks.h"

// Threads of this process times ranks of a run, behind one function. What is computed never depends
// on how many there are.
namespace stride {

class Workers {
 public:
  // `threads`: 0 for all of this machine's (shared among the ranks on it). `ranks` must outlive it.
  explicit Workers(int threads = 0, const stride::Ranks& ranks = InstalledRanks());
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int Threads() const;
  int Ranks() const;
  int Rank() const;
  bool Leader() const { return Rank() == 0; }  // writes files and talks to the user

  // Calls work(i, result i) for i = 0 .. count - 1, somewhere, and returns when all ranks have all
  // results. `results`: count * bytes. Work must not throw.
  void Map(int count, std::size_t bytes, const std::function<void(int, char*)>& work,
           char* results) const;
  // For results of different length: every rank gets all of them.
  void MapBlobs(int count, const std::function<std::string(int)>& work,
                std::vector<std::string>* results) const;

  // True on all ranks if it is on the leader.
  bool Agree(bool leaders) const;
  // What each rank gives, in their order; and whether it is the same on all.
  std::vector<std::string> OfAllRanks(const std::string& mine) const;
  bool AllSame(const std::string& mine) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stride
