#include "stride/motion/formats/bvh/bvh.h"

#include <cmath>
#include <numbers>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/math/rotation.h"
#include "stride/motion/formats/bvh/euler.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// As the writer writes it: joints with 6, 3, 2, 1 and no channels, a joint that moves, an end site
// beside a child.
constexpr const char* kClip = R"(HIERARCHY
ROOT Hips
{
	OFFSET 0 0 0
	CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
	JOINT Spine
	{
		OFFSET 0 10.5 -0.25
		CHANNELS 3 Zrotation Xrotation Yrotation
		End Site
		{
			OFFSET 0 4 1
		}
		JOINT LeftArm
		{
			OFFSET 5 2 0
			CHANNELS 2 Yrotation Xrotation
			JOINT LeftHand
			{
				OFFSET 6 0 0
				CHANNELS 1 Zrotation
				End Site
				{
					OFFSET 1 0 0
				}
			}
		}
		JOINT Fixed
		{
			OFFSET 1 1 1
			CHANNELS 0
		}
	}
	JOINT Slider
	{
		OFFSET 1 2 3
		CHANNELS 4 Yposition Xrotation Yrotation Zrotation
	}
}
MOTION
Frames: 3
Frame Time: 0.0083333
1 2 3 10 -20 30 1 2 3 40 50 -60 2.5 7 8 9
1.1 2.000001 3 11 -21 31 1 90 3 41 51 -61 2.6 7 89.9 9
1.2 2 3 12 -22 32 2 95 4 42 52 -62 2.7 7 120 -150
)";

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string ErrorOf(const std::string& text) {
  return InputErrorOf([&] { ReadBvh(text, "a.bvh"); });
}

void ExpectNear(const Vec3d& a, const Vec3d& b, double tolerance = 1e-9) {
  EXPECT_LT(Norm(a - b), tolerance) << a.x << ' ' << a.y << ' ' << a.z;
}

double LargestDistance(const SkeletonClip& a, const SkeletonClip& b) {
  double largest = 0;
  for (int f = 0; f < a.FrameCount(); ++f) {
    const ClipPose p = Positions(a, f), q = Positions(b, f);
    for (int j = 0; j < a.JointCount(); ++j) {
      largest = std::max(largest, Norm(p.positions[j] - q.positions[j]));
    }
  }
  return largest;
}

TEST(BvhTest, ReadsTheSkeletonInOurAxes) {
  const SkeletonClip clip = ReadBvh(kClip, "a.bvh");
  ASSERT_EQ(clip.JointCount(), 6);
  EXPECT_EQ(clip.format, "bvh");
  EXPECT_EQ(clip.source, "a.bvh");
  EXPECT_EQ(clip.fps, 120);
  EXPECT_EQ(clip.frame_time, 0.0083333);
  EXPECT_EQ(clip.FrameCount(), 3);
  EXPECT_EQ(clip.joints[1].name, "Spine");
  EXPECT_EQ(clip.joints[5].parent, 0);
  // Left is +X in the file and +Y here, up Y and Z, forward Z and X.
  EXPECT_EQ(clip.joints[2].offset, (Vec3d{0, 5, 2}));
  EXPECT_EQ(clip.joints[1].end_sites, (std::vector<Vec3d>{{1, 0, 4}}));
  EXPECT_EQ(clip.joints[3].channels, std::vector<Channel>{Channel::kZRotation});
  EXPECT_TRUE(clip.joints[4].channels.empty());
}

TEST(BvhTest, RotationIsTheProductOfChannelsAsListed) {
  const SkeletonClip clip = ReadBvh(kClip, "a.bvh");
  constexpr double kDegree = std::numbers::pi / 180;
  // Spine: Z 1, X 2, Y 3 degrees; the file's z, x, y are our x, y, z.
  const Quatd expected = AxisAngle({1, 0, 0}, 1 * kDegree) * AxisAngle({0, 1, 0}, 2 * kDegree) *
                         AxisAngle({0, 0, 1}, 3 * kDegree);
  EXPECT_LT(Norm(Log(Conjugate(expected) * clip.rotations[1])), 1e-14);
}

