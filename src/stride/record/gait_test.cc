#include "stride/record/gait.h"

#include <cmath>
#include <functional>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/math/rotation.h"
#include "stride/motion/kinematics.h"
#include "stride/motion/library.h"
#include "stride/sim/world.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using testing::HasSubstr;
constexpr double kPi = std::numbers::pi;
constexpr double kDegree = kPi / 180;

// A walk made of formulas, at 100 frames/s: the left foot strikes at phase 0.
struct WalkPlan {
  double cycle = 1.2;                                     // s
  double duty = 0.6;                                      // of both feet
  double right_at = 0.5;                                  // phase of the right foot's strike
  double left_step = 0.6, right_step = 0.6, width = 0.2;  // m
  double heading = 0.7;                                   // rad, of travel
  double facing = 0;                                      // rad, of the pelvis against it
  double turn = 0;                                        // rad/s, of the pelvis
  double seconds = 6.05;
};

// Angles over the cycle, rad; whole cycles of sines.
double ThighAt(double phase) { return 0.1 + 0.4 * std::cos(2 * kPi * phase); }
double KneeAt(double phase) { return 0.5 - 0.4 * std::cos(4 * kPi * phase); }
double FootAt(double phase) { return -0.3 + 0.6 * std::cos(2 * kPi * phase); }
constexpr double kPelvisPitch = 0.1, kTrunkPitch = 0.15, kArm = -0.2;

Quatd Pitch(double forwards) { return AxisAngle({0, 1, 0}, forwards); }  // of the body's top
Quatd Turn(double heading) { return AxisAngle({0, 0, 1}, heading); }

GaitSource SyntheticWalk(const WalkPlan& plan) {
  GaitSource source;
  source.name = "plan";
  source.mass = 50;
  source.gravity = 10;
  source.arms = true;
  const double stride = plan.left_step + plan.right_step;
  const Vec3d along{std::cos(plan.heading), std::sin(plan.heading), 0};
  const Vec3d left{-along.y, along.x, 0};
  for (int f = 0; f * 0.01 <= plan.seconds; ++f) {
    GaitFrame frame;
    frame.time = f * 0.01;
    // Half a frame ahead, so that no event falls on a frame's very edge.
    const double rounds = (frame.time + 0.005) / plan.cycle;
    frame.pelvis = along * (stride * rounds) + Vec3d{0, 0, 0.9};
    const Quatd body = Turn(plan.heading + plan.facing + plan.turn * frame.time);
    frame.pelvis_turn = body * Pitch(kPelvisPitch);
    frame.trunk = body * Pitch(kTrunkPitch);
    for (int side = 0; side < 2; ++side) {
      GaitFrame::Side& leg = frame.sides[side];
      const double own = rounds - (side == 0 ? 0 : plan.right_at);
      const double whole = std::floor(own), phase = own - whole;
      leg.down = phase < plan.duty;
      const double moved = leg.down ? 0 : (phase - plan.duty) / (1 - plan.duty);
      leg.ankle = along * (stride * (whole + moved) + (side == 0 ? 0 : plan.right_step)) +
                  left * (side == 0 ? plan.width / 2 : -plan.width / 2);
      leg.thigh = body * Pitch(-ThighAt(phase));
      leg.shank = leg.thigh * Pitch(KneeAt(phase));
      leg.foot = body * Pitch(-FootAt(phase));
      leg.upper_arm = Rotate(Pitch(-kArm), Vec3d{0, 0, -1});
    }
    source.frames.push_back(frame);
  }
  return source;
}

void ExpectCurve(const GaitAnalysis& analysis, const std::string& name,
                 const std::function<double(double)>& expected) {
  const GaitCurve* curve = FindCurve(analysis.curves, name);
  ASSERT_TRUE(curve) << name;
  ASSERT_EQ(curve->mean.size(), static_cast<std::size_t>(kGaitSamples));
  for (int k = 0; k < kGaitSamples; ++k) {
    // A strike is seen half a frame late. Lines between frames cut the curves by a little.
    const double phase = k / 100.0 + 0.005 / 1.2;
    EXPECT_NEAR(curve->mean[k], expected(phase) / kDegree, 0.05) << name << " " << k;
    EXPECT_LT(curve->deviation[k], 1e-6) << name << " " << k;
  }
}

