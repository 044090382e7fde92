#include "frame_counter.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace stride {
namespace {

using Clock = FrameCounter::Clock;

// A masked frame as clients send them.
std::string Frame(int opcode, std::size_t length) {
  std::string frame(1, static_cast<char>(opcode));
  if (length < 126) {
    frame += static_cast<char>(0x80 | length);
  } else if (length < 65536) {
    frame += static_cast<char>(0x80 | 126);
    frame += static_cast<char>(length >> 8);
    frame += static_cast<char>(length & 255);
  } else {
    frame += static_cast<char>(0x80 | 127);
    for (int k = 7; k >= 0; --k) frame += static_cast<char>(length >> (8 * k) & 255);
  }
  return frame + std::string(4, 'm') + std::string(length, '\x81');
}

bool Count(FrameCounter* counter, const std::string& bytes, Clock::time_point now,
           std::size_t piece = 1000) {
  bool within = true;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    within = counter->Count(reinterpret_cast<const std::uint8_t*>(bytes.data()) + at,
                            std::min(piece, bytes.size() - at), now) &&
             within;
  }
  return within;
}

TEST(FrameCounter, CountsFramesOfAllLengthsInPiecesOfAnySize) {
  const Clock::time_point now = Clock::now();
  for (const std::size_t piece : {1, 3, 7, 100000}) {
    FrameCounter counter;
    std::string bytes;
    for (int k = 0; k < FrameCounter::kMostASecond / 4; ++k) {
      bytes += Frame(1, 5) + Frame(0, 0) + Frame(0x80, 300) + Frame(0x89, 0);
    }
    bytes += "";
    EXPECT_TRUE(Count(&counter, bytes, now, piece)) << piece;
    EXPECT_FALSE(Count(&counter, Frame(0x81, 2), now, piece)) << piece;
  }
  FrameCounter counter;
  EXPECT_TRUE(Count(&counter, Frame(1, 70000), now, 999));
  for (int k = 1; k < FrameCounter::kMostASecond; ++k) {
    EXPECT_TRUE(Count(&counter, Frame(0, 0), now));
  }
  EXPECT_FALSE(Count(&counter, Frame(0, 0), now));
}

TEST(FrameCounter, ASecondLaterItMaySendAgain) {
  FrameCounter counter;
  Clock::time_point now = Clock::now();
  for (int second = 0; second < 3; ++second, now += std::chrono::milliseconds(1001)) {
    for (int k = 0; k < FrameCounter::kMostASecond; ++k) {
      EXPECT_TRUE(Count(&counter, Frame(1, 20), now));
    }
  }
  now -= std::chrono::milliseconds(500);
  EXPECT_FALSE(Count(&counter, Frame(1, 20), now));
}

}  // namespace
}  // namespace stride