TEST(BvhTest, PositionChannelsReplaceTheOffset) {
  const SkeletonClip clip = ReadBvh(kClip, "a.bvh");
  ExpectNear(clip.root_positions[0], {3, 1, 2});
  ASSERT_EQ(clip.moving, std::vector<int>{5});
  // Only y has a channel.
  ExpectNear(clip.translations[1], {3, 1, 2.6});
}

TEST(BvhTest, RoundTripIsExactToTheDigit) { EXPECT_EQ(WriteBvh(ReadBvh(kClip, "a.bvh")), kClip); }

TEST(BvhTest, JumpsBetweenEqualRotationsAreSmoothed) {
  std::string text = kClip;
  text = Replaced(text, "3 12 -22 32", "3 -168 -158 212");  // the same by the other way round
  text = Replaced(text, "2 95 4 42", "362 -265 4 402");
  EXPECT_EQ(WriteBvh(ReadBvh(text, "a.bvh")), kClip);
}

TEST(BvhTest, AcceptsWhatToolsWrite) {
  const SkeletonClip expected = ReadBvh(kClip, "a.bvh");
  // Line ends, tabs, letter case, exponents of three digits, no leading zeros, signs, wrapped
  // lines.
  std::string text = kClip;
  text = Replaced(text, "HIERARCHY\nROOT Hips\n", "\r\n hierarchy\r\nRoot Hips\r\n");
  text = Replaced(text, "CHANNELS 3 Zrotation Xrotation Yrotation",
                  "channels\t3 ZROTATION XROTATION YROTATION \r");
  text = Replaced(text, "OFFSET 0 10.5 -0.25", "Offset 0.0 1.05e+001 -2.5E-001");
  text = Replaced(text, "End Site\n\t\t{", "END SITE{");
  text = Replaced(text, "OFFSET 5 2 0\n\t\t\tCHANNELS 2 Yrotation Xrotation",
                  "CHANNELS 2 Yrotation Xrotation OFFSET 5 2 0");
  text = Replaced(text, "Frames: 3", "FRAMES :3");
  text = Replaced(text, "Frame Time: 0.0083333", "Frame Time:\t.0083333");
  text = Replaced(text, "1 2 3 10 -20 30 1 2", "+1 2 3\n\n10 -20. 3.0e1\r\n 1 2");
  text = Replaced(text, "-150\n", "-150");
  EXPECT_EQ(ReadBvh(text, "a.bvh"), expected);
}

TEST(BvhTest, FrameTimeNamesTheRate) {
  const auto fps = [](const std::string& time) {
    return ReadBvh(Replaced(kClip, "0.0083333", time), "a.bvh").fps;
  };
  EXPECT_EQ(fps("0.033"), 30);
  EXPECT_EQ(fps("0.0166667"), 60);
  EXPECT_NEAR(fps("0.033367"), 29.97, 1e-3);
  EXPECT_EQ(fps("1e-2"), 100);
}

TEST(BvhTest, MoreWholeFramesThanDeclaredAreReadWithAWarning) {
  const SkeletonClip clip = ReadBvh(Replaced(kClip, "Frames: 3", "Frames: 2"), "a.bvh");
  EXPECT_EQ(clip.FrameCount(), 3);
  ASSERT_EQ(clip.warnings.size(), 1u);
  EXPECT_THAT(clip.warnings[0], HasSubstr("declares 2 frames but holds 3"));
}

