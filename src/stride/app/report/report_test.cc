#include "stride/app/report/report.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tinyxml2.h>

#include "stride/app/experiments/experiment.h"
#include "stride/character/library.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/motion/library.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kHostile = "<script>alert('x')</script>\"><img src=http://evil/>&amp;\xff";

class ReportTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              (std::string("stride_report_test_") +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "run");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void Write(const std::string& name, const std::string& text) const {
    WriteFileWhole((folder_ / name).string(), text);
  }
  Report Make() const { return MakeReport({folder_.string()}); }
  std::string Error() const {
    return InputErrorOf([&] { Make(); });
  }
  fs::path folder_;
};

// The page is written as XML too, so that a parser finds what is not closed or not escaped.
void ExpectWellFormed(const std::string& html) {
  tinyxml2::XMLDocument document;
  EXPECT_EQ(document.Parse(html.c_str()), tinyxml2::XML_SUCCESS) << document.ErrorStr();
}

std::string ResultJson(const std::string& text) {
  ExperimentResult result{.experiment = "paper/plain", .description = text, .command = text};
  result.findings.rows = {
      {.name = text, .paper = 10, .ours = 12345, .unit = text, .met = true, .note = text},
      {.name = "b", .paper_text = text, .ours = 1, .met = false},
      {.name = "c", .ours = 2}};
  result.findings.config = {{"key", text}};
  for (const auto kind : {Plot::Kind::kLines, Plot::Kind::kPolar, Plot::Kind::kBars}) {
    result.findings.plots.push_back({.kind = kind,
                                     .title = text,
                                     .x_label = text,
                                     .y_label = text,
                                     .categories = {text, "b"},
                                     .series = {{text, {0, 1}, {2, 3}}, {"t", {0, 1}, {4, 5}}}});
  }
  constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;
  return ToJson(result, true).dump(2, ' ', false, kReplace);
}

TEST_F(ReportTest, ShowsRowsVerdictsAndPlots) {
  Write("run/result.json", ResultJson("forwards"));
  const Report report = Make();
  ASSERT_EQ(report.sections.size(), 1u);
  EXPECT_EQ(report.sections[0].title, "paper/plain");
  EXPECT_EQ(report.sections[0].met, 1);
  EXPECT_EQ(report.sections[0].total, 2);
  EXPECT_THAT(report.html, HasSubstr("12,345"));
  EXPECT_THAT(report.html, HasSubstr(">not met<"));
  EXPECT_THAT(report.html, HasSubstr(">met<"));
  EXPECT_THAT(report.html, HasSubstr(">reported<"));
  EXPECT_THAT(report.html, HasSubstr("class=\"polar\""));
  ExpectWellFormed(report.html);
}

TEST_F(ReportTest, StandsAlone) {
  Write("run/result.json", ResultJson("forwards"));
  const std::string html = Make().html;
  for (const char* outside : {"<script", "<link", "src=\"http", "url(", "@import"}) {
    EXPECT_THAT(html, Not(HasSubstr(outside)));
  }
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
}

TEST_F(ReportTest, TextOfFilesIsEscaped) {
  Write("run/result.json", ResultJson(kHostile));
  Write("run/simulate.json", nlohmann::json{{"fell", true}, {"<b>key", "<i>value"}}.dump());
  Write("run/<u>history.jsonl", "{\"iteration\": 1, \"<s>reward\": 2}\n");
  const std::string html = Make().html;
  for (const char* tag : {"<script", "<img src=http", "<b>", "<i>", "<u>", "<s>"}) {
    EXPECT_THAT(html, Not(HasSubstr(tag)));
  }
  EXPECT_THAT(html, HasSubstr("&lt;s&gt;reward"));
  ExpectWellFormed(html);
}

TEST_F(ReportTest, OneSectionForEveryFolderBelow) {
  fs::create_directories(folder_ / "b/c");
  Write("run/simulate.json", "{\"fell\": false, \"seconds\": 10}");
  Write("b/c/history.jsonl", "{\"iteration\": 1, \"reward\": 2}\n");
  Write("b/readme.txt", "no result");
  const Report report = Make();
  ASSERT_EQ(report.sections.size(), 2u);
  EXPECT_EQ(report.sections[0].title, "c");
  EXPECT_EQ(report.sections[1].title, "run");
  EXPECT_EQ(report.sections[1].facts, std::vector<std::string>{"simulate: did not fall"});
}

