#include <algorithm>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/controllers/registry.h"
#include "stride/testing/input_error_of.h"

// A run that is over is made longer by --resume: for every method that writes checkpoints, the same
// bits as if it had been as long from the start. (Where a search tries where it stands every so
// many iterations and once at its end, that one try counts too: the numbers below are multiples.)
namespace stride {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Settings = std::vector<std::string>;

struct Small {
  std::string input, character, length;  // the last one: the setting that says how long it trains
  int iterations = 1, longer = 2;
  Settings settings;
};

Settings Clip(Settings more = {}) {
  Settings all = {"chains=2",        "first_samples=64",    "first_cycles=3", "guided_samples=32",
                  "guided_pairs=20", "guided_iterations=0", "evolve_pairs=8", "evolve_seconds=0.5"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

const std::map<std::string, Small>& OfAll() {
  static const std::map<std::string, Small> all = {
      {"skill", {"walk", "", "evolve_iterations", 1, 3, Clip()}},
      {"retarget", {"run", "liu16-strong", "evolve_iterations", 1, 2, Clip()}},
      {"graph",
       {STRIDE_SOURCE_DIR "/tests/graphs/one_walk.json", "", "whole_iterations", 1, 2,
        Clip({"evolve_iterations=1", "whole_pairs=8", "whole_average=0"})}},
      {"simbicon",
       {"",
        "",
        "iterations",
        1,
        3,
        {"population=8", "trials=1", "seconds=1", "robust_iterations=0", "stop_iterations=0"}}},
      {"walker",
       {"",
        "wang09-short",
        "robust_iterations",
        10,
        12,
        {"iterations=1", "population=8", "steady_iterations=0", "robust_population=8",
         "robust_trials=1", "command_iterations=0", "seconds=1"}}},
      {"gains",
       {"walk",
        "lee10-round",
        "iterations",
        5,
        6,
        {"alone_iterations=1", "population=4", "trials=1", "seconds=2"}}},
      {"spline",
       {"",
        "biped",
        "servo_generations",
        1,
        3,
        {"generations=3", "population=8", "trials=1", "seconds=1", "goal_seconds=2"}}},
  };
  return all;
}

class LearningLonger : public testing::Test {
 protected:
  std::unique_ptr<LearningJob> Make(const LearningMethod& method, const Small& small,
                                    int iterations, Settings more = {}) {
    LearningRequest request{.input = small.input,
                            .character = small.character,
                            .out = "unused.skill",
                            .seed = 3,
                            .settings = small.settings};
    request.settings.push_back(small.length + "=" + std::to_string(iterations));
    request.settings.insert(request.settings.end(), more.begin(), more.end());
    return method.make(request, workers_, &warnings_);
  }
  static void Finish(LearningJob* job) {
    while (!job->Done()) job->Advance([] { return false; });
  }
  Workers workers_{2};
  std::vector<std::string> warnings_;
};

TEST_F(LearningLonger, IsTheSameAsLongFromTheStart) {
  for (const LearningMethod& method : LearningMethods()) {
    SCOPED_TRACE(method.name);
    if (!OfAll().contains(method.name)) {
      // Those that are learned too quickly for checkpoints.
      EXPECT_THAT((std::vector<std::string>{"openloop", "pendulum"}),
                  testing::Contains(method.name));
      continue;
    }
    const Small& small = OfAll().at(method.name);
    const auto once = Make(method, small, small.longer);
    Finish(once.get());
    const auto first = Make(method, small, small.iterations);
    Finish(first.get());
    const auto second = Make(method, small, small.longer);
    second->Restore(first->Checkpoint(), "a.checkpoint");
    EXPECT_FALSE(second->Done());
    Finish(second.get());
    EXPECT_EQ(second->History(), once->History());
    EXPECT_TRUE(second->Checkpoint() == once->Checkpoint());

    // Shorter, or other in anything else besides: refused with the difference.
    const auto shorter = Make(method, small, small.iterations);
    EXPECT_THAT(InputErrorOf([&] { shorter->Restore(once->Checkpoint(), "a.checkpoint"); }),
                AllOf(HasSubstr("'" + small.length + "' is " + std::to_string(small.longer)),
                      HasSubstr("only be made longer")));
    Settings other = {small.settings.back()};
    other[0].back() = other[0].back() == '9' ? '8' : '9';
    if (small.settings.back() == "whole_average=0") other[0] = "whole_pairs=9";
    if (other[0].starts_with("stop_") || other[0].starts_with("trials=")) other[0] = "population=9";
    const auto changed = Make(method, small, small.longer, other);
    EXPECT_THAT(InputErrorOf([&] { changed->Restore(first->Checkpoint(), "a.checkpoint"); }),
                HasSubstr(other[0].substr(0, other[0].find('='))));
  }
}

// What later stages were learned from cannot be longer any more.
TEST_F(LearningLonger, NotWhatIsOver) {
  const std::vector<LearningMethod> methods = LearningMethods();
  const auto method = std::find_if(methods.begin(), methods.end(),
                                   [](const LearningMethod& m) { return m.name == "walker"; });
  const Small& small = OfAll().at("walker");
  const auto first = Make(*method, small, 1);
  Finish(first.get());
  const auto longer = Make(*method, small, 1, {"iterations=2"});
  EXPECT_THAT(InputErrorOf([&] { longer->Restore(first->Checkpoint(), "a.checkpoint"); }),
              AllOf(HasSubstr("'iterations' is 1 there and 2 here"),
                    HasSubstr("by more of 'robust_iterations';"), HasSubstr("--from")));
  // A stage put in before the one it stands in.
  const auto steady = Make(*method, small, 1, {"steady_iterations=1"});
  EXPECT_THAT(InputErrorOf([&] { steady->Restore(first->Checkpoint(), "a.checkpoint"); }),
              HasSubstr("stage 'robust', where this run has 'steady'"));
  // In the first stage all of them can.
  const auto begun = Make(*method, small, 1);
  begun->Advance([] { return false; });
  EXPECT_EQ(InputErrorOf([&] { longer->Restore(begun->Checkpoint(), "a.checkpoint"); }), "");
}

// The mean of the last iterations is the result: once begun, they are the last ones.
TEST_F(LearningLonger, NotOnceItIsAveraged) {
  const std::vector<LearningMethod> methods = LearningMethods();
  const auto method = std::find_if(methods.begin(), methods.end(),
                                   [](const LearningMethod& m) { return m.name == "skill"; });
  const Small& small = OfAll().at("skill");
  const Settings averaged = {"evolve_average=0.5"};
  const auto job = Make(*method, small, 4, averaged);
  const auto longer = Make(*method, small, 8, averaged);
  int refused = 0;
  while (!job->Done()) {
    job->Advance([] { return false; });
    const std::string why =
        InputErrorOf([&] { longer->Restore(job->Checkpoint(), "a.checkpoint"); });
    if (why.empty()) continue;
    ++refused;
    EXPECT_THAT(why, HasSubstr("the last 0.5 of 4"));
  }
  EXPECT_EQ(refused, 2);
  const auto once = Make(*method, small, 8, averaged);
  Finish(once.get());
  Finish(longer.get());  // from the last that was taken
  EXPECT_TRUE(longer->Checkpoint() == once->Checkpoint());
}

}  // namespace
}  // namespace stride
