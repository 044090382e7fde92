#include "stride/controllers/simbicon/human_gait.h"

#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace stride {
namespace {

// The series are the built-in band's mean curves, within two degrees; their deviations its mean.
TEST(HumanGait, IsTheBandsMean) {
  std::ifstream file(std::string(STRIDE_SOURCE_DIR) + "/data/gait/walks.csv");
  constexpr std::array<HumanCurve, kHumanCurves> kCurves = {kHumanThigh, kHumanKnee, kHumanFoot};
  constexpr double kDegree = std::numbers::pi / 180;
  std::array<double, kHumanCurves> deviation{};
  int rows = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    if (line.starts_with("percent")) {
      ASSERT_TRUE(line.starts_with(
          "percent,thigh_mean_deg,thigh_deviation_deg,knee_mean_deg,knee_deviation_deg,"
          "foot_mean_deg,foot_deviation_deg"));
      continue;
    }
    std::vector<double> row;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(std::stod(cell));
    ASSERT_GE(row.size(), 7u);
    if (row[0] == 100) continue;  // as at 0
    const double angle = 2 * std::numbers::pi * row[0] / 100;
    for (int k = 0; k < kHumanCurves; ++k) {
      EXPECT_NEAR(kCurves[k].At(std::sin(angle), std::cos(angle)) / kDegree, row[1 + 2 * k], 2)
          << "curve " << k << " at " << row[0];
      deviation[k] += row[2 + 2 * k] * kDegree / 100;
    }
    ++rows;
  }
  EXPECT_EQ(rows, 100);
  for (int k = 0; k < kHumanCurves; ++k) EXPECT_NEAR(kCurves[k].deviation, deviation[k], 1e-3);
}

}  // namespace
}  // namespace stride
