#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/math/rotation.h"
#include "stride/motion/kinematics.h"
#include "stride/motion/library.h"
#include "stride/motion/motion.h"
#include "stride/testing/input_error_of.h"

// What the tests of motion editing share.
namespace stride {

inline std::vector<double> RandomPose(const Character& character, std::mt19937* random) {
  std::normal_distribution<double> normal;
  std::vector<double> q(ZeroState(character).q.size());
  for (double& number : q) number = normal(*random);
  const Layout layout = LayoutOf(character);
  for (int i = 0; i < character.BodyCount(); ++i) {
    const JointKind kind = character.bodies[i].joint.kind;
    const int at = layout.q[i] + (kind == JointKind::kFree ? 3 : 0);
    if (!HasOneAxis(kind)) Put(Normalized(QuatAt(q, at)), at, &q);
  }
  return q;
}

// Largest difference of any coordinate, rad or m; quaternions q and -q are the same.
inline double Distance(const Character& character, const std::vector<double>& a,
                       const std::vector<double>& b) {
  double largest = 0;
  for (const double d : PoseDifference(character, a, b, 1))
    largest = std::max(largest, std::fabs(d));
  return largest;
}

inline double Distance(const Character& character, const Motion& a, const Motion& b) {
  if (a.FrameCount() != b.FrameCount()) return INFINITY;
  double largest = 0;
  for (int f = 0; f < a.FrameCount(); ++f)
    largest = std::max(largest, Distance(character, a.frames[f], b.frames[f]));
  return largest;
}

// Largest distance between the bodies' places in two poses, m.
inline double PlaceDistance(const Character& character, const std::vector<double>& a,
                            const std::vector<double>& b) {
  const BodyFrames x = FramesAt(character, a), y = FramesAt(character, b);
  double largest = 0;
  for (int i = 0; i < character.BodyCount(); ++i)
    largest = std::max(largest, Norm(x.position[i] - y.position[i]));
  return largest;
}

// Change of velocity from one frame to the next, the largest of any coordinate, rad/s or m/s.
inline double VelocityStep(const Character& character, const Motion& motion, int frame) {
  const auto pose = [&](int f) {
    return f >= 0 && f < motion.FrameCount() ? motion.frames[f]
                                             : SampleMotion(motion, character, f / motion.fps);
  };
  const std::vector<double> before =
      PoseDifference(character, pose(frame - 1), pose(frame), 1 / motion.fps);
  const std::vector<double> after =
      PoseDifference(character, pose(frame), pose(frame + 1), 1 / motion.fps);
  double largest = 0;
  for (std::size_t i = 0; i < before.size(); ++i)
    largest = std::max(largest, std::fabs(after[i] - before[i]));
  return largest;
}

inline const Character& TestCharacter() {
  static const Character character = LoadCharacter("liu16");
  return character;
}
// Built-in motions of the test character.
inline const Motion& TestMotion(const std::string& name) {
  static std::map<std::string, Motion> motions;
  if (motions.count(name) == 0) motions[name] = LoadMotion(name, TestCharacter());
  return motions[name];
}

// `rounds` of a loop as a clip that is none, on which the trunk bends more and more, so that its
// strides do not match exactly.
inline Motion DriftingRounds(const Motion& loop, double rounds, double drift) {
  const Character& character = TestCharacter();
  Motion clip = loop;
  clip.loops = false;
  clip.frames.clear();
  clip.contacts.clear();
  const int count = static_cast<int>(rounds * (loop.FrameCount() - 1)) + 1;
  const int at = LayoutOf(character).q[character.BodyOf(Role::kTrunk)];
  for (int f = 0; f < count; ++f) {
    std::vector<double> q = SampleMotion(loop, character, f / loop.fps);
    Put(QuatAt(q, at) * AxisAngle({0, 1, 0}, drift * f / count), at, &q);
    clip.frames.push_back(std::move(q));
    clip.contacts.push_back(SampleContacts(loop, f / loop.fps));
  }
  return clip;
}

}  // namespace stride
