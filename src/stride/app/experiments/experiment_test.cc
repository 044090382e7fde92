#include "stride/app/experiments/experiment.h"

#include <cstdlib>
#include <filesystem>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/record/recording.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ExperimentTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              (std::string("stride_experiment_test_") +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string In(const std::string& name) const { return (folder_ / name).string(); }
  // Names in the test's folder.
  std::set<std::string> Names() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }
  fs::path folder_;
};

// Leaves a file and says what its seed was.
Findings Plain(const ExperimentContext& context) {
  WriteFileWhole(context.folder + "/history.jsonl", "{\"iteration\": 0, \"reward\": 1}\n");
  Findings findings;
  findings.rows = {
      {.name = "speed", .paper = 10, .ours = 20, .unit = "x", .met = true, .note = "n"},
      {.name = "push", .paper_text = "about 100", .ours = 90, .unit = "N", .met = false},
      {.name = "seed", .ours = static_cast<double>(context.seed)}};
  findings.plots = {{.title = "p", .series = {{"s", {0, 1}, {2, 3}}}}};
  findings.inputs = {{"liu16", InputHash("liu16")}};
  findings.config = {{"samples", 8}};
  return findings;
}
const Experiment kPlain{"paper", "plain", "for tests", &Plain};

TEST_F(ExperimentTest, RegistryNamesAreUniqueAndDescribed) {
  std::set<std::string> names;
  for (const Experiment& experiment : Experiments()) {
    EXPECT_TRUE(names.insert(experiment.FullName()).second) << experiment.FullName();
    EXPECT_FALSE(experiment.description.empty());
    EXPECT_NE(experiment.run, nullptr);
  }
  EXPECT_TRUE(names.contains("liu16/speed"));
  EXPECT_TRUE(names.contains("stride/standing"));
  EXPECT_TRUE(names.contains("liu16/kick-push"));  // its namespace has an underscore
}

TEST_F(ExperimentTest, FindsOneOrAllOfAPaperAndListsThemForAnUnknownName) {
  ASSERT_EQ(FindExperiments("liu16/speed").size(), 1u);
  for (const Experiment& experiment : FindExperiments("liu16"))
    EXPECT_EQ(experiment.paper, "liu16");
  for (const char* name : {"liu17", "liu16/", "liu16/spee", "", "/speed"}) {
    const std::string error = InputErrorOf([&] { FindExperiments(name); });
    EXPECT_THAT(error, HasSubstr("liu16/speed")) << name;
    EXPECT_THAT(error, HasSubstr("stride/standing")) << name;
  }
}

TEST_F(ExperimentTest, FolderHoldsAllOfTheResult) {
  const ExperimentResult result = RunExperiment(kPlain, {.seed = 42, .quick = true}, In("a"));
  EXPECT_EQ(Names(), std::set<std::string>{"a"});
  const auto json = nlohmann::json::parse(ReadFile(In("a/result.json")));
  EXPECT_EQ(json["experiment"], "paper/plain");
  EXPECT_EQ(json["seed"], 42);
  EXPECT_EQ(json["quick"], true);
  EXPECT_EQ(json["met"], 1);
  EXPECT_EQ(json["total"], 2);
  EXPECT_EQ(json["config"]["samples"], 8);
  EXPECT_EQ(json["inputs"][0]["name"], "liu16");
  EXPECT_EQ(json["files"], nlohmann::json({"history.jsonl"}));
  EXPECT_EQ(json["command"], "stride reproduce paper/plain --seed 42 --quick");
  for (const char* key : {"version", "date"}) EXPECT_FALSE(json[key].get<std::string>().empty());
  EXPECT_EQ(PlotFromJson(json["plots"][0], "plot"), result.findings.plots[0]);
  const auto& rows = json["rows"];
  ASSERT_EQ(rows.size(), 3u);
  for (const auto& row : rows) {
    for (const char* key : {"name", "paper", "ours", "unit", "met", "note"}) {
      EXPECT_TRUE(row.contains(key)) << key;
    }
  }
  EXPECT_EQ(rows[0]["paper"], 10);
  EXPECT_EQ(rows[1]["paper"], "about 100");
  EXPECT_TRUE(rows[2]["paper"].is_null());
  EXPECT_EQ(rows[1]["met"], false);
  EXPECT_TRUE(rows[2]["met"].is_null());
  EXPECT_EQ(rows[2]["ours"], 42);
}

