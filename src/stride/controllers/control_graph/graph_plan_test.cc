#include "stride/controllers/control_graph/graph_plan.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/controllers/control_graph/clip_skill.h"
#include "stride/controllers/control_graph/falls.h"
#include "stride/controllers/control_graph/graph_file.h"
#include "stride/controllers/registry.h"
#include "stride/core/error.h"
#include "stride/motion/edit/symmetry.h"
#include "stride/motion/library.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using ::testing::HasSubstr;

const Character& Liu16() {
  static const Character character = LoadCharacter("liu16");
  return character;
}

GraphClip Clip(const std::string& name, bool symmetric = false) {
  Motion motion = LoadMotion(name, Liu16());
  if (symmetric) motion = MakeSymmetric(Liu16(), motion);
  return {
      .name = name, .motion = motion, .symmetric = symmetric, .rises = name.starts_with("get_up")};
}

// Stand, walk and a turn, a kick, and a way to rise.
GraphPlan Plan() {
  GraphPlan plan;
  plan.clips = {Clip("stand"), Clip("walk", true), Clip("turn_left"), Clip("kick"),
                Clip("get_up_back")};
  for (const auto& [from, to] : {std::pair{0, 1}, {1, 0}, {1, 2}, {2, 1}, {0, 3}, {3, 0}, {4, 0}}) {
    plan.transitions.push_back({.from = from, .to = to});
  }
  ChooseCrossings(Liu16(), {}, &plan);
  return plan;
}

TEST(GraphPlanTest, ReferencesMatchOnBothSidesOfEveryBorder) {
  const ControlGraph graph = MakeControlGraph(Plan(), Liu16(), {}, 0.005);
  ASSERT_EQ(graph.segments.size(), 5u + 7u);
  for (const Fragment& f : graph.fragments) {
    ASSERT_FALSE(f.next.empty());
    for (const int next : f.next) {
      const State& here = graph.border_states[f.end_border];
      const State there =
          Turned(Liu16(), graph.border_states[graph.fragments[next].border], f.turn);
      // All but the place on the ground: axes turn by what the fragment says, poses are the same.
      for (std::size_t k = 2; k < here.q.size(); ++k) {
        EXPECT_NEAR(std::fabs(here.q[k]), std::fabs(there.q[k]), 2e-3)
            << graph.segments[f.segment].name << " to "
            << graph.segments[graph.fragments[next].segment].name << ", coordinate " << k;
      }
    }
  }
}

TEST(GraphPlanTest, TransitionsBlendWithoutAJump) {
  const ControlGraph graph = MakeControlGraph(Plan(), Liu16(), {}, 0.005);
  const int bodies = Liu16().BodyCount();
  for (const Segment& segment : graph.segments) {
    if (segment.clip >= 0) continue;
    for (int step = segment.begin + 1; step < segment.end; ++step) {
      for (int i = 1; i < bodies; ++i) {
        const Quat<float>&a = graph.Target(step - 1)[i], &b = graph.Target(step)[i];
        const float dot = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
        if (Liu16().bodies[i].joint.kind != JointKind::kBall) continue;
        EXPECT_GT(std::fabs(dot), std::cos(0.1)) << segment.name;  // 40 rad/s
      }
    }
  }
}

TEST(GraphPlanTest, StagesAddWhatCanBePracticedWithWhatIsKnown) {
  const ControlGraph graph = MakeControlGraph(Plan(), Liu16(), {}, 0.005);
  const std::vector<GraphStage> stages = Stages(graph);
  // Three loops, two pairs of transitions, the kick with its two, the way to rise with its one.
  ASSERT_EQ(stages.size(), 7u);
  EXPECT_EQ(stages[0].segments, 1);
  EXPECT_EQ(stages[3].segments, 5);
  EXPECT_EQ(graph.segments[graph.fragments[stages[4].entry].segment].name, "walk");
  EXPECT_EQ(stages[5].segments, 10);
  EXPECT_EQ(graph.segments[graph.fragments[stages[6].entry].segment].name, "get_up_back");
  EXPECT_EQ(stages.back().segments, static_cast<int>(graph.segments.size()));
  int policies = 0;
  for (const GraphStage& stage : stages) {
    const ControlGraph prefix = Prefix(graph, stage.segments);
    EXPECT_GT(prefix.policies, policies);
    policies = prefix.policies;
    for (const Fragment& f : prefix.fragments) EXPECT_FALSE(f.next.empty());
    EXPECT_EQ(prefix.targets.size() / Liu16().bodies.size(),
              static_cast<std::size_t>(prefix.fragments.back().end));
  }
  EXPECT_EQ(policies, graph.policies);
}

