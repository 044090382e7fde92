#include "stride/motion/motion.h"

#include <cmath>
#include <filesystem>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/math/rotation.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using ::testing::HasSubstr;

Quatd RandomQuat(std::mt19937* random) {
  std::normal_distribution<double> normal;
  return Normalized(Quatd{normal(*random), normal(*random), normal(*random), normal(*random)});
}

std::vector<double> RandomPose(const Character& character, std::mt19937* random) {
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<double> q = ZeroState(character).q;
  const Layout layout = LayoutOf(character);
  for (int i = 0; i < character.BodyCount(); ++i) {
    int at = layout.q[i];
    const JointKind kind = character.bodies[i].joint.kind;
    if (kind == JointKind::kHinge) {
      q[at] = number(*random);
      continue;
    }
    if (kind == JointKind::kFree) {
      for (int k = 0; k < 3; ++k) q[at++] = number(*random);
    }
    const Quatd r = RandomQuat(random);
    q[at] = r.w;
    q[at + 1] = r.x;
    q[at + 2] = r.y;
    q[at + 3] = r.z;
  }
  return q;
}

Motion RandomMotion(const Character& character, int frames, unsigned seed) {
  std::mt19937 random(seed);
  Motion motion;
  motion.name = "random \"quoted\" motion";
  motion.character = character.name;
  motion.source = "test";
  motion.fps = 1000.0 / 7;
  for (int f = 0; f < frames; ++f) {
    motion.frames.push_back(RandomPose(character, &random));
    motion.contacts.push_back(static_cast<std::uint8_t>(f % 256));
  }
  return motion;
}

// The same pose: quaternions q and -q are one rotation.
void ExpectSamePose(const Character& character, const std::vector<double>& a,
                    const std::vector<double>& b, double tolerance) {
  for (const double difference : PoseDifference(character, a, b, 1))
    EXPECT_NEAR(difference, 0, tolerance);
}

TEST(Motion, DifferenceAddedToAPoseGivesTheOther) {
  const Character character = LoadCharacter("liu16");
  std::mt19937 random(1);
  const Layout layout = LayoutOf(character);
  for (int trial = 0; trial < 20; ++trial) {
    const std::vector<double> a = RandomPose(character, &random),
                              b = RandomPose(character, &random);
    const double dt = 0.02;
    const std::vector<double> v = PoseDifference(character, a, b, dt);
    std::vector<double> sum = a;
    for (int i = 0; i < character.BodyCount(); ++i) {
      int at = layout.q[i], from = layout.v[i];
      if (character.bodies[i].joint.kind == JointKind::kHinge) {
        sum[at] += v[from] * dt;
        continue;
      }
      if (character.bodies[i].joint.kind == JointKind::kFree) {
        for (int k = 0; k < 3; ++k) sum[at++] += v[from++] * dt;
      }
      const Quatd turned = Quatd{a[at], a[at + 1], a[at + 2], a[at + 3]} *
                           Exp(Vec3d{v[from], v[from + 1], v[from + 2]} * dt);
      sum[at] = turned.w;
      sum[at + 1] = turned.x;
      sum[at + 2] = turned.y;
      sum[at + 3] = turned.z;
    }
    ExpectSamePose(character, sum, b, 1e-9);
  }
}

TEST(Motion, SamplesFramesAndBetweenThem) {
  const Character character = LoadCharacter("kwon17");
  const Motion motion = RandomMotion(character, 5, 2);
  for (int f = 0; f < 5; ++f) {
    ExpectSamePose(character, SampleMotion(motion, character, f / motion.fps), motion.frames[f],
                   1e-9);
  }
  const std::vector<double> half = SampleMotion(motion, character, 1.5 / motion.fps);
  const std::vector<double> up = PoseDifference(character, motion.frames[1], half, 1);
  const std::vector<double> on = PoseDifference(character, half, motion.frames[2], 1);
  for (std::size_t i = 0; i < up.size(); ++i) EXPECT_NEAR(up[i], on[i], 1e-9);
  EXPECT_EQ(SampleMotion(motion, character, -1), motion.frames.front());
  EXPECT_EQ(SampleMotion(motion, character, 100), motion.frames.back());
  EXPECT_EQ(SampleContacts(motion, 1.6 / motion.fps), 2);
  EXPECT_EQ(SampleContacts(motion, 100), 4);
}

TEST(Motion, VelocityIsThatOfASteadyTurnAndStopsBeyondTheEnds) {
  const Character character = LoadCharacter("human");
  Motion motion;
  motion.fps = 60;
  for (int f = 0; f < 10; ++f) {
    std::vector<double> q = character.rest_q;
    const Quatd turn = AxisAngle({0, 0, 1}, 2.0 * f / 60);
    q[0] = 3.0 * f / 60;
    q[3] = turn.w, q[4] = turn.x, q[5] = turn.y, q[6] = turn.z;
    motion.frames.push_back(q);
    motion.contacts.push_back(0);
  }
  for (const double t : {0.0, 0.013, 0.1, motion.Duration()}) {
    const State state = SampleState(motion, character, t);
    EXPECT_NEAR(state.v[0], 3, 1e-9) << t;
    EXPECT_NEAR(state.v[5], 2, 1e-9) << t;
    EXPECT_NEAR(state.v[2], 0, 1e-9) << t;
  }
  EXPECT_EQ(SampleState(motion, character, 5).v[0], 0);
}