// Says what it was given.
Findings Given(const ExperimentContext& context) {
  Findings findings;
  findings.config = {{"mocap", context.mocap}, {"only", context.only}, {"skills", context.skills}};
  return findings;
}

TEST_F(ExperimentTest, GetsTheOptionsThatItTakesAndItsCommandShowsThem) {
  const std::string clips = In("a singer's clips");
  fs::create_directories(clips);
  const ReproduceOptions options{
      .seed = 2, .mocap = clips, .only = {"a", "b"}, .skills = folder_.string()};
  const Experiment all{"paper", "all", "", &Given, {.mocap = true, .only = true, .skills = true}};
  const ExperimentResult result = RunExperiment(all, options, In("r"));
  EXPECT_EQ(result.findings.config,
            (nlohmann::ordered_json{
                {"mocap", clips}, {"only", {"a", "b"}}, {"skills", folder_.string()}}));
  EXPECT_EQ(result.command, "stride reproduce paper/all --seed 2 --mocap '" + folder_.string() +
                                "/a singer'\\''s clips' --only a,b --skills " + folder_.string());
  const Experiment one{"paper", "one", "", &Given, {.only = true}};
  EXPECT_EQ(RunExperiment(one, options, In("r")).command,
            "stride reproduce paper/one --seed 2 --only a,b");
  EXPECT_EQ(RunExperiment(one, options, In("r")).findings.config["mocap"], "");
}

TEST_F(ExperimentTest, MotionCaptureIsTheEnvironmentsUnlessGivenOrQuick) {
  const char* const before = std::getenv("STRIDE_MOCAP_DIR");
  const std::string kept = before ? before : "";
  const std::string given = In("given"), environments = In("environments");
  for (const std::string& folder : {given, environments}) fs::create_directories(folder);
  const Experiment experiment{"paper", "clips", "", &Given, {.mocap = true}};
  const auto seen = [&](const ReproduceOptions& options) {
    return RunExperiment(experiment, options, In("r")).findings.config["mocap"];
  };
  setenv("STRIDE_MOCAP_DIR", environments.c_str(), 1);
  EXPECT_EQ(seen({}), environments);
  EXPECT_EQ(seen({.mocap = given}), given);
  EXPECT_EQ(seen({.quick = true}), "");
  EXPECT_EQ(seen({.quick = true, .mocap = given}), given);
  setenv("STRIDE_MOCAP_DIR", In("nowhere").c_str(), 1);
  EXPECT_THAT(InputErrorOf([&] { seen({}); }), HasSubstr("STRIDE_MOCAP_DIR is '" + In("nowhere")));
  unsetenv("STRIDE_MOCAP_DIR");
  EXPECT_EQ(seen({}), "");
  if (before) setenv("STRIDE_MOCAP_DIR", kept.c_str(), 1);
}

TEST_F(ExperimentTest, RefusesOptionsThatNoneTakesAndFoldersThatAreNone) {
  const auto error = [&](ReproduceOptions options, const char* experiment) {
    options.experiment = experiment;
    options.out = In("r");
    options.quick = true;
    return InputErrorOf([&] { Reproduce(options); });
  };
  EXPECT_THAT(
      error({.only = {"kick"}}, "liu16/speed"),
      testing::AllOf(HasSubstr("liu16/speed does not take --only"), HasSubstr("liu16/table2")));
  EXPECT_THAT(error({.mocap = In("")}, "boeing08/gaits"),
              HasSubstr("liu16/table2, liu16/iterations"));
  EXPECT_THAT(error({.skills = In("")}, "liu16/iterations"), HasSubstr("--skills"));
  EXPECT_THAT(error({.skills = In("nowhere")}, "liu16/kick-push"),
              HasSubstr("--skills is '" + In("nowhere")));
  EXPECT_FALSE(fs::exists(In("r")));
}

