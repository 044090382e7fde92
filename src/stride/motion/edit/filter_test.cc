#include "stride/motion/edit/filter.h"

#include <cmath>

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/math/rotation.h"

namespace stride {
namespace {

TEST(LowPass, HalvesThePowerAtTheCutoff) {
  const Character character = LoadCharacter("liu16");
  const Kinematics kinematics(character);
  const double fps = 120, cutoff = 6;
  for (const auto& [frequency, gain] :
       {std::pair{1.0, 0.99}, std::pair{6.0, std::sqrt(0.5)}, std::pair{20.0, 0.02}}) {
    std::vector<std::vector<double>> frames(240, ZeroState(character).q);
    for (int f = 0; f < 240; ++f) {
      frames[f][0] = std::sin(2 * M_PI * frequency * f / fps);
      Put(AxisAngle({1, 0, 0}, 0.1 * std::sin(2 * M_PI * frequency * f / fps)), 3, &frames[f]);
    }
    LowPass(kinematics, cutoff, fps, &frames);
    double largest = 0, largest_angle = 0;
    for (int f = 80; f < 160; ++f) {
      largest = std::max(largest, std::fabs(frames[f][0]));
      largest_angle = std::max(largest_angle, Norm(Log(QuatAt(frames[f], 3))) / 0.1);
    }
    EXPECT_NEAR(largest, gain, 0.02) << frequency;
    EXPECT_NEAR(largest_angle, gain, 0.02) << frequency;
  }
}

TEST(LowPass, SteadyMotionStaysToItsEnds) {
  const Character character = LoadCharacter("lee10");
  const Kinematics kinematics(character);
  std::vector<std::vector<double>> frames(20, ZeroState(character).q);
  for (int f = 0; f < 20; ++f) {
    frames[f][1] = 0.1 * f;
    Put(AxisAngle({0, 0, 1}, 0.05 * f), 3, &frames[f]);
  }
  const std::vector<std::vector<double>> before = frames;
  LowPass(kinematics, 2, 60, &frames);
  for (int f = 0; f < 20; ++f) {
    for (const double difference : PoseDifference(character, before[f], frames[f], 1)) {
      EXPECT_NEAR(difference, 0, 1e-6) << f;
    }
  }
}

TEST(Resampled, KeepsTimeAndPlaces) {
  const Character character = LoadCharacter("liu16");
  Motion motion;
  motion.fps = 120;
  for (int f = 0; f < 121; ++f) {
    motion.frames.push_back(ZeroState(character).q);
    motion.frames.back()[0] = 2.0 * f / 120;
    motion.contacts.push_back(f < 60 ? 1 : 2);
  }
  const Motion slow = Resampled(motion, character, 30);
  ASSERT_EQ(slow.FrameCount(), 31);
  EXPECT_DOUBLE_EQ(slow.Duration(), 1);
  for (int f = 0; f < 31; ++f) {
    EXPECT_NEAR(slow.frames[f][0], 2.0 * f / 30, 1e-9);
    EXPECT_EQ(slow.contacts[f], f < 15 ? 1 : 2);
  }
}

}  // namespace
}  // namespace stride
