#include "stride/motion/library.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/character/rest_pose.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/math/rotation.h"

namespace stride {
namespace {

using ::testing::HasSubstr;

constexpr double kDegrees = 180 / std::numbers::pi;

const Character& CharacterOf(const std::string& name) {
  static std::map<std::string, Character> cache;
  const auto [place, is_new] = cache.try_emplace(name);
  if (is_new) place->second = LoadCharacter(name);
  return place->second;
}
const Motion& MotionOf(const std::string& name, const std::string& character) {
  static std::map<std::string, Motion> cache;
  const auto [place, is_new] = cache.try_emplace(character + "/" + name);
  if (is_new) place->second = LoadMotion(name, CharacterOf(character));
  return place->second;
}

// Contact points of a foot with its toes, or of a hand (or the forearm that stands in for it).
std::vector<int> PointsOf(const Character& character, int limb) {
  constexpr std::array<std::array<Role, 2>, 4> kParts = {{{Role::kLeftFoot, Role::kLeftToe},
                                                          {Role::kRightFoot, Role::kRightToe},
                                                          {Role::kLeftHand, Role::kLeftForearm},
                                                          {Role::kRightHand, Role::kRightForearm}}};
  std::vector<int> bodies{character.BodyOf(kParts[limb][0])};
  if (limb < 2 || bodies[0] < 0) bodies.push_back(character.BodyOf(kParts[limb][1]));
  std::vector<int> points;
  for (int i = 0; i < static_cast<int>(character.contact_points.size()); ++i) {
    if (std::count(bodies.begin(), bodies.end(), character.contact_points[i].body) > 0)
      points.push_back(i);
  }
  return points;
}

// Lowest points of all contact spheres, per frame.
std::vector<std::vector<Vec3d>> Trace(const Character& character, const Motion& motion) {
  std::vector<std::vector<Vec3d>> trace;
  for (const std::vector<double>& q : motion.frames) {
    const BodyFrames frames = FramesAt(character, q);
    trace.emplace_back();
    for (const ContactPoint& point : character.contact_points) {
      trace.back().push_back(frames.position[point.body] +
                             Rotate(frames.rotation[point.body], point.position) -
                             Vec3d{0, 0, point.radius});
    }
  }
  return trace;
}

std::vector<Vec3d> ComTrace(const Character& character, const Motion& motion) {
  std::vector<Vec3d> trace;
  for (const std::vector<double>& q : motion.frames) trace.push_back(CenterOfMassAt(character, q));
  return trace;
}

// Joint velocities from frame to frame, without the root's.
std::vector<std::vector<double>> JointRates(const Character& character, const Motion& motion) {
  std::vector<std::vector<double>> rates;
  for (int i = 0; i + 1 < motion.FrameCount(); ++i) {
    std::vector<double> rate =
        PoseDifference(character, motion.frames[i], motion.frames[i + 1], 1 / motion.fps);
    rate.erase(rate.begin(), rate.begin() + 6);
    rates.push_back(rate);
  }
  return rates;
}
double LargestChange(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

// Flexion of a hinge or ball knee, rad.
double KneeOf(const Character& character, const std::vector<double>& q, Role shank) {
  const int body = character.BodyOf(shank);
  const double* numbers = &q[LayoutOf(character).q[body]];
  if (character.bodies[body].joint.kind == JointKind::kHinge) return numbers[0];
  return TwistAngle({numbers[0], numbers[1], numbers[2], numbers[3]}, {0, 1, 0});
}

void CheckContacts(const Character& character, const Motion& motion) {
  const std::vector<std::vector<Vec3d>> trace = Trace(character, motion);
  for (int limb = 0; limb < 4; ++limb) {
    const std::vector<int> points = PointsOf(character, limb);
    double slide = 0;
    for (int i = 0; i < motion.FrameCount(); ++i) {
      double low = 1e30;
      for (const int p : points) low = std::min(low, trace[i][p].z);
      ASSERT_GT(low, limb < 2 ? -0.01 : -0.02) << "limb " << limb << " in the ground, frame " << i;
      if ((motion.contacts[i] >> limb & 1) == 0) {
        slide = 0;
        continue;
      }
      ASSERT_LT(std::fabs(low), 0.01) << "limb " << limb << " frame " << i;
      if (i == 0 || (motion.contacts[i - 1] >> limb & 1) == 0) continue;
      // A rolling foot slides as much as the stillest of the points that touch.
      double still = 1e30;
      for (const int p : points) {
        if (trace[i][p].z > low + 0.005) continue;
        const Vec3d step = trace[i][p] - trace[i - 1][p];
        still = std::min(still, std::hypot(step.x, step.y));
      }
      slide += still;
      ASSERT_LT(slide, 0.02) << "limb " << limb << " frame " << i;
    }
  }
}

void CheckDepth(const Character& character, const Motion& motion) {
  const std::vector<std::vector<Vec3d>> trace = Trace(character, motion);
  for (std::size_t i = 0; i < trace.size(); ++i) {
    for (std::size_t p = 0; p < trace[i].size(); ++p) {
      ASSERT_GT(trace[i][p].z, -0.02)
          << character.bodies[character.contact_points[p].body].name << " frame " << i;
    }
  }
}

void CheckLimits(const Character& character, const Motion& motion) {
  const Layout layout = LayoutOf(character);
  for (const std::vector<double>& q : motion.frames) {
    for (int b = 1; b < character.BodyCount(); ++b) {
      const Joint& joint = character.bodies[b].joint;
      const double* n = &q[layout.q[b]];
      if (!joint.limited) continue;
      if (joint.kind == JointKind::kHinge) {
        ASSERT_GT(n[0], joint.lower - 1e-6) << character.bodies[b].name;
        ASSERT_LT(n[0], joint.upper + 1e-6) << character.bodies[b].name;
      } else {
        ASSERT_LT(Norm(Log(Quatd{n[0], n[1], n[2], n[3]})), joint.upper + 1e-6)
            << character.bodies[b].name;
      }
    }
    ASSERT_GT(KneeOf(character, q, Role::kLeftShank), 0);
    ASSERT_GT(KneeOf(character, q, Role::kRightShank), 0);
  }
}

void CheckSmoothness(const Character& character, const Motion& motion) {
  const std::vector<std::vector<double>> rates = JointRates(character, motion);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    for (const double rate : rates[i]) ASSERT_LT(std::fabs(rate), 35) << "frame " << i;
    if (i == 0) continue;
    ASSERT_LT(LargestChange(rates[i], rates[i - 1]) * motion.fps, 2200) << "frame " << i;
  }
  // Ground forces of at most seven times the weight.
  const std::vector<Vec3d> com = ComTrace(character, motion);
  for (std::size_t i = 1; i + 1 < com.size(); ++i) {
    const Vec3d a = (com[i + 1] - com[i] * 2.0 + com[i - 1]) * (motion.fps * motion.fps);
    ASSERT_LT(Norm(a + Vec3d{0, 0, 9.81}), 7 * 9.81) << "frame " << i;
  }
}

void CheckFlights(const Character& character, const Motion& motion) {
  const std::vector<std::vector<Vec3d>> trace = Trace(character, motion);
  const std::vector<Vec3d> com = ComTrace(character, motion);
  // A body that lies down or sits up does not rest on feet and hands, and may hover a little.
  const double clear = motion.name.starts_with("get_up") ? 0.02 : 0.002;
  const auto in_air = [&](int i) {
    const auto low = std::min_element(trace[i].begin(), trace[i].end(),
                                      [](const Vec3d& a, const Vec3d& b) { return a.z < b.z; });
    return motion.contacts[i] == 0 && low->z > clear;
  };
  int flying = 0;
  for (int i = 1; i + 1 < motion.FrameCount(); ++i) {
    if (!in_air(i - 1) || !in_air(i) || !in_air(i + 1)) continue;
    ++flying;
    const Vec3d a = (com[i + 1] - com[i] * 2.0 + com[i - 1]) * (motion.fps * motion.fps);
    ASSERT_NEAR(a.z, -9.81, 0.981) << "frame " << i;
    ASSERT_LT(std::hypot(a.x, a.y), 0.981) << "frame " << i;
  }
  const std::string& name = motion.name;
  const bool flies = name == "run" || name == "jump" || name == "backflip";
  EXPECT_EQ(flying > 4, flies) << flying << " frames in the air";
}

void CheckSeam(const Character& character, const Motion& motion) {
  if (!motion.loops) return;
  const std::vector<std::vector<double>> rates = JointRates(character, motion);
  const std::vector<double>& first = motion.frames.front();
  const std::vector<double>& last = motion.frames.back();
  std::vector<double> gap = PoseDifference(character, first, last, 1);
  gap.erase(gap.begin(), gap.begin() + 6);
  for (const double angle : gap) EXPECT_LT(std::fabs(angle), 1e-3);
  EXPECT_NEAR(first[2], last[2], 1e-3);
  // Only about the vertical is the root turned.
  const Vec3d up_first =
      Rotate(Conjugate(Quatd{first[3], first[4], first[5], first[6]}), Vec3d{0, 0, 1});
  const Vec3d up_last =
      Rotate(Conjugate(Quatd{last[3], last[4], last[5], last[6]}), Vec3d{0, 0, 1});
  EXPECT_LT(Norm(up_first - up_last), 1e-3);
  // The change of rates over the seam is no larger than elsewhere.
  double largest = 0;
  for (std::size_t i = 1; i < rates.size(); ++i)
    largest = std::max(largest, LargestChange(rates[i], rates[i - 1]));
  EXPECT_LE(LargestChange(rates.front(), rates.back()), 1.1 * largest + 1e-3);
  EXPECT_EQ(motion.contacts.front(), motion.contacts.back());
}

using Case = std::tuple<std::string, std::string>;
class BuiltInMotionTest : public ::testing::TestWithParam<Case> {};

TEST_P(BuiltInMotionTest, IsClean) {
  const auto& [character_name, motion_name] = GetParam();
  const Character& character = CharacterOf(character_name);
  const Motion& motion = MotionOf(motion_name, character_name);
  CheckContacts(character, motion);
  CheckDepth(character, motion);
  CheckLimits(character, motion);
  CheckSmoothness(character, motion);
  CheckFlights(character, motion);
  CheckSeam(character, motion);
}

std::vector<std::string> MotionNames() {
  std::vector<std::string> names;
  for (const MotionInfo& info : BuiltInMotions()) names.push_back(info.name);
  return names;
}
std::string CaseName(const ::testing::TestParamInfo<Case>& info) {
  return std::get<0>(info.param) + "_" + std::get<1>(info.param);
}
INSTANTIATE_TEST_SUITE_P(All, BuiltInMotionTest,
                         ::testing::Combine(::testing::Values("liu16", "lee10", "kwon17", "human"),
                                            ::testing::ValuesIn(MotionNames())),
                         CaseName);

TEST(BuiltInMotions, AreAllThere) {
  EXPECT_THAT(MotionNames(),
              ::testing::IsSupersetOf({"stand", "walk_slow", "walk", "walk_fast", "march",
                                       "walk_backward", "turn_left", "turn_right", "run", "jump",
                                       "kick", "spin", "cartwheel", "backflip", "get_up_back",
                                       "get_up_front", "get_up_left", "get_up_right"}));
  for (const MotionInfo& info : BuiltInMotions())
    EXPECT_FALSE(info.description.empty()) << info.name;
}

// Root travel over a loop, m/s forward, and its turn, degrees.
double SpeedOf(const Motion& m) {
  return (m.frames.back()[0] - m.frames.front()[0]) / m.Duration();
}
double TurnOf(const Motion& m) {
  const auto heading = [](const std::vector<double>& q) {
    return Heading({q[3], q[4], q[5], q[6]});
  };
  return std::remainder(heading(m.frames.back()) - heading(m.frames.front()),
                        2 * std::numbers::pi) *
         kDegrees;
}

TEST(BuiltInMotions, TravelAsTheySay) {
  for (const std::string character : {"liu16", "human"}) {
    EXPECT_NEAR(SpeedOf(MotionOf("walk_slow", character)), 0.8, 0.06);
    EXPECT_NEAR(SpeedOf(MotionOf("walk", character)), 1.25, 0.06);
    EXPECT_NEAR(SpeedOf(MotionOf("walk_fast", character)), 1.7, 0.08);
    EXPECT_NEAR(SpeedOf(MotionOf("run", character)), 3.0, 0.15);
    EXPECT_NEAR(SpeedOf(MotionOf("walk_backward", character)), -0.75, 0.06);
    EXPECT_NEAR(TurnOf(MotionOf("turn_left", character)), 45, 0.1);
    EXPECT_NEAR(TurnOf(MotionOf("turn_right", character)), -45, 0.1);
    EXPECT_NEAR(std::fabs(TurnOf(MotionOf("spin", character))), 180, 0.1);
  }
}

TEST(BuiltInMotions, WalkIsHuman) {
  for (const std::string name : {"liu16", "lee10", "kwon17", "human"}) {
    SCOPED_TRACE(name);
    const Character& character = CharacterOf(name);
    const Motion& walk = MotionOf("walk", name);
    const int last = walk.FrameCount() - 1;
    double swing_knee = 0, stance_knee = 0, low = 1e30, high = -1e30;
    for (int i = 0; i <= last; ++i) {
      const double knee = KneeOf(character, walk.frames[i], Role::kLeftShank) * kDegrees;
      if (i > 0.6 * last) swing_knee = std::max(swing_knee, knee);
      if (i > 0.05 * last && i < 0.3 * last) stance_knee = std::max(stance_knee, knee);
      low = std::min(low, walk.frames[i][2]);
      high = std::max(high, walk.frames[i][2]);
    }
    EXPECT_GT(swing_knee, 55);
    EXPECT_LT(swing_knee, 75);
    EXPECT_GT(stance_knee, 12);
    EXPECT_LT(stance_knee, 28);
    EXPECT_GT(high - low, 0.015);
    EXPECT_LT(high - low, 0.055);
    // At left foot strike the heel is down and the toes are up, the left foot is ahead, and the
    // right arm is forward and the left one back.
    const BodyFrames strike = FramesAt(character, walk.frames[0]);
    const int left_foot = character.BodyOf(Role::kLeftFoot),
              right_foot = character.BodyOf(Role::kRightFoot);
    const Vec3d toes = Rotate(strike.rotation[left_foot], Vec3d{1, 0, 0});
    EXPECT_GT(std::asin(toes.z) * kDegrees, 10);
    EXPECT_GT(strike.position[left_foot].x, strike.position[right_foot].x + 0.4);
    EXPECT_GT(strike.position[character.BodyOf(Role::kRightForearm)].x,
              strike.position[character.BodyOf(Role::kLeftForearm)].x + 0.08);
    // Before it leaves, the heel is well up.
    int leave = 0;
    while (leave < last && (walk.contacts[leave + 1] & kLeftFootDown) != 0) ++leave;
    const Vec3d push =
        Rotate(FramesAt(character, walk.frames[leave]).rotation[left_foot], Vec3d{1, 0, 0});
    EXPECT_LT(std::asin(push.z) * kDegrees, -35);
    EXPECT_NEAR(double(leave) / last, 0.6, 0.06);
  }
}

TEST(BuiltInMotions, SlowOnesAreInBalance) {
  for (const std::string name : {"liu16", "lee10", "kwon17", "human"}) {
    const Character& character = CharacterOf(name);
    for (const std::string motion_name : {"stand", "kick"}) {
      const Motion& motion = MotionOf(motion_name, name);
      const std::vector<std::vector<Vec3d>> trace = Trace(character, motion);
      const std::vector<Vec3d> com = ComTrace(character, motion);
      for (int i = 0; i < motion.FrameCount(); ++i) {
        Vec3d low{1e30, 1e30, 0}, high{-1e30, -1e30, 0};
        for (int limb = 0; limb < 2; ++limb) {
          if ((motion.contacts[i] >> limb & 1) == 0) continue;
          for (const int p : PointsOf(character, limb)) {
            if (trace[i][p].z > 0.01) continue;
            low = {std::min(low.x, trace[i][p].x), std::min(low.y, trace[i][p].y), 0};
            high = {std::max(high.x, trace[i][p].x), std::max(high.y, trace[i][p].y), 0};
          }
        }
        ASSERT_GT(com[i].x, low.x) << name << " " << motion_name << " frame " << i;
        ASSERT_LT(com[i].x, high.x) << name << " " << motion_name << " frame " << i;
        ASSERT_GT(com[i].y, low.y) << name << " " << motion_name << " frame " << i;
        ASSERT_LT(com[i].y, high.y) << name << " " << motion_name << " frame " << i;
      }
    }
  }
}

// Angular momentum about the centre of mass between two frames.
Vec3d AngularMomentum(const Character& character, const Motion& motion, int frame) {
  const BodyFrames a = FramesAt(character, motion.frames[frame]);
  const BodyFrames b = FramesAt(character, motion.frames[frame + 1]);
  const Vec3d com_a = CenterOfMassAt(character, motion.frames[frame]);
  const Vec3d com_b = CenterOfMassAt(character, motion.frames[frame + 1]);
  Vec3d sum;
  for (int i = 0; i < character.BodyCount(); ++i) {
    const Body& body = character.bodies[i];
    const Vec3d pa = a.position[i] + Rotate(a.rotation[i], body.com) - com_a;
    const Vec3d pb = b.position[i] + Rotate(b.rotation[i], body.com) - com_b;
    const Vec3d spin = Log(Conjugate(a.rotation[i]) * b.rotation[i]) * motion.fps;
    sum += Cross((pa + pb) * 0.5, (pb - pa) * motion.fps) * body.mass +
           Rotate(a.rotation[i], body.inertia * spin);
  }
  return sum;
}

TEST(BuiltInMotions, BackflipTurnsOnceWithSteadyMomentum) {
  for (const std::string name : {"liu16", "kwon17", "human"}) {
    const Character& character = CharacterOf(name);
    const Motion& flip = MotionOf("backflip", name);
    double turned = 0, sum = 0, squares = 0;
    int flying = 0;
    for (int i = 0; i + 1 < flip.FrameCount(); ++i) {
      turned += PoseDifference(character, flip.frames[i], flip.frames[i + 1], 1)[4];
      if (flip.contacts[i] != 0 || flip.contacts[i + 1] != 0) continue;
      const double momentum = AngularMomentum(character, flip, i).y;
      EXPECT_LT(momentum, 0) << name << " frame " << i;
      sum += momentum;
      squares += momentum * momentum;
      ++flying;
    }
    EXPECT_NEAR(turned * kDegrees, -360, 1) << name;
    const double mean = sum / flying, spread = std::sqrt(squares / flying - mean * mean);
    EXPECT_LT(spread, 0.3 * std::fabs(mean)) << name;
  }
}

TEST(LoadMotion, NamesWhatThereIs) {
  try {
    LoadMotion("moonwalk", CharacterOf("liu16"));
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("moonwalk"));
    EXPECT_THAT(e.what(), HasSubstr("get_up_back"));
  }
  EXPECT_THROW(LoadMotion("no/such/file.json", CharacterOf("liu16")), InputError);
  EXPECT_THROW(LoadMotion("walk", LoadCharacter("snake")), InputError);
}

TEST(LoadMotion, ReadsMotionFilesAndKeyPoses) {
  const std::string path = ::testing::TempDir() + "stride_library_test.json";
  WriteMotion(MotionOf("kick", "liu16"), path);
  EXPECT_EQ(LoadMotion(path, CharacterOf("liu16")).frames, MotionOf("kick", "liu16").frames);
  EXPECT_THROW(LoadMotion(path, CharacterOf("lee10")), InputError);
  std::ofstream(path) << ReadFile(std::string(STRIDE_SOURCE_DIR) + "/data/motions/kick.json");
  EXPECT_EQ(LoadMotion(path, CharacterOf("liu16")).frames, MotionOf("kick", "liu16").frames);
}

TEST(MakeMotion, RefusesBrokenFiles) {
  const Character& character = CharacterOf("liu16");
  const std::string walk = ReadFile(std::string(STRIDE_SOURCE_DIR) + "/data/motions/walk.json");
  const std::string jump = ReadFile(std::string(STRIDE_SOURCE_DIR) + "/data/motions/jump.json");
  const auto changed = [](std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  const std::vector<std::string> broken = {
      "",
      "{",
      "[]",
      "null",
      "{\"kind\": \"dance\"}",
      "{\"kind\": 3}",
      "{\"kind\": \"keys\"}",
      "{\"kind\": \"gait\"}",
      walk.substr(0, walk.size() / 2),
      changed(walk, "\"speed\": 1.25", "\"speed\": -1"),
      changed(walk, "\"speed\": 1.25", "\"speed\": 1e300"),
      changed(walk, "\"speed\": 1.25", "\"speed\": \"fast\""),
      changed(walk, "\"stance\"", "\"stanze\""),
      changed(walk, "[[0, 22], [10, 18]", "[[10, 22], [0, 18]"),
      changed(walk, "[[0, 22], [10, 18]", "[[0], [10, 18]"),
      changed(walk, "\"shoulder\": [-20, 16]", "\"shoulder\": [-20]"),
      changed(jump, "\"seconds\": 2.3", "\"seconds\": 1e9"),
      changed(jump, "\"seconds\": 2.3", "\"seconds\": 1"),
      changed(jump, "\"t\": 0.50", "\"t\": 0.1"),
      changed(jump, "\"left_foot\"", "\"left_wing\""),
      changed(jump, "\"hips\": 62", "\"hips\": 620"),
      changed(jump, "\"hips\": 62", "\"hips\": 62, \"left_hip\": 3"),
      changed(jump, "\"hips\": 62", "\"hops\": 62"),
      changed(jump, "{\"from\": 0.76, \"to\": 1.21}", "{\"from\": 0.8, \"to\": 1.21}"),
      changed(jump, "{\"from\": 0.76, \"to\": 1.21}", "{\"from\": 0.76, \"to\": 0.77}"),
      changed(jump, "\"from\": 1.21, \"to\": 2.3", "\"from\": 0.5, \"to\": 2.3"),
  };
  for (const std::string& text : broken) {
    EXPECT_THROW(MakeMotion(text, "broken.json", character), InputError) << text.substr(0, 200);
  }
  try {
    MakeMotion(changed(walk, "\"stance\": 61", "\"stance\": 99"), "broken.json", character);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("broken.json"));
    EXPECT_THAT(e.what(), HasSubstr("stance"));
    EXPECT_THAT(e.what(), HasSubstr("20 to 80"));
  }
}

}  // namespace
}  // namespace stride
