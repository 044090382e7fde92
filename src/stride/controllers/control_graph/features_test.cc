#include "stride/controllers/control_graph/features.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/character/rest_pose.h"
#include "stride/controllers/control_graph/action.h"
#include "stride/controllers/control_graph/control_graph.h"
#include "stride/controllers/control_graph/fragment_runner.h"
#include "stride/dynamics/model.h"
#include "stride/math/rotation.h"
#include "stride/motion/edit/edit.h"
#include "stride/motion/library.h"

namespace stride {
namespace {

const Character& Liu16() {
  static const Character character = LoadCharacter("liu16");
  return character;
}
ControlGraph Clip(const std::string& motion) {
  return MakeControlGraph(LoadMotion(motion, Liu16()), Liu16(), {}, 0.005);
}

Quatd RootOf(const State& state) { return {state.q[3], state.q[4], state.q[5], state.q[6]}; }
Quatd Exact(const Quat<float>& q) { return {q.w, q.x, q.y, q.z}; }

// A state somewhere near: every joint turned and moving at random.
State Disturbed(State state, Random* random) {
  const Layout layout = LayoutOf(Liu16());
  for (int i = 0; i < Liu16().BodyCount(); ++i) {
    const JointKind kind = Liu16().bodies[i].joint.kind;
    double* q = &state.q[layout.q[i]];
    if (kind == JointKind::kHinge) {
      q[0] += 0.2 * random->Normal();
      continue;
    }
    if (kind == JointKind::kFree) q += 3;
    const Vec3d turn{0.2 * random->Normal(), 0.2 * random->Normal(), 0.2 * random->Normal()};
    const Quatd turned = Quatd{q[0], q[1], q[2], q[3]} * Exp(turn);
    q[0] = turned.w, q[1] = turned.x, q[2] = turned.y, q[3] = turned.z;
  }
  for (double& v : state.v) v += random->Normal();
  return state;
}

// Where the coordinates are after a time at constant velocity.
std::vector<double> After(const State& state, double h) {
  const Layout layout = LayoutOf(Liu16());
  std::vector<double> q = state.q;
  for (int i = 0; i < Liu16().BodyCount(); ++i) {
    const JointKind kind = Liu16().bodies[i].joint.kind;
    double* at = &q[layout.q[i]];
    const double* v = &state.v[layout.v[i]];
    if (kind == JointKind::kHinge) {
      at[0] += h * v[0];
      continue;
    }
    if (kind == JointKind::kFree) {
      for (int k = 0; k < 3; ++k) at[k] += h * v[k];
      at += 3, v += 3;
    }
    const Quatd turned = Quatd{at[0], at[1], at[2], at[3]} * Exp(Vec3d{v[0], v[1], v[2]} * h);
    at[0] = turned.w, at[1] = turned.x, at[2] = turned.y, at[3] = turned.z;
  }
  return q;
}

// What the features are made of, from places of bodies alone: velocities are differences of them.
struct Measured {
  Vec3d com, velocity,
      spin;  // world; spin: angular momentum about the centre of mass, over the mass
  BodyFrames frames;
  Vec3d Point(int body) const {
    return frames.position[body] + Rotate(frames.rotation[body], Liu16().bodies[body].com);
  }
};
Measured Measure(const State& state) {
  constexpr double kStep = 1e-5;
  Measured m;
  m.frames = FramesAt(Liu16(), state.q);
  const BodyFrames before = FramesAt(Liu16(), After(state, -kStep)),
                   after = FramesAt(Liu16(), After(state, kStep));
  double mass = 0;
  const auto place = [&](const BodyFrames& frames, int i) {
    return frames.position[i] + Rotate(frames.rotation[i], Liu16().bodies[i].com);
  };
  const auto velocity = [&](int i) { return (place(after, i) - place(before, i)) * (0.5 / kStep); };
  for (int i = 0; i < Liu16().BodyCount(); ++i) {
    const Body& body = Liu16().bodies[i];
    mass += body.mass;
    m.com = m.com + place(m.frames, i) * body.mass;
    m.velocity = m.velocity + velocity(i) * body.mass;
  }
  m.com = m.com * (1 / mass);
  m.velocity = m.velocity * (1 / mass);
  for (int i = 0; i < Liu16().BodyCount(); ++i) {
    const Body& body = Liu16().bodies[i];
    const Quatd r = m.frames.rotation[i];
    const Vec3d w = Log(after.rotation[i] * Conjugate(before.rotation[i])) * (0.5 / kStep);
    const Vec3d own = Rotate(r, body.inertia * Rotate(Conjugate(r), w));
    m.spin = m.spin + own + Cross(place(m.frames, i) - m.com, velocity(i) - m.velocity) * body.mass;
  }
  m.spin = m.spin * (1 / mass);
  return m;
}

// A disturbed state seen against a reference, the clip's beginning heading along `base`.
class Seen {
 public:
  Seen() {
    Random random(7);
    state_ = Disturbed(Turned(Liu16(), graph_.border_states[2], kBase + 0.6), &random);
    model_.SetState(state_);
    art_ = model_.View();
    facing_ =
        FacingOf(art_.joints[0].rot, Exact(border_.root), std::cos(kBase / 2), std::sin(kBase / 2));
    ComputeFeatures(model_.GetTree(), art_, graph_.parts, facing_, kGround, features_);
    here_ = Measure(state_);
    // The error turns about the vertical first, then tilts.
    const Quatd base = AxisAngle({0, 0, 1}, kBase);
    const Quatd error = RootOf(state_) * Conjugate(base * Exact(border_.root));
    turned_ = std::remainder(2 * std::atan2(error.z, error.w), 2 * 3.14159265358979);
    tilt_ = Rotate(Conjugate(base), Log(Conjugate(AxisAngle({0, 0, 1}, turned_)) * error));
  }
  Vec3d Upright(const Vec3d& world) const {
    return Rotate(AxisAngle({0, 0, 1}, -kBase - turned_), world);
  }

