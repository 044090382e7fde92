#include "stride/record/gait_band.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/core/file.h"
#include "stride/record/gait_plot.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

GaitCurve Line(const std::string& name, double mean, double deviation) {
  return {name,
          "deg",
          std::vector<double>(kGaitSamples, mean),
          std::vector<double>(kGaitSamples, deviation),
          {}};
}
GaitAnalysis With(std::vector<GaitCurve> curves) {
  GaitAnalysis analysis;
  analysis.curves = std::move(curves);
  return analysis;
}

TEST(GaitBandTest, MeanAndDeviationAreOverTheSubjects) {
  const GaitBand band = MakeGaitBand({With({Line("knee", 1, 9), Line("arm", 1, 1)}),
                                      With({Line("knee", 2, 9)}), With({Line("knee", 6, 9)})});
  EXPECT_EQ(band.subjects, 3);
  ASSERT_EQ(band.curves.size(), 1u);  // not all have arms
  EXPECT_NEAR(band.curves[0].mean[50], 3, 1e-12);
  EXPECT_NEAR(band.curves[0].deviation[50], std::sqrt(7), 1e-12);  // (4 + 1 + 9) / 2
  // Of one subject there is only that of its cycles.
  EXPECT_EQ(MakeGaitBand({With({Line("knee", 1, 9)})}).curves[0].deviation[0], 9);
}

TEST(GaitBandTest, CompareMeasuresInDeviations) {
  GaitBand band{.name = "b", .subjects = 4, .curves = {Line("knee", 10, 2), Line("hip", 0, 0)}};
  GaitAnalysis analysis = With({Line("knee", 13, 5), Line("hip", 4, 1), Line("foot", 0, 1)});
  const GaitComparison result = Compare(analysis, band);
  ASSERT_EQ(result.curves.size(), 2u);
  EXPECT_EQ(result.curves[0].name, "knee");
  EXPECT_NEAR(result.curves[0].rms, 3, 1e-12);
  EXPECT_NEAR(result.curves[0].deviations, 1.5, 1e-12);
  EXPECT_EQ(result.curves[0].inside, 0);
  EXPECT_NEAR(result.curves[1].rms, 4, 1e-12);
  EXPECT_TRUE(std::isnan(result.curves[1].deviations));
  EXPECT_TRUE(ToJson(result)["curves"][1]["deviations"].is_null());
  // Half of the cycle 1 deg off, half 4 deg.
  for (int k = 0; k < kGaitSamples; ++k) analysis.curves[0].mean[k] = k < 50 ? 11 : 6;
  const CurveDifference half = Compare(analysis, band).curves[0];
  EXPECT_NEAR(half.rms, std::sqrt((50 * 1 + 51 * 16) / 101.0), 1e-12);
  EXPECT_NEAR(half.deviations, (50 * 0.5 + 51 * 2) / 101.0, 1e-12);
  EXPECT_NEAR(half.inside, 50 / 101.0, 1e-12);
}

TEST(GaitBandTest, TextRoundTripKeepsTheSourceInOneLine) {
  const GaitBand band{.name = "b",
                      .source = "two\nlines, a comma",
                      .subjects = 7,
                      .curves = {Line("knee", -1.25, 2), Line("force_vertical", 0.5, 0)}};
  const GaitBand back = ParseGaitBand(GaitBandText(band), "b");
  EXPECT_EQ(back.source, "two lines, a comma");
  EXPECT_EQ(back.subjects, 7);
  EXPECT_EQ(back.curves, band.curves);
}

