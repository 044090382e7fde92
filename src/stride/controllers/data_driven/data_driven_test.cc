#include "stride/controllers/data_driven/data_driven.h"

#include <cmath>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/controllers/data_driven/learn_gains.h"
#include "stride/controllers/registry.h"
#include "stride/controllers/skill_library.h"
#include "stride/math/rotation.h"
#include "stride/motion/edit/blend.h"
#include "stride/motion/library.h"
#include "stride/scenario/fall.h"
#include "stride/scenario/placement.h"
#include "stride/scenario/scenario.h"
#include "stride/sim/engine.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using data_driven_controller::DataDrivenSkill;
using testing::HasSubstr;

EditedPose PoseOf(const Rig& rig, const std::vector<double>& q) {
  EditedPose pose{q, {}};
  rig.kinematics.Frames(q, &pose.frames);
  return pose;
}

// ---- Feedback, on a body of balls and on one of hinge chains

class BalanceTest : public testing::TestWithParam<const char*> {
 public:
  BalanceTest() : rig(LoadCharacter(GetParam())), pose(PoseOf(rig, Bent())) {}
  std::vector<double> Bent() const {
    return SampleMotion(LoadMotion("walk", rig.character), rig.character, 0.3);
  }
  Vec3d Foot(int side) const { return pose.frames.position[rig.feet[side].foot]; }

  Rig rig;
  EditedPose pose;
};

TEST_P(BalanceTest, TheSwingFootFollowsTheFeedback) {
  for (const Vec3d& feedback : {Vec3d{0.1, 0, 0}, Vec3d{0, 0.1, 0}, Vec3d{-0.1, -0.05, 0}}) {
    pose = PoseOf(rig, Bent());
    const Vec3d before = Foot(0);
    TurnSwingHip(rig, 0, feedback, 0, &pose);
    const Vec3d way = Foot(0) - before;
    EXPECT_GT(way.x * feedback.x + way.y * feedback.y, 0.5 * SquaredNorm(feedback));
    // What the edit says of the bodies is what the coordinates say.
    EXPECT_LT(Norm(PoseOf(rig, pose.q).frames.position[rig.feet[0].foot] - Foot(0)), 1e-9);
  }
}

TEST_P(BalanceTest, ALevelSwingFootKeepsItsOrientation) {
  const Quatd before = pose.frames.rotation[rig.feet[1].foot];
  TurnSwingHip(rig, 1, {0.15, 0, 0}, 1, &pose);
  EXPECT_LT(Norm(Log(Conjugate(before) * pose.frames.rotation[rig.feet[1].foot])), 0.02);
}

TEST_P(BalanceTest, TheStanceAnklePutsItsToesDownForWhoIsAhead) {
  const auto toes = [&] {  // pitch of the foot, rad
    return std::asin(Rotate(pose.frames.rotation[rig.feet[1].foot], Vec3d{1, 0, 0}).z);
  };
  const double before = toes();
  TurnStanceAnkle(rig, 1, {0.1, 0, 0}, &pose);
  EXPECT_NEAR(toes(), before - 0.1, 0.02);
}

TEST_P(BalanceTest, TheStanceHipGoesOverToTheSimulatedThigh) {
  const int thigh = rig.feet[0].thigh;
  const Quatd pelvis = pose.frames.rotation[rig.pelvis];
  const Quatd simulated = Exp(Vec3d{0.1, 0.2, 0}) * pose.frames.rotation[thigh];
  MatchStanceHip(rig, 0, simulated, 1, &pose);
  EXPECT_LT(Norm(Log(Conjugate(simulated) * pose.frames.rotation[thigh])), 0.01);
  EXPECT_EQ(pelvis, pose.frames.rotation[rig.pelvis]);
}