  static constexpr double kBase = 0.7, kGround = 0.13;
  const ControlGraph graph_ = Clip("run");
  const State reference_ = graph_.border_states[4];
  const BorderReference border_ = BorderOf(Liu16(), graph_.parts, reference_);
  State state_;
  Model<double> model_{Liu16()};
  Articulation<double> art_{};
  Facing<double> facing_{};
  double features_[kFeatureCount];
  Measured here_;
  double turned_ = 0;  // rad, about the vertical away from the reference
  Vec3d tilt_;
};

TEST(FeaturesTest, AreWhatThePlacesOfTheBodiesSay) {
  const Seen seen;
  const Measured& m = seen.here_;
  const double* f = seen.features_;
  const auto expect = [&](int at, const Vec3d& world, double tolerance, const char* what) {
    const Vec3d v = seen.Upright(world);
    EXPECT_NEAR(f[at], v.x, tolerance) << what;
    EXPECT_NEAR(f[at + 1], v.y, tolerance) << what;
    EXPECT_NEAR(f[at + 2], v.z, tolerance) << what;
  };
  const SkillParts& parts = seen.graph_.parts;
  EXPECT_NEAR(f[feature::kTilt], seen.tilt_.x, 1e-6);
  EXPECT_NEAR(f[feature::kTilt + 1], seen.tilt_.y, 1e-6);
  EXPECT_GT(std::hypot(seen.tilt_.x, seen.tilt_.y), 0.1);  // else nothing is shown
  EXPECT_NEAR(f[feature::kHeight], seen.state_.q[2] - Seen::kGround, 1e-12);
  const Vec3d root{seen.state_.q[0], seen.state_.q[1], seen.state_.q[2]};
  expect(feature::kCentre, m.com - root, 1e-9, "centre");
  expect(feature::kVelocity, m.velocity, 1e-6, "velocity");
  // The parts keep the feet's centres as floats.
  expect(feature::kLeftFoot, m.Point(parts.left_foot) - m.com, 1e-7, "left foot");
  expect(feature::kRightFoot, m.Point(parts.right_foot) - m.com, 1e-7, "right foot");
  expect(feature::kSpin, m.spin, 1e-6, "spin");
  EXPECT_GT(Norm(m.spin), 0.05);
  EXPECT_NEAR(f[feature::kHeading], 2 * std::sin(seen.turned_ / 2), 1e-6);
}

// liu16, equation 20, term by term.
double CostByTheEquation(const Seen& seen, const CostWeights& w) {
  const Measured& m = seen.here_;
  const Measured r = Measure(seen.reference_);
  const SkillParts& parts = seen.graph_.parts;
  const Layout layout = LayoutOf(Liu16());
  double mass = 0, pose = 0;
  for (int i = 0; i < Liu16().BodyCount(); ++i) {
    mass += Liu16().bodies[i].mass;
    if (i == 0) continue;
    const double* a = &seen.state_.q[layout.q[i]];
    const double* b = &seen.reference_.q[layout.q[i]];
    if (Liu16().bodies[i].joint.kind == JointKind::kHinge) {
      pose += std::fabs(a[0] - b[0]);
    } else {
      // In place of the angle, four times the sine of its quarter.
      const double angle =
          Norm(Log(Conjugate(Quatd{a[0], a[1], a[2], a[3]}) * Quatd{b[0], b[1], b[2], b[3]}));
      pose += 4 * std::sin(angle / 4);
    }
  }
  double ends = 0, balance = 0;
  for (int k = 0; k < parts.end_count; ++k) {
    const Vec3d here = m.Point(parts.ends[k]), there = r.Point(parts.ends[k]);
    ends += std::fabs(here.z - Seen::kGround - there.z) / parts.end_count;
    const Vec3d off = seen.Upright(here - m.com) - (there - r.com);
    balance += std::hypot(off.x, off.y) / parts.end_count;
  }
  const auto root = [](const State& s) { return Vec3d{s.q[0], s.q[1], s.q[2]}; };
  Vec3d centroid = seen.Upright(m.com - root(seen.state_)) - (r.com - root(seen.reference_));
  centroid.z = m.com.z - Seen::kGround - r.com.z;
  return w.pose * pose / (Liu16().BodyCount() - 1) +
         w.root * std::hypot(seen.tilt_.x, seen.tilt_.y) +
         w.heading * std::fabs(2 * std::sin(seen.turned_ / 2)) + w.ends * ends +
         w.balance * balance / parts.height + w.centroid * Norm(centroid) +
         w.velocity * Norm(seen.Upright(m.velocity) - r.velocity) +
         w.momentum * mass * Norm(seen.Upright(m.spin) - r.spin);
}

TEST(CostTest, IsEquation20) {
  const Seen seen;
  const auto cost = [&](const CostWeights& weights) {
    return ComputeCost(seen.model_.GetTree(), seen.art_, seen.graph_.parts, seen.border_, weights,
                       seen.facing_, Seen::kGround, seen.features_);
  };
  const CostWeights published;
  EXPECT_NEAR(cost(published), CostByTheEquation(seen, published), 1e-4);
  // Each term by itself, so that none hides behind another.
  using Weight = float CostWeights::*;
  for (const Weight weight : {&CostWeights::pose, &CostWeights::root, &CostWeights::ends,
                              &CostWeights::balance, &CostWeights::centroid, &CostWeights::velocity,
                              &CostWeights::momentum, &CostWeights::heading}) {
    CostWeights alone{0, 0, 0, 0, 0, 0, 0, 0, 0};
    alone.*weight = 1;
    const double expected = CostByTheEquation(seen, alone);
    EXPECT_GT(expected, 0.01);
    EXPECT_NEAR(cost(alone), expected, 1e-5 * (1 + expected));
  }
}

TEST(CostTest, LanesAgreeWithTheEquation) {
  const Seen seen;
  World world;
  world.actors = {Liu16()};
  for (const std::string& set : Batch::InstructionSets()) {
    FragmentRunner runner(world, seen.graph_.parts, set);
    State above = seen.state_;  // the lanes' ground is at zero
    above.q[2] -= Seen::kGround;
    for (int lane = 0; lane < runner.Lanes(); ++lane) {
      runner.Load(lane, above);
      runner.SetBase(lane, Seen::kBase);
    }
    runner.Refresh();
    runner.Judge(seen.border_, {}, true);
    const double expected = CostByTheEquation(seen, {});
    for (int lane = 0; lane < runner.Lanes(); ++lane) {
      EXPECT_NEAR(runner.Cost(lane), expected, 1e-4 * expected) << set;
      for (int k = 0; k < kFeatureCount; ++k) {
        EXPECT_NEAR(runner.Feature(lane, k), seen.features_[k], 2e-5) << set << ", feature " << k;
      }
    }
  }
}

TEST(FeaturesTest, HeadingErrorIsSignedAndMonotone) {
  double before = -3;
  for (double angle = -3; angle <= 3; angle += 0.5) {
    const Facing<double> f = FacingOf(AxisAngle({0, 0, 1}, angle), Quatd::Identity(), 1.0, 0.0);
    EXPECT_GT(f.heading_error, before);
    EXPECT_NEAR(f.heading_error, 2 * std::sin(angle / 2), 1e-9);
    before = f.heading_error;
  }
}

TEST(FeaturesTest, ABorderIsLikeItselfAndNotLikeItsNeighbour) {
  const ControlGraph clip = Clip("walk");
  World world;
  world.actors = {Liu16()};
  FragmentRunner runner(world, clip.parts);
  for (int lane = 0; lane < runner.Lanes(); ++lane) {
    runner.Load(lane, clip.border_states[lane % clip.Fragments()]);
    runner.SetBase(lane, 0);
  }
  runner.Refresh();
  for (int lane = 0; lane < runner.Lanes(); ++lane) {
    const BorderReference& border = clip.borders[lane % clip.Fragments()];
    runner.Judge(border, {}, true);
    for (int k = 0; k < kFeatureCount; ++k) {
      EXPECT_NEAR(runner.Feature(lane, k), border.features[k], 2e-4) << "feature " << k;
    }
    EXPECT_LT(runner.Cost(lane), 0.02);
    EXPECT_GT(runner.Cost((lane + 1) % runner.Lanes()), 0.1);
  }
}

// A state against another one, as features.
void SeeOneAgainstAnother(const Motion& motion, double base, float* features) {
  const SkillParts parts = PartsOf(Liu16());
  const BorderReference border = BorderOf(Liu16(), parts, SampleState(motion, Liu16(), 0.9));
  Model<double> model(Liu16());
  model.SetState(SampleState(motion, Liu16(), 0.5));
  const Articulation<double> art = model.View();
  const Facing<double> facing =
      FacingOf(art.joints[0].rot, Exact(border.root), std::cos(base / 2), std::sin(base / 2));
  double exact[kFeatureCount];
  ComputeFeatures(model.GetTree(), art, parts, facing, 0.0, exact);
  std::copy_n(exact, kFeatureCount, features);
}

TEST(MirrorTest, FeaturesOfAMirroredMotionAreMirrored) {
  const Motion motion = LoadMotion("kick", Liu16());
  float here[kFeatureCount], there[kFeatureCount], mirrored[kFeatureCount];
  SeeOneAgainstAnother(motion, 0.4, here);
  SeeOneAgainstAnother(Mirrored(motion, Liu16()), -0.4, there);
  MirrorFeatures(here, mirrored);
  EXPECT_GT(std::fabs(here[feature::kTilt]), 0.01);
  EXPECT_GT(std::fabs(here[feature::kHeading]), 0.2);
  for (int k = 0; k < kFeatureCount; ++k) {
    EXPECT_NEAR(mirrored[k], there[k], 2e-3) << "feature " << k;
  }
}

// The pose that servos aim at: a pose with an action on top.
std::vector<double> Aimed(const std::vector<double>& pose, const float* action) {
  const Tree<double> tree = BuildTree<double>(Liu16());
  const Layout layout = LayoutOf(Liu16());
  const int n = Liu16().BodyCount();
  std::vector<JointDrive<double>> drives(n);
  for (int i = 1; i < n; ++i) {
    const double* q = &pose[layout.q[i]];
    const bool hinge = tree.bodies[i].kind == JointKind::kHinge;
    drives[i].target = hinge ? Quatd{q[0], 0, 0, 0} : Quatd{q[0], q[1], q[2], q[3]};
  }
  double offsets[kActionCount];
  std::copy_n(action, kActionCount, offsets);
  ApplyAction(tree, PartsOf(Liu16()), offsets, drives.data());
  std::vector<double> aimed = pose;
  for (int i = 1; i < n; ++i) {
    double* q = &aimed[layout.q[i]];
    const Quatd& t = drives[i].target;
    q[0] = t.w;
    if (tree.bodies[i].kind == JointKind::kBall) q[1] = t.x, q[2] = t.y, q[3] = t.z;
  }
  return aimed;
}

TEST(MirrorTest, AMirroredActionOnAMirroredPoseAimsAtTheMirroredTarget) {
  Random random(3);
  Motion motion = LoadMotion("kick", Liu16());
  const Motion mirrored = Mirrored(motion, Liu16());
  for (int f = 0; f < motion.FrameCount(); f += 5) {
    float action[kActionCount], mirrored_action[kActionCount];
    for (float& a : action) a = static_cast<float>(random.Uniform(-0.8, 0.8));
    MirrorAction(action, mirrored_action);
    Motion aimed = motion;
    aimed.frames[f] = Aimed(motion.frames[f], action);
    const std::vector<double> expected = Mirrored(aimed, Liu16()).frames[f];
    const BodyFrames a = FramesAt(Liu16(), expected),
                     b = FramesAt(Liu16(), Aimed(mirrored.frames[f], mirrored_action)),
                     without = FramesAt(Liu16(), mirrored.frames[f]);
    double moved = 0;
    for (int i = 0; i < Liu16().BodyCount(); ++i) {
      EXPECT_LT(Norm(Log(a.rotation[i] * Conjugate(b.rotation[i]))), 1e-9) << "body " << i;
      EXPECT_LT(Norm(a.position[i] - b.position[i]), 1e-9) << "body " << i;
      moved = std::max(moved, Norm(a.position[i] - without.position[i]));
    }
    EXPECT_GT(moved, 0.05);
  }
}

// Hips of two hinges and no waist: every hinge takes the part of the action about its axis.
TEST(ActionTest, ChainsOfHingesTurnAsFarAsTheirAxesCan) {
  const Character android = LoadCharacter("android");
  const SkillParts parts = PartsOf(android);
  EXPECT_EQ(parts.waist.count, 0);
  ASSERT_EQ(parts.left_hip.count, 2);
  ASSERT_EQ(parts.right_knee.count, 1);
  const Tree<double> tree = BuildTree<double>(android);
  std::vector<JointDrive<double>> drives(android.BodyCount());
  for (auto& drive : drives) drive.target = {0, 0, 0, 0};
  double action[kActionCount] = {};
  action[action_part::kWaist] = 1;
  action[action_part::kLeftHip] = 0.1, action[action_part::kLeftHip + 1] = 0.2;
  action[action_part::kLeftHip + 2] = 0.4;  // no hinge turns about the vertical
  action[action_part::kRightKnee] = 0.3;
  ApplyAction(tree, parts, action, drives.data());
  double sum = 0;
  for (int i = 1; i < android.BodyCount(); ++i) {
    const double expected = i == parts.right_knee.body[0] ? 0.3 * android.bodies[i].joint.axis.y
                            : i == parts.left_hip.body[0] || i == parts.left_hip.body[1]
                                ? Dot(android.bodies[i].joint.axis, Vec3d{0.1, 0.2, 0})
                                : 0;
    EXPECT_NEAR(drives[i].target.w, expected, 1e-12) << android.bodies[i].name;
    sum += std::fabs(expected);
  }
  EXPECT_NEAR(sum, 0.6, 1e-12);
}

}  // namespace
}  // namespace stride
