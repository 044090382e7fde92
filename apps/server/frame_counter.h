#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

// How fast a WebSocket client sends, by the frames in the bytes that arrive: fragments without
// content and pings count like messages, and nothing above the bytes sees them all.
namespace stride {

class FrameCounter {
 public:
  static constexpr int kMostASecond = 240;
  using Clock = std::chrono::steady_clock;

  // Takes the next bytes of the stream; true while no second had more frames than it may.
  bool Count(const std::uint8_t* bytes, std::size_t size, Clock::time_point now);

 private:
  bool Begin(Clock::time_point now);

  std::array<std::uint8_t, 14> head_{};  // of the frame that arrives: two bytes, length, mask
  std::size_t head_size_ = 0;
  std::uint64_t rest_ = 0;  // bytes of its content that did not arrive yet
  std::array<Clock::time_point, kMostASecond> times_{};
  std::size_t next_time_ = 0;
};

}  // namespace stride
