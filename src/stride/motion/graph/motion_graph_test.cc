#include "stride/motion/graph/motion_graph.h"

#include <filesystem>
#include <queue>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tinyxml2.h>

#include "stride/core/file.h"
#include "stride/motion/edit/edit.h"
#include "stride/motion/edit/point_cloud.h"
#include "stride/motion/feet.h"
#include "stride/testing/test_motions.h"

namespace stride {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(PointCloudTest, DistanceIsZeroUnderMotionsOfTheGroundWhichItFinds) {
  const Character& character = TestCharacter();
  const Motion walk = DriftingRounds(TestMotion("turn_left"), 1.5, 0.2);
  Motion moved = walk;
  const GroundMove move{2.4, {3, -7, 0}};
  MoveMotion(character, move, &moved);
  const WindowClouds a(character, walk, 0.1), b(character, moved, 0.1);
  for (int f = 0; f < walk.FrameCount(); f += 5) {
    EXPECT_LT(b.Distance(f, a, f), 1e-6);
    const GroundMove found = b.Alignment(f, a, f);
    EXPECT_NEAR(std::remainder(found.heading - move.heading, 2 * M_PI), 0, 1e-9);
    EXPECT_LT(Norm(found.shift - move.shift), 1e-7);
  }
  EXPECT_GT(b.Distance(0, a, 20), 0.05);
  EXPECT_NEAR(b.Distance(0, a, 20), a.Distance(20, b, 0), 1e-12);
  EXPECT_NEAR(b.Distance(0, a, 20), a.Distance(0, a, 20), 1e-6);
}

TEST(PointCloudTest, DistanceIsTheLeastThatAnyMotionOfTheGroundLeaves) {
  const Character& character = TestCharacter();
  const Motion& walk = TestMotion("walk");
  const int i = 20, j = 33, step = 3;
  const WindowClouds clouds(character, walk, 2.0 * step / walk.fps);
  // The same, point by point.
  const auto residue = [&](const GroundMove& move) {
    double sum = 0;
    int count = 0;
    for (int k = -2; k <= 2; ++k) {
      const BodyFrames a = FramesAt(character, walk.frames[i + k * step]),
                       b = FramesAt(character, walk.frames[j + k * step]);
      for (const BodyPoint& point : BodyPoints(character)) {
        const Vec3d p = a.position[point.body] + Rotate(a.rotation[point.body], point.position);
        const Vec3d q = b.position[point.body] + Rotate(b.rotation[point.body], point.position);
        sum += SquaredNorm(p - Apply(move, q));
        ++count;
      }
    }
    return std::sqrt(sum / count);
  };
  const GroundMove best = clouds.Alignment(i, clouds, j);
  EXPECT_NEAR(residue(best), clouds.Distance(i, clouds, j), 1e-9);
  for (const double d : {-0.01, 0.01}) {
    EXPECT_GT(residue({best.heading + d, best.shift}), residue(best));
    EXPECT_GT(residue({best.heading, best.shift + Vec3d{d, 0, 0}}), residue(best));
    EXPECT_GT(residue({best.heading, best.shift + Vec3d{0, d, 0}}), residue(best));
  }
}

TEST(TransitionTest, AreWhereAClipComesBackToItself) {
  const Character& character = TestCharacter();
  const Motion& walk = TestMotion("walk");
  const int period = walk.FrameCount() - 1;
  const std::vector<Motion> clips = {DriftingRounds(walk, 3, 0.05),
                                     DriftingRounds(TestMotion("run"), 2, 0)};
  const GraphOptions options;
  const std::vector<Transition> found = FindTransitions(character, clips, options);
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(std::is_sorted(
      found.begin(), found.end(),
      [](const Transition& a, const Transition& b) { return a.distance < b.distance; }));
  int returns = 0;
  std::vector<WindowClouds> clouds;
  for (const Motion& clip : clips) clouds.emplace_back(character, clip, options.half_window);
  for (const Transition& t : found) {
    EXPECT_LE(t.distance, options.largest_distance);
    EXPECT_NEAR(t.distance,
                clouds[t.from_clip].Distance(t.from_frame, clouds[t.to_clip], t.to_frame), 1e-12);
    EXPECT_EQ(clips[t.from_clip].contacts[t.from_frame], clips[t.to_clip].contacts[t.to_frame]);
    const int jump = std::abs(t.from_frame - t.to_frame);
    if (t.from_clip == t.to_clip) {
      EXPECT_GE(jump, options.least_jump * walk.fps);
    }
    if (t.from_clip == 0 && t.to_clip == 0 && std::abs(jump - period) <= 2) ++returns;
  }
  EXPECT_GT(returns, 0);
}

// Reachability of all pairs, by adding one node after the other to the ways allowed.
std::vector<std::vector<bool>> Reachable(const MotionGraph& graph) {
  const std::size_t count = graph.nodes.size();
  std::vector<std::vector<bool>> reach(count, std::vector<bool>(count, false));
  for (const GraphEdge& e : graph.edges) reach[e.from][e.to] = true;
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < count; ++j)
        reach[i][j] = reach[i][j] || (reach[i][k] && reach[k][j]);
    }
  }
  return reach;
}

