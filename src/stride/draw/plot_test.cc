#include "stride/draw/plot.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <tinyxml2.h>

#include "stride/core/error.h"

namespace stride {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Plot LinePlot(std::vector<double> x, std::vector<double> y) {
  return {.title = "t", .x_label = "x", .y_label = "y", .series = {{"a", x, y}}};
}

// The picture as XML; fails the test where it is not well-formed.
void Parse(const std::string& svg, tinyxml2::XMLDocument* document) {
  ASSERT_EQ(document->Parse(svg.c_str()), tinyxml2::XML_SUCCESS) << document->ErrorStr();
  ASSERT_STREQ(document->RootElement()->Name(), "svg");
}
std::string PathOf(const Plot& plot) {
  tinyxml2::XMLDocument document;
  Parse(PlotSvg(plot), &document);
  const auto* path = document.RootElement()->FirstChildElement("path");
  return path ? path->Attribute("d") : "";
}
int Count(const std::string& text, const std::string& what) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size())
    ++count;
  return count;
}

TEST(PlotTest, JsonRoundTripKeepsGaps) {
  Plot plot = LinePlot({0, 1, 2}, {1, kNan, 3});
  plot.kind = Plot::Kind::kPolar;
  const Plot back = PlotFromJson(ToJson(plot), "here");
  EXPECT_EQ(back.kind, Plot::Kind::kPolar);
  ASSERT_EQ(back.series.size(), 1u);
  EXPECT_EQ(back.series[0].x, plot.series[0].x);
  EXPECT_TRUE(std::isnan(back.series[0].y[1]));
  EXPECT_EQ(back.series[0].y[2], 3);
  plot.series[0].y[1] = 2;
  EXPECT_EQ(PlotFromJson(ToJson(plot), "here"), plot);
}