TEST(GaitTest, KnownWalk) {
  const GaitAnalysis a = AnalyzeGait(SyntheticWalk({}));
  EXPECT_NEAR(a.cycle_time.mean, 1.2, 1e-9);
  EXPECT_NEAR(a.cadence, 100, 1e-6);
  EXPECT_NEAR(a.speed.mean, 1.0, 1e-9);
  EXPECT_NEAR(a.step_length.mean, 0.6, 1e-9);
  EXPECT_NEAR(a.step_width.mean, 0.2, 1e-9);
  EXPECT_NEAR(a.step_time.mean, 0.6, 1e-9);
  EXPECT_NEAR(a.duty_factor.mean, 0.6, 1e-6);
  EXPECT_NEAR(a.double_support.mean, 0.2, 1e-6);
  EXPECT_NEAR(a.flight.mean, 0, 1e-9);
  EXPECT_NEAR(a.asymmetry, 0, 1e-9);
  EXPECT_EQ(a.turning + a.uneven + a.irregular, 0);
  EXPECT_FALSE(a.effort);
  EXPECT_EQ(a.cycles, (std::array<int, 2>{4, 4}));  // the first strike at 0 has no frame before it
  EXPECT_FALSE(FindCurve(a.curves, "force_vertical"));
}

TEST(GaitTest, KnownAngles) {
  const GaitAnalysis a = AnalyzeGait(SyntheticWalk({}));
  ExpectCurve(a, "thigh", ThighAt);
  ExpectCurve(a, "knee", KneeAt);
  ExpectCurve(a, "foot", FootAt);
  // Against a pelvis that leans forwards the hip is bent more; the ankle is what is left.
  ExpectCurve(a, "hip", [](double p) { return ThighAt(p) + kPelvisPitch; });
  ExpectCurve(a, "ankle", [](double p) { return FootAt(p) - ThighAt(p) + KneeAt(p); });
  ExpectCurve(a, "trunk", [](double) { return kTrunkPitch; });
  ExpectCurve(a, "arm", [](double) { return kArm; });
}

TEST(GaitTest, DeviationIsOverTheCycles) {
  GaitSource source = SyntheticWalk({});
  for (GaitFrame& frame : source.frames) {
    frame.trunk = Turn(0.7) * Pitch(frame.time < 3.3 ? 0.1 : 0.3);
  }
  const GaitAnalysis a = AnalyzeGait(source);
  const GaitCurve* trunk = FindCurve(a.curves, "trunk");
  // In the middle of their cycles four are before the change and four after it.
  EXPECT_NEAR(trunk->mean[50], 0.2 / kDegree, 1e-6);
  EXPECT_NEAR(trunk->deviation[50], std::sqrt(8 * 0.01 / 7) / kDegree, 1e-6);
  EXPECT_NEAR(trunk->side_mean[0][50], 0.2 / kDegree, 1e-6);
}

TEST(GaitTest, FacingBackwardsTheSagittalPlaneTurnsWithThePelvis) {
  const GaitAnalysis a = AnalyzeGait(SyntheticWalk({.facing = kPi}));
  EXPECT_NEAR(a.step_length.mean, 0.6, 1e-9);
  ExpectCurve(a, "thigh", ThighAt);
  ExpectCurve(a, "trunk", [](double) { return kTrunkPitch; });
  // Its left foot is now on the right of its travel: the feet cross.
  EXPECT_NEAR(a.step_width.mean, -0.2, 1e-9);
}

TEST(GaitTest, AsymmetryHasItsSideAndSign) {
  const GaitAnalysis a =
      AnalyzeGait(SyntheticWalk({.right_at = 0.4, .left_step = 0.7, .right_step = 0.5}));
  EXPECT_NEAR(a.step_length.side[0], 0.7, 1e-9);
  EXPECT_NEAR(a.step_length.side[1], 0.5, 1e-9);
  EXPECT_NEAR(a.step_length.Asymmetry(), 0.2 / 0.6, 1e-9);
  EXPECT_NEAR(a.step_time.side[0], 0.72, 1e-9);
  EXPECT_NEAR(a.step_time.side[1], 0.48, 1e-9);
  EXPECT_NEAR(a.asymmetry, (0.2 / 0.6 + 0.24 / 0.6 + 0) / 3, 1e-6);
}