TEST(ComponentTest, AreTheNodesThatReachEachOther) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 100; ++trial) {
    MotionGraph graph;
    graph.clips.push_back({});
    const int count = 1 + static_cast<int>(random() % 12);
    for (int n = 0; n < count; ++n)
      graph.nodes.push_back({std::to_string(n), 0, n, n + 1 + static_cast<int>(random() % 5)});
    for (std::size_t e = 0; e < random() % 25; ++e) {
      graph.edges.push_back(
          {static_cast<int>(random() % count), static_cast<int>(random() % count), 0.01});
    }
    const std::vector<std::vector<bool>> reach = Reachable(graph);
    const std::vector<int> component = StrongComponents(graph);
    for (int i = 0; i < count; ++i) {
      for (int j = 0; j < count; ++j) {
        EXPECT_EQ(component[i] == component[j], i == j || (reach[i][j] && reach[j][i]));
      }
    }
    const MotionGraph largest = LargestComponent(graph);
    int longest = 0;
    for (int i = 0; i < count; ++i) {
      int frames = 0;
      for (int j = 0; j < count; ++j) {
        if (reach[i][j] && reach[j][i]) frames += graph.nodes[j].last - graph.nodes[j].first;
      }
      longest = std::max(longest, frames);
    }
    int frames = 0;
    for (const GraphNode& node : largest.nodes) frames += node.last - node.first;
    EXPECT_EQ(frames, longest);
    for (const std::vector<bool>& row : Reachable(largest)) {
      for (const bool reached : row) EXPECT_TRUE(reached);
    }
  }
}

TEST(ComponentTest, OfAVeryLongChainNeedsNoDeepStack) {
  MotionGraph graph;
  graph.clips.push_back({});
  const int count = 200000;
  for (int n = 0; n < count; ++n) {
    graph.nodes.push_back({"", 0, n, n + 1});
    graph.edges.push_back({n, (n + 1) % count, 0});
  }
  EXPECT_EQ(LargestComponent(graph).nodes.size(), static_cast<std::size_t>(count));
}

const MotionGraph& TestGraph() {
  static const MotionGraph graph = [] {
    std::vector<Motion> clips = {TestMotion("walk"), TestMotion("walk_slow"),
                                 TestMotion("turn_left"), TestMotion("kick")};
    for (Motion& clip : clips) clip = DriftingRounds(clip, clip.loops ? 2 : 1, 0.02);
    return BuildMotionGraph(TestCharacter(), clips);
  }();
  return graph;
}

TEST(MotionGraphTest, CanBeWalkedForever) {
  const MotionGraph& graph = TestGraph();
  ASSERT_GT(graph.nodes.size(), 3u);
  for (const std::vector<bool>& row : Reachable(graph)) {
    for (const bool reached : row) EXPECT_TRUE(reached);
  }
  // A kick leads nowhere near a walk, and back; it is dropped.
  for (const Motion& clip : graph.clips) EXPECT_NE(clip.name, "kick");
  const std::vector<int> path = RandomWalk(graph, 60, 11);
  EXPECT_EQ(path, RandomWalk(graph, 60, 11));
  EXPECT_NE(path, RandomWalk(graph, 60, 12));
  double seconds = 0;
  for (const int n : path)
    seconds += (graph.nodes[n].last - graph.nodes[n].first) / graph.clips[graph.nodes[n].clip].fps;
  EXPECT_GE(seconds, 60);
  EXPECT_EQ(RandomWalk(graph, 5, 11, 2)[0], 2);
  EXPECT_TRUE(RandomWalk({}, 5, 11).empty());
}