TEST(GraphPlanTest, CoursesGoWhereTheyShould) {
  const ControlGraph graph = MakeControlGraph(Plan(), Liu16(), {}, 0.005);
  const auto in_kick = [&](int f) {
    return graph.segments[graph.fragments[f].segment].name == "kick";
  };
  const std::vector<int> distance = DistanceTo(graph, in_kick);
  Random random(1);
  int guided = 0, plain = 0;
  for (const int f : RandomCourse(graph, 0, 3000, &random, distance)) guided += in_kick(f);
  for (const int f : RandomCourse(graph, 0, 3000, &random)) plain += in_kick(f);
  EXPECT_GT(guided, 1.3 * plain);
  EXPECT_GT(plain, 0);
  // Even visits: every segment that can be reached is, and none much more than another.
  std::vector<int> visits(graph.segments.size(), 0);
  for (const int f : RandomCourse(graph, 0, 20000, &random)) {
    if (f == graph.segments[graph.fragments[f].segment].first) {
      ++visits[graph.fragments[f].segment];
    }
  }
  for (std::size_t s = 0; s < visits.size(); ++s) {
    const Segment& segment = graph.segments[s];
    const bool from_rising = segment.clip < 0 && segment.from == 4;
    EXPECT_EQ(visits[s] > 0, !segment.rises && !from_rising) << segment.name;
  }
}

TEST(GraphPlanTest, NamesTheNodeThatIsWrong) {
  const auto choose = [](GraphPlan plan) {
    return InputErrorOf([&] { ChooseCrossings(Liu16(), {}, &plan); });
  };
  GraphPlan plan = Plan();
  std::erase_if(plan.transitions, [](const GraphTransition& t) { return t.to == 3; });
  EXPECT_THAT(choose(plan), HasSubstr("'kick' cannot be reached"));
  plan = Plan();
  std::erase_if(plan.transitions, [](const GraphTransition& t) { return t.from == 4; });
  EXPECT_THAT(choose(plan), HasSubstr("'get_up_back' never leads back"));
  plan = Plan();
  plan.transitions.push_back({.from = 0, .to = 4});
  EXPECT_THAT(choose(plan), HasSubstr("'get_up_back' rises"));
  plan = Plan();
  plan.clips[4].rises = false;
  plan.transitions.push_back({.from = 1, .to = 4});
  EXPECT_THAT(choose(plan), HasSubstr("from 'walk' to 'get_up_back' leads between poses"));
}

TEST(GraphPlanTest, SkillFilesHoldGraphs) {
  ClipSkill made;
  made.name = "a graph";
  made.character = Liu16();
  made.plan = Plan();
  made.policies = NoFeedback(GraphOf(made), 0.1);
  const std::string text = SkillText(made);
  const ClipSkill skill = FromEnvelope(ParseSkill(text, "a.skill"));
  EXPECT_EQ(skill.plan, made.plan);
  EXPECT_EQ(SkillText(skill), text);
  EXPECT_EQ(GraphOf(skill).targets.size(), GraphOf(made).targets.size());
}

TEST(GraphFileTest, ReadsAndNamesWhatIsWrong) {
  const auto parse = [](const std::string& text) {
    return ParseGraphFile(text, "g.json", [](const std::string&) -> GraphMotionLoader {
      return [](const GraphNodeSource& source) { return LoadMotion(source.motion, Liu16()); };
    });
  };
  const std::string head = R"({"stride_control_graph": 1, "character": "liu16", "nodes": [)";
  const GraphFile file = parse(
      head +
      R"({"name": "a", "motion": "stand"}, {"name": "b", "motion": "walk", "symmetric": true}],
      "transitions": [["a", "b"], {"from": "b", "to": "a", "blend": 0.8, "leave": 0.2}]})");
  EXPECT_EQ(file.character, "liu16");
  ASSERT_EQ(file.plan.transitions.size(), 2u);
  EXPECT_EQ(file.plan.transitions[1].from, 1);
  EXPECT_EQ(file.plan.transitions[1].blend, 0.8);
  EXPECT_TRUE(file.plan.clips[1].symmetric);
  const auto error = [&](const std::string& rest) {
    return InputErrorOf([&] { parse(head + rest); });
  };
  EXPECT_THAT(error(R"({"name": "a", "motion": "no_such"}], "transitions": []})"),
              HasSubstr("node \"a\""));
  EXPECT_THAT(error(R"({"name": "a", "motion": "stand"}], "transitions": [["a", "x"]]})"),
              HasSubstr("\"x\""));
  EXPECT_THAT(error(R"({"name": "a", "motion": "stand", "speed": 1}], "transitions": []})"),
              HasSubstr("speed"));
  EXPECT_THAT(
      error(
          R"({"name": "a", "motion": "stand"}, {"name": "a", "motion": "walk"}], "transitions": []})"),
      HasSubstr("taken"));
  EXPECT_THAT(InputErrorOf([&] { parse("{}"); }), HasSubstr("stride_control_graph"));
}

TEST(FallsTest, TheNearestWayToRiseIsTheOneThatLiesAlike) {
  GraphPlan plan = Plan();
  plan.clips.push_back(Clip("get_up_front"));
  plan.transitions.push_back({.from = 5, .to = 0});
  ChooseCrossings(Liu16(), {}, &plan);
  const ControlGraph graph = MakeControlGraph(plan, Liu16(), {}, 0.005);
  for (int s = 0; s < static_cast<int>(graph.segments.size()); ++s) {
    const Segment& segment = graph.segments[s];
    if (!segment.rises) continue;
    const State lying = graph.border_states[graph.fragments[segment.first].border];
    for (const double heading : {0.0, 1.0, 2.5, -2.0}) {
      EXPECT_EQ(NearestRising(graph, Turned(Liu16(), lying, heading)), s);
    }
  }
}

}  // namespace
}  // namespace stride