TEST(GaitTest, RunHasFlightAndNoDoubleSupport) {
  const GaitAnalysis a = AnalyzeGait(SyntheticWalk(
      {.cycle = 0.8, .duty = 0.35, .left_step = 1.2, .right_step = 1.2, .width = 0.05}));
  EXPECT_NEAR(a.duty_factor.mean, 0.35, 1e-6);
  EXPECT_NEAR(a.flight.mean, 0.3, 1e-6);
  EXPECT_NEAR(a.double_support.mean, 0, 1e-9);
  EXPECT_NEAR(a.step_length.mean, 1.2, 1e-9);
  EXPECT_NEAR(a.speed.mean, 3, 1e-9);
}

TEST(GaitTest, NoiseInContactsDoesNotCount) {
  GaitSource source = SyntheticWalk({});
  const GaitAnalysis clean = AnalyzeGait(source);
  // At 2.6 s the left foot is down, at 3.4 s in the air.
  for (int f = 260; f < 264; ++f) source.frames[f].sides[0].down = false;
  for (int f = 340; f < 344; ++f) source.frames[f].sides[0].down = true;
  const GaitAnalysis noisy = AnalyzeGait(source);
  EXPECT_EQ(noisy.strikes, clean.strikes);
  EXPECT_EQ(noisy.duty_factor.mean, clean.duty_factor.mean);
}

TEST(GaitTest, StumblesAndTurnsAreLeftOutAndCounted) {
  GaitSource stumbles = SyntheticWalk({});
  for (int f = 370; f < 430; ++f) stumbles.frames[f].sides[1].down = true;  // a step is missing
  const GaitAnalysis a = AnalyzeGait(stumbles);
  EXPECT_GE(a.uneven, 1);
  EXPECT_NEAR(a.cycle_time.mean, 1.2, 1e-9);
  ASSERT_FALSE(a.notes.empty());
  EXPECT_THAT(a.notes.back(), HasSubstr("cycles were left out"));

  EXPECT_EQ(AnalyzeGait(SyntheticWalk({.turn = 0.1})).turning, 0);
  EXPECT_THAT(InputErrorOf([] { AnalyzeGait(SyntheticWalk({.turn = 0.5})); }),
              HasSubstr("turning"));
  // A whole turn in a cycle.
  EXPECT_THAT(InputErrorOf([] { AnalyzeGait(SyntheticWalk({.turn = 2 * kPi / 1.2})); }),
              HasSubstr("turning"));
}

TEST(GaitTest, WhatDoesNotWalkSaysWhatWasFound) {
  const auto error_of = [](double seconds) {
    return InputErrorOf([&] { AnalyzeGait(SyntheticWalk({.seconds = seconds})); });
  };
  // The right foot strikes at 0.6 s.
  EXPECT_THAT(error_of(0.8),
              HasSubstr("plan: 0 heel strikes of the left foot and 1 heel strike of the right foot "
                        "in 0.8 s; a gait needs two of the same foot"));
  EXPECT_THAT(error_of(0), HasSubstr("0 heel strikes"));
  EXPECT_EQ(error_of(2.5), "");
}

// --- from motions and recordings ---

// The same angles as coordinates of a real body, which keeps its feet where its legs put them.
class GaitPuppetTest : public testing::Test {
 protected:
  GaitPuppetTest() : human_(LoadCharacter("human")), layout_(LayoutOf(human_)) {}

  std::vector<double> Pose(double time) const {
    std::vector<double> q = ZeroState(human_).q;
    const double rounds = (time + 0.005) / 1.2;
    Put(Vec3d{std::cos(0.7), std::sin(0.7), 0} * rounds + Vec3d{0, 0, 0.95}, 0, &q);
    Put(Turn(0.7) * Pitch(kPelvisPitch), 3, &q);
    for (int side = 0; side < 2; ++side) {
      const double phase = rounds - 0.5 * side;
      const auto at = [&](Role left, Role right) {
        return layout_.q[human_.BodyOf(side == 0 ? left : right)];
      };
      const double thigh = ThighAt(phase), knee = KneeAt(phase);
      Put(Pitch(-thigh - kPelvisPitch), at(Role::kLeftThigh, Role::kRightThigh), &q);
      q[at(Role::kLeftShank, Role::kRightShank)] = knee;
      Put(Pitch(thigh - knee - FootAt(phase)), at(Role::kLeftFoot, Role::kRightFoot), &q);
    }
    return q;
  }
  static bool Down(double time, int side) {
    const double phase = (time + 0.005) / 1.2 - 0.5 * side;
    return phase - std::floor(phase) < 0.6;
  }