TEST(BvhTest, WriterAddsTheChannelsThatAMotionNeeds) {
  SkeletonClip clip = ReadBvh(kClip, "a.bvh");
  clip.rotations[3] = Normalized(Quatd{1, 0.1, -0.2, 0.3});  // LeftHand had one channel
  clip.rotations[4] = Normalized(Quatd{1, 0.3, 0.2, 0.1});   // Fixed had none
  clip.translations[0].x = 17;                               // Slider had its height only
  const SkeletonClip again = ReadBvh(WriteBvh(clip), "b.bvh");
  EXPECT_EQ(again.joints[3].channels,
            (std::vector<Channel>{Channel::kZRotation, Channel::kXRotation, Channel::kYRotation}));
  EXPECT_EQ(again.joints[4].channels.size(), 3u);
  EXPECT_EQ(again.joints[5].channels.size(), 6u);
  EXPECT_EQ(again.joints[2].channels, clip.joints[2].channels);
  EXPECT_LT(LargestDistance(clip, again), 1e-6);
}

TEST(BvhTest, WrittenAnglesRunOnBeyondATurn) {
  SkeletonClip clip;
  clip.fps = 30;
  clip.joints = {{"root", -1, {}}};
  for (int f = 0; f < 40; ++f) {
    clip.root_positions.push_back({});
    clip.rotations.push_back(
        AxisAngle({0, 0, 1}, f * std::numbers::pi / 9));  // 20 degrees, our Z: Y
  }
  SetDefaultChannels(&clip);
  EXPECT_THAT(WriteBvh(clip), HasSubstr("\n0 0 0 0 0 780\n"));
}

TEST(BvhTest, WriterMakesNamesPlain) {
  SkeletonClip clip = ReadBvh(kClip, "a.bvh");
  clip.joints[1].name = "a\nb{";
  clip.joints[2].name = "a_b_";
  clip.joints[3].name = "";
  const SkeletonClip again = ReadBvh(WriteBvh(clip), "b.bvh");
  EXPECT_EQ(again.joints[1].name, "a_b__1");
  EXPECT_EQ(again.joints[2].name, "a_b_");
  EXPECT_EQ(again.JointCount(), clip.JointCount());
}

struct BadFile {
  const char* from;
  const char* to;
  int line;
  const char* message;
};

TEST(BvhTest, ErrorsNameFileLineAndWhatWasExpected) {
  const BadFile kBad[] = {
      {"HIERARCHY", "HIERARCHIE", 1, "found 'HIERARCHIE'; expected HIERARCHY"},
      {"JOINT Slider", "JOINT Spine", 34, "called 'Spine' (the first is in line 6)"},
      {"JOINT Slider", "JOINT ", 34, "without a name"},
      {"MOTION", "ROOT Second", 40, "second ROOT"},
      {"MOTION", "", 41, "expected MOTION"},
      {"Frames: 3", "Frames: many", 41, "found 'many'"},
      {"Frames: 3", "Frames: 0", 41, "expected at least one"},
      {"Frames: 3", "Frames: 4", 46, "ends after 3 frames and 0 numbers; it declares 4"},
      {"Frames: 3", "Frames: 1000000000", 46, "ends after 3 frames"},
      {"Frame Time: 0.0083333", "Frame Time: 0", 42, "expected seconds between frames"},
      {"Frame Time: 0.0083333", "Frame Time: nan", 42, "found 'nan'"},
      {"2.6 7 89.9 9", "2.6 7 89.9", 44, "this line has 15"},
      {"2.6 7 89.9 9", "2.6 7 89.9 9 9", 44, "this line has 17"},
      {"2.6 7 89.9 9", "2.6 nan 89.9 9", 44, "found 'nan'"},
      {"2.6 7 89.9 9", "2.6 -1.#IND 89.9 9", 44, "found '-1.#IND'"},
      {"2.6 7 89.9 9", "2.6 1e300 89.9 9", 44, "found '1e300'"},
      {"2.6 7 89.9 9", "2.6 7,5 89.9 9", 44, "found '7,5'"},
      {"CHANNELS 1 Zrotation", "CHANNELS 2 Zrotation", 22, "channel 2 of 2"},
      {"CHANNELS 1 Zrotation", "CHANNELS 99999 Zrotation", 21, "expected 0 to 6"},
      {"CHANNELS 1 Zrotation", "CHANNELS 2 Zrotation Zrotation", 21, "at most once"},
      {"OFFSET 6 0 0", "OFFSET 6 0", 21, "z of OFFSET"},
      {"OFFSET 6 0 0", "", 26, "'LeftHand' has no OFFSET"},
      {"OFFSET 6 0 0", "OFFSET 6 0 0 OFFSET 6 0 0", 20, "second OFFSET"},
      {"JOINT Fixed", "JOIN Fixed", 28, "found 'JOIN'; expected OFFSET, CHANNELS, JOINT"},
      {"End Site\n\t\t{\n\t\t\tOFFSET 0 4 1", "End Site\n\t\t{\n\t\t\t", 13,
       "OFFSET in an End Site"},
  };
  for (const BadFile& bad : kBad) {
    SCOPED_TRACE(std::string(bad.from) + " -> " + bad.to);
    EXPECT_THAT(
        ErrorOf(Replaced(kClip, bad.from, bad.to)),
        AllOf(StartsWith("a.bvh:" + std::to_string(bad.line) + ": "), HasSubstr(bad.message)));
  }
  EXPECT_THAT(ErrorOf(""), StartsWith("a.bvh:1: the file ends here"));
  EXPECT_THAT(ErrorOf(std::string("\x7f\x45\x4c\x46\x00\x01", 6)), StartsWith("a.bvh:1: found"));
}

