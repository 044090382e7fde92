#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace stride {

// [slot][lane] floats, aligned so that kernels take a slot as one vector; zero at first.
class LaneFloats {
 public:
  LaneFloats(int slots, int lanes) : lanes_(lanes) {
    const std::size_t bytes =
        static_cast<std::size_t>(slots) * lanes * sizeof(float) / 64 * 64 + 64;
    memory_.reset(static_cast<float*>(std::aligned_alloc(64, bytes)));
    if (!memory_) throw std::bad_alloc();
    std::memset(memory_.get(), 0, bytes);
  }
  float* data() const { return memory_.get(); }
  float& At(int slot, int lane) const {
    return memory_.get()[static_cast<std::size_t>(slot) * lanes_ + lane];
  }

 private:
  struct Free {
    void operator()(float* p) const { std::free(p); }
  };
  int lanes_;
  std::unique_ptr<float, Free> memory_;
};

}  // namespace stride
