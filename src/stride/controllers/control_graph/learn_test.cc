#include <cmath>
#include <filesystem>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/controllers/control_graph/clip_skill.h"
#include "stride/controllers/control_graph/learner.h"
#include "stride/controllers/control_graph/regression.h"
#include "stride/controllers/registry.h"
#include "stride/core/error.h"
#include "stride/motion/edit/edit.h"
#include "stride/motion/library.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using testing::HasSubstr;

const Character& Liu16() {
  static const Character character = LoadCharacter("liu16");
  return character;
}
ControlGraph Clip(const std::string& motion, bool symmetric = false) {
  ClipOptions options;
  options.symmetric = symmetric;
  return MakeControlGraph(LoadMotion(motion, Liu16()), Liu16(), options, 0.005);
}

// A small run, the same for all tests of it.
LearnOptions Small() {
  LearnOptions o;
  o.chains = 4;
  o.first_samples = 64;
  o.first_cycles = 3;
  o.guided_samples = 32;
  o.guided_pairs = 40;
  o.guided_iterations = 1;
  o.evolve_iterations = 2;
  o.evolve_pairs = 16;
  o.evolve_seconds = 2;
  o.symmetric = true;
  return o;
}

TEST(ControlGraphTest, BordersCoverTheClipAndHalvesMatch) {
  const ControlGraph clip = Clip("walk", true);
  EXPECT_EQ(clip.Fragments() % 2, 0);
  EXPECT_EQ(clip.policies * 2, clip.Fragments());
  const int half = clip.policies;
  for (int k = 0; k < half; ++k) EXPECT_EQ(clip.Steps(k), clip.Steps(k + half));
  EXPECT_NEAR(clip.fragments.back().turn, 0, 1e-9);
}

TEST(ControlGraphTest, RefusesWhatDoesNotFit) {
  const Motion walk = LoadMotion("walk", Liu16());
  EXPECT_THAT(InputErrorOf([&] { MakeControlGraph(Cut(walk, 0, 4), Liu16(), {}, 0.005); }),
              HasSubstr("too short"));
  Motion endless = walk;
  endless.fps = 1e-9;
  EXPECT_THAT(InputErrorOf([&] { MakeControlGraph(endless, Liu16(), {}, 0.005); }),
              HasSubstr("too long"));
  ClipOptions symmetric;
  symmetric.symmetric = true;
  EXPECT_THAT(InputErrorOf([&] {
                MakeControlGraph(LoadMotion("kick", Liu16()), Liu16(), symmetric, 0.005);
              }),
              HasSubstr("no loop"));
  EXPECT_THAT(InputErrorOf([&] {
                MakeControlGraph(LoadMotion("spin", Liu16()), Liu16(), symmetric, 0.005);
              }),
              HasSubstr("turns"));
  EXPECT_THAT(InputErrorOf([&] { PartsOf(LoadCharacter("snake")); }), HasSubstr("human"));
}

TEST(RegressionTest, FindsTheGainsThatMadeThePairs) {
  Random random(5);
  FragmentPolicy truth;
  for (auto& row : truth.gains) {
    for (float& g : row) g = static_cast<float>(random.Normal());
  }
  for (float& o : truth.offset) o = static_cast<float>(0.1 * random.Normal());
  for (float& m : truth.mean) m = static_cast<float>(random.Normal());
  std::vector<SamplePair> pairs(400);
  for (SamplePair& pair : pairs) {
    for (int k = 0; k < kFeatureCount; ++k) {
      pair.features[k] = truth.mean[k] + static_cast<float>(0.01 * random.Normal());
    }
    Act(truth, false, pair.features, pair.action);
    for (float& a : pair.action) a += static_cast<float>(0.001 * random.Normal());
  }
  Policies fit(1);
  FitPolicies(pairs, {}, &fit);
  double worst = 0;
  for (int a = 0; a < kActionCount; ++a) {
    for (int k = 0; k < kFeatureCount; ++k) {
      worst = std::max<double>(worst, std::fabs(fit[0].gains[a][k] - truth.gains[a][k]));
    }
    EXPECT_NEAR(fit[0].sigma[a], 0.001, 0.0003);
  }
  EXPECT_LT(worst, 0.05);
}

TEST(SamplingTest, FollowsTheWalkBetterThanTheClipAlone) {
  const ControlGraph clip = Clip("walk");
  World world;
  world.actors = {Liu16()};
  FragmentRunner runner(world, clip.parts);
  SamplingOptions options;
  options.samples = 128;
  Random random(1);
  const auto course = [&](int cycles) {
    return RandomCourse(clip, 0, cycles * clip.Fragments(), &random);
  };
  const Policies nothing = NoFeedback(clip, options.first_sigma);
  const SamplingPath path = SampleCourse(clip, course(2), nothing, options, 3, &runner);
  EXPECT_TRUE(path.complete);
  EXPECT_EQ(path.fragments, 2 * clip.Fragments());
  EXPECT_LT(path.mean_cost, 2);
  // Open loop without sampling the body falls within that time.
  EXPECT_FALSE(SampleCourse(clip, course(4), nothing,
                            {.samples = 1, .first_sigma = 0, .min_sigma = 0, .max_retries = 0}, 3,
                            &runner)
                   .complete);
}