TEST_F(ReportTest, HistoryHasOnePlotANumber) {
  const auto plots = HistoryPlots(
      "{\"iteration\": 10, \"reward\": 1.5, \"name\": \"x\"}\n\n"
      "{\"iteration\": 20, \"reward\": 2.5, \"loss\": 3}\n{\"iteration\": 30, \"rew",
      "history.jsonl");
  ASSERT_EQ(plots.size(), 2u);
  EXPECT_EQ(plots[0].title, "reward");
  EXPECT_EQ(plots[0].series[0].x, (std::vector<double>{10, 20}));
  EXPECT_EQ(plots[0].series[0].y, (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(plots[1].title, "loss");
  EXPECT_EQ(plots[1].series[0].x, std::vector<double>{20});
  EXPECT_TRUE(HistoryPlots("", "empty").empty());
  // Each phase counts from 0: their curves follow each other.
  const auto phases = HistoryPlots(
      "{\"iteration\": 0, \"a\": 1}\n{\"iteration\": 1, \"a\": 2}\n{\"iteration\": 0, \"a\": 3}\n"
      "{\"iteration\": 1, \"a\": 4}\n",
      "history.jsonl");
  EXPECT_EQ(phases[0].series[0].x, (std::vector<double>{0, 1, 2, 3}));
}

TEST_F(ReportTest, RecordingHasASheetAndCurves) {
  const Character character = LoadCharacter("liu16");
  Recording recording = RecordingFromMotion(LoadMotion("walk", character), character);
  recording.header.title = kHostile;
  Write("run/walk.stride", EncodeRecording(recording));
  const Report report = Make();
  EXPECT_THAT(report.html, HasSubstr("src=\"data:image/png;base64,iVBORw0KGgo"));
  EXPECT_THAT(report.html, HasSubstr("Height of the root"));
  EXPECT_THAT(report.html, Not(HasSubstr("<script")));
  const auto plots = RecordingPlots(recording);
  ASSERT_GE(plots.size(), 2u);
  ASSERT_EQ(plots[0].series[0].y.size(), recording.frames.size());
  EXPECT_EQ(plots[0].series[0].y[3], recording.frames[3].actors[0].q[2]);
}

TEST_F(ReportTest, TrackingErrorIsTheMeanAngleOfTheJoints) {
  const Character character = LoadCharacter("liu16");
  Recording recording = RecordingFromMotion(LoadMotion("walk", character), character);
  const double angle = 0.3;
  int hinge = -1;
  for (std::size_t body = 1; body < character.bodies.size() && hinge < 0; ++body) {
    if (character.bodies[body].joint.kind == JointKind::kHinge) hinge = static_cast<int>(body);
  }
  ASSERT_GE(hinge, 0);
  for (RecordedFrame& frame : recording.frames) {
    frame.controls[0].reference = frame.actors[0].q;
    frame.controls[0].reference[LayoutOf(character).q[hinge]] += angle;
  }
  for (const Plot& plot : RecordingPlots(recording)) {
    if (plot.title != "Tracking error") continue;
    const double joints = static_cast<double>(character.bodies.size()) - 1;
    EXPECT_NEAR(plot.series[0].y[0], angle / joints * 180 / 3.14159265358979, 1e-6);
    return;
  }
  FAIL() << "no plot of the tracking error";
}

TEST_F(ReportTest, ErrorsNameTheFileAndWhatIsWrong) {
  EXPECT_THAT(Error(), HasSubstr("nothing to report; expected result.json"));
  Write("run/result.json", "{\"rows\": [1]}");
  EXPECT_THAT(Error(), HasSubstr("run/result.json: has no list 'rows'"));
  Write("run/result.json", "{\"rows\": [");
  EXPECT_THAT(Error(), HasSubstr("run/result.json"));
  Write("run/result.json", "{\"rows\": [], \"plots\": [{}]}");
  EXPECT_THAT(Error(), HasSubstr("plots[0]: no 'kind'"));
  Write("run/result.json", "{\"rows\": []}");
  EXPECT_EQ(Error(), "");
  Write("run/history.jsonl", "{}\nreward 5\n{}\n");
  EXPECT_THAT(Error(), HasSubstr("history.jsonl:2: no JSON object"));
  Write("run/history.jsonl", "");
  Write("run/a.stride", "no recording");
  EXPECT_THAT(Error(), HasSubstr("a.stride"));
  EXPECT_THROW(MakeReport({"/no/such/folder"}), InputError);
}

}  // namespace
}  // namespace stride