TEST(MotionGraphTest, PlaysAWalkWithoutJumpsOrSliding) {
  const Character& character = TestCharacter();
  const MotionGraph& graph = TestGraph();
  const Motion motion = PlayPath(character, graph, RandomWalk(graph, 20, 3));
  Validate(motion, character);
  EXPECT_GE(motion.Duration(), 20 - 1e-9);
  double largest = 0, own = 0, slide = 0;
  for (int f = 1; f + 1 < motion.FrameCount(); ++f)
    largest = std::max(largest, VelocityStep(character, motion, f));
  for (const Motion& clip : graph.clips) {
    slide = std::max(slide, MeasureFeet(character, clip).max_slide);
    for (int f = 1; f + 1 < clip.FrameCount(); ++f)
      own = std::max(own, VelocityStep(character, clip, f));
  }
  EXPECT_LT(largest, 2 * own);
  const FootMeasures feet = MeasureFeet(character, motion);
  EXPECT_LT(feet.max_slide, slide + 0.002);
  EXPECT_LT(feet.max_contact_height, 0.002);
  EXPECT_LT(feet.max_depth, 0.001);
}

TEST(MotionGraphTest, PlaysOnlyAlongEdges) {
  MotionGraph graph = TestGraph();
  graph.edges.clear();
  EXPECT_THAT(InputErrorOf([&] {
                PlayPath(TestCharacter(), graph, {0, 1});
              }),
              AllOf(HasSubstr(graph.nodes[0].name), HasSubstr(graph.nodes[1].name)));
}

TEST(MotionGraphTest, RefusesClipsOfDifferentRates) {
  Motion other = TestMotion("walk");
  other.fps = 30;
  EXPECT_THAT(InputErrorOf([&] {
                BuildMotionGraph(TestCharacter(), {TestMotion("walk"), other});
              }),
              HasSubstr("expected one rate"));
}

MotionGraph Parsed(const std::string& text) {
  return ParseMotionGraph(text, "my.json", TestCharacter(),
                          [](const std::string& name) { return TestMotion(name); });
}
const char kGraph[] = R"({
  "stride_motion_graph": 1,
  "nodes": [
    {"name": "go", "motion": "walk"},
    {"name": "first steps", "motion": "walk", "first": 0, "last": 30},
    {"name": "turn", "motion": "turn_left"}
  ],
  "edges": [
    ["go", "go"], ["first steps", "turn"], ["go", "turn"], ["turn", "go"]
  ]
})";

TEST(MotionGraphFileTest, IsReadAndPlayed) {
  const MotionGraph graph = Parsed(kGraph);
  ASSERT_EQ(graph.nodes.size(), 3u);
  EXPECT_EQ(graph.clips.size(), 2u);
  EXPECT_EQ(graph.nodes[1].last, 30);
  EXPECT_EQ(graph.nodes[0].last, TestMotion("walk").FrameCount() - 1);
  ASSERT_EQ(graph.edges.size(), 4u);
  EXPECT_LT(graph.edges[0].distance, 1e-6);  // a loop
  EXPECT_GT(graph.edges[2].distance, 0.005);
  const Motion motion = PlayPath(TestCharacter(), graph, {0, 0, 2, 0});
  EXPECT_EQ(motion.FrameCount(),
            3 * TestMotion("walk").FrameCount() + TestMotion("turn_left").FrameCount() - 3);
  EXPECT_EQ(LargestComponent(graph).nodes.size(), 2u);
}

TEST(MotionGraphFileTest, RoundTripsThroughAFile) {
  const MotionGraph graph = Parsed(kGraph);
  const std::string path = testing::TempDir() + "/motion_graph_test.json";
  WriteFileWhole(path, MotionGraphText(graph));
  EXPECT_EQ(ReadMotionGraph(path, TestCharacter()), graph);
  std::filesystem::remove(path);
}