TEST(EpisodeTest, PushesBeginInTheirPartOfTheClip) {
  const ControlGraph clip = Clip("walk");
  World world;
  world.actors = {clip.character};
  FragmentRunner runner(world, clip.parts);
  const Policies policies = NoFeedback(clip, 0);
  const int n = clip.Fragments(), pushed = n / 2;
  EpisodeOptions options{.vary_world = false};
  options.pushes = {.every = 0.3, .least = 1, .from = (pushed - 0.5) / n, .to = (pushed + 0.5) / n};
  const auto costs = [&](double push, int fragments) {
    options.pushes.force = push;
    std::vector<int> course(fragments);
    std::iota(course.begin(), course.end(), 0);
    std::vector<Episode> episodes(kTrialBlock, {.policies = &policies});
    std::vector<EpisodeResult> results(kTrialBlock);
    RunEpisodes(clip, course, options, episodes.data(), &runner, results.data());
    std::vector<float> all;
    for (const EpisodeResult& result : results) all.push_back(result.cost);
    return all;
  };
  EXPECT_EQ(costs(200, pushed), costs(0, pushed));
  EXPECT_NE(costs(200, pushed + 1), costs(0, pushed + 1));
}

TEST(LearnerTest, SameBitsForAnyNumberOfThreads) {
  const ControlGraph walk = Clip("walk");
  Policies found[2];
  for (const int threads : {1, 3}) {
    const Workers workers(threads);
    Learner learner(walk, Small(), 4, workers);
    while (!learner.Done()) learner.Advance();
    found[threads / 2] = learner.Known().policies;
  }
  EXPECT_EQ(found[0], found[1]);
}

TEST(LearnerTest, ResumesToTheSameBits) {
  const ControlGraph walk = Clip("walk");
  const Workers workers(2);
  Learner whole(walk, Small(), 4, workers);
  std::vector<std::string> checkpoints;
  while (!whole.Done()) {
    whole.Advance();
    checkpoints.push_back(whole.Checkpoint());
  }
  ASSERT_EQ(checkpoints.size(), 4u);
  for (const std::string& checkpoint : checkpoints) {
    Learner again(walk, Small(), 4, workers);
    again.Restore(checkpoint, "a");
    while (!again.Done()) again.Advance();
    EXPECT_EQ(again.Known().policies, whole.Known().policies);
  }
}

TEST(LearnerTest, TheResultIsTheMeanOfTheLastGains) {
  const ControlGraph walk = Clip("walk");
  const Workers workers(2);
  LearnOptions options = Small();
  options.evolve_iterations = 4;
  Learner last(walk, options, 4, workers);
  std::vector<std::vector<float>> parameters;
  while (!last.Done()) {
    last.Advance();
    parameters.push_back(last.Known().evolution.parameters);
  }
  options.evolve_average = 0.5;
  Learner mean(walk, options, 4, workers);
  while (!mean.Done()) mean.Advance();
  const std::vector<float>& found = mean.Known().evolution.parameters;
  const std::size_t n = parameters.size();
  ASSERT_NE(parameters[n - 1], parameters[n - 2]);
  for (std::size_t k = 0; k < found.size(); ++k) {
    ASSERT_NEAR(found[k], (parameters[n - 1][k] + parameters[n - 2][k]) / 2, 1e-6);
  }
}

TEST(LearnerTest, NeedsALoop) {
  const Workers workers(1);
  EXPECT_THAT(InputErrorOf([&] { Learner(Clip("kick"), {}, 0, workers); }), HasSubstr("no loop"));
}

TEST(SkillTest, RoundTripsAndRefusesDamage) {
  ClipSkill made;
  made.name = "a walk";
  made.character = Liu16();
  made.plan = PlanOf(LoadMotion("walk", Liu16()), false);
  made.policies = NoFeedback(Clip("walk"), 0.1);
  Random random(1);
  for (FragmentPolicy& policy : made.policies) {
    for (float& x : policy.offset) x = static_cast<float>(random.Normal());
  }
  const std::string text = SkillText(made);
  const ClipSkill skill = FromEnvelope(ParseSkill(text, "a.skill"));
  EXPECT_EQ(SkillText(skill), text);
  EXPECT_EQ(skill.policies, made.policies);
  EXPECT_EQ(skill.character, Liu16());
  for (std::size_t at = 10; at < text.size(); at += text.size() / 7) {
    EXPECT_NE(InputErrorOf([&] { ParseSkill(text.substr(0, at), "a.skill"); }), "");
  }
  // Any damage: read, or refused.
  for (int k = 0; k < 60; ++k) {
    std::string damaged = text;
    for (int n = 0; n < 3; ++n) {
      damaged[random.Index(static_cast<int>(text.size()))] =
          "0123456789-.e,:[]{}\"x"[random.Index(21)];
    }
    InputErrorOf([&] { ParseSkill(damaged, "a.skill"); });
  }
  EXPECT_THAT(InputErrorOf([&] { ParseSkill("{\"stride_skill\": 99}", "a.skill"); }),
              HasSubstr("version 99"));
  EXPECT_THAT(InputErrorOf([&] { ParseSkill("{}", "a.skill"); }), HasSubstr("no skill"));
}

}  // namespace
}  // namespace stride
