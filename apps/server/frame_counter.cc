#include "frame_counter.h"

#include <algorithm>

namespace stride {

bool FrameCounter::Count(const std::uint8_t* bytes, std::size_t size, Clock::time_point now) {
  bool within = true;
  while (size > 0) {
    if (rest_ > 0) {
      const std::size_t content = static_cast<std::size_t>(std::min<std::uint64_t>(rest_, size));
      rest_ -= content;
      bytes += content;
      size -= content;
      continue;
    }
    if (head_size_ == 0) within = Begin(now) && within;
    head_[head_size_++] = *bytes++;
    --size;
    if (head_size_ < 2) continue;
    const int length = head_[1] & 0x7f;
    const std::size_t more = length == 127 ? 8 : length == 126 ? 2 : 0;
    const std::size_t mask = head_[1] & 0x80 ? 4 : 0;
    if (head_size_ < 2 + more + mask) continue;
    rest_ = more == 0 ? length : 0;
    for (std::size_t k = 0; k < more; ++k) rest_ = rest_ << 8 | head_[2 + k];
    head_size_ = 0;
  }
  return within;
}

bool FrameCounter::Begin(Clock::time_point now) {
  Clock::time_point& oldest = times_[next_time_];
  const bool too_fast = oldest != Clock::time_point{} && now - oldest < std::chrono::seconds(1);
  oldest = now;
  next_time_ = (next_time_ + 1) % times_.size();
  return !too_fast;
}

}  // namespace stride
