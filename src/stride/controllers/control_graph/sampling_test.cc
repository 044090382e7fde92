#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/controllers/registry.h"
#include "stride/core/error.h"
#include "stride/motion/library.h"
#include "stride/sim/engine.h"

namespace stride {
namespace {

ControllerInput InputFor(const std::string& motion) {
  ControllerInput input;
  input.world.actors = {LoadCharacter("liu16")};
  input.stand = RestState(input.world.actors[0]);
  input.motions = {LoadMotion(motion, input.world.actors[0])};
  input.config = {{"samples", 128}, {"border_samples", 64}};
  return input;
}

struct Live {
  explicit Live(const ControllerInput& input)
      : controller(MakeController("sampling", input)),
        engine(MakeEngine("native", input.world)),
        actuations{Passive(input.world.actors[0])},
        time_step(input.world.time_step) {
    engine->SetState(0, controller->Start());
  }
  void Run(double seconds, const Command& command = {}, double push = 0) {
    const int steps = static_cast<int>(std::lround(seconds / time_step));
    for (int k = 0; k < steps; ++k) {
      controller->Step({time, engine->GetState(0), {}}, command, &actuations[0]);
      const ExternalForce force{.force = {0, push, 0}};
      engine->Step(actuations, {&force, 1});
      time += time_step;
    }
  }
  const std::vector<double>& Q() const { return engine->GetState(0).q; }

  std::unique_ptr<Controller> controller;
  std::unique_ptr<Engine> engine;
  std::vector<Actuation> actuations;
  double time_step, time = 0;
};

TEST(Sampling, WalksUnderAPushWithNothingLearned) {
  Live live(InputFor("walk"));
  live.Run(2);
  live.Run(0.2, {}, 50);
  live.Run(2.8);
  EXPECT_GT(live.Q()[0], 5 * 0.9);  // the clip walks at 1.25 m/s
  EXPECT_GT(live.Q()[2], 0.8);
}

TEST(Sampling, TakesUpACommandedHeading) {
  Live live(InputFor("walk"));
  live.Run(3, {.heading = 1.0});
  const double x = live.Q()[0], y = live.Q()[1];
  live.Run(1, {.heading = 1.0});
  EXPECT_NEAR(std::atan2(live.Q()[1] - y, live.Q()[0] - x), 1.0, 0.3);
}

TEST(Sampling, HoldsTheEndOfAClipThatIsNoLoop) {
  ControllerInput input = InputFor("walk");
  Motion& motion = input.motions[0];
  motion.loops = false;
  motion.frames.resize(motion.frames.size() / 2);  // ends on the other foot
  motion.contacts.resize(motion.frames.size());
  Live live(input);
  live.Run(motion.Duration() + 0.5);
  const std::vector<double> end = live.controller->Reference()->q;
  live.Run(0.3);
  for (std::size_t k = 7; k < end.size(); ++k) {
    EXPECT_EQ(live.controller->Reference()->q[k], end[k]);
  }
}

TEST(Sampling, IsTheSameForAnyNumberOfThreads) {
  ControllerInput input = InputFor("walk");
  input.config["threads"] = 1;
  Live one(input);
  input.config["threads"] = 2;
  Live two(input);
  one.Run(0.6);
  two.Run(0.6);
  EXPECT_EQ(one.Q(), two.Q());
}

TEST(Sampling, ChoosesItsSamplesAndSaysWhenTheyAreTooMany) {
  ControllerInput input = InputFor("walk");
  std::vector<std::string> warnings;
  EXPECT_EQ(ResolveConfig("sampling", input, &warnings), input.config);  // definite already
  input.config = {{"horizon", 3}};
  EXPECT_GE(ResolveConfig("sampling", input, nullptr)["samples"], 64);
  // No machine makes these in a hundredth of a second.
  input.config = {{"horizon", 24}, {"border_samples", 10000}, {"border_horizon", 24}};
  EXPECT_EQ(ResolveConfig("sampling", input, &warnings)["samples"], 64);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], testing::HasSubstr("real time"));
  input.config = {{"sampels", 3}};
  EXPECT_THROW(ResolveConfig("sampling", input, nullptr), InputError);
}

}  // namespace
}  // namespace stride
