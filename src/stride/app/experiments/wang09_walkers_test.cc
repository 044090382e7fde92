#include "stride/app/experiments/wang09_walkers.h"

#include <gtest/gtest.h>

#include "stride/controllers/skill_library.h"
#include "stride/record/gait.h"
#include "stride/record/gait_band.h"
#include "stride/testing/record_run.h"

namespace stride::experiments {
namespace {

// What a search measures of the legs in lanes, step by step, is what the analysis of a recording in
// double finds: the distance to people's curves in their deviations.
TEST(Wang09Walkers, SearchesMeasureTheCurvesOfTheGaitAnalysis) {
  const std::string skill = "walker-stocky";
  const auto measured = LoadSkill(skill).metrics["figures"]["thigh_knee_foot"];
  const GaitBand band = LoadGaitBand("walks");
  const GaitAnalysis gait = AnalyzeGait(RecordRun(WalkSetup(skill, 12), {}), {});
  const char* const names[] = {"thigh", "knee", "foot"};
  for (int k = 0; k < 3; ++k) {
    double deviation = 0;
    for (const double d : FindCurve(band.curves, names[k])->deviation) {
      deviation += d / kGaitSamples;
    }
    for (const CurveDifference& curve : Compare(gait, band).curves) {
      if (curve.name != names[k]) continue;
      EXPECT_NEAR(measured[k].get<double>(), curve.rms / deviation, 0.15 * curve.rms / deviation)
          << names[k];
    }
  }
}

}  // namespace
}  // namespace stride::experiments