  Motion PuppetMotion() const {
    Motion motion{.name = "puppet", .character = "human", .fps = 100};
    for (int f = 0; f <= 605; ++f) {
      const double time = f * 0.01;
      motion.frames.push_back(Pose(time));
      motion.contacts.push_back((Down(time, 0) ? kLeftFootDown : 0) |
                                (Down(time, 1) ? kRightFootDown : 0));
    }
    return motion;
  }

  // Every foot that is down carries the whole weight, two thirds of it with the foot and the rest
  // with the toes, and pushes forwards with a tenth.
  Recording PuppetRecording() const {
    Recording recording;
    recording.header.title = "puppet";
    recording.header.setup = {{"puppet", true}};
    recording.header.world.actors = {MakeBall(0.1, 1), human_};
    recording.header.controllers.resize(2);
    const auto weight = static_cast<float>(TotalMass(human_) * 9.81);
    for (int f = 0; f <= 605; ++f) {
      RecordedFrame frame;
      frame.step = f;
      frame.time = f * 0.01;
      frame.actors = {ZeroState(MakeBall(0.1, 1)),
                      {Pose(frame.time), std::vector<double>(layout_.nv, 0)}};
      frame.controls.resize(2);
      std::vector<float>& torques = frame.controls[1].torques;
      torques.assign(layout_.nv, 0);
      const auto drive = [&](Role role, int k, float torque, double rate) {
        torques[layout_.v[human_.BodyOf(role)] + k] = torque;
        frame.actors[1].v[layout_.v[human_.BodyOf(role)] + k] = rate;
      };
      drive(Role::kLeftShank, 0, 10, -3);  // 30 W
      drive(Role::kRightShank, 0, 5, 2);   // 10 W
      drive(Role::kLeftThigh, 0, 20, 1);   // 20 W - 5 W of one joint
      drive(Role::kLeftThigh, 1, 5, -1);
      drive(Role::kRightFoot, 1, 2, 4);  // 8 W
      drive(Role::kRightToe, 0, 1, 7);   // 7 W
      for (int side = 0; side < 2; ++side) {
        if (!Down(frame.time, side)) continue;
        const auto add = [&](Role left, Role right, float share) {
          const float x = 0.1f * static_cast<float>(std::cos(0.7));
          const float y = 0.1f * static_cast<float>(std::sin(0.7));
          const float force = share * weight;
          frame.contacts.push_back({1,
                                    human_.BodyOf(side == 0 ? left : right),
                                    -1,
                                    -1,
                                    {0, 0, 0},
                                    {x * force, y * force, force}});
        };
        add(Role::kLeftFoot, Role::kRightFoot, 2.0f / 3);
        add(Role::kLeftToe, Role::kRightToe, 1.0f / 3);
      }
      frame.contacts.push_back({1, human_.BodyOf(Role::kLeftFoot), 0, 0, {}, {0, 0, 9 * weight}});
      recording.frames.push_back(std::move(frame));
    }
    return recording;
  }

  Character human_;
  Layout layout_;
};

TEST_F(GaitPuppetTest, MotionGivesTheAnglesOfItsCoordinates) {
  const GaitAnalysis a = AnalyzeGait(PuppetMotion(), human_, {});
  EXPECT_NEAR(a.cycle_time.mean, 1.2, 1e-9);
  EXPECT_NEAR(a.speed.mean, 1 / 1.2, 1e-9);
  EXPECT_NEAR(a.duty_factor.mean, 0.6, 1e-6);
  ExpectCurve(a, "thigh", ThighAt);
  ExpectCurve(a, "knee", KneeAt);
  ExpectCurve(a, "foot", FootAt);
  ExpectCurve(a, "hip", [](double p) { return ThighAt(p) + kPelvisPitch; });
  ExpectCurve(a, "trunk", [](double) { return kPelvisPitch; });
  ExpectCurve(a, "arm", [](double) { return 0; });
}

