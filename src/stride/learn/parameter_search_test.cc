#include "stride/learn/parameter_search.h"

#include <functional>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/learn/checkpoint.h"
#include "stride/optim/cma_es.h"
#include "stride/scenario/placement.h"
#include "stride/testing/input_error_of.h"

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

// What the candidates of an iteration are tried on.
TEST(ParameterSearchTest, AlikeAreTheTrialsOfAllCandidates) {
  const Character character = LoadCharacter("liu16");
  const State stand = StandOn(character, {});
  for (const bool alike : {false, true}) {
    ParameterSearch search;
    search.method = "test";
    search.rollouts.character = character;
    search.rollouts.driver = DriveByClones(character, [&](std::span<const double> p) {
      return std::make_unique<Holder>(character, stand, p[0]);
    });
    search.rollouts.scenario.seconds = 0.01;
    search.trials = 3;
    search.iterations = 2;
    search.alike = alike;
    SearchSpace space{.start = {1}, .scales = {0.1}, .lower = {0.5}, .upper = {2}};
    search.optimizer = std::make_unique<CmaEs>(CmaOptions{.population = 4}, 1, space);
    std::set<std::uint64_t> streams;
    search.begin = [&](int, std::uint64_t stream, Rollout* trial) {
      trial->start = stand;
      streams.insert(stream);
    };
    search.value = [](int, const RolloutResult& result) { return result.seconds; };
    search.result = [](std::span<const double>, double) { return LearningResult{}; };
    const Workers workers(1);
    const std::unique_ptr<LearningJob> job = MakeParameterSearch(std::move(search), workers);
    job->Advance([] { return false; });
    EXPECT_EQ(streams.size(), alike ? 3u : 12u);
    job->Advance([] { return false; });
    EXPECT_EQ(streams.size(), alike ? 6u : 24u);
  }
}

// A short one, to be stopped and gone on with.
std::unique_ptr<LearningJob> Small(double start, const std::string& input_hash,
                                   const Workers& workers, const Character& character) {
  const State stand = StandOn(character, {});
  ParameterSearch search;
  search.method = "test";
  search.input = "some";
  search.input_hash = input_hash;
  search.rollouts.character = character;
  search.rollouts.driver = DriveByClones(character, [=](std::span<const double> p) {
    return std::make_unique<Holder>(character, stand, p[0]);
  });
  search.rollouts.scenario.seconds = 0.05;
  search.iterations = 3;
  search.validate_every = 1;
  search.validation_trials = 1;
  SearchSpace space{.start = {start}, .scales = {0.1}, .lower = {0.5}, .upper = {2}};
  search.optimizer = std::make_unique<CmaEs>(CmaOptions{.population = 4}, 1, space);
  search.begin = [=](int, std::uint64_t, Rollout* trial) { trial->start = stand; };
  search.value = [](int, const RolloutResult& result) { return result.seconds; };
  search.result = [](std::span<const double>, double) { return LearningResult{}; };
  return MakeParameterSearch(std::move(search), workers);
}

class SearchCheckpointTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto job = Small(1, "a", workers_, body_);
    job->Advance([] { return false; });
    written_ = job->Checkpoint();
  }
  std::string Refusal(const std::string& bytes, double start = 1, const char* input = "a",
                      const Character* body = nullptr) {
    const auto job = Small(start, input, workers_, body ? *body : body_);
    return InputErrorOf([&] { job->Restore(bytes, "a.checkpoint"); });
  }
  // With the head changed, and its checksum right again.
  std::string WithHead(const std::function<void(nlohmann::ordered_json*)>& alter) const {
    ChunkReader chunks(written_, 0);
    nlohmann::ordered_json head = nlohmann::ordered_json::parse(chunks.Next()->payload);
    alter(&head);
    std::string bytes;
    AppendChunk(
        "SRCH", [&](std::string* to) { *to += head.dump(); }, &bytes);
    const std::string optimizer(chunks.Next()->payload);
    AppendChunk(
        "OPTM", [&](std::string* to) { *to += optimizer; }, &bytes);
    return bytes;
  }
  Character body_ = LoadCharacter("liu16");
  Workers workers_{1};
  std::string written_;
};

TEST_F(SearchCheckpointTest, OfAnotherRunIsRefused) {
  EXPECT_EQ(Refusal(written_), "");
  EXPECT_THAT(Refusal(written_, 1, "b"), testing::HasSubstr("another test named 'some'"));
  EXPECT_THAT(Refusal(written_, 1.25), testing::HasSubstr("another test named 'some'"));
  Character heavier = body_;
  heavier.bodies.back().mass += 0.1;
  EXPECT_THAT(Refusal(written_, 1, "a", &heavier), testing::HasSubstr("another body"));
}

TEST_F(SearchCheckpointTest, WhatNoRunWritesIsRefusedUnderARightChecksum) {
  using Json = nlohmann::ordered_json;
  EXPECT_EQ(Refusal(WithHead([](Json*) {})), "");
  const auto refuse = [&](const char* key, const Json& value) {
    EXPECT_NE(Refusal(WithHead([&](Json* head) { (*head)[key] = value; })), "") << key << value;
  };
  for (const char* key : {"history", "found", "validated", "run", "version", "stage"}) {
    refuse(key, nullptr);
    refuse(key, 3);
    refuse(key, "x");
  }
  for (const Json& settings : {Json(), Json::object(), Json(3), Json{{"a", Json::object()}}}) {
    const auto alter = [&](Json* head) { (*head)["run"]["settings"] = settings; };
    EXPECT_EQ(Refusal(WithHead(alter)).empty(), settings.empty() || settings == 3) << settings;
  }
  refuse("found", Json::array());
  refuse("found", Json::array({Json::array({1, 2})}));
  refuse("found", Json::array({Json::array(), Json::array()}));
  refuse("validated", {1, 2, 3});
  refuse("validated", {nullptr});
  refuse("validated_return", "x");
  EXPECT_NE(Refusal(written_.substr(0, written_.size() - 1)), "");
  EXPECT_NE(Refusal(written_ + "x"), "");
}

}  // namespace
}  // namespace stride
