#include "stride/controllers/pendulum/improve_pendulum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/controllers/registry.h"
#include "stride/testing/input_error_of.h"

namespace stride::pendulum_controller {
namespace {

using testing::HasSubstr;

class ImprovePendulumTest : public testing::Test {
 protected:
  std::unique_ptr<LearningJob> Make(const Workers& workers, const std::string& iterations) {
    LearningRequest request{.input = "walk", .out = "unused.skill", .seed = 3};
    request.options["improve"] = {};
    request.settings = {"improve.iterations=" + iterations,
                        "improve.population=4",
                        "improve.trials=4",
                        "improve.checks=4",
                        "improve.seconds=0.5",
                        "improve.alone=0.5",
                        "improve.push_every=0.5",
                        "planner.clearance=0.011"};
    return PendulumLearning().make(request, workers, &warnings_);
  }
  static LearningResult Finish(LearningJob* job) {
    while (!job->Done()) job->Advance([] { return false; });
    return job->Result();
  }
  std::vector<std::string> warnings_;
};

TEST_F(ImprovePendulumTest, SameBitsForAnyThreadsAndAfterAResume) {
  const Workers one(1), two(2);
  const LearningResult result = Finish(Make(one, "2").get());
  ASSERT_EQ(result.files.size(), 1u);
  const Skill skill = ParseSkill(result.files[0].second, "a.skill");
  const PendulumSkill held = SkillOf(skill);
  // What it found, or what it began with and says so.
  const double before = skill.metrics["value_before"], found = skill.metrics["value_found"];
  const bool better = found > before;
  EXPECT_EQ(held.config.planner.clearance != 0.011, better);
  EXPECT_EQ(result.shortfall.empty(), better && skill.metrics["alone"] > 0.49);

  EXPECT_EQ(Finish(Make(two, "2").get()).files, result.files);
  const auto first = Make(two, "1");
  Finish(first.get());
  const auto second = Make(one, "2");
  second->Restore(first->Checkpoint(), "a.checkpoint");
  EXPECT_EQ(Finish(second.get()).files, result.files);
}

// A loop that is performed once has no loop's pendulum.
TEST_F(ImprovePendulumTest, ALoopIsPerformedOnceIfTold) {
  const Workers one(1);
  LearningRequest request{.input = "walk", .out = "once.skill"};
  request.options["once"] = {};
  const auto job = PendulumLearning().make(request, one, &warnings_);
  while (!job->Done()) job->Advance([] { return false; });
  EXPECT_THAT(job->Result().files[0].second, HasSubstr("pivoted"));
}

TEST_F(ImprovePendulumTest, RefusesWhatItCannotDo) {
  const Workers one(1);
  const auto error = [&](LearningRequest request) {
    return InputErrorOf([&] { PendulumLearning().make(request, one, &warnings_); });
  };
  LearningRequest annotated{.input = "walk"};
  annotated.options["improve"] = {};
  annotated.options["annotate"] = {"a.json"};
  EXPECT_THAT(error(annotated), HasSubstr("annotate first"));
  EXPECT_THAT(error({.input = "walk", .settings = {"improve.trials=2"}}), HasSubstr("--improve"));
}

}  // namespace
}  // namespace stride::pendulum_controller