TEST_F(GaitPuppetTest, RecordingGivesForcesAndEffort) {
  const GaitAnalysis a = AnalyzeGait(PuppetRecording(), {.actor = 1, .from = 0});
  ExpectCurve(a, "thigh", ThighAt);
  EXPECT_NEAR(a.duty_factor.mean, 0.6, 1e-6);
  const GaitCurve* vertical = FindCurve(a.curves, "force_vertical");
  const GaitCurve* forward = FindCurve(a.curves, "force_forward");
  ASSERT_TRUE(vertical && forward);
  for (int k = 2; k < 57; ++k) {
    EXPECT_NEAR(vertical->mean[k], 1, 1e-5);
    // The feet of the puppet slide along its way.
    EXPECT_NEAR(forward->mean[k], 0.1, 1e-4);
  }
  EXPECT_NEAR(vertical->mean[80], 0, 1e-9);
  ASSERT_TRUE(a.effort);
  EXPECT_NEAR(a.effort->power[kHipJoints], 15, 1e-4);
  EXPECT_NEAR(a.effort->power[kKneeJoints], 40, 1e-4);
  EXPECT_NEAR(a.effort->power[kAnkleJoints], 8, 1e-4);
  EXPECT_NEAR(a.effort->power[kOtherJoints], 7, 1e-4);
  EXPECT_NEAR(a.effort->squared_torque[kHipJoints], 425, 1e-3);
  EXPECT_NEAR(a.effort->squared_torque[kKneeJoints], 125, 1e-3);
  EXPECT_NEAR(a.effort->squared_torque[kAnkleJoints], 4, 1e-3);
  EXPECT_NEAR(a.effort->ratio[kHipJoints], 425.0 / 554, 1e-6);
  EXPECT_NEAR(a.effort->cost_of_transport, 70 / (TotalMass(human_) * 9.81 / 1.2), 1e-5);
}

TEST_F(GaitPuppetTest, TimesAreCut) {
  Recording recording = PuppetRecording();
  GaitAnalysis a = AnalyzeGait(recording, {.actor = 1});
  EXPECT_NEAR(a.from, 2, 1e-9);  // longer than 6 s
  EXPECT_THAT(a.notes, testing::Contains(HasSubstr("first 2 s")));
  a = AnalyzeGait(recording, {.actor = 1, .from = 1, .to = 4});
  EXPECT_NEAR(a.from, 1, 1e-9);
  EXPECT_NEAR(a.to, 4, 1e-9);
  recording.events = {{100, 1, "fall", {{"actor", 0}}}, {500, 5, "fall", {{"actor", 1}}}};
  a = AnalyzeGait(recording, {.actor = 1});
  EXPECT_LT(a.to, 5);
  EXPECT_EQ(a.from, 0);  // what is left is short
  for (const double wrong : {8.0, -1.0, std::nan("")}) {
    EXPECT_THAT(InputErrorOf([&] { AnalyzeGait(recording, {.actor = 1, .from = wrong}); }),
                HasSubstr("expected times between 0.00 s and 4.99 s"));
  }
}

TEST_F(GaitPuppetTest, WithoutLabelsContactsAreFound) {
  const Motion walk = LoadMotion("walk", human_);
  Motion bare = walk;
  bare.contacts.assign(bare.contacts.size(), 0);
  const GaitAnalysis with = AnalyzeGait(walk, human_, {}), without = AnalyzeGait(bare, human_, {});
  EXPECT_NEAR(without.cycle_time.mean, with.cycle_time.mean, 0.02);
  EXPECT_NEAR(without.step_length.mean, with.step_length.mean, 0.02);
  // A recording that plays a motion has no forces either.
  const GaitAnalysis played = AnalyzeGait(RecordingFromMotion(bare, human_, 4), {});
  EXPECT_NEAR(played.cycle_time.mean, with.cycle_time.mean, 0.02);
}

TEST_F(GaitPuppetTest, StrikesOfCapturesAreFoundBeforeTheirLabels) {
  const Motion walk = LoadMotion("walk", human_);
  Motion late = walk;
  const int delay = static_cast<int>(0.08 * walk.fps), round = walk.FrameCount() - 1;
  for (int f = 0; f <= round; ++f) {
    for (int back = 1; back <= delay; ++back) {
      late.contacts[f] &= walk.contacts[(f - back + round) % round];
    }
  }
  const double right = AnalyzeGait(walk, human_, {}).duty_factor.mean;
  EXPECT_LT(AnalyzeGait(late, human_, {}).duty_factor.mean, right - 0.05);
  const GaitAnalysis found = AnalyzeGait(late, human_, {.captured = true});
  EXPECT_NEAR(found.duty_factor.mean, right, 0.05);
  EXPECT_GT(FindCurve(found.curves, "foot")->mean[0], 15);  // heel first
}

