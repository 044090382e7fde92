#pragma once

#include <array>
#include <cstdint>

// Random streams keyed by what they are for, never by the thread that draws: the same (seed,
// iteration, sample) gives the same numbers on any machine and for any number of threads.
namespace stride {

// Philox4x32-10, a counter-based generator: Salmon, Moraes, Dror, Shaw (2011), "Parallel random
// numbers: as easy as 1, 2, 3". A pure function from counter and key to four random words.
std::array<std::uint32_t, 4> Philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

// One stream of numbers. Cheap to make: one for each sample, not one for each program.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint32_t iteration = 0, std::uint32_t sample = 0);

  std::uint32_t Bits();
  double Uniform();  // [0, 1), 53 bits
  double Uniform(double low, double high) { return low + (high - low) * Uniform(); }
  // Mean 0, variance 1 (Box and Muller). Own formulas throughout, since the distributions of the
  // standard library differ from one library to the next.
  double Normal();
  int Index(int count);  // 0 .. count - 1, each as likely; count > 0

 private:
  std::array<std::uint32_t, 2> key_;
  std::array<std::uint32_t, 4> counter_;
  std::array<std::uint32_t, 4> block_{};
  int used_ = 4;
  double spare_ = 0;  // the second number of a normal pair
  bool has_spare_ = false;
};

}  // namespace stride