TEST(BvhTest, EveryTruncationIsAnError) {
  const std::string whole = kClip;
  // The last number may lose digits unnoticed; all before it may not.
  for (std::size_t size = 0; size + 6 < whole.size(); ++size) {
    EXPECT_NE(ErrorOf(whole.substr(0, size)), "") << size;
  }
}

TEST(BvhTest, AbsurdNestingIsAnError) {
  std::string text = "HIERARCHY\nROOT j\n{ OFFSET 0 0 0\n";
  for (int n = 0; n < 100000; ++n) text += "JOINT j" + std::to_string(n) + "\n{ OFFSET 0 0 0\n";
  EXPECT_THAT(ErrorOf(text), HasSubstr("nested deeper than 512"));
}

TEST(BvhTest, JointsWithoutDataDoNotTakeMemory) {
  std::string text = "HIERARCHY\nROOT j\n{ OFFSET 0 0 0 CHANNELS 1 Xrotation\n";
  for (int n = 0; n < 5000; ++n) text += "JOINT j" + std::to_string(n) + "\n{ OFFSET 0 0 0 }\n";
  text += "}\nMOTION\nFrames: 100000\nFrame Time: 0.01\n";
  for (int n = 0; n < 100000; ++n) text += "0\n";  // 500 million rotations
  EXPECT_THAT(ErrorOf(text), HasSubstr("without CHANNELS"));
}

// Captures of Debian's assimp-testmodels.
TEST(BvhTest, RealCapturesComeBackToTheDigit) {
  struct Real {
    const char* name;
    int joints, frames;
    double fps;
  };
  for (const Real& real :
       {Real{"01_01", 31, 2752, 120}, {"01_03", 31, 4511, 120}, {"Boxing_Toes", 21, 3070, 100}}) {
    SCOPED_TRACE(real.name);
    const std::string path = std::string("/usr/share/assimp/models/BVH/") + real.name + ".bvh";
    const SkeletonClip clip = ReadBvh(ReadFile(path), path);
    EXPECT_EQ(clip.JointCount(), real.joints);
    EXPECT_EQ(clip.FrameCount(), real.frames);
    EXPECT_EQ(clip.fps, real.fps);
    const SkeletonClip again = ReadBvh(WriteBvh(clip), "again.bvh");
    EXPECT_EQ(again.joints, clip.joints);
    EXPECT_EQ(again.frame_time, clip.frame_time);
    EXPECT_LT(LargestDistance(clip, again), 1e-12);
  }
}

}  // namespace
}  // namespace stride
