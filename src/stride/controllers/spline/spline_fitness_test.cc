#include "stride/controllers/spline/spline_fitness.h"

#include <cmath>
#include <numbers>
#include <optional>

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/character/rest_pose.h"
#include "stride/controllers/spline/spline_gait.h"
#include "stride/core/error.h"
#include "stride/scenario/placement.h"

namespace stride {
namespace {

using V = SplineMeter;

// What the meter says of a body that holds its rest pose, or performs a gait, begun in `start`.
RolloutResult Held(const Character& character, const State& start, double seconds,
                   std::optional<SplineGait> wanted = {}) {
  World world;
  world.actors = {character};
  const SplineBody body = SplineBodyOf(character);
  const SplineGait gait = wanted ? *wanted : RestGait(body, 2, 4, 2);
  SplineProgram program = MakeSplineProgram(world, StandOn(character, world.terrain), body, gait);
  program.measures = true;
  program.meter.support = true;
  RolloutSetup setup;
  setup.character = character;
  setup.scenario.seconds = seconds;
  setup.driver = DriveByProgram(MakeLaneProgram(program));
  return Rollouts(setup, Workers(1)).Run(1, [&](int, Rollout* one) {
    one->parameters = SplineParameters(gait);
    one->start = start;
  })[0];
}

TEST(SplineMeter, WhoStandsIsOverItsFeet) {
  const Character biped = LoadCharacter("biped");
  const RolloutResult r = Held(biped, StandOn(biped, {}), 2);
  EXPECT_FALSE(r.fell);
  EXPECT_LT(r.values[V::kUnsupported], 0.02);  // before the first step nothing touches
  EXPECT_LT(r.values[V::kOffSupport], 0.002);
  EXPECT_LT(r.values[V::kFlight], 0.02);
  EXPECT_LT(r.values[V::kSlip], 0.01);
}

TEST(SplineMeter, WhoFliesIsNot) {
  const Character biped = LoadCharacter("biped");
  State start = StandOn(biped, {});
  start.q[2] += 1;  // falls for 0.45 s
  const RolloutResult r = Held(biped, start, 0.4);
  EXPECT_NEAR(r.values[V::kFlight], 0.4, 0.011);
  EXPECT_NEAR(r.values[V::kUnsupported], 0.4, 0.011);
  EXPECT_NEAR(r.values[V::kOffSupport], 0.4 * (V::kFarOff - V::kOverSupport), 0.003);
}

// Feet of 32 cm reach 19 cm ahead of the ankle: leaning further than that, they do not carry it.
TEST(SplineMeter, WhoLeansBeyondItsFeetIsNot) {
  for (const double lean : {0.1, 0.6}) {
    Character biped = LoadCharacter("biped");
    const Layout layout = LayoutOf(biped);
    // Its rest pose, so that no servo moves it: all but the feet turned forwards.
    std::vector<double>& q = biped.rest_q;
    for (const char* foot : {"left_foot", "right_foot"}) {
      q[layout.q[FindBody(biped, foot)]] -= lean;
    }
    const Quatd turned =
        Quatd{std::cos(lean / 2), 0, std::sin(lean / 2), 0} * Quatd{q[3], q[4], q[5], q[6]};
    q[3] = turned.w, q[4] = turned.x, q[5] = turned.y, q[6] = turned.z;
    PutOnGround(biped, &q);
    const RolloutResult r = Held(biped, StandOn(biped, {}), 0.1);
    if (lean < 0.3) {
      EXPECT_LT(r.values[V::kUnsupported], 0.02) << lean;
    } else {
      EXPECT_GT(r.values[V::kUnsupported], 0.09) << lean;
    }
  }
}

TEST(SplineMeter, WhatSlidesSlips) {
  const Character biped = LoadCharacter("biped");
  State start = StandOn(biped, {});
  start.v[0] = 1;
  const RolloutResult r = Held(biped, start, 0.02);
  EXPECT_GT(r.values[V::kSlip], 0.005);
}

// A snake whose joints follow each other, and one whose joints bend at once.
TEST(SplineMeter, AWaveTravels) {
  const Character snake = LoadCharacter("snake");
  const SplineBody body = SplineBodyOf(snake);
  ASSERT_EQ(VerticalPairs(snake).size(), 2u);
  for (const double delay : {0.2, 0.0}) {
    SplineGait gait = RestGait(body, 0, 8, 0);
    gait.cycle_seconds = 1, gait.in_seconds = 0.2;
    for (int joint = 0; joint < 3; ++joint) {  // every second one is about the vertical
      for (int k = 0; k < 8; ++k) {
        gait.curves[2 * joint].cycle.values[k] =
            0.3 * std::sin(2 * std::numbers::pi * (k / 8.0 - delay * joint));
      }
    }
    const double wave = Held(snake, StandOn(snake, {}), 4, gait).values[V::kWave];
    if (delay > 0) {
      EXPECT_GT(wave, 0.5);
    } else {
      EXPECT_LT(wave, 0.2);
    }
  }
  EXPECT_TRUE(VerticalPairs(LoadCharacter("biped")).empty());
}

RolloutResult Went(double seconds, double forwards) {
  RolloutResult r;
  r.seconds = seconds;
  r.values.assign(V::kValues, 0);
  r.values[V::kForwards] = forwards;
  return r;
}

TEST(SplineFitness, AStaticWalkIsWorthMoreThanAFasterHop) {
  const SplineTrial trial{.seconds = 10, .height = 1, .goal = 2};
  const auto value = FindSplineFitness("static").value;
  const RolloutResult careful = Went(10, 1);
  RolloutResult hop = Went(10, 2), shuffle = careful, fall = Went(5, 1);
  hop.values[V::kFlight] = 2, hop.values[V::kUnsupported] = 4;
  shuffle.values[V::kSlip] = 1;
  EXPECT_GT(value(careful, trial), value(hop, trial));
  EXPECT_GT(value(careful, trial), value(shuffle, trial));
  EXPECT_GT(value(careful, trial), value(fall, trial));
}

TEST(SplineFitness, AJumpIsWorthMoreThanAStandAndALeapIntoAFallLess) {
  const SplineTrial trial{.seconds = 10, .height = 1, .goal = 2};
  const auto value = FindSplineFitness("jump").value;
  const RolloutResult stand = Went(10, 0);
  RolloutResult jump = stand, leap = Went(1, 0);
  jump.values[V::kFlight] = 2, jump.values[V::kRise] = 0.1;
  leap.values[V::kFlight] = 0.8, leap.values[V::kRise] = 0.3;
  EXPECT_GT(value(jump, trial), value(stand, trial) + 1);
  EXPECT_GT(value(stand, trial), value(leap, trial));
}

TEST(SplineFitness, WhoIsToldToStopAndDoesNotIsWorthLess) {
  const SplineTrial goes{.seconds = 10, .height = 1, .goal = 2};
  SplineTrial stops = goes;
  stops.stops = true;
  RolloutResult restless = Went(10, 2);
  restless.values[V::kUnrest] = 0.5;
  for (const char* name : {"goal", "static", "jump"}) {
    const SplineFitness& fitness = FindSplineFitness(name);
    EXPECT_TRUE(fitness.stops);
    EXPECT_NEAR(fitness.value(restless, goes) - fitness.value(restless, stops), 1, 1e-9) << name;
  }
}

// Falls after it was told to stop, the later the better; then ever less sway.
TEST(SplineFitness, StoppingIsLearnedStepByStep) {
  const SplineTrial trial{.seconds = 20, .height = 1, .goal = 2, .stops = true, .stop_at = 14};
  const auto value = FindSplineFitness("goal").value;
  const auto worth = [&](double seconds, double unrest) {
    RolloutResult r = Went(seconds, 2);
    r.values[V::kUnrest] = unrest;
    return value(r, trial);
  };
  // By more than the share of the time that it stood.
  EXPECT_GT(worth(19, 0) - worth(16, 0), 0.5);
  EXPECT_GT(worth(20, 0.6), worth(19, 0));
  EXPECT_GT(worth(20, 0.01) - worth(20, 0.07), 0.2);
}

TEST(SplineFitness, NamesAreKnown) {
  EXPECT_EQ(FindSplineFitness("dfndfo").name, "dfndfo");
  EXPECT_THROW(FindSplineFitness("beauty"), InputError);
}

}  // namespace
}  // namespace stride
