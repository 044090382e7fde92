#include "stride/controllers/control_graph/learn_openloop.h"

#include <cmath>
#include <filesystem>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/core/error.h"
#include "stride/learn/learning_run.h"
#include "stride/motion/library.h"

namespace stride {
namespace {

using testing::HasSubstr;

const Character& Liu16() {
  static const Character character = LoadCharacter("liu16");
  return character;
}

OpenLoopOptions Small() {
  OpenLoopOptions o;
  o.samples = 160;
  o.paths = 2;
  o.passes = 1;
  o.cycles = 2;
  return o;
}

OpenLoopPerformance Perform(const std::string& clip, const OpenLoopOptions& options,
                            int threads = 1) {
  return PerformOpenLoop(LoadMotion(clip, Liu16()), Liu16(), options, 3, Workers(threads));
}

TEST(LearnOpenLoop, TheReplayIsWhatSamplingChose) {
  // The same steps again: the costs at the borders are those sampling had, to the last bits.
  const OpenLoopPerformance kick = Perform("kick", Small());
  ASSERT_TRUE(kick.complete);
  ASSERT_EQ(static_cast<int>(kick.costs.size()), kick.fragments);
  EXPECT_NEAR(std::accumulate(kick.costs.begin(), kick.costs.end(), 0.0) / kick.fragments,
              kick.mean_cost, 1e-4 * kick.mean_cost);
  const Motion clip = LoadMotion("kick", Liu16());
  EXPECT_NEAR(kick.motion.Duration(), clip.Duration(), 0.005);
  // The body stays near the clip, also at the end.
  EXPECT_NEAR(kick.motion.frames.back()[2], clip.frames.back()[2], 0.1);
}

TEST(LearnOpenLoop, ALoopGoesOnForItsCyclesWithoutJumps) {
  const Motion clip = LoadMotion("walk", Liu16());
  const OpenLoopPerformance walk = Perform("walk", Small());
  ASSERT_TRUE(walk.complete);
  const Motion& m = walk.motion;
  EXPECT_FALSE(m.loops);
  EXPECT_NEAR(m.Duration(), 2 * clip.Duration(), 0.02);
  // Two rounds travel twice as far as one of the clip's.
  const double way = clip.frames.back()[0] - clip.frames.front()[0];
  EXPECT_NEAR(m.frames.back()[0] - m.frames.front()[0], 2 * way, 0.3 * way);
  for (int k = 1; k < m.FrameCount(); ++k) {
    const double step =
        std::hypot(m.frames[k][0] - m.frames[k - 1][0], m.frames[k][1] - m.frames[k - 1][1]);
    ASSERT_LT(step, 3.0 / m.fps) << "frame " << k;
  }
  Validate(m, Liu16());
}

TEST(LearnOpenLoop, AnyNumberOfThreadsGivesTheSameBits) {
  OpenLoopOptions options = Small();
  options.samples = 40;
  options.passes = 2;
  const OpenLoopPerformance one = Perform("spin", options, 1), two = Perform("spin", options, 2);
  EXPECT_EQ(one.motion, two.motion);
  EXPECT_EQ(one.costs, two.costs);
}

TEST(LearnOpenLoop, TimeIsScaled) {
  OpenLoopOptions options = Small();
  options.time_scale = 1.5;
  const OpenLoopPerformance slow = Perform("kick", options);
  EXPECT_TRUE(slow.complete);
  EXPECT_NEAR(slow.motion.Duration(), 1.5 * LoadMotion("kick", Liu16()).Duration(), 0.02);
}

TEST(LearnOpenLoop, WritesAMotionThatCanBeReadAndRefusesWhatIsNone) {
  LearnOpenLoopRequest request;
  request.clip = "kick";
  request.out = testing::TempDir() + "stride_openloop_test.motion";
  request.options = Small();
  request.options.paths = 1;
  request.options.samples = 80;
  std::filesystem::remove(request.out);
  const Workers workers(1);
  std::vector<std::string> warnings;
  const auto learn = [&] {
    const std::unique_ptr<LearningJob> job = MakeOpenLoopJob(request, workers, &warnings);
    return ToJson(RunToEnd({.out = request.out, .quiet = true}, workers, job.get()));
  };
  const nlohmann::ordered_json result = learn();
  const Motion motion = ReadMotion(request.out);
  Validate(motion, Liu16());
  EXPECT_NEAR(motion.Duration(), result["seconds"].get<double>(), 1e-9);
  EXPECT_NEAR(motion.fps, 60, 1);
  EXPECT_THAT(motion.source, HasSubstr("kick"));
  EXPECT_EQ(motion.contacts.front() & (kLeftFootDown | kRightFootDown),
            kLeftFootDown | kRightFootDown);
  EXPECT_EQ(result["costs"].size(), result["fragments"].get<std::size_t>());
  std::filesystem::remove(request.out);
  request.clip = "no such clip";
  EXPECT_THROW(learn(), InputError);
  EXPECT_FALSE(std::filesystem::exists(request.out));
}

}  // namespace
}  // namespace stride