TEST_F(GaitPuppetTest, CapturedFeetAreLevelled) {
  Motion walk = LoadMotion("walk", human_);
  const GaitAnalysis before = AnalyzeGait(walk, human_, {});
  for (std::vector<double>& q : walk.frames) {
    for (const Role role : {Role::kLeftFoot, Role::kRightFoot}) {
      const int at = layout_.q[human_.BodyOf(role)];
      Put(QuatAt(q, at) * Pitch(0.2), at, &q);  // toes down
    }
  }
  const GaitAnalysis tilted = AnalyzeGait(walk, human_, {});
  const GaitAnalysis levelled = AnalyzeGait(walk, human_, {.captured = true});
  const auto at_stance = [](const GaitAnalysis& a) {
    return FindCurve(a.curves, "foot")->mean[25];
  };
  EXPECT_NEAR(at_stance(tilted), at_stance(before) - 0.2 / kDegree, 0.5);
  EXPECT_NEAR(at_stance(levelled), 0, 1);
}

TEST_F(GaitPuppetTest, HostileInputIsRefused) {
  Recording recording = PuppetRecording();
  EXPECT_THAT(InputErrorOf([&] { AnalyzeGait(recording, {}); }),
              HasSubstr("has no pelvis, trunk, left_thigh"));
  EXPECT_THAT(InputErrorOf([&] { AnalyzeGait(recording, {.actor = 2}); }),
              HasSubstr("no actor 2; expected 0 to 1"));
  EXPECT_THAT(InputErrorOf([&] { AnalyzeGait(recording, {.actor = -1}); }), HasSubstr("no actor"));
  for (RecordedContact& contact : recording.frames[300].contacts) contact.body = 1000;
  recording.frames[301].controls[1].torques = {NAN};
  recording.frames[302].controls.clear();
  recording.frames[303].actors.clear();
  EXPECT_NO_THROW(AnalyzeGait(recording, {.actor = 1}));
  recording.frames[250].actors[1].q[5] = NAN;  // all from here on is lost
  EXPECT_LT(AnalyzeGait(recording, {.actor = 1, .from = 0}).to, 2.5);
  recording.frames[0].actors[1].q.pop_back();
  EXPECT_THAT(InputErrorOf([&] { AnalyzeGait(recording, {.actor = 1}); }), HasSubstr("no frame"));
  recording.frames.clear();
  EXPECT_NE(InputErrorOf([&] { AnalyzeGait(recording, {.actor = 1}); }), "");
  EXPECT_NE(InputErrorOf([&] { AnalyzeGait(Recording{}, {}); }), "");
  EXPECT_NE(InputErrorOf([&] { AnalyzeGait(Motion{}, human_, {}); }), "");
  EXPECT_THAT(InputErrorOf([&] { AnalyzeGait(LoadMotion("stand", human_), human_, {}); }),
              HasSubstr("needs two of the same foot"));
}

TEST_F(GaitPuppetTest, JsonHasNullForWhatIsNotKnown) {
  GaitSource source = SyntheticWalk({.seconds = 2.5});
  source.frames.resize(200);  // 1.99 s: two strikes of the right foot, one of the left
  const GaitAnalysis a = AnalyzeGait(source);
  EXPECT_EQ(a.cycles, (std::array<int, 2>{0, 1}));
  const auto json = ToJson(a);
  EXPECT_TRUE(json["cycle_time"]["left"].is_null());
  EXPECT_NEAR(json["cycle_time"]["right"].get<double>(), 1.2, 1e-9);
  EXPECT_TRUE(json["asymmetry"].is_null());
  EXPECT_TRUE(json["effort"].is_null());
  EXPECT_EQ(json["curves"][0]["mean"].size(), 101u);
  EXPECT_EQ(json["curves"][0]["left"].size(), 0u);
}

}  // namespace
}  // namespace stride