TEST_P(BalanceTest, AFootIsRaisedInTheWorldOfTheSimulatedRoot) {
  const Quatd root = Exp(Vec3d{0.05, 0.1, 0.3}) * QuatAt(pose.q, 3);
  EditedPose scratch = pose;
  std::vector<double> turned = pose.q;
  Put(root, 3, &turned);
  const Vec3d before = PoseOf(rig, turned).frames.position[rig.feet[1].foot];
  RaiseFoot(rig, 1, root, 0.04, &pose, &scratch);
  turned = pose.q;
  Put(root, 3, &turned);
  const Vec3d way = PoseOf(rig, turned).frames.position[rig.feet[1].foot] - before;
  EXPECT_NEAR(way.z, 0.04, 2e-3);
  EXPECT_NEAR(std::hypot(way.x, way.y), 0, 5e-3);
}

INSTANTIATE_TEST_SUITE_P(Bodies, BalanceTest, testing::Values("lee10", "liu16", "wang09-tall"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST(FeedbackTest, GainsDependOnTheSideOfTheReference) {
  FeedbackGains gains;
  gains.c1_sagittal_behind = 1, gains.c1_sagittal_ahead = 2;
  gains.c2_sagittal_behind = 3, gains.c2_sagittal_ahead = 4;
  gains.c1_coronal = 5, gains.c2_coronal = 6;
  // The way leads along +Y: the sagittal plane is its, and left of it is -X.
  BalanceError error{.velocity = {0, 0.1, 0}, .position = {0, -0.2, 0}, .along = {0, 1, 0}};
  EXPECT_NEAR(SwingFeedback(gains, error).y, 1 * 0.1 - 3 * 0.2, 1e-12);
  error.position.y = 0.2;
  EXPECT_NEAR(SwingFeedback(gains, error).y, 2 * 0.1 + 4 * 0.2, 1e-12);
  error = {.velocity = {0.1, 0, 0}, .position = {-0.2, 0, 0}, .along = {0, 1, 0}};
  EXPECT_NEAR(SwingFeedback(gains, error).x, 5 * 0.1 - 6 * 0.2, 1e-12);
}

TEST(GainsTest, AreThoseOfFigure5) {
  EXPECT_EQ(PublishedGains().size(), 21u);
  const FeedbackGains& gentle = RowOfGains("gentle");
  EXPECT_EQ(gentle.c1_sagittal_behind, 0);
  EXPECT_EQ(gentle.c1_coronal, 0.3);
  EXPECT_EQ(gentle.c2_sagittal_behind, 1.2);
  EXPECT_EQ(gentle.c2_sagittal_ahead, 0.05);
  EXPECT_EQ(gentle.c4_sagittal, 0.1);
  EXPECT_EQ(gentle.c5, 0.5);
  EXPECT_EQ(gentle.c6, 0.02);
  EXPECT_EQ(RowOfGains("backward").c3_coronal, 0.3);
  EXPECT_THAT(InputErrorOf([] { RowOfGains("limp"); }), HasSubstr("limp"));
}

// Legs twice as long make steps twice as long in the square root of two of the time: feedback on
// twice the error turns a joint as far.
TEST(GainsTest, FitTheLegs) {
  const FeedbackGains usual = TunedGains()[0].gains, twice = ForLegs(usual, 2);
  const double time = std::sqrt(2.0);
  const BalanceError error = {{0.3, -0.1, 0}, {-0.05, 0.02, 0}, {1, 0, 0}};
  const BalanceError larger = {error.velocity * (2 / time), error.position * 2, error.along};
  EXPECT_LT(Norm(SwingFeedback(usual, error) - SwingFeedback(twice, larger)), 1e-12);
  EXPECT_LT(Norm(AnkleFeedback(usual, error) - AnkleFeedback(twice, larger)), 1e-12);
  EXPECT_DOUBLE_EQ(twice.lift, 2 * usual.lift);
  EXPECT_DOUBLE_EQ(twice.lean, usual.lean);
  EXPECT_EQ(ForLegs(usual, 1), usual);
}

TEST(GainsTest, EveryGainIsAMember) {
  FeedbackGains gains;
  EXPECT_EQ(FieldsOf(&gains).size(), static_cast<std::size_t>(kGainCount));
  FeedbackGains sum = NoGains();
  AddShare(RowOfGains("slow"), 0.25, &sum);
  AddShare(RowOfGains("fast"), 0.75, &sum);
  EXPECT_DOUBLE_EQ(sum.c1_coronal, 0.25 * 0.25 + 0.75 * 0.3);
}

// ---- Fragments

class FragmentTest : public testing::Test {
 public:
  Character body = LoadCharacter("lee10");
  Motion walk = LoadMotion("walk", body);
};

TEST_F(FragmentTest, AWalkIsCutAtItsLandings) {
  const std::vector<StepFragment> fragments = CutAtContacts(body, walk);
  ASSERT_EQ(fragments.size(), 2u);
  EXPECT_NE(fragments[0].Swing(), fragments[1].Swing());
  double seconds = 0, way = 0;
  for (const StepFragment& fragment : fragments) {
    EXPECT_GE(fragment.Swing(), 0);
    EXPECT_GT(fragment.both, 0.05);
    EXPECT_LT(fragment.both, 0.45);
    EXPECT_NEAR(fragment.turn, 0, 0.01);
    EXPECT_EQ(fragment.frames[0][0], 0);
    seconds += fragment.seconds;
    way += fragment.frames.back()[0];
  }
  EXPECT_NEAR(seconds, walk.Duration(), 1e-6);
  EXPECT_NEAR(way / seconds, MeanSpeed(walk), 0.01);
  // One goes on where the other ends.
  for (std::size_t k = 7; k < body.rest_q.size(); ++k) {
    EXPECT_NEAR(fragments[0].frames.back()[k], fragments[1].frames[0][k], 1e-6) << k;
  }
}

TEST_F(FragmentTest, TurningWalksKnowTheirTurn) {
  const std::vector<StepFragment> fragments = CutAtContacts(body, LoadMotion("turn_left", body));
  double turn = 0;
  for (const StepFragment& fragment : fragments) turn += fragment.turn;
  EXPECT_NEAR(turn, M_PI / 4, 0.02);
}

TEST_F(FragmentTest, BlendsMeetTheirParts) {
  const std::vector<StepFragment> fragments = CutAtContacts(body, walk);
  const BlendPart whole[] = {{&fragments[0], 1}};
  std::vector<double> q(body.rest_q.size());
  SampleBlend(body, whole, 1, &q);
  for (std::size_t k = 0; k < q.size(); ++k) EXPECT_NEAR(q[k], fragments[0].frames.back()[k], 1e-9);
  const StepFragment spot = WithStride(body, fragments[0], 0);
  const BlendPart halves[] = {{&fragments[0], 0.5}, {&spot, 0.5}};
  SampleBlend(body, halves, 1, &q);
  EXPECT_NEAR(q[0], 0.5 * fragments[0].frames.back()[0], 1e-9);
}

TEST_F(FragmentTest, OnTheSpotTheFeetStayBesideEachOther) {
  const Rig rig(body);
  for (const StepFragment& fragment : CutAtContacts(body, walk)) {
    const StepFragment spot = WithStride(body, fragment, 0);
    EXPECT_EQ(spot.speed, 0);
    for (std::size_t f = 0; f < spot.frames.size(); ++f) {
      const EditedPose was = PoseOf(rig, fragment.frames[f]), is = PoseOf(rig, spot.frames[f]);
      for (int side = 0; side < 2; ++side) {
        const int foot = rig.feet[side].foot;
        EXPECT_NEAR(is.frames.position[foot].x, 0, 0.03);
        EXPECT_NEAR(is.frames.position[foot].z, was.frames.position[foot].z, 0.02);
      }
    }
  }
}

TEST_F(FragmentTest, TheWayFitsLongerLegs) {
  std::vector<StepFragment> fragments = CutAtContacts(body, walk);
  EXPECT_EQ(FitWayToLegs(body, &fragments), 1);
  Scenario scenario;
  scenario.changes = {{"legs", 1.5}};
  ApplyChanges(scenario, &body);
  // Legs of half as much again, on feet as they were.
  const double factor = FitWayToLegs(body, &fragments);
  EXPECT_GT(factor, 1.25);
  EXPECT_LT(factor, 1.5);
  EXPECT_EQ(FitWayToLegs(body, &fragments), 1);  // nothing slides any more
  EXPECT_NEAR(LowestContactAt(body, fragments[0].frames[3]), 0, 1e-9);
}

TEST_F(FragmentTest, WhoHasOneLegShorterBendsTheOther) {
  std::vector<StepFragment> fragments = CutAtContacts(body, walk);
  const std::vector<StepFragment> before = fragments;
  EvenLegs(body, &fragments);
  EXPECT_EQ(fragments[0].frames, before[0].frames);  // both are as long
  Scenario scenario;
  scenario.changes = {{"left_leg", 0.97}};
  ApplyChanges(scenario, &body);
  EvenLegs(body, &fragments);
  const Rig rig(body);
  const double ratio = rig.legs[0].Reach() / rig.legs[1].Reach();
  EXPECT_NEAR(ratio, 0.97, 1e-6);
  for (std::size_t f = 0; f < before[0].frames.size(); ++f) {
    const EditedPose was = PoseOf(rig, before[0].frames[f]),
                     is = PoseOf(rig, fragments[0].frames[f]);
    const auto length = [&](const EditedPose& pose, int side) {
      const FootParts& foot = rig.feet[side];
      return Norm(pose.frames.position[foot.foot] - pose.frames.position[foot.thigh]);
    };
    EXPECT_NEAR(length(is, 0), length(was, 0), 1e-9);
    EXPECT_NEAR(length(is, 1), ratio * length(was, 1), 1e-4);
    const Quatd turn =
        Conjugate(was.frames.rotation[rig.feet[1].foot]) * is.frames.rotation[rig.feet[1].foot];
    EXPECT_LT(Norm(Log(turn)), 1e-4);
  }
}

// A walk that goes straight on and spins about itself, faster than half a turn a step.
TEST_F(FragmentTest, WhoSpinsGoesWhereItFaces) {
  Motion spins = walk;
  spins.loops = false;
  const int rounds = 4, count = walk.FrameCount() - 1;
  spins.frames.clear(), spins.contacts.clear();
  const double rate = 1.2 * 2 * M_PI / count;  // rad a frame
  for (int f = 0; f < rounds * count; ++f) {
    std::vector<double> q = walk.frames[f % count];
    q[0] += f / count * walk.frames.back()[0];
    Put(AxisAngle({0, 0, 1}, rate * f) * QuatAt(q, 3), 3, &q);
    spins.frames.push_back(q);
    spins.contacts.push_back(walk.contacts[f % count]);
  }
  const std::vector<StepFragment> fragments = CutAtContacts(body, spins);
  double turn = 0, pelvis = 0;
  for (const StepFragment& fragment : fragments) {
    turn += fragment.turn, pelvis += TurnOfPelvis(fragment);
    EXPECT_LT(std::fabs(NearestHeading(QuatAt(fragment.frames[0], 3))), M_PI / 2);
  }
  EXPECT_GT(pelvis, (rounds - 1) * 1.2 * 2 * M_PI);
  EXPECT_NEAR(turn, pelvis, 0.15 * pelvis);
}

TEST_F(FragmentTest, WhatIsNoWalkIsRefused) {
  EXPECT_THAT(InputErrorOf([&] { CutAtContacts(body, LoadMotion("stand", body)); }),
              HasSubstr("no usable step"));
  Motion hops = walk;  // the right foot never stands
  for (std::uint8_t& label : hops.contacts) label &= kLeftFootDown;
  EXPECT_THAT(InputErrorOf([&] { CutAtContacts(body, hops); }), HasSubstr("motion 'walk'"));
  Motion floating = walk;
  const Rig rig(body);
  for (std::vector<double>& q : floating.frames) {
    EditedPose pose = PoseOf(rig, q), scratch = pose;
    RaiseFoot(rig, 0, QuatAt(pose.q, 3), 0.4, &pose, &scratch);
    q = pose.q;
  }
  EXPECT_THAT(InputErrorOf([&] { CutAtContacts(body, floating); }), HasSubstr("left foot stands"));
}

// ---- The animation engine

TEST_F(FragmentTest, SpeedsAreBlendedAndFeetTakeTurns) {
  const Animation animation(
      body, {{walk, RowOfGains("normal")}, {LoadMotion("walk_fast", body), RowOfGains("fast")}},
      {});
  EXPECT_EQ(animation.Styles(), std::vector<std::string>{"walk"});
  AnimationState state;
  PlannedFragment next;
  int swung = -1;
  for (int k = 0; k < 12; ++k) {
    animation.Next(swung, 0, {.speed = 1.5}, &state, &next);
    ASSERT_EQ(next.part_count, 2);
    if (swung >= 0) {
      EXPECT_EQ(next.Swing(), 1 - swung);
    }
    swung = next.Swing();
  }
  EXPECT_NEAR(next.speed, 1.5, 0.08);
  const double share = next.parts[1].weight;
  EXPECT_NEAR(next.gains.c1_coronal, (1 - share) * 0.2 + share * 0.3, 1e-6);
  animation.Next(swung, 0, {.heading = 2.0}, &state, &next);
  EXPECT_NEAR(next.bend, 15 * M_PI / 180, 1e-6);
}

// Of a turn that begins and ends with slow steps, those that turn are kept and fit the walk.
TEST_F(FragmentTest, TurnsAreCutToFitTheWalk) {
  const Motion left = LoadMotion("turn_left", body), slow = LoadMotion("walk_slow", body);
  Motion act = left;
  act.name = "act", act.loops = false;
  act.frames.clear(), act.contacts.clear();
  double heading = 0;
  Vec3d place;
  // Each clip from where the one before ended.
  const auto append = [&](const Motion& motion) {
    const std::vector<double>&first = motion.frames.front(), &last = motion.frames.back();
    const double from = NearestHeading(QuatAt(first, 3));
    for (int f = 0; f + 1 < motion.FrameCount(); ++f) {
      std::vector<double> q = motion.frames[f];
      MovePose(body, 0, {-first[0], -first[1], 0}, &q);
      MovePose(body, heading - from, {place.x, place.y, 0}, &q);
      act.frames.push_back(q);
      act.contacts.push_back(motion.contacts[f]);
    }
    const Vec3d way = Vec3At(last, 0) - Vec3At(first, 0);
    place += Rotate(AxisAngle({0, 0, 1}, heading - from), Vec3d{way.x, way.y, 0});
    heading += NearestHeading(QuatAt(last, 3)) - from;
  };
  append(slow), append(left), append(left), append(slow);
  const FeedbackGains gains = RowOfGains("normal");
  const Animation animation(body, {{walk, gains}, {act, gains}}, {});
  const AnimationClip& kept = animation.Clips()[1];
  const std::size_t all = CutAtContacts(body, act).size();
  EXPECT_LT(kept.fragments.size(), all);
  double turn = 0;
  for (const StepFragment& fragment : kept.fragments) turn += fragment.turn;
  EXPECT_NEAR(kept.whole_turn, M_PI / 2, 0.2);
  EXPECT_NEAR(turn, kept.whole_turn, 0.1 * kept.whole_turn);
}

TEST_F(FragmentTest, ADeadEndOfAGraphIsRefused) {
  MotionGraph graph;
  graph.clips = {walk};
  graph.nodes = {{"walk", 0, 0, walk.FrameCount() - 1}, {"end", 0, 0, walk.FrameCount() - 1}};
  graph.edges = {{0, 0, 0}, {0, 1, 0}};
  const std::vector<FeedbackGains> gains(2);
  EXPECT_THAT(InputErrorOf([&] { Animation(body, graph, gains, {}); }), HasSubstr("dead end"));
  graph.edges.push_back({1, 0, 0});
  const Animation animation(body, graph, gains, {});
  AnimationState state;
  PlannedFragment next;
  int swung = -1;
  for (int k = 0; k < 4; ++k) {
    animation.Next(swung, 0, {.style = 1}, &state, &next);
    EXPECT_EQ(state.clip, k < 2 ? 0 : 1) << k;  // asked for by its name: after the walk's two steps
    swung = next.Swing();
  }
}

// ---- Tracking

struct Runner {
  Runner(const std::string& tracking, double height) {
    input.world.actors = {LoadCharacter("lee10")};
    input.world.time_step = 1.0 / 900;
    input.stand = StandOn(input.world.actors[0], input.world.terrain);
    input.motions = {LoadMotion("walk", input.world.actors[0])};
    input.config = {{"tracking", tracking}};
    controller = MakeController("data_driven", input);
    engine = MakeEngine("native", input.world);
    State start = controller->Start();
    start.q[2] += height;
    engine->SetState(0, start);
    actuations = {Passive(input.world.actors[0])};
  }
  void Step(const Vec3d& push = {}) {
    controller->Step({step * input.world.time_step, engine->GetState(0), contacts}, {},
                     &actuations[0]);
    const ExternalForce force = {.body = 1, .force = push};
    engine->Step(actuations, {&force, 1});
    contacts.assign(engine->Contacts().begin(), engine->Contacts().end());
    ++step;
  }
  ControllerInput input;
  std::unique_ptr<Controller> controller;
  std::unique_ptr<Engine> engine;
  std::vector<Actuation> actuations;
  std::vector<Contact> contacts;
  int step = 0;
};

// In the air nothing but the joints' own torques acts: both ways to the same accelerations agree.
TEST(TrackingTest, PrescribedAccelerationsAreThoseOfInverseDynamics) {
  Runner prescribed("prescribed", 5), inverse("inverse", 5);
  for (int k = 0; k < 120; ++k) {
    prescribed.Step();
    inverse.Step();
  }
  const State &a = prescribed.engine->GetState(0), &b = inverse.engine->GetState(0);
  for (std::size_t k = 6; k < a.v.size(); ++k) EXPECT_NEAR(a.v[k], b.v[k], 0.02) << k;
  for (std::size_t k = 0; k < a.q.size(); ++k) EXPECT_NEAR(a.q[k], b.q[k], 2e-3) << k;
}

// Pushed in the air: joints whose accelerations are prescribed feel nothing of it, others do.
TEST(TrackingTest, APushDoesNotReachPrescribedJoints) {
  const auto difference = [](const std::string& tracking) {
    Runner calm(tracking, 5), pushed(tracking, 5);
    for (int k = 0; k < 60; ++k) {
      calm.Step();
      pushed.Step({300, 0, 0});
    }
    double largest = 0;
    for (std::size_t k = 6; k < calm.engine->GetState(0).v.size(); ++k) {
      largest = std::max(
          largest, std::fabs(calm.engine->GetState(0).v[k] - pushed.engine->GetState(0).v[k]));
    }
    return largest;
  };
  EXPECT_GT(difference("inverse"), 0.2);
  EXPECT_LT(difference("prescribed"), 0.1 * difference("inverse"));
}

// ---- The ground

class GroundTest : public testing::Test {
 protected:
  std::unique_ptr<Controller> On(const Terrain& terrain) const {
    ControllerInput input;
    input.world.actors = {body};
    input.world.terrain = terrain;
    input.stand = StandOn(body, terrain);
    input.motions = {LoadMotion("walk", body)};
    return MakeController("data_driven", input);
  }
  const Character body = LoadCharacter("lee10-round");
};

// Both feet stand on the plane where both stand on level ground, whatever way it rises.
TEST_F(GroundTest, TheReferenceIsShearedAlongASlope) {
  const Rig rig(body);
  const auto soles = [&](const State& state, const Terrain& terrain) {
    const EditedPose pose = PoseOf(rig, state.q);
    std::array<double, 2> lowest = {HUGE_VAL, HUGE_VAL};
    for (int side = 0; side < 2; ++side) {
      for (const ContactPoint& point : rig.feet[side].sole) {
        const Vec3d at = PointAt(pose.frames, point);
        lowest[side] = std::min(lowest[side], at.z - SurfaceAt(terrain, at.x, at.y).height);
      }
    }
    return lowest;
  };
  const std::array<double, 2> level = soles(On({})->Start(), {});
  for (const double heading : {0.0, 2.0, M_PI}) {
    const Terrain slope = {.slope = 0.12, .slope_heading = heading};
    const State start = On(slope)->Start();
    const std::array<double, 2> tilted = soles(start, slope);
    for (int side = 0; side < 2; ++side) EXPECT_NEAR(tilted[side], level[side], 0.02) << heading;
    // It goes along the ground.
    const Vec3d v = Vec3At(start.v, 0);
    EXPECT_NEAR(v.z, (v.x * std::cos(heading) + v.y * std::sin(heading)) * std::tan(0.12), 1e-9);
  }
}

TEST_F(GroundTest, IsTheOneItWasChangedTo) {
  const Terrain slope = {.slope = 0.1, .slope_heading = 1};
  const std::unique_ptr<Controller> made = On(slope), changed = On({});
  changed->ChangeGround(slope);
  EXPECT_EQ(made->Start(), changed->Start());
}

// ---- Skills

// The built-in walk goes where it is told, stops, stands and goes on.
TEST(DataDrivenSkillTest, LiveWalkObeys) {
  ControllerInput input;
  input.skill = std::make_shared<const Skill>(LoadSkill("live_walk"));
  input.world.actors = {input.skill->character};
  Grant(input.skill->wishes, {}, &input.world);
  input.stand = StandOn(input.world.actors[0], input.world.terrain);
  const std::unique_ptr<Controller> controller = MakeController("data_driven", input);
  const std::unique_ptr<Engine> engine = MakeEngine("native", input.world);
  engine->SetState(0, controller->Start());
  const FallDetector fall(input.world.actors[0], input.world.terrain, controller->Start());
  std::vector<Actuation> actuations = {Passive(input.world.actors[0])};
  std::vector<Contact> contacts;
  double time = 0;
  // Where the root is after some seconds under a command.
  const auto walk = [&](double seconds, const Command& command) {
    for (const double end = time + seconds; time < end; time += input.world.time_step) {
      controller->Step({time, engine->GetState(0), contacts}, command, &actuations[0]);
      engine->Step(actuations, {});
      contacts.assign(engine->Contacts().begin(), engine->Contacts().end());
    }
    EXPECT_FALSE(fall.Fallen(engine->GetState(0))) << "at " << time << " s";
    return Vec3At(engine->GetState(0).q, 0);
  };
  const Vec3d begun = walk(3, {});
  const Vec3d straight = walk(5, {}) - begun;
  EXPECT_NEAR(straight.x / 5, 0.78, 0.08);  // the clip on this body
  EXPECT_NEAR(straight.y, 0, 0.3);
  walk(6, {.heading = M_PI / 2});
  const Vec3d before = Vec3At(engine->GetState(0).q, 0);
  const Vec3d left = walk(5, {.heading = M_PI / 2}) - before;
  EXPECT_NEAR(std::atan2(left.y, left.x), M_PI / 2, 0.1);
  walk(8, {.speed = 0});
  const Vec3d stands = Vec3At(engine->GetState(0).q, 0);
  EXPECT_LT(Norm(walk(3, {.speed = 0}) - stands), 0.05);
  EXPECT_GT(Norm(walk(6, {.speed = 0.8}) - stands), 2);
}

TEST(DataDrivenSkillTest, PayloadsRoundTrip) {
  const Character body = LoadCharacter("lee10");
  DataDrivenSkill held;
  held.config.tracking = "servo";
  held.clips = {{LoadMotion("walk", body), RowOfGains("slow")}};
  Skill skill{.controller = "data_driven", .character = body};
  skill.payload = data_driven_controller::PayloadOf(held);
  const DataDrivenSkill read = data_driven_controller::SkillOf(skill);
  EXPECT_EQ(read.config.tracking, "servo");
  ASSERT_EQ(read.clips.size(), 1u);
  EXPECT_EQ(read.clips[0].gains, held.clips[0].gains);
  EXPECT_EQ(read.clips[0].motion.frames, held.clips[0].motion.frames);
  skill.payload["clips"] = nlohmann::ordered_json::array();
  EXPECT_THAT(InputErrorOf([&] { data_driven_controller::SkillOf(skill); }), HasSubstr("clips"));
}

}  // namespace
}  // namespace stride
