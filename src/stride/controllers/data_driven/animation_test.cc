#include "stride/controllers/data_driven/animation.h"

#include <cmath>

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/motion/library.h"

namespace stride {
namespace {

class AnimationTest : public testing::Test {
 protected:
  Animation Of(const AnimationConfig& config) const {
    return Animation(body_,
                     {{LoadMotion("walk", body_), RowOfGains("normal")},
                      {LoadMotion("march", body_), RowOfGains("march")}},
                     config);
  }
  // The next step for a command; the heading follows what is planned.
  const PlannedFragment& Step(const Animation& animation, const Command& command) {
    animation.Next(next_.Swing(), heading_, command, &state_, &next_);
    heading_ += next_.turn + next_.bend;
    return next_;
  }
  static double Weight(const PlannedFragment& planned) {
    double sum = 0;
    for (const BlendPart& part : planned.Parts()) sum += part.weight;
    return sum;
  }
  const Character body_ = LoadCharacter("lee10-round");
  AnimationState state_;
  PlannedFragment next_;
  double heading_ = 0;
};

// Motion and gains of one style go over into the other's at the same ratio, a share a step.
TEST_F(AnimationTest, StylesGoOverByAndBy) {
  const Animation animation = Of({.style_steps = 4});
  ASSERT_EQ(animation.Styles(), (std::vector<std::string>{"walk", "march"}));
  const double walk = RowOfGains("normal").c1_coronal, march = RowOfGains("march").c1_coronal;
  for (int k = 0; k < 3; ++k) Step(animation, {.speed = 0.8});
  EXPECT_NEAR(next_.gains.c1_coronal, walk, 1e-6);
  for (int k = 1; k <= 6; ++k) {
    const double share = std::min(1.0, k / 4.0);
    const PlannedFragment& step = Step(animation, {.speed = 0.8, .style = 1});
    EXPECT_NEAR(step.gains.c1_coronal, (1 - share) * walk + share * march, 1e-6) << k;
    EXPECT_NEAR(Weight(step), 1, 1e-9) << k;
    EXPECT_EQ(step.part_count, share < 1 ? 4 : 2) << k;
  }
  // Changing its mind, it goes on from the style that it was nearer to.
  Step(animation, {.speed = 0.8, .style = 0});
  Step(animation, {.speed = 0.8, .style = 1});
  EXPECT_NEAR(next_.gains.c1_coronal, march, 1e-6);
}

TEST_F(AnimationTest, StylesMayChangeAtOnce) {
  const Animation animation = Of({.style_steps = 1});
  Step(animation, {.speed = 0.8});
  Step(animation, {.speed = 0.8, .style = 1});
  EXPECT_NEAR(next_.gains.c1_coronal, RowOfGains("march").c1_coronal, 1e-6);
}

// Who has to turn far slows down, a little each step, turns less sharply as long as it is fast, and
// goes on at the old speed when it is done.
TEST_F(AnimationTest, SharpTurnsAreWalkedSlowly) {
  const Animation animation = Of({.turn_per_step = 10, .speed_per_step = 0.1, .turn_speed = 0.5});
  const double own = animation.Clips()[0].speed, slow = 0.5 * own, sharp = 10 * M_PI / 180;
  Step(animation, {.speed = own});
  double before = state_.speed;
  EXPECT_NEAR(before, own, 1e-6);
  int steps = 0;
  while (std::fabs(heading_ - 2) > sharp) {
    ASSERT_LT(++steps, 40);
    Step(animation, {.speed = own, .heading = 2});
    EXPECT_NEAR(state_.speed, std::max(slow, before - 0.1), 1e-6) << steps;
    EXPECT_NEAR(next_.turn + next_.bend, sharp * std::min(1.0, slow / before), 1e-6) << steps;
    before = state_.speed;
  }
  for (int k = 0; k < 12; ++k) Step(animation, {.speed = own, .heading = 2});
  EXPECT_NEAR(heading_, 2, 1e-6);
  EXPECT_NEAR(state_.speed, own, 1e-6);
}

// Other styles than the first turn less sharply, and slower.
TEST_F(AnimationTest, AStyleMayTurnMoreGently) {
  const Animation animation =
      Of({.turn_per_step = 10, .turn_speed = 0.8, .style_turn = 0.5, .style_steps = 1});
  const double own = std::fabs(animation.Clips()[1].speed);  // the march's
  for (int k = 0; k < 12; ++k) Step(animation, {.speed = own, .style = 1});
  EXPECT_NEAR(state_.speed, own, 1e-6);
  for (int k = 0; k < 12; ++k) Step(animation, {.speed = own, .heading = 3, .style = 1});
  EXPECT_NEAR(state_.speed, 0.4 * own, 1e-6);
  EXPECT_NEAR(next_.turn + next_.bend, 5 * M_PI / 180, 1e-6);
}

}  // namespace
}  // namespace stride
