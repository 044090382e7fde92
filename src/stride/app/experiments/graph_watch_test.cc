#include "stride/app/experiments/graph_watch.h"

#include <cmath>
#include <filesystem>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/app/experiments/way_points.h"
#include "stride/character/library.h"
#include "stride/core/error.h"
#include "stride/motion/edit/seam.h"
#include "stride/motion/import/motion_source.h"

namespace stride::experiments {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// A graph that has learned nothing: it stands for a moment, falls, lies, and does not get up.
ClipSkill UntrainedGraph() {
  ClipSkill skill;
  skill.name = "untrained";
  skill.character = LoadCharacter("liu16");
  for (const char* name : {"stand", "get_up_back", "walk", "run"}) {
    skill.plan.clips.push_back({.name = name, .motion = LoadAnyMotion(name, "liu16").motion});
  }
  GraphClip &stand = skill.plan.clips[0], &get_up = skill.plan.clips[1];
  stand.motion = MakeLoop(skill.character, stand.motion, 0, 60);
  get_up.rises = true;
  skill.plan.transitions = {{.from = 0, .to = 2, .blend = 0.8},
                            {.from = 2, .to = 0, .blend = 0.8},
                            {.from = 2, .to = 3},
                            {.from = 3, .to = 2},
                            {.from = 1, .to = 0}};
  ChooseCrossings(skill.character, skill.clip, &skill.plan);
  skill.policies.resize(GraphOf(skill).policies);
  return skill;
}

class GraphExperiments : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              (std::string("stride_graph_watch_test_") +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "skills");
    fs::create_directories(folder_ / "result");
    WriteSkill(UntrainedGraph(), In("skills/locomotion.skill"));
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string In(const std::string& name) const { return (folder_ / name).string(); }
  ExperimentContext Context() const {
    ExperimentContext context;
    context.skills = In("skills");
    context.folder = In("result");
    return context;
  }
  fs::path folder_;
};

TEST_F(GraphExperiments, KnowTheStylesOfTheController) {
  const GraphSkill skill = FindGraphSkill(kLocomotion, Context());
  EXPECT_EQ(skill.file, In("result/locomotion.skill"));
  const stride::Run run(PerformGraph(skill, {}, 1));
  const std::vector<std::string> styles = run.ControllerOf().Styles();
  for (const char* node : {"stand", "walk", "run"}) EXPECT_EQ(styles[skill.StyleOf(node)], node);
  EXPECT_LT(skill.SpeedOf("stand"), 0.1);
  EXPECT_NEAR(skill.SpeedOf("walk"), 1.3, 0.4);
  EXPECT_THROW(skill.StyleOf("polka"), InputError);
}

TEST_F(GraphExperiments, SayWhichSkillIsMissingOrNoGraph) {
  ExperimentContext context = Context();
  try {
    FindGraphSkill("polka", context);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("polka.skill"));
  }
  EXPECT_THROW(FindGraphSkill("walk", context), InputError);  // of one clip
}

TEST_F(GraphExperiments, AFallIsOneUntilItIsUpAgain) {
  const GraphSkill skill = FindGraphSkill(kLocomotion, Context());
  RunSetup setup = PerformGraph(skill, {.style = skill.StyleOf("stand")}, 7);
  setup.scenario.pushes = {{.force = 600, .heading = std::numbers::pi, .at = 0.2, .duration = 0.2}};
  stride::Run run(setup);
  GraphWatch watch(run, skill);
  run.Step();
  watch.Look(run);
  EXPECT_FALSE(watch.IsDown());
  EXPECT_EQ(watch.Node(), 0);
  EXPECT_EQ(watch.Visits(0), 1);
  while (!run.Finished()) {
    run.Step();
    watch.Look(run);
  }
  // Without feedback it does not stand up, however often it tries.
  EXPECT_TRUE(watch.IsDown());
  ASSERT_EQ(watch.Falls().size(), 1u);
  EXPECT_GT(watch.Falls()[0].at, 0.2);
  EXPECT_LT(watch.Falls()[0].at, 2);
  EXPECT_FALSE(watch.Falls()[0].seconds);
  EXPECT_GE(watch.Falls()[0].tries, 1);
  EXPECT_EQ(watch.Falls()[0].way, 1);
  EXPECT_GE(watch.Visits(1), 1);
}

TEST_F(GraphExperiments, QuickOnesRunTheSameForAnyNumberOfThreads) {
  for (const char* name : {"liu16/graph", "liu16/steering", "liu16/rising"}) {
    std::vector<std::vector<double>> figures;
    for (const int threads : {1, 2}) {
      const Findings findings = Reproduce({.experiment = name,
                                           .out = In("again"),
                                           .threads = threads,
                                           .quick = true,
                                           .skills = In("skills")})
                                    .at(0)
                                    .findings;
      figures.emplace_back();
      for (const Row& row : findings.rows) {
        EXPECT_FALSE(row.met) << row.name;
        if (!std::isnan(row.ours)) figures.back().push_back(row.ours);
      }
      EXPECT_FALSE(findings.plots.empty()) << name;
      EXPECT_EQ(findings.inputs.size(), 1u) << name;
    }
    EXPECT_GE(figures[0].size(), 2u) << name;
    EXPECT_EQ(figures[0], figures[1]) << name;
  }
}

TEST(Risings, LeaveOutWhatHadNoTime) {
  const std::vector<GraphFall> falls = {{.at = 1, .seconds = 3},   {.at = 20, .seconds = 5},
                                        {.at = 40, .seconds = 16}, {.at = 50},
                                        {.at = 90, .seconds = 4},  {.at = 95}};
  const Risings risings = RisingsOf(falls, 15, 85);
  EXPECT_EQ(risings.falls, 5);
  EXPECT_EQ(risings.up, 3);
  EXPECT_DOUBLE_EQ(risings.mean, 4);
  EXPECT_DOUBLE_EQ(risings.longest, 5);
}

TEST(WayPoints, LieApartAndTurnSharply) {
  const std::vector<Vec3d> points = WayPoints(200, 5);
  EXPECT_EQ(points, WayPoints(200, 5));
  EXPECT_NE(points, WayPoints(200, 6));
  int sharp = 0;
  Vec3d leg, at;
  double length = 0;
  for (const Vec3d& point : points) {
    const Vec3d next = point - at;
    EXPECT_GE(Norm(next), kNearest);
    EXPECT_LE(Norm(next), kFarthest);
    sharp += Dot(leg, next) < 0;
    length += Norm(next);
    leg = next;
    at = point;
  }
  EXPECT_NEAR(sharp, 200 * 70 / 160.0, 25);  // by more than 90 of up to 160 degrees
  EXPECT_NEAR(CourseLength(points), length, 1e-9);
}

TEST(PathLength, IsOfAllItsParts) {
  const std::vector<double> x = {0, 3, 3}, y = {0, 4, 5};
  EXPECT_DOUBLE_EQ(PathLength(x, y), 6);
}

}  // namespace
}  // namespace stride::experiments
