#include "stride/controllers/data_driven/gain_trials.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/learn/workers.h"
#include "stride/motion/library.h"
#include "stride/scenario/placement.h"
#include "stride/sim/batch.h"

namespace stride::data_driven_controller {
namespace {

std::shared_ptr<Plan> PlanOfWalk(const std::vector<int>& order) {
  auto plan = std::make_shared<Plan>();
  ControllerInput input;
  input.world.actors = {LoadCharacter("lee10-round")};
  input.motions = {LoadMotion("walk", input.world.actors[0])};
  input.stand = StandOn(input.world.actors[0], {});
  for (const int variant : std::set<int>(order.begin(), order.end())) {
    plan->variants.push_back({.world = input.world,
                              .clip = input.motions[0],
                              .first = MakeController("data_driven", input),
                              .clip_speed = 1.0 + variant});
  }
  plan->order = order;
  plan->usual = Batch(input.world).DefaultConditions();
  return plan;
}

// Whatever is learned with, each of it is walked evenly, pushed, and told where to go.
TEST(GainTrialsTest, EveryVariantMeetsEveryKindOfTrial) {
  for (const std::vector<int>& order : {std::vector<int>{0}, {0, 1}, {0, 1, 2}, {0, 1, 2, 3}}) {
    const auto plan = PlanOfWalk(order);
    const int n = static_cast<int>(order.size());
    std::vector<int> even(n), commanded(n), pushed(n);
    for (int index = 0; index < 4 * n; ++index) {
      const Kind kind = KindOf(*plan, Stage::kPushes, index);
      EXPECT_EQ(kind.variant, index % n);
      even[kind.variant] += kind.even ? 1 : 0;
      commanded[kind.variant] += kind.commanded ? 1 : 0;
      pushed[kind.variant] += !kind.even && !kind.commanded ? 1 : 0;
      const Kind alone = KindOf(*plan, Stage::kAlone, index);
      EXPECT_TRUE(alone.even && !alone.commanded) << index;
    }
    for (int variant = 0; variant < n; ++variant) {
      EXPECT_EQ(even[variant], 1) << n;
      EXPECT_EQ(commanded[variant], 1) << n;
      EXPECT_EQ(pushed[variant], 2) << n;
    }
  }
}

// Who is told where to go is told once, or again and again, within the range of speeds.
TEST(GainTrialsTest, CommandsComeAgainAndAgain) {
  const auto plan = PlanOfWalk({0});
  plan->settings.slowest = 0.5, plan->settings.fastest = 1.5;
  Rollout once;
  TrialsOf(plan, Stage::kPushes)(3, 7, &once);
  ASSERT_TRUE(once.command.heading.has_value());
  EXPECT_TRUE(once.commands.empty());
  plan->settings.command_every = 4;
  Rollout stream, other;
  TrialsOf(plan, Stage::kPushes)(3, 7, &stream);
  TrialsOf(plan, Stage::kPushes)(3, 8, &other);
  ASSERT_EQ(stream.commands.size(), 3u);  // at 4, 8 and 12 of 15 s
  for (int k = 0; k < 3; ++k) {
    EXPECT_DOUBLE_EQ(stream.commands[k].at, 4 * (k + 1));
    EXPECT_GE(*stream.commands[k].speed, 0.5);
    EXPECT_LE(*stream.commands[k].speed, 1.5);
  }
  EXPECT_NE(*stream.commands[0].heading, *other.commands[0].heading);
  Rollout even;
  TrialsOf(plan, Stage::kPushes)(0, 7, &even);
  EXPECT_FALSE(even.command.heading.has_value());
  EXPECT_TRUE(even.commands.empty());
  EXPECT_FALSE(even.pushed);
}

// Standing longer is worth more, whatever the speed; at the clip's speed and straight on most.
TEST(GainTrialsTest, WhatATrialIsWorth) {
  const auto plan = PlanOfWalk({0});
  const auto worth = [&](double seconds, double speed, double aside, bool even) {
    return ValueOf(*plan, {.variant = 0, .even = even, .commanded = false},
                   {.seconds = seconds, .forwards = speed * seconds, .sideways = aside});
  };
  EXPECT_DOUBLE_EQ(worth(15, 1, 0, true), 2);
  EXPECT_DOUBLE_EQ(worth(15, 0.9, 0, true), 1.5);
  EXPECT_DOUBLE_EQ(worth(15, 0.5, 9, false), 2);
  EXPECT_LT(worth(15, 1, 3, true), 2);
  EXPECT_LT(worth(7, 1, 0, true), worth(15, 0.2, 0, true));
}

// Several searches, each from other gains that walk the clip, then one under pushes.
TEST(GainTrialsTest, SearchesBeginInSeveralPlaces) {
  const Workers workers(1);
  std::vector<std::string> warnings;
  const LearningRequest request{
      .input = "walk",
      .out = "walk.skill",
      .seed = 1,
      .settings = {"starts=2", "alone_iterations=1", "iterations=1", "population=4", "trials=1",
                   "seconds=2", "most_lift=0.03"}};
  const std::unique_ptr<LearningJob> job = GainLearning().make(request, workers, &warnings);
  EXPECT_THAT(warnings, testing::Contains(testing::HasSubstr("; ")));
  std::vector<std::string> phases;
  while (!job->Done()) {
    phases.push_back(job->Advance([] { return false; })["phase"]);
  }
  EXPECT_EQ(phases, (std::vector<std::string>{"alone", "alone 2", "pushes"}));
  const LearningResult result = job->Result();
  EXPECT_LE(result.json["gains"]["lift"].get<double>(), 0.03);
}

TEST(GainTrialsTest, DistancesAreInUsualSpreads) {
  FeedbackGains a, b;
  EXPECT_EQ(Distance(a, b), 0);
  b.c1_coronal += 0.2;  // twice its spread
  EXPECT_NEAR(Distance(a, b), 2, 1e-12);
  b.lift += 0.02;  // once
  EXPECT_NEAR(Distance(a, b), std::sqrt(5), 1e-12);
}

}  // namespace
}  // namespace stride::data_driven_controller
