#include "stride/controllers/control_graph/planner.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/motion/library.h"

namespace stride {
namespace {

World WorldOf(const Character& character) {
  World world;
  world.actors = {character};
  return world;
}

struct Setting {
  World world = WorldOf(LoadCharacter("liu16"));
  std::shared_ptr<const ControlGraph> graph = std::make_shared<const ControlGraph>(
      MakeControlGraph(LoadMotion("walk", world.actors[0]), world.actors[0], {}, world.time_step));

  PlannerOptions Options(int threads = 1) const {
    PlannerOptions options;
    options.horizon = 4;
    options.most_samples = 128;
    options.threads = threads;
    return options;
  }
  // The clip's beginning, moving to the left as after a push.
  State Pushed() const {
    State state = graph->border_states[0];
    state.q[0] = state.q[1] = 0;
    state.v[1] += 0.4;
    return state;
  }
};

bool Same(const Plan& a, const Plan& b) {
  return a.cost == b.cost &&
         std::equal(&a.actions[0][0][0], &a.actions[0][0][0] + sizeof(a.actions) / sizeof(float),
                    &b.actions[0][0][0]);
}

TEST(Planner, FindsBetterThanDoingNothing) {
  const Setting s;
  Planner planner(s.world, s.graph, s.Options());
  // As many samples as there are paths: all follow the plan, which does nothing.
  planner.Begin(s.Pushed(), {.samples = Plan::kPaths, .horizon = 4});
  const float nothing = planner.Finish().cost;
  for (int k = 0; k < kActionCount; ++k) EXPECT_EQ(planner.Finish().First()[k], 0);
  planner.Begin(s.Pushed(), {.samples = 128, .horizon = 4});
  EXPECT_LT(planner.Finish().cost, nothing);
  // It goes on from what it has.
  for (std::uint32_t id = 1; id < 4; ++id) {
    planner.Begin(s.Pushed(), {.samples = 128, .horizon = 4, .id = id});
  }
  EXPECT_LT(planner.Finish().cost, 0.95f * nothing);
}

TEST(Planner, IsTheSameForAnyNumberOfThreads) {
  const Setting s;
  Plan plans[3];
  for (int threads = 1; threads <= 3; ++threads) {
    Planner planner(s.world, s.graph, s.Options(threads));
    planner.Begin(s.Pushed(), {.samples = 128, .horizon = 4});
    planner.Begin(s.Pushed(), {.fragment = 1, .samples = 96, .horizon = 3, .id = 1, .ahead = true});
    plans[threads - 1] = planner.Finish();
  }
  EXPECT_TRUE(Same(plans[0], plans[1]));
  EXPECT_TRUE(Same(plans[0], plans[2]));
}

TEST(Planner, PlansAheadFromWhereTheActionLeads) {
  const Setting s;
  Planner planner(s.world, s.graph, s.Options());
  planner.Begin(s.Pushed(), {.samples = 128, .horizon = 4});
  const Plan before = planner.Finish();
  // Nothing new is tried: the plan made ahead is what is left of the one before.
  planner.Begin(s.Pushed(),
                {.fragment = 1, .samples = Plan::kPaths, .horizon = 3, .id = 1, .ahead = true});
  const Plan ahead = planner.Finish();
  for (int stage = 0; stage < 3; ++stage) {
    for (int k = 0; k < kActionCount; ++k) {
      EXPECT_EQ(ahead.actions[0][stage][k], before.actions[0][stage + 1][k]) << stage;
    }
  }
  for (int k = 0; k < kActionCount; ++k) EXPECT_EQ(ahead.last_action[k], before.First()[k]);
}

TEST(Planner, ACopyHoldsTheSamePlan) {
  const Setting s;
  Planner planner(s.world, s.graph, s.Options(2));
  planner.Begin(s.Pushed(), {.samples = 128, .horizon = 4});
  Planner copy(planner);  // while it works
  EXPECT_TRUE(Same(copy.Finish(), planner.Finish()));
  for (Planner* each : {&planner, &copy})
    each->Begin(s.Pushed(), {.samples = 64, .horizon = 4, .id = 1});
  EXPECT_TRUE(Same(copy.Finish(), planner.Finish()));
}

}  // namespace
}  // namespace stride
