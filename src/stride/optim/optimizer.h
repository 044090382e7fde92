#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

// What all searches share: ask for candidates, evaluate them anywhere, tell the returns.
//
//   while (!search.Converged() && search.Iteration() < iterations) {
//     std::vector<double> returns(search.Population());
//     // In any order, over lanes, threads and ranks:
//     for (int i = 0; i < search.Population(); ++i) {
//       search.Ask(i, candidate);
//       returns[i] = Evaluate(candidate, Random(seed, search.Iteration(), i));
//     }
//     search.Tell(returns);
//   }
//
// All memory of a search is a plain value, which each class hands out as State().
namespace stride {

class Optimizer {
 public:
  virtual ~Optimizer() = default;

  virtual int Dimension() const = 0;
  // Grows with each Tell, and keys the random numbers of the evaluation.
  virtual std::uint32_t Iteration() const = 0;
  // Candidates of this iteration. Some may be asked for more than once, to learn how noisy the
  // return is: an evaluation with random numbers must therefore key them by the candidate's index.
  virtual int Population() const = 0;
  // A candidate of this iteration: a function of the state and the index only, so safe in any order
  // and from several threads.
  virtual void Ask(int candidate, std::span<double> parameters) const = 0;
  // Returns of all candidates, larger is better; goes on to the next iteration. One that is not
  // finite counts as the worst and does no other harm.
  virtual void Tell(std::span<const double> returns) = 0;

  // Where the search stands: what to use of a noisy return, where the best may just have been
  // lucky. The mean of the distribution or, of a search without one, the best of the last
  // iteration.
  virtual std::span<const double> Mean() const = 0;
  // The best candidate told so far, empty before there is any, and its return.
  virtual std::span<const double> Best() const = 0;
  virtual double BestReturn() const = 0;

  // Why the search has come to its end; empty: it has not. Tell then changes nothing any more.
  virtual std::string_view StopReason() const { return {}; }
  bool Converged() const { return !StopReason().empty(); }

  // The state as bytes, and back: the search then goes on to the same bits. Restore throws
  // InputError, and changes nothing, where the bytes are damaged or are of a search with another
  // dimension, other options or another seed.
  virtual std::string Save() const = 0;
  virtual void Restore(std::string_view bytes) = 0;
};

}  // namespace stride