TEST(PlotTest, RefusesWhatIsNoPlotWithItsPlace) {
  nlohmann::json json = ToJson(LinePlot({0, 1}, {1, 2}));
  const auto message = [](const nlohmann::json& bad) -> std::string {
    try {
      PlotFromJson(bad, "a.json: plots[0]");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(json), "");
  nlohmann::json bad = json;
  bad["series"][0]["y"].push_back(5);
  EXPECT_NE(message(bad).find("a.json: plots[0]: series 'a' has 3 values; expected 2"),
            std::string::npos);
  bad = json;
  bad["kind"] = "pie";
  EXPECT_NE(message(bad).find("'pie'; expected lines"), std::string::npos);
  bad = json;
  bad["series"][0]["x"][0] = "one";
  EXPECT_NE(message(bad).find("'x' holds"), std::string::npos);
  bad.erase("title");
  EXPECT_NE(message(bad).find("no 'title'"), std::string::npos);
  EXPECT_NE(message(7), "");
}

TEST(PlotTest, BandSurvivesJsonAndIsChecked) {
  Plot plot = LinePlot({0, 1}, {1, 2});
  EXPECT_FALSE(ToJson(plot)["series"][0].contains("low"));
  plot.series[0].low = {0, 1};
  plot.series[0].high = {2, 4};
  EXPECT_EQ(PlotFromJson(ToJson(plot), "here"), plot);
  nlohmann::json bad = ToJson(plot);
  bad["series"][0]["low"].push_back(1);
  EXPECT_THROW(PlotFromJson(bad, "here"), InputError);
  bad = ToJson(plot);
  bad["series"][0].erase("high");
  EXPECT_THROW(PlotFromJson(bad, "here"), InputError);
}

TEST(PlotTest, BandIsAnAreaForEachStretchWithoutGap) {
  Plot plot = LinePlot({0, 1, 2, 3, 4}, {5, 5, 5, 5, 5});
  plot.series[0].low = {0, 0, kNan, 0, 0};
  plot.series[0].high = {10, 10, 10, 10, 10};
  tinyxml2::XMLDocument document;
  Parse(PlotSvg(plot), &document);
  const auto* band = document.RootElement()->FirstChildElement("path");
  ASSERT_TRUE(band);
  EXPECT_STREQ(band->Attribute("class"), "band c0");
  const std::string path = band->Attribute("d");
  EXPECT_EQ(Count(path, "Z"), 2);
  // There along the top (12 px), back along the bottom (254 px), which are the axis' ends.
  EXPECT_EQ(Count(path, " 12.0"), 4);
  EXPECT_EQ(Count(path, " 254.0"), 4);
}

TEST(PlotTest, SheetHoldsAllPlotsInCells) {
  const Plot plot = LinePlot({0, 1}, {1, 2});
  tinyxml2::XMLDocument document;
  Parse(PlotSheetSvg("all <of> them", {plot, plot, plot}, 2), &document);
  std::string places;
  for (const auto* cell = document.RootElement()->FirstChildElement("svg"); cell;
       cell = cell->NextSiblingElement("svg")) {
    places += std::string(cell->Attribute("x")) + "," + cell->Attribute("y") + " ";
  }
  EXPECT_EQ(places, "0,58 560,58 0,418 ");
  Parse(PlotSheetSvg("none", {}, 2), &document);
}

TEST(PlotTest, LineGoesThroughItsPointsUpwards) {
  const std::string path = PathOf(LinePlot({0, 10}, {0, 10}));
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  ASSERT_EQ(std::sscanf(path.c_str(), "M%lf %lfL%lf %lf", &x0, &y0, &x1, &y1), 4) << path;
  EXPECT_LT(x0, x1);
  EXPECT_GT(y0, y1);  // pixels count downwards
}

TEST(PlotTest, AGapLiftsThePen) {
  EXPECT_EQ(Count(PathOf(LinePlot({0, 1, 2, 3}, {1, 2, 3, 4})), "M"), 1);
  EXPECT_EQ(Count(PathOf(LinePlot({0, 1, 2, 3}, {1, kNan, 3, 4})), "M"), 2);
}

TEST(PlotTest, PolarHeadingsAreSeenFromAbove) {
  Plot plot = LinePlot({0, std::acos(0.0)}, {100, 100});
  plot.kind = Plot::Kind::kPolar;
  tinyxml2::XMLDocument document;
  Parse(PlotSvg(plot), &document);
  const auto* middle = document.RootElement()->FirstChildElement("line");
  const double cx = middle->DoubleAttribute("x1"), cy = middle->DoubleAttribute("y1");
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  const std::string path = document.RootElement()->FirstChildElement("path")->Attribute("d");
  ASSERT_EQ(std::sscanf(path.c_str(), "M%lf %lfL%lf %lf", &x0, &y0, &x1, &y1), 4) << path;
  EXPECT_NEAR(x0, cx, 0.1);  // forwards is up
  EXPECT_LT(y0, cy - 50);
  EXPECT_LT(x1, cx - 50);  // a quarter turn to the left is left
  EXPECT_NEAR(y1, cy, 0.1);
  EXPECT_EQ(path.back(), 'Z');
}

TEST(PlotTest, LongLinesAreThinnedButKeepTheirPeaks) {
  std::vector<double> x, y;
  for (int i = 0; i < 100000; ++i) {
    x.push_back(i);
    y.push_back(i == 77777 ? 100 : 0);
  }
  const std::string path = PathOf(LinePlot(x, y));
  EXPECT_LT(Count(path, "L"), 1100);
  EXPECT_NE(path.find(" 12.0"), std::string::npos) << "the peak at the top of the picture is gone";
}

TEST(PlotTest, OddNumbersDrawNothingOdd) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const auto& y : std::vector<std::vector<double>>{{},
                                                        {5},
                                                        {kNan, kNan},
                                                        {inf, -inf},
                                                        {1e308, -1e308},
                                                        {1e-300, 2e-300},
                                                        {3, 3},
                                                        {0, -1}}) {
    for (const auto kind : {Plot::Kind::kLines, Plot::Kind::kPolar, Plot::Kind::kBars}) {
      for (const bool log : {false, true}) {
        Plot plot = LinePlot(std::vector<double>(y.size(), 1.0), y);
        plot.kind = kind;
        plot.log_y = log;
        plot.categories.assign(y.size(), "c");
        const std::string svg = PlotSvg(plot);
        tinyxml2::XMLDocument document;
        Parse(svg, &document);
        EXPECT_EQ(svg.find("nan"), std::string::npos);
        EXPECT_EQ(svg.find("inf"), std::string::npos);
        EXPECT_LT(svg.size(), 20000u);
      }
    }
  }
}

TEST(PlotTest, TextIsEscaped) {
  EXPECT_EQ(EscapeMarkup("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
  EXPECT_EQ(EscapeMarkup("Größe · m²\n"), "Größe · m²\n");
  const std::string bad = "\xef\xbf\xbd";
  EXPECT_EQ(EscapeMarkup(std::string("a\0b\x1b", 4)), "a" + bad + "b" + bad);
  EXPECT_EQ(EscapeMarkup("\xff\xc3"), bad + bad);
  EXPECT_EQ(EscapeMarkup("\xc0\xaf"), bad + bad);            // '/' in too many bytes
  EXPECT_EQ(EscapeMarkup("\xed\xa0\x80"), bad + bad + bad);  // a surrogate
  Plot plot = LinePlot({0}, {0});
  plot.title = plot.x_label = plot.series[0].name = "</svg><script>alert(1)</script>";
  EXPECT_EQ(PlotSvg(plot).find("<script"), std::string::npos);
}

TEST(PlotTest, NumbersForPeople) {
  EXPECT_EQ(NumberText(0), "0");
  EXPECT_EQ(NumberText(250), "250");
  EXPECT_EQ(NumberText(0.01234), "0.0123");
  EXPECT_EQ(NumberText(-9868.4), "-9,868");
  EXPECT_EQ(NumberText(999.7), "1,000");
  EXPECT_EQ(NumberText(1234567), "1,234,567");
  EXPECT_EQ(NumberText(2.5e12), "2.5e+12");
  EXPECT_EQ(NumberText(kNan), "–");
}

}  // namespace
}  // namespace stride
