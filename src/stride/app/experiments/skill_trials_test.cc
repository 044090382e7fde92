#include "stride/app/experiments/skill_trials.h"

#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/app/experiments/experiment.h"
#include "stride/app/experiments/liu16_skills.h"
#include "stride/controllers/control_graph/learner.h"
#include "stride/controllers/skill_library.h"
#include "stride/core/config.h"
#include "stride/core/error.h"

namespace stride::experiments {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Directions are uniform and sizes half-normal with a deviation of 1 N for each second, over
// trials.
TEST(GrowingPushes, HaveThePublishedStatistics) {
  constexpr int kTrials = 4000;
  const std::vector<RunSetup> setups = GrowingPushes("walk", 600, kTrials, 7);
  for (const double time : {2.0, 20.0, 100.0, 400.0}) {
    double size = 0, squares = 0;
    std::array<int, 8> towards{};
    for (const RunSetup& setup : setups) {
      const Vec3d force = RandomPushAt(setup.scenario.random_pushes.value(), time, setup.seed);
      EXPECT_EQ(force.z, 0);
      size += Norm(force) / kTrials;
      squares += SquaredNorm(force) / kTrials;
      const double turn = std::atan2(force.y, force.x) / (2 * std::numbers::pi) + 1;
      ++towards[static_cast<int>(turn * 8) % 8];
    }
    EXPECT_NEAR(std::sqrt(squares), time, 0.05 * time);
    EXPECT_NEAR(size, std::sqrt(2 / std::numbers::pi) * time, 0.05 * time);
    for (const int count : towards) EXPECT_NEAR(count, kTrials / 8.0, 5 * std::sqrt(kTrials / 8.0));
  }
}

// As they act on the body, step by step.
TEST(GrowingPushes, ActFor200MillisecondsEveryTwoSecondsAtTheTrunk) {
  stride::Run run(GrowingPushes("walk", 9, 1, 3)[0]);
  const int trunk = PushedBody(run.GetWorld().actors[0]);
  RecordedFrame frame;
  while (!run.Finished()) {
    const double time = run.Time();
    run.Step();
    run.ReadFrame(&frame);
    const double since = std::fmod(time + 1e-6, 2);
    ASSERT_EQ(frame.forces.size(), time > 1.9 && since < 0.2 ? 1u : 0u) << time;
    for (const auto& force : frame.forces) ASSERT_EQ(force.body, trunk);
  }
}

TEST(GrowingPushes, DifferFromTrialToTrialAndFromSeedToSeed) {
  const std::vector<RunSetup> a = GrowingPushes("walk", 60, 2, 0),
                              b = GrowingPushes("walk", 60, 2, 1);
  EXPECT_NE(a[0].seed, a[1].seed);
  EXPECT_NE(a[0].seed, b[0].seed);
  EXPECT_NE(a[1].seed, b[0].seed);
}

TEST(PerformSkill, LastsAloneAndTracksItsClip) {
  const TrialResult trial = PerformSkill(PerformAlone("walk", 8));
  EXPECT_FALSE(trial.lost);
  EXPECT_NEAR(trial.seconds, 8, 1e-9);
  EXPECT_GT(trial.tracking_error_deg, 0.5);
  EXPECT_LT(trial.tracking_error_deg, 20);
}

TEST(PerformSkill, SaysWhenItWasLost) {
  RunSetup setup = PerformAlone("walk", 20);
  setup.scenario.pushes = {{.force = 2000, .heading = 1, .at = 3, .duration = 0.2}};
  const TrialResult trial = PerformSkill(setup);
  EXPECT_TRUE(trial.lost);
  EXPECT_GT(trial.seconds, 3);
  EXPECT_LT(trial.seconds, 5);
  EXPECT_TRUE(std::isnan(trial.tracking_error_deg));
}

// Of a walk, which is upright, it is the fall that `stride simulate` sees.
TEST(PerformSkill, IsLostWhereAWalkFalls) {
  RunSetup setup = GrowingPushes("walk", 200, 1, 1)[0];
  const TrialResult trial = PerformSkill(setup);
  setup.scenario.stop_at_fall = true;
  stride::Run run(setup);
  while (!run.Finished()) run.Step();
  ASSERT_TRUE(run.Fell());
  EXPECT_NEAR(trial.seconds, run.Time(), 0.3);
}

TEST(PerformSkills, KeepsTheOrderForAnyNumberOfThreads) {
  const std::vector<RunSetup> setups = {PerformAlone("walk", 1), PerformAlone("run", 2),
                                        PerformAlone("walk", 3)};
  for (const int threads : {1, 2}) {
    const std::vector<TrialResult> results = PerformSkills(setups, threads, true);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(results[k].seconds, k + 1, 1e-9);
  }
}

TEST(Survival, IsMeanStandardErrorAndCount) {
  const Survival s = SurvivalOf({{10, true, 0}, {20, true, 0}, {60, false, 0}});
  EXPECT_DOUBLE_EQ(s.mean, 30);
  EXPECT_NEAR(s.standard_error, std::sqrt(700.0 / 3), 1e-9);  // variance (400 + 100 + 900) / 2
  EXPECT_EQ(s.trials, 3);
  EXPECT_EQ(s.lost, 2);
}

TEST(SkillClips, HaveSettingsThatLearningTakes) {
  for (const SkillClip& clip : kSkillClips) {
    LearnOptions options;
    EXPECT_NO_THROW(ConfigFromJson(LearnSettings(clip), clip.name, &options));
    EXPECT_EQ(&FindSkillClip(clip.name), &clip);
  }
  try {
    FindSkillClip("polka");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("dance_spin"));
  }
}