TEST(MotionGraphFileTest, ErrorsNameFileLineAndNode) {
  const auto error_with = [](const std::string& from, const std::string& to) {
    std::string text = kGraph;
    text.replace(text.find(from), from.size(), to);
    return InputErrorOf([&] { Parsed(text); });
  };
  EXPECT_EQ(error_with("walk", "walk"), "");
  EXPECT_THAT(error_with("[\"go\", \"go\"]", "[\"go\", \"gone\"]"),
              AllOf(HasSubstr("my.json:9"), HasSubstr("\"gone\" is no node"), HasSubstr("edge 0")));
  EXPECT_THAT(error_with("\"turn\", \"motion\"", "\"go\", \"motion\""),
              AllOf(HasSubstr("my.json:4"), HasSubstr("two nodes")));
  EXPECT_THAT(error_with("30", "3000"),
              AllOf(HasSubstr("my.json:5"), HasSubstr("\"first steps\""), HasSubstr("0 to 3000")));
  EXPECT_THAT(error_with("30", "-1"), AllOf(HasSubstr("first steps"), HasSubstr("\"last\"")));
  EXPECT_THAT(error_with("30", "1e300"), AllOf(HasSubstr("first steps"), HasSubstr("\"last\"")));
  EXPECT_THAT(error_with("turn_left", "flying"),
              AllOf(HasSubstr("my.json:6"), HasSubstr("\"turn\""), HasSubstr("flying")));
  EXPECT_THAT(error_with("\"last\"", "\"lost\""),
              AllOf(HasSubstr("\"lost\""), HasSubstr("first steps")));
  EXPECT_THAT(error_with("\"motion\": \"walk\"}", "\"motion\": 7}"),
              AllOf(HasSubstr("\"go\""), HasSubstr("\"motion\"")));
  EXPECT_THAT(error_with("{\"name\": \"go\", \"motion\": \"walk\"}", "[]"), HasSubstr("node 0"));
  EXPECT_THAT(error_with("[\"go\", \"go\"]", "7"),
              AllOf(HasSubstr("my.json:8"), HasSubstr("pair of names at edge 0")));
  EXPECT_THAT(error_with("graph\": 1", "graph\": 2"), HasSubstr("another version"));
  EXPECT_THAT(error_with("\"nodes\": [", "\"nodes\": {"),
              HasSubstr("my.json:4: is not valid JSON"));
  EXPECT_THAT(error_with("\"edges\"", "\"hedges\""), HasSubstr("hedges"));
  EXPECT_THAT(InputErrorOf([] { Parsed("[]"); }), HasSubstr("stride_motion_graph"));
  EXPECT_THAT(InputErrorOf([] { Parsed(""); }), HasSubstr("my.json"));
  EXPECT_THAT(
      InputErrorOf([] { Parsed("{\"stride_motion_graph\": 1, \"nodes\": [], \"edges\": []}"); }),
      HasSubstr("0 nodes"));
  EXPECT_THAT(InputErrorOf([] { Parsed("{\"stride_motion_graph\": 1, \"edges\": []}"); }),
              HasSubstr("has no \"nodes\""));
}

TEST(MotionGraphPictureTest, ShowsEveryPieceAndTransition) {
  MotionGraph graph = Parsed(kGraph);
  graph.nodes[0].name = "a <\"&\\> b";
  const std::string svg = MotionGraphSvg(graph);
  tinyxml2::XMLDocument document;
  ASSERT_EQ(document.Parse(svg.c_str()), tinyxml2::XML_SUCCESS);
  std::map<std::string, int> count;
  for (const tinyxml2::XMLElement* e = document.RootElement()->FirstChildElement(); e;
       e = e->NextSiblingElement())
    ++count[e->Name()];
  EXPECT_EQ(count["rect"], 3 + 1);  // and the background
  EXPECT_EQ(count["path"], 4);
  EXPECT_THAT(svg, AllOf(HasSubstr("a &lt;&quot;&amp;\\&gt; b"), HasSubstr("turn_left")));
  const std::string dot = MotionGraphDot(graph);
  EXPECT_THAT(dot, AllOf(HasSubstr("n0 [label=\"a <\\\"&\\\\> b"), HasSubstr("n1 -> n2"),
                         HasSubstr("n2 -> n0")));
}

}  // namespace
}  // namespace stride
