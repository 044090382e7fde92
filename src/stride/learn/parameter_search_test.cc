#include "stride/learn/parameter_search.h"

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/optim/cma_es.h"
#include "stride/scenario/placement.h"

namespace stride {
namespace {

// Holds the stand by servos of the given strength.
class Holder final : public Controller {
 public:
  Holder(const Character& character, const State& stand, double strength)
      : stand_(stand), actuation_(HoldPose(character, stand.q)) {
    for (double& kp : actuation_.kp) kp *= strength;
  }
  std::unique_ptr<Controller> Clone() const override { return std::make_unique<Holder>(*this); }
  State Start() const override { return stand_; }
  void Step(const Observation&, const Command&, Actuation* actuation) override {
    *actuation = actuation_;
  }

 private:
  State stand_;
  Actuation actuation_;
};

// Each of a candidate's trials runs in the setup that it is told, and its result comes back to it.
TEST(ParameterSearchTest, TrialsMayBeOfSeveralSetups) {
  const Character character = LoadCharacter("liu16");
  const State stand = StandOn(character, {});
  RolloutSetup setup;
  setup.character = character;
  setup.driver = DriveByClones(character, [&](std::span<const double> p) {
    return std::make_unique<Holder>(character, stand, p[0]);
  });
  ParameterSearch search;
  search.method = "test";
  search.rollouts = setup;
  search.rollouts.scenario.seconds = 0.05;
  for (const double seconds : {0.1, 0.15}) {
    search.others.push_back(setup);
    search.others.back().scenario.seconds = seconds;
  }
  search.trials = 5;
  search.setup = [](int index) { return index % 3; };
  search.iterations = 1;
  SearchSpace space{.start = {1}, .scales = {0.1}, .lower = {0.5}, .upper = {2}};
  search.optimizer = std::make_unique<CmaEs>(CmaOptions{.population = 4}, 1, space);
  search.begin = [&](int, std::uint64_t, Rollout* trial) { trial->start = stand; };
  std::vector<double> seconds(search.trials, 0);
  search.value = [&](int index, const RolloutResult& result) {
    seconds[index] = result.seconds;
    return result.seconds;
  };
  search.result = [](std::span<const double>, double) { return LearningResult{}; };
  const Workers workers(1);
  const std::unique_ptr<LearningJob> job = MakeParameterSearch(std::move(search), workers);
  const nlohmann::ordered_json line = job->Advance([] { return false; });
  const double expected[] = {0.05, 0.1, 0.15, 0.05, 0.1};
  for (int k = 0; k < 5; ++k) EXPECT_NEAR(seconds[k], expected[k], 1e-9) << k;
  EXPECT_NEAR(line["seconds"], (0.05 + 0.1 + 0.15 + 0.05 + 0.1) / 5, 1e-9);
  EXPECT_EQ(job->LaneSteps(), 4 * (10 + 20 + 30 + 10 + 20));
}

}  // namespace
}  // namespace stride
