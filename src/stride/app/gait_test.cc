#include "stride/app/gait.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/core/file.h"
#include "stride/testing/input_error_of.h"
#include "stride/testing/record_run.h"

namespace stride {
namespace {

using testing::HasSubstr;

RunSetup WalkSetup() {
  RunSetup setup;
  setup.characters[0].skill = "walk";
  setup.characters[0].controller = ControllerOfSkill("walk");
  setup.scenario.seconds = 8;
  return setup;
}
// Simulated once.
const Recording& Walk() {
  static const Recording recording = RecordRun(WalkSetup(), {});
  return recording;
}
GaitRequest Request(const std::string& file, const std::string& against) {
  GaitRequest request;
  request.file = file;
  request.against = against;
  return request;
}
Metrics MetricsOfWalk() {
  Run run(WalkSetup());
  while (!run.Finished()) run.Step();
  return run.Measure();
}

TEST(GaitRunTest, AgreesWithTheMetricsOfTheRun) {
  const Metrics metrics = MetricsOfWalk();
  const GaitAnalysis a = AnalyzeGait(Walk(), {});
  EXPECT_NEAR(a.step_time.mean, metrics.step_seconds, 0.03);
  EXPECT_NEAR(a.step_length.mean, metrics.step_length, 0.05);
  EXPECT_NEAR(a.speed.mean, metrics.speed, 0.1);
  ASSERT_TRUE(a.effort);
  EXPECT_NEAR(a.effort->cost_of_transport, metrics.cost_of_transport,
              0.15 * metrics.cost_of_transport);
  const auto& power = a.effort->power;
  const double legs = power[kHipJoints] + power[kKneeJoints] + power[kAnkleJoints];
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(power[k] / legs, metrics.leg_power_ratio[k], 0.05);
}

TEST(GaitRunTest, GroundCarriesTheWeightOverACycle) {
  const GaitAnalysis a = AnalyzeGait(Walk(), {});
  // Newton: of a walk that repeats itself, both feet together carry the weight on average, and push
  // it neither on nor back.
  const auto mean_of = [&](const char* name) {
    double sum = 0;
    for (const double v : FindCurve(a.curves, name)->mean) sum += v / kGaitSamples;
    return sum;
  };
  EXPECT_NEAR(2 * mean_of("force_vertical"), 1, 0.06);
  EXPECT_NEAR(2 * mean_of("force_forward"), 0, 0.04);
}

TEST(GaitRunTest, WritesItsFilesOrNone) {
  char pattern[] = "/tmp/stride_gait_XXXXXX";
  const std::string folder = mkdtemp(pattern);
  WriteFileWhole(folder + "/walk.stride", EncodeRecording(Walk()));
  GaitRequest request = Request(folder + "/walk.stride", "walks");
  request.csv = folder + "/curves.csv";
  request.svg = folder + "/curves.svg";
  request.save_band = folder + "/band.csv";
  request.band_source = "somewhere";
  const GaitResult result = RunGait(request);
  EXPECT_EQ(result.written.size(), 3u);
  EXPECT_THAT(ReadFile(folder + "/curves.svg"), HasSubstr("walks (18 subjects)"));
  EXPECT_THAT(ReadFile(folder + "/band.csv"), HasSubstr("# source: somewhere\n# subjects: 18\n"));
  EXPECT_THAT(GaitText(result), HasSubstr("cost of transport"));
  EXPECT_EQ(ToJson(result)["against"]["curves"].size(), 7u);

  // Against its own curves it differs by their rounding.
  const GaitResult same = RunGait(Request(folder + "/walk.stride", folder + "/curves.csv"));
  ASSERT_EQ(same.comparison->curves.size(), 9u);
  for (const CurveDifference& curve : same.comparison->curves) EXPECT_LT(curve.rms, 1e-4);

  // A folder: one that walks, and files that do not.
  const GaitResult of_folder = RunGait(Request("walk", folder));
  EXPECT_EQ(of_folder.band->subjects, 1);
  EXPECT_EQ(of_folder.band->failed.size(), 3u);
  EXPECT_THAT(of_folder.warnings, testing::Contains(HasSubstr("3 of 4 files")));

  // Who moves is for motions: recordings have their own.
  GaitRequest with_body = Request(folder + "/walk.stride", "walk");
  with_body.options.character = "lee10";
  EXPECT_EQ(RunGait(with_body).analysis.character, "liu16");
  with_body.against.clear();
  EXPECT_THAT(InputErrorOf([&] { RunGait(with_body); }), HasSubstr("leave --character"));

  GaitRequest stands = Request("stand", "");
  stands.csv = folder + "/none.csv";
  EXPECT_THAT(InputErrorOf([&] { RunGait(stands); }), HasSubstr("stand: 0 heel strikes"));
  EXPECT_FALSE(std::filesystem::exists(folder + "/none.csv"));
  GaitRequest no_band = Request("walk", "");
  no_band.save_band = folder + "/none.csv";
  EXPECT_THAT(InputErrorOf([&] { RunGait(no_band); }), HasSubstr("--against"));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace stride
