#include "stride/motion/travel.h"

#include <cmath>

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/motion/library.h"

namespace stride {
namespace {

TEST(Travel, StraightCurvedAndOnTheSpot) {
  const Character character = LoadCharacter("liu16");
  const auto travel = [&](const char* name) {
    return MeasureTravel(character, LoadMotion(name, character));
  };
  EXPECT_NEAR(travel("walk").heading_change_deg, 0, 1);
  EXPECT_NEAR(travel("turn_left").heading_change_deg, 45, 1);
  EXPECT_NEAR(travel("turn_right").heading_change_deg, -45, 1);
  EXPECT_GT(travel("walk_fast").speed, 1.2 * travel("walk").speed);
  EXPECT_LT(travel("stand").speed, 0.05);
}

TEST(Travel, FullTurnsAreCounted) {
  const Character character = LoadCharacter("liu16");
  const Motion spin = LoadMotion("spin", character);  // half around
  Motion longer = spin;
  while (longer.Duration() < 3 * spin.Duration() - 1e-9) {
    longer.frames.push_back(SampleMotion(spin, character, longer.FrameCount() / spin.fps));
    longer.contacts.push_back(0);
  }
  EXPECT_NEAR(std::fabs(MeasureTravel(character, longer).heading_change_deg), 540, 1);
}

TEST(Travel, OfASingleFrameIsNone) {
  const Character character = LoadCharacter("snake");  // has no pelvis
  Motion motion;
  motion.frames = {RestState(character).q};
  motion.contacts = {0};
  EXPECT_EQ(MeasureTravel(character, motion).speed, 0);
}

}  // namespace
}  // namespace stride
