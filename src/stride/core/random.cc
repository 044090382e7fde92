#include "stride/core/random.h"

#include <cmath>
#include <numbers>

#include "stride/core/error.h"

namespace stride {

std::array<std::uint32_t, 4> Philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

Random::Random(std::uint64_t seed, std::uint32_t iteration, std::uint32_t sample)
    : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
      counter_{0, 0, sample, iteration} {}

std::uint32_t Random::Bits() {
  if (used_ == 4) {
    block_ = Philox(counter_, key_);
    used_ = 0;
    if (++counter_[0] == 0) ++counter_[1];
  }
  return block_[used_++];
}

double Random::Uniform() {
  const std::uint64_t high = Bits() >> 5;  // 27 bits
  const std::uint64_t low = Bits() >> 6;   // 26 bits
  return static_cast<double>(high << 26 | low) * 0x1p-53;
}

double Random::Normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const double radius = std::sqrt(-2 * std::log(1 - Uniform()));  // 1 - u is never 0
  const double angle = 2 * std::numbers::pi * Uniform();
  spare_ = radius * std::sin(angle);
  has_spare_ = true;
  return radius * std::cos(angle);
}

int Random::Index(int count) {
  STRIDE_CHECK(count > 0);
  // Words beyond the largest multiple of count would favour the small numbers.
  const std::uint32_t n = static_cast<std::uint32_t>(count);
  const std::uint32_t uneven = (0u - n) % n;  // 2^32 mod n
  std::uint32_t bits = Bits();
  while (bits < uneven) bits = Bits();
  return static_cast<int>(bits % n);
}

}  // namespace stride
