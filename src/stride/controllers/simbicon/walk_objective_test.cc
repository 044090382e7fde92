#include "stride/controllers/simbicon/walk_objective.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/controllers/simbicon/gait_meter.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using ::testing::HasSubstr;
using M = GaitMeter;

constexpr double kSeconds = 10;

// Ten seconds at 1.2 m/s that break no rule: 20 steps of 0.6 m.
std::vector<double> GoodWalk() {
  std::vector<double> v(M::kValues, 0.0);
  v[M::kSeconds] = kSeconds;
  v[M::kNowX] = 12;
  v[M::kStartZ] = v[M::kNowZ] = 0.9;
  v[M::kStartSpeed] = 1.2;
  v[M::kTorqueAll] = 9000 * kSeconds;
  v[M::kTorqueHips] = 0.43 * 8000 * kSeconds;
  v[M::kTorqueKnees] = 0.04 * 8000 * kSeconds;
  v[M::kTorqueAnkles] = 0.53 * 8000 * kSeconds;
  v[M::kHeadSpeed] = 1.2 * kSeconds;
  v[M::kHeadSpeedSquare] = 1.2 * 1.2 * kSeconds;
  for (int k = 0; k < 4; ++k) v[M::kStateSeconds + k] = 2.5;
  v[M::kSteps] = v[M::kSteps + 1] = 10;
  v[M::kStepLengths] = 19 * 0.6;
  return v;
}

double Term(const std::vector<double>& values, const WalkGoal& goal, WalkTerm term) {
  return ScoreOf(values, goal).weighted[static_cast<int>(term)];
}

TEST(WalkObjective, AGoodWalkCostsItsTorquesAlone) {
  const WalkScore score = ScoreOf(GoodWalk(), {.mass = 70});
  // Cost of transport: 1e-5 * 9000 / 1.2.
  EXPECT_NEAR(score.total, 0.075, 1e-9);
  EXPECT_EQ(score.total, score.natural);
  // With a speed that is wanted: E_power itself, scaled by mass.
  EXPECT_NEAR(ScoreOf(GoodWalk(), {.speed = 1.2, .mass = 35}).total, 0.18, 1e-9);
  const WalkFigures figures = FiguresOf(GoodWalk());
  EXPECT_NEAR(figures.speed, 1.2, 1e-12);
  EXPECT_NEAR(figures.step_length, 0.6, 1e-12);
  EXPECT_NEAR(figures.cadence, 120, 1e-9);
}

// Each weight and tolerance is the paper's (Section 4.1).
TEST(WalkObjective, EachTermHasThePapersWeightAndTolerance) {
  EXPECT_EQ(Term(GoodWalk(), {.speed = 1.22}, WalkTerm::kUser), 0);  // within 0.025
  EXPECT_NEAR(Term(GoodWalk(), {.speed = 1.3, .step_length = 0.7}, WalkTerm::kUser), 100 * 0.02,
              1e-9);
  auto v = GoodWalk();
  v[M::kNowY] = 1;  // 0.1 m/s aside
  EXPECT_NEAR(Term(v, {}, WalkTerm::kVel), 100 * 0.01, 1e-9);
  v = GoodWalk();
  v[M::kStartSpeed] = 1.7;
  EXPECT_NEAR(Term(v, {}, WalkTerm::kVel), 100 * 0.01 * 0.25, 1e-9);
  v = GoodWalk();
  v[M::kUnplanted] = 0.5, v[M::kStubbed] = 0.5;
  EXPECT_NEAR(Term(v, {}, WalkTerm::kLand), 1.2 * 0.1, 1e-9);
  v = GoodWalk();
  v[M::kSeconds] = 5;
  EXPECT_NEAR(Term(v, {}, WalkTerm::kFail), 120000 * 0.5, 1e-6);
  v = GoodWalk();
  v[M::kStateSeconds] = 3;  // 0.05 s longer a step on the left
  EXPECT_NEAR(Term(v, {}, WalkTerm::kSym), 100 * 0.05 * 0.05, 1e-9);
  v = GoodWalk();
  const double unit = 70 * 0.9 * 1.2;  // mass, height, speed
  v[M::kSpinRate] = kSeconds * unit * unit * 0.04;
  EXPECT_EQ(Term(v, {}, WalkTerm::kAng), 0);
  v[M::kSpinRate] = kSeconds * unit * unit * 0.06;
  EXPECT_NEAR(Term(v, {}, WalkTerm::kAng), 10 * 0.06, 1e-9);
  EXPECT_NEAR(ScoreOf(v, {}).spin_rate, std::sqrt(0.06), 1e-9);  // before the tolerance
  v = GoodWalk();
  v[M::kHeadTilted] = 2.5;
  EXPECT_NEAR(Term(v, {}, WalkTerm::kHead), 100 * 0.012 * 0.25, 1e-9);
  v[M::kHeadTilted] = 0;
  v[M::kHeadSpeedSquare] += 0.2 * 0.2 * kSeconds;  // a deviation of 0.2 m/s
  EXPECT_NEAR(Term(v, {}, WalkTerm::kHead), 100 * 0.2, 1e-6);
  v = GoodWalk();
  v[M::kTorqueHips] += v[M::kTorqueKnees];
  v[M::kTorqueKnees] = 0;
  EXPECT_NEAR(Term(v, {}, WalkTerm::kRatio), 2 * 0.04 * 0.04, 1e-9);
}

// Ours: squares of deviations between people, mean of three curves; and of weights beyond 1.3.
TEST(WalkObjective, LegsShouldMoveAsPeoplesAndLandSoftly) {
  EXPECT_EQ(Term(GoodWalk(), {}, WalkTerm::kHuman), 0);
  auto v = GoodWalk();
  v[M::kCurveSeconds] = 8;
  v[M::kCurves + 1] = 8 * std::pow(3 * kHumanKnee.deviation, 2);
  EXPECT_NEAR(FiguresOf(v).curves[1], 3, 1e-9);
  const double human = Term(v, {}, WalkTerm::kHuman);
  EXPECT_GT(human, 0);
  v[M::kCurves + 2] = 8 * std::pow(3 * kHumanFoot.deviation, 2);
  EXPECT_NEAR(Term(v, {}, WalkTerm::kHuman), 2 * human, 1e-9);
  EXPECT_EQ(Term(v, {}, WalkTerm::kSoft), 0);
  v[M::kImpact] = 1;
  EXPECT_GT(Term(v, {}, WalkTerm::kSoft), 0);
}

TEST(WalkObjective, TermsAreLeftOutButReported) {
  auto v = GoodWalk();
  v[M::kNowY] = 1;
  WalkGoal goal;
  goal.without[static_cast<int>(FindTerm("vel"))] = true;
  const WalkScore score = ScoreOf(v, goal);
  EXPECT_NEAR(score.total, 0.075, 1e-9);
  EXPECT_GT(score.weighted[static_cast<int>(WalkTerm::kVel)], 0.9);
  EXPECT_THAT(InputErrorOf([] { FindTerm("velocity"); }), HasSubstr("user, vel, land"));
}

TEST(WalkObjective, OnASlopeItRisesWithTheGround) {
  auto v = GoodWalk();
  v[M::kNowZ] = 0.9 + 12 * std::tan(0.2);
  EXPECT_GT(Term(v, {}, WalkTerm::kVel), 0.05);
  EXPECT_NEAR(Term(v, {.slope = 0.2}, WalkTerm::kVel), 0, 1e-9);
}

}  // namespace
}  // namespace stride