class SkillExperiments : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              (std::string("stride_skill_trials_test_") +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string In(const std::string& name) const { return (folder_ / name).string(); }
  static Findings Run(const ReproduceOptions& options) { return Reproduce(options).at(0).findings; }
  fs::path folder_;
};

TEST_F(SkillExperiments, Table2LearnsAndPushesAndRepeatsFromItsOwnSkills) {
  const Findings learned = Run({.experiment = "liu16/table2",
                                .out = In("a"),
                                .quick = true,
                                .only = {"catwalk", "waltz", "kick"}});
  ASSERT_EQ(learned.rows.size(), 7u);
  EXPECT_EQ(learned.rows[0].name, "catwalk: learned in");
  EXPECT_DOUBLE_EQ(learned.rows[0].paper.value(), 60 * 40.3);
  EXPECT_GT(learned.rows[0].ours, 0);
  EXPECT_GT(learned.rows[1].ours, 0);
  EXPECT_EQ(learned.rows[2].paper, 107);
  EXPECT_THAT(learned.rows[2].note, HasSubstr("does not publish"));
  EXPECT_THAT(learned.rows[2].note, HasSubstr("built-in walk stands in"));
  EXPECT_TRUE(std::isnan(learned.rows[3].ours));  // nothing stands in for the waltz
  EXPECT_THAT(learned.rows[3].note, HasSubstr("--mocap"));
  EXPECT_EQ(learned.rows[6].paper, 280);

  const Findings again = Run({.experiment = "liu16/table2",
                              .out = In("b"),
                              .quick = true,
                              .only = {"kick"},
                              .skills = In("a")});
  ASSERT_EQ(again.rows.size(), 3u);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(again.rows[k].ours, learned.rows[4 + k].ours) << k;
  EXPECT_THAT(again.rows[0].note, HasSubstr("learned before"));
  EXPECT_TRUE(fs::exists(folder_ / "b/kick.skill"));

  EXPECT_THROW(
      Run({.experiment = "liu16/table2", .out = In("c"), .quick = true, .only = {"polka"}}),
      InputError);
}

TEST_F(SkillExperiments, IterationsTriesAfterEveryIteration) {
  const Findings findings = Run({.experiment = "liu16/iterations", .out = In("a"), .quick = true});
  ASSERT_EQ(findings.plots.size(), 1u);
  ASSERT_EQ(findings.plots[0].series.size(), 1u);  // one clip
  EXPECT_EQ(findings.plots[0].series[0].x, (std::vector<double>{1, 2}));
  ASSERT_EQ(findings.rows.size(), 2u + 2u);
  EXPECT_FALSE(findings.rows[2].met.has_value());
  for (const Row& row : findings.rows) EXPECT_GT(row.ours, 0) << row.name;
}

TEST_F(SkillExperiments, KickPushMeetsTheBodyInFlight) {
  const Findings findings = Run({.experiment = "liu16/kick-push", .out = In("a"), .quick = true});
  ASSERT_EQ(findings.rows.size(), 3u);
  EXPECT_FALSE(findings.rows[0].met.has_value());  // the run stands in for the kick
  EXPECT_THAT(findings.rows[0].note, HasSubstr("stands in"));
  // The run at 3 m/s flies twice in a cycle of 0.7 s.
  EXPECT_NEAR(findings.config["cycle"].get<double>(), 0.7, 0.01);
  EXPECT_GT(findings.config["flight"]["seconds"].get<double>(), 0.1);
  EXPECT_LT(findings.config["flight"]["seconds"].get<double>(), 0.3);
}

}  // namespace
}  // namespace stride::experiments
