#include "stride/controllers/registry.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/core/error.h"
#include "stride/motion/library.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using testing::AllOf;
using testing::HasSubstr;

ControllerInput InputFor(const std::string& character) {
  ControllerInput input;
  input.world.actors = {LoadCharacter(character)};
  input.stand = RestState(input.world.actors[0]);
  return input;
}

std::string ErrorOf(const std::string& name, const ControllerInput& input) {
  return InputErrorOf([&] { MakeController(name, input); });
}

TEST(Controllers, HaveNamesOfTheirOwnAndDescriptions) {
  std::set<std::string> names;
  for (const ControllerInfo& info : Controllers()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.description.empty()) << info.name;
    EXPECT_LE(info.min_motions, info.max_motions) << info.name;
    EXPECT_EQ(&FindController(info.name), &info);
  }
  EXPECT_TRUE(names.contains("hold"));
  EXPECT_TRUE(names.contains("passive"));
}

TEST(Controllers, RefuseWhatDoesNotFit) {
  ControllerInput input = InputFor("liu16");
  EXPECT_THAT(ErrorOf("fly", input), AllOf(HasSubstr("'fly'"), HasSubstr("hold")));
  input.config = {{"gain", 2}};
  EXPECT_THAT(ErrorOf("hold", input), HasSubstr("gain"));
  input = InputFor("liu16");
  input.motions = {LoadMotion("stand", input.world.actors[0])};
  EXPECT_THAT(ErrorOf("hold", input), AllOf(HasSubstr("--motion"), HasSubstr("none")));
}

TEST(Hold, HoldsTheStandUnderTheWorldsGravity) {
  ControllerInput input = InputFor("liu16");
  input.world.gravity = 1.62;
  const auto controller = MakeController("hold", input);
  Actuation actuation = Passive(input.world.actors[0]);
  controller->Step({0, input.stand, {}}, {}, &actuation);
  const Actuation expected = HoldPose(input.world.actors[0], input.stand.q, 1.62);
  EXPECT_EQ(actuation.target_q, input.stand.q);
  EXPECT_EQ(actuation.torque, expected.torque);
  EXPECT_NE(actuation.torque, HoldPose(input.world.actors[0], input.stand.q, 9.81).torque);
  EXPECT_EQ(*controller->Reference(), input.stand);
}

TEST(Passive, DrivesNothing) {
  const ControllerInput input = InputFor("liu16");
  const auto controller = MakeController("passive", input);
  Actuation actuation = HoldPose(input.world.actors[0], input.stand.q);
  controller->Step({0, input.stand, {}}, {}, &actuation);
  for (const double gain : actuation.kp) EXPECT_EQ(gain, 0);
  for (const double torque : actuation.torque) EXPECT_EQ(torque, 0);
  EXPECT_EQ(controller->Reference(), nullptr);
}

}  // namespace
}  // namespace stride