TEST_F(ExperimentTest, AnErrorLeavesNothingBehindAndKeepsTheOlderResult) {
  const Experiment failing{"paper", "failing", "", [](const ExperimentContext& c) -> Findings {
                             WriteFileWhole(c.folder + "/half.jsonl", "{}");
                             throw InputError("broke");
                           }};
  EXPECT_EQ(InputErrorOf([&] { RunExperiment(failing, {}, In("a")); }), "broke");
  EXPECT_TRUE(Names().empty());
  RunExperiment(kPlain, {.seed = 1}, In("a"));
  EXPECT_EQ(InputErrorOf([&] { RunExperiment(failing, {}, In("a")); }), "broke");
  EXPECT_EQ(nlohmann::json::parse(ReadFile(In("a/result.json")))["seed"], 1);
}

TEST_F(ExperimentTest, ReplacesAnOlderResultButNothingElse) {
  RunExperiment(kPlain, {.seed = 1}, In("a/"));
  WriteFileWhole(In("a/stale.stride"), "old");
  RunExperiment(kPlain, {.seed = 2}, In("a"));
  EXPECT_EQ(nlohmann::json::parse(ReadFile(In("a/result.json")))["seed"], 2);
  EXPECT_FALSE(fs::exists(In("a/stale.stride")));
  EXPECT_EQ(Names(), std::set<std::string>{"a"});

  fs::create_directories(In("thesis"));
  WriteFileWhole(In("thesis/chapter.txt"), "years of work");
  EXPECT_THAT(InputErrorOf([&] { RunExperiment(kPlain, {}, In("thesis")); }), HasSubstr("--out"));
  EXPECT_THAT(InputErrorOf([&] { RunExperiment(kPlain, {}, In("thesis/chapter.txt")); }),
              HasSubstr("is a file"));
  EXPECT_EQ(ReadFile(In("thesis/chapter.txt")), "years of work");
  EXPECT_NE(InputErrorOf([&] { RunExperiment(kPlain, {}, In("thesis/chapter.txt/below")); }), "");
}

TEST_F(ExperimentTest, JsonOfAPaperHasTheKeysOfAnExperiment) {
  const ExperimentResult one = RunExperiment(kPlain, {.seed = 3}, In("a"));
  const auto json = ToJson("paper", {one, one});
  EXPECT_EQ(json["experiment"], "paper");
  EXPECT_EQ(json["seed"], 3);
  EXPECT_EQ(json["rows"].size(), 6u);
  EXPECT_EQ(json["rows"][4]["experiment"], "paper/plain");
  EXPECT_EQ(json["met"], 2);
  EXPECT_EQ(json["total"], 4);
}

TEST_F(ExperimentTest, HashIsFnv1a) {
  // Values of the function's authors.
  EXPECT_EQ(InputHash(""), "cbf29ce484222325");
  EXPECT_EQ(InputHash("foobar"), "85944171f73967e8");
}

TEST_F(ExperimentTest, SpeedBesideThePapers) {
  const auto results = Reproduce({.experiment = "liu16/speed", .out = In("s"), .quick = true});
  ASSERT_EQ(results.size(), 1u);
  const Row& lanes = results[0].findings.rows.at(0);
  EXPECT_EQ(lanes.paper, 10);
  EXPECT_GT(lanes.ours, 0);
  EXPECT_THAT(lanes.note, HasSubstr("quick"));
  EXPECT_TRUE(fs::exists(In("s/result.json")));
}

TEST_F(ExperimentTest, StandingIsTheSameForAnyNumberOfThreads) {
  const auto run = [&](int threads, const char* folder) {
    return Reproduce({.experiment = "stride/standing",
                      .out = In(folder),
                      .seed = 5,
                      .threads = threads,
                      .quick = true})
        .at(0);
  };
  const ExperimentResult one = run(1, "one"), two = run(2, "two");
  EXPECT_EQ(one.findings.rows, two.findings.rows);
  EXPECT_EQ(one.findings.plots, two.findings.plots);
  ASSERT_EQ(one.findings.rows.size(), 5u);  // four directions and their mean
  for (const Row& row : one.findings.rows) {
    EXPECT_GT(row.ours, 10) << row.name;  // it stands, and takes a nudge
    EXPECT_LT(row.ours, 350) << row.name;
  }
  const Recording recording = ReadRecording(In("one/largest_push_forwards.stride"));
  EXPECT_TRUE(recording.complete);
  EXPECT_FALSE(recording.summary["fell"].get<bool>());
  EXPECT_EQ(recording.frames, ReadRecording(In("two/largest_push_forwards.stride")).frames);
}

}  // namespace
}  // namespace stride
