#include "stride/learn/learning_run.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using ::testing::HasSubstr;

// Adds up numbers, one an iteration.
class Sum final : public LearningJob {
 public:
  explicit Sum(std::string out, int iterations = 5) : out_(std::move(out)), total_(iterations) {}
  bool Done() const override { return static_cast<int>(history_.size()) == total_; }
  nlohmann::ordered_json Advance(const std::function<bool()>& stop) override {
    if (stop()) return nullptr;
    sum_ += static_cast<int>(history_.size()) + 1;
    history_.push_back({{"sum", sum_}});
    return history_.back();
  }
  double Progress() const override { return static_cast<double>(history_.size()) / total_; }
  const nlohmann::ordered_json& History() const override { return history_; }
  std::string Checkpoint() const override { return history_.dump(); }
  void Restore(const std::string& bytes, const std::string& file_name) override {
    history_ = nlohmann::ordered_json::parse(bytes, nullptr, false);
    if (!history_.is_array() || history_.empty()) throw InputError(file_name + ": damaged");
    sum_ = history_.back()["sum"];
  }
  std::string InstructionSet() const override { return "none"; }
  long LaneSteps() const override { return 7; }
  LearningResult Result() override {
    return {.lines = {{"sum", std::to_string(sum_)}},
            .json = {{"sum", sum_}},
            .files = {{out_, std::to_string(sum_)}}};
  }

 private:
  std::string out_;
  int total_, sum_ = 0;
  nlohmann::ordered_json history_ = nlohmann::ordered_json::array();
};

class LearningRunTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "learning_run_" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    out_ = folder_ + "/sum.txt";
  }
  LearningOutcome Run(LearningRunOptions options) {
    options.out = out_;
    options.quiet = true;
    Sum job(out_);
    return RunToEnd(options, Workers(1), &job);
  }
  std::string folder_, out_;
};

TEST_F(LearningRunTest, WritesResultCheckpointAndHistory) {
  const LearningOutcome outcome = Run({});
  EXPECT_FALSE(outcome.stopped);
  EXPECT_EQ(outcome.iterations, 5);
  EXPECT_EQ(ReadFile(out_), "15");
  EXPECT_EQ(ReadFile(out_ + ".history.jsonl").substr(0, 10), "{\"sum\":1}\n");
  EXPECT_EQ(ToJson(outcome)["sum"], 15);
  EXPECT_EQ(ToJson(outcome)["iterations"], 5);
}

TEST_F(LearningRunTest, GoesOnWhereItWasStopped) {
  int asked = 0;
  const LearningOutcome stopped = Run({.stop = [&] { return ++asked > 4; }});
  EXPECT_TRUE(stopped.stopped);
  EXPECT_LT(stopped.iterations, 5);
  EXPECT_GT(stopped.iterations, 0);
  EXPECT_FALSE(std::filesystem::exists(out_));
  const LearningOutcome whole = Run({.resume = true});
  EXPECT_EQ(whole.iterations, 5);
  EXPECT_EQ(ReadFile(out_), "15");
}

TEST_F(LearningRunTest, GoesOnWithTheSameOptionsOnly) {
  const LearningMethod method{.options = {{"terrain", ""},
                                          {"also", ""},
                                          {"once", "", LearningOption::Kind::kFlag},
                                          {"speed", "", LearningOption::Kind::kSetting, "speed"},
                                          {"picture", "", LearningOption::Kind::kOutput}}};
  const std::string clip = folder_ + "/clip.motion";
  WriteFileWhole(clip, "a clip");
  LearningRequest request{.options = {{"also", {clip}}, {"picture", {"a.svg"}}, {"once", {}}}};
  const nlohmann::ordered_json given = GivenOptions(method, request);
  EXPECT_EQ(given.size(), 2u);
  EXPECT_TRUE(given.contains("once"));
  int asked = 0;
  Run({.given = given, .stop = [&] { return ++asked > 4; }});
  const auto refusal = [&](const nlohmann::ordered_json& other) {
    return InputErrorOf([&] { Run({.resume = true, .given = other}); });
  };
  EXPECT_THAT(refusal({}), HasSubstr("another --also"));
  nlohmann::ordered_json more = given;
  more["terrain"] = {"field:1,0.05"};
  EXPECT_THAT(refusal(more), testing::AllOf(HasSubstr("another --terrain: not given there"),
                                            HasSubstr("field:1,0.05")));
  WriteFileWhole(clip, "another clip");
  EXPECT_THAT(refusal(GivenOptions(method, request)), HasSubstr("another --also"));
  EXPECT_FALSE(std::filesystem::exists(out_));
  EXPECT_EQ(refusal(given), "");
  EXPECT_EQ(ReadFile(out_), "15");
}

TEST_F(LearningRunTest, IsTheOnlyOneAtItsOutput) {
  int asked = 0;
  std::string refused;
  // While it runs, another begins.
  Run({.stop = [&] {
    if (++asked == 2) refused = InputErrorOf([&] { Run({}); });
    return false;
  }});
  EXPECT_THAT(refused, HasSubstr("being written by another run"));
  EXPECT_EQ(ReadFile(out_), "15");
  EXPECT_FALSE(std::filesystem::exists(out_ + ".lock"));
}

TEST_F(LearningRunTest, FindsOutWhatCannotBeWrittenBeforeTheWork) {
  int asked = 0;
  const auto count = [&] { return ++asked > 1000; };
  EXPECT_THAT(InputErrorOf([&] { Run({.others = {folder_ + "/no/such.png"}, .stop = count}); }),
              HasSubstr("no/such.png: cannot be written"));
  std::filesystem::create_directory(out_ + ".checkpoint");
  EXPECT_THAT(InputErrorOf([&] { Run({.stop = count}); }), HasSubstr(".checkpoint"));
  std::filesystem::create_directory(out_);
  EXPECT_THAT(InputErrorOf([&] { Run({.stop = count}); }), HasSubstr("folder"));
  EXPECT_EQ(asked, 0);
}

TEST_F(LearningRunTest, AResumeOverwritesNothingForeign) {
  int asked = 0;
  Run({.stop = [&] { return ++asked > 4; }});
  WriteFileWhole(out_, "somebody's work");
  EXPECT_THAT(InputErrorOf([&] {
                Run({.resume = true, .check_existing = [](const std::string& out) {
                       throw InputError(out + " is somebody's");
                     }});
              }),
              HasSubstr("somebody's"));
  EXPECT_EQ(ReadFile(out_), "somebody's work");
}

TEST_F(LearningRunTest, RefusesDamageAndForeignFiles) {
  WriteFileWhole(out_ + ".checkpoint", "nonsense");
  EXPECT_THAT(InputErrorOf([&] { Run({.resume = true}); }), HasSubstr("damaged"));
  WriteFileWhole(out_, "somebody's work");
  EXPECT_THAT(InputErrorOf([&] {
                Run({.check_existing = [](const std::string& out) {
                  throw InputError(out + " is somebody's");
                }});
              }),
              HasSubstr("somebody's"));
  EXPECT_EQ(ReadFile(out_), "somebody's work");
  out_.clear();
  EXPECT_THAT(InputErrorOf([&] { Run({}); }), HasSubstr("-o"));
}

}  // namespace
}  // namespace stride