TEST(Motion, ALoopTravelsOnAlongItsCircle) {
  const Character character = LoadCharacter("liu16");
  Motion motion;
  motion.loops = true;
  motion.fps = 10;
  // A quarter circle of radius 2 about the origin in ten frames.
  for (int f = 0; f <= 10; ++f) {
    std::vector<double> q = character.rest_q;
    q[0] = 2, q[1] = 0;
    MovePose(character, M_PI / 2 * f / 10, {0, 0, 0}, &q);
    motion.frames.push_back(q);
    motion.contacts.push_back(static_cast<std::uint8_t>(f % 10));
  }
  for (const double t : {-1.3, 0.4, 1.0, 2.55, 7.7, 41.2}) {
    const std::vector<double> q = SampleMotion(motion, character, t);
    const double radius = std::hypot(q[0], q[1]);
    EXPECT_NEAR(radius, 2, 0.01) << t;  // chords between frames
    std::vector<double> expected = character.rest_q;
    expected[0] = 2, expected[1] = 0;
    MovePose(character, M_PI / 2 * t, {0, 0, 0}, &expected);
    ExpectSamePose(character, expected, q, 0.01);
    EXPECT_NEAR(SampleState(motion, character, t).v[5], M_PI / 2,
                1e-4);  // the rest pose leans a little
  }
  EXPECT_EQ(SampleContacts(motion, 2.3), 3);
}

TEST(MotionFile, RoundTripsExactly) {
  const Character character = LoadCharacter("lee10");
  const Motion motion = RandomMotion(character, 30, 3);
  const std::string path = ::testing::TempDir() + "/stride_motion_test.motion";
  WriteMotion(motion, path);
  EXPECT_EQ(ReadMotion(path), motion);
  Validate(ReadMotion(path), character);
  std::filesystem::remove(path);
}

// The message of the error that parsing gives.
std::string ParseError(const std::string& text) {
  return InputErrorOf([&] { ParseMotion(text, "a.motion"); });
}

TEST(MotionFile, BadFilesAreNamedWithTheirLine) {
  const std::string head =
      "{\"stride_motion\": 1,\n\"name\": \"a\",\n\"character\": \"liu16\",\n\"source\": \"\",\n";
  const std::string good =
      head +
      "\"fps\": 30,\n\"loops\": false,\n\"contacts\": [0,1],\n\"frames\": [\n[1,2],\n[3,4]\n]}\n";
  EXPECT_EQ(ParseMotion(good, "a.motion").FrameCount(), 2);
  EXPECT_THAT(ParseError(""), HasSubstr("a.motion:1"));
  EXPECT_THAT(ParseError("{}"), HasSubstr("stride_motion"));
  EXPECT_THAT(ParseError("{\"stride_motion\": 99}"), HasSubstr("version"));
  EXPECT_THAT(ParseError(good.substr(0, good.size() - 6)), HasSubstr("not valid JSON"));
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_THAT(ParseError(replaced("30", "-30")), HasSubstr("a.motion:5: \"fps\""));
  EXPECT_THAT(ParseError(replaced("30", "\"x\"")), HasSubstr("\"fps\""));
  EXPECT_THAT(ParseError(replaced("false", "0")), HasSubstr("\"loops\""));
  EXPECT_THAT(ParseError(replaced("[3,4]", "[3,4,5]")), HasSubstr("a.motion:10: frame 1 has 3"));
  EXPECT_THAT(ParseError(replaced("[3,4]", "[3,null]")), HasSubstr("a.motion:10: frame 1"));
  EXPECT_THAT(ParseError(replaced("[0,1]", "[0]")), HasSubstr("contacts"));
  EXPECT_THAT(ParseError(replaced("[0,1]", "[0,256]")), HasSubstr("contacts"));
  EXPECT_THAT(ParseError(replaced("\"source\"", "\"sauce\"")), HasSubstr("sauce"));
}

TEST(Motion, ValidateNamesTheFrame) {
  const Character character = LoadCharacter("liu16");
  const Motion good = RandomMotion(character, 3, 4);
  EXPECT_NO_THROW(Validate(good, character));
  const auto message = [&](const Motion& motion) {
    return InputErrorOf([&] { Validate(motion, character); });
  };
  Motion bad = good;
  bad.frames.clear();
  EXPECT_THAT(message(bad), HasSubstr("no frame"));
  bad = good;
  bad.frames[1].pop_back();
  EXPECT_THAT(message(bad), HasSubstr("frame 1 has 56 coordinates; expected 57"));
  bad = good;
  bad.frames[2][9] = NAN;
  EXPECT_THAT(message(bad), HasSubstr("frame 2"));
  bad = good;
  bad.frames[2][3] += 0.1;
  EXPECT_THAT(message(bad), HasSubstr("unit"));
  bad = good;
  bad.contacts.pop_back();
  EXPECT_THAT(message(bad), HasSubstr("2 contact labels for 3 frames"));
}

}  // namespace
}  // namespace stride
