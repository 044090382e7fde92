#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/controllers/control_graph/clip_skill.h"
#include "stride/controllers/control_graph/graph_plan.h"
#include "stride/controllers/control_graph/learner.h"
#include "stride/controllers/control_graph/planner.h"
#include "stride/motion/edit/symmetry.h"
#include "stride/motion/library.h"

// Blocks of trials are the same whatever the lanes of the machine: which trials there are, what
// they share and meet. Only rounding differs, which a short trial hardly shows.
namespace stride {
namespace {

World WorldOf(const ControlGraph& graph) {
  World world;
  world.actors = {graph.character};
  world.contact.passes = 2;
  world.time_step = graph.time_step;
  return world;
}

std::vector<int> CourseOf(int fragments, const ControlGraph& graph) {
  Random random(0);
  return RandomCourse(graph, 0, fragments, &random);
}

using Results = std::array<EpisodeResult, kTrialBlock>;

EpisodeOptions Hard() {
  EpisodeOptions options;
  options.pushes = {.force = 80, .seconds = 0.1, .every = 0.3};
  options.action_noise = 0.03;
  options.variation.slope = 0.05;
  return options;
}

// Trials whose streams are those of `order`.
Results RunBlock(const ClipSkill& skill, const ControlGraph& graph, int fragments,
                 const std::array<int, kTrialBlock>& order, FragmentRunner* runner) {
  std::array<Episode, kTrialBlock> episodes;
  for (int k = 0; k < kTrialBlock; ++k) {
    episodes[k] = {.policies = &skill.policies, .stream = 100 + static_cast<unsigned>(order[k])};
  }
  Results results;
  RunEpisodes(graph, CourseOf(fragments, graph), Hard(), episodes.data(), runner, results.data());
  return results;
}

TEST(TrialBlocksTest, AreTheSameInAnyLanes) {
  const ClipSkill skill = LoadClipSkill("walk");
  const ControlGraph graph = GraphOf(skill);
  std::array<int, kTrialBlock> order;
  std::iota(order.begin(), order.end(), 0);
  Results first;
  for (const std::string& set : Batch::InstructionSets()) {
    FragmentRunner runner(WorldOf(graph), graph.parts, set);
    ASSERT_EQ(runner.InstructionSet(), set);
    const Results results = RunBlock(skill, graph, 6, order, &runner);
    if (set == Batch::InstructionSets().front()) first = results;
    for (int k = 0; k < kTrialBlock; ++k) {
      EXPECT_GE(results[k].last_push, 0);
      EXPECT_EQ(results[k].last_push, first[k].last_push) << set;
      EXPECT_EQ(results[k].seconds, first[k].seconds) << set;
      EXPECT_NEAR(results[k].cost, first[k].cost, 0.01 * first[k].cost) << set;
      EXPECT_TRUE(k == 0 || results[k].cost != results[0].cost) << set;
    }
  }
}

// A run of 15 m on slopes: far enough for lanes to get new origins.
TEST(TrialBlocksTest, ATrialDependsNeitherOnItsNeighboursNorOnWhatWasRunBefore) {
  const ClipSkill skill = LoadClipSkill("run");
  const ControlGraph graph = GraphOf(skill);
  std::array<int, kTrialBlock> order, backwards;
  std::iota(order.begin(), order.end(), 0);
  std::reverse_copy(order.begin(), order.end(), backwards.begin());
  for (const std::string& set : Batch::InstructionSets()) {
    FragmentRunner fresh(WorldOf(graph), graph.parts, set), used(WorldOf(graph), graph.parts, set);
    RunBlock(skill, graph, 3, order, &used);
    const Results a = RunBlock(skill, graph, 80, order, &fresh),
                  b = RunBlock(skill, graph, 80, backwards, &used);
    EXPECT_GT(std::max_element(a.begin(), a.end(),
                               [](const auto& x, const auto& y) { return x.seconds < y.seconds; })
                  ->seconds,
              6)
        << set;
    for (int k = 0; k < kTrialBlock; ++k) {
      const EpisodeResult& other = b[kTrialBlock - 1 - k];
      EXPECT_EQ(a[k].seconds, other.seconds) << set;
      EXPECT_EQ(a[k].cost, other.cost) << set << ", trial " << k;
      EXPECT_EQ(a[k].last_push, other.last_push) << set;
    }
  }
}

TEST(TrialBlocksTest, SamplesAreTheSameInAnyLanes) {
  const ClipSkill skill = LoadClipSkill("walk");
  const ControlGraph graph = GraphOf(skill);
  SamplingOptions options;
  options.samples = 20;  // two blocks
  options.vary_world = true;
  SamplingPath first;
  for (const std::string& set : Batch::InstructionSets()) {
    FragmentRunner runner(WorldOf(graph), graph.parts, set);
    const SamplingPath path =
        SampleCourse(graph, CourseOf(1, graph), skill.policies, options, 5, &runner);
    if (set == Batch::InstructionSets().front()) first = path;
    EXPECT_EQ(path.samples, 2 * kTrialBlock) << set;
    ASSERT_EQ(path.pairs.size(), 1u);
    EXPECT_NEAR(path.mean_cost, first.mean_cost, 1e-3 * first.mean_cost) << set;
    for (int k = 0; k < kActionCount; ++k) {
      EXPECT_NEAR(path.pairs[0].action[k], first.pairs[0].action[k], 1e-4) << set;
    }
  }
}

TEST(TrialBlocksTest, PlansAreTheSameInAnyLanes) {
  const ClipSkill skill = LoadClipSkill("walk");
  const auto graph = std::make_shared<const ControlGraph>(GraphOf(skill));
  Plan first;
  for (const std::string& set : Batch::InstructionSets()) {
    PlannerOptions options;
    options.horizon = 1;
    options.most_samples = 40;
    options.instruction_set = set;
    Planner planner(WorldOf(*graph), graph, options);
    State start = graph->border_states[0];
    start.q[0] = start.q[1] = 0;
    planner.Begin(start, {.samples = 40, .horizon = 1});
    const Plan plan = planner.Finish();
    if (set == Batch::InstructionSets().front()) first = plan;
    EXPECT_NEAR(plan.cost, first.cost, 1e-3 * first.cost) << set;
    for (int k = 0; k < kActionCount; ++k) {
      EXPECT_NEAR(plan.First()[k], first.First()[k], 1e-4) << set;
    }
  }
}

// Stand and walk, and the ways between them: courses differ from block to block.
ControlGraph StandAndWalk(const Character& character) {
  GraphPlan plan;
  plan.clips.push_back({.name = "stand", .motion = LoadMotion("stand", character)});
  plan.clips.push_back({.name = "walk", .motion = LoadMotion("walk", character)});
  plan.transitions = {{.from = 0, .to = 1}, {.from = 1, .to = 0}};
  ChooseCrossings(character, {}, &plan);
  return MakeControlGraph(plan, character, {}, 0.005);
}

TEST(TrialBlocksTest, TheEvolutionsTrialsAreTheSameInAnyLanes) {
  const ControlGraph graph = StandAndWalk(LoadCharacter("liu16"));
  const Workers workers(2);
  LearnOptions options;
  options.evolve_iterations = 1;
  options.evolve_pairs = 20;  // two blocks and a half
  options.evolve_seconds = 0.3;
  options.evolve_push_every = 0.3;
  LearnStart start;
  start.phase = LearnPhase::kEvolve;
  nlohmann::ordered_json first;
  for (const std::string& set : Batch::InstructionSets()) {
    Learner learner(graph, options, 3, workers, start, set);
    EXPECT_EQ(learner.InstructionSet(), set);
    const Learner::Trial tried = learner.Try(0.3, 100, true, 20);
    nlohmann::ordered_json line = learner.Advance();
    line["tried"] = tried.cost;
    if (set == Batch::InstructionSets().front()) first = line;
    for (const char* key : {"seconds", "unperturbed", "cost", "tried"}) {
      EXPECT_NEAR(line[key].get<double>(), first[key].get<double>(),
                  5e-3 * first[key].get<double>())
          << set << ", " << key;
    }
  }
}

}  // namespace
}  // namespace stride