TEST(GaitBandTest, BadFilesAreNamedWithTheirLine) {
  const std::string good = GaitBandText({.subjects = 2, .curves = {Line("knee", 1, 2)}});
  const auto error_of = [](const std::string& text) {
    return InputErrorOf([&] { ParseGaitBand(text, "x.csv"); });
  };
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  EXPECT_EQ(error_of(good), "");
  EXPECT_THAT(error_of(""), HasSubstr("x.csv: 0 rows; expected"));
  EXPECT_THAT(error_of("time,x\n0,1\n"), HasSubstr("x.csv:1: first column 'time'"));
  EXPECT_THAT(error_of(with("knee_deviation", "hip_deviation")), HasSubstr("x.csv:4: column"));
  EXPECT_THAT(error_of(with("\n3,1.0000", "\n3,nan")), HasSubstr("x.csv:8: 'nan'"));
  EXPECT_THAT(error_of(with("\n3,1.0000", "\n3,1,1")), HasSubstr("x.csv:8: 4 columns; expected 3"));
  EXPECT_THAT(error_of(with("\n3,", "\n5,")), HasSubstr("x.csv:8: row of 5 %"));
  EXPECT_THAT(error_of(with("1.0000,2.0000", "1,-2")), HasSubstr("deviation -2"));
  EXPECT_THAT(error_of(with("subjects: 2", "subjects: 0")), HasSubstr("x.csv:3: 0 subjects"));
  EXPECT_THAT(error_of(good + "101,1,2\n"), HasSubstr("row of 101 %"));
  EXPECT_THAT(error_of(good.substr(0, good.size() / 2)), HasSubstr("x.csv"));
}

TEST(GaitBandTest, BuiltInWalksAreHuman) {
  EXPECT_THAT(BuiltInGaitBands(), ElementsAre("walks"));
  const GaitBand walks = LoadGaitBand("walks");
  EXPECT_EQ(walks.subjects, 18);
  EXPECT_THAT(walks.source, HasSubstr("mocap.cs.cmu.edu"));
  const auto curve = [&](const char* name) { return FindCurve(walks.curves, name)->mean; };
  const auto highest = [](const std::vector<double>& c) {
    return std::max_element(c.begin(), c.end()) - c.begin();
  };
  const std::vector<double> knee = curve("knee"), thigh = curve("thigh"), foot = curve("foot");
  EXPECT_NEAR(knee[highest(knee)], 65, 10);  // in swing
  EXPECT_NEAR(static_cast<double>(highest(knee)), 75, 5);
  EXPECT_GT(knee[15], knee[0] + 5);  // loading response
  EXPECT_NEAR(*std::max_element(thigh.begin(), thigh.end()), 28, 6);
  EXPECT_NEAR(*std::min_element(thigh.begin(), thigh.end()), -20, 6);
  EXPECT_NEAR(foot[0], 23, 7);  // heel first
  EXPECT_NEAR(foot[25], 0, 3);  // flat
  EXPECT_NEAR(*std::min_element(foot.begin(), foot.end()), -65, 8);
}

TEST(GaitBandTest, FoldersNameWhatFails) {
  char pattern[] = "/tmp/stride_band_XXXXXX";
  const std::string folder = mkdtemp(pattern);
  WriteFileWhole(folder + "/note.txt", "no motion");
  EXPECT_THAT(InputErrorOf([&] { LoadGaitBand(folder); }), HasSubstr("none of its 1 files"));
  EXPECT_THAT(InputErrorOf([&] { LoadGaitBand(folder + "/none.csv"); }), HasSubstr("none.csv"));
  EXPECT_THAT(InputErrorOf([&] { LoadGaitBand("nothing"); }), HasSubstr("built-in band: walks"));
  std::filesystem::remove_all(folder);
}

TEST(GaitPlotTest, DrawsBothWithTheirDeviation) {
  const GaitBand band{.name = "usual", .subjects = 4, .curves = {Line("knee", 10, 2)}};
  const Plot plot = GaitPlot(Line("knee", 13, 5), "mine", &band);
  ASSERT_EQ(plot.series.size(), 2u);
  EXPECT_EQ(plot.series[0].name, "mine");
  EXPECT_EQ(plot.series[0].high[7], 18);
  EXPECT_EQ(plot.series[1].low[7], 8);
  EXPECT_EQ(plot.series[1].name, "usual (4 subjects)");
  EXPECT_EQ(GaitPlot(Line("hip", 13, 5), "mine", &band).series.size(), 1u);
  EXPECT_EQ(GaitPlot(Line("hip", 13, 5), "mine", nullptr).series.size(), 1u);
}

}  // namespace
}  // namespace stride
