#include "stride/motion/formats/deepmimic/deepmimic.h"

#include <array>
#include <numbers>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "stride/core/error.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Row = std::vector<double>;

// Upright at (x, 0.9, 0) with every rotation the identity.
Row Upright(double duration, double x = 0) {
  Row row(44, 0);
  row[0] = duration;
  row[1] = x;
  row[2] = 0.9;
  for (int quaternion : {4, 8, 12, 16, 21, 25, 30, 35, 39}) row[quaternion] = 1;
  return row;
}

std::string Text(const std::vector<Row>& rows, const std::string& loop = "wrap") {
  std::string text = "{\n\"Loop\": \"" + loop + "\",\n\"Frames\":\n[\n";
  for (const Row& row : rows)
    text += nlohmann::json(row).dump() + (&row == &rows.back() ? "\n" : ",\n");
  return text + "]\n}\n";
}

SkeletonClip Read(const std::vector<Row>& rows) { return ReadDeepMimic(Text(rows), "a.txt"); }

std::string ErrorOf(const std::string& text) {
  return InputErrorOf([&] { ReadDeepMimic(text, "a.txt"); });
}

Vec3d At(const SkeletonClip& clip, const char* joint, int frame = 0) {
  const int j = FindJoint(clip, joint);
  EXPECT_GE(j, 0) << joint;
  return Positions(clip, frame).positions[j];
}

void ExpectNear(const Vec3d& a, const Vec3d& b, double tolerance = 1e-9) {
  EXPECT_LT(Norm(a - b), tolerance) << a.x << ' ' << a.y << ' ' << a.z;
}

TEST(DeepMimicTest, StandsUprightInOurAxes) {
  const SkeletonClip clip = Read({Upright(0.033332), Upright(0, 0.1)});
  EXPECT_EQ(clip.FrameCount(), 2);
  EXPECT_EQ(clip.fps, 30);
  EXPECT_EQ(clip.metres_per_unit, 1);
  EXPECT_TRUE(clip.loop);
  ExpectNear(At(clip, "root", 1), {0.1, 0, 0.9});  // forward is +X there and here
  ExpectNear(At(clip, "left_hip"), {0, 0.0849, 0.9});
  ExpectNear(At(clip, "right_ankle"), {0, -0.0849, 0.9 - 0.4215 - 0.4099});
  ExpectNear(At(clip, "neck"), {0, 0, 0.9 + 0.236 + 0.224});
  ExpectNear(At(clip, "left_elbow"), {-0.0241, 0.1831, 0.9 + 0.236 + 0.2435 - 0.2748});
}

TEST(DeepMimicTest, NegativeKneesBendBackwardsAndPositiveElbowsForwards) {
  Row row = Upright(0);
  row[20] = -std::numbers::pi / 2;  // right knee
  row[43] = std::numbers::pi / 2;   // left elbow
  const SkeletonClip clip = Read({row});
  ExpectNear(At(clip, "right_ankle"), {-0.4099, -0.0849, 0.9 - 0.4215});
  const ClipPose pose = Positions(clip, 0);
  const int elbow = FindJoint(clip, "left_elbow");
  const Vec3d wrist = Rotate(pose.rotations[elbow], clip.joints[elbow].end_sites.at(0));
  ExpectNear(wrist, {0.2589, 0, 0});
  ExpectNear(At(clip, "left_ankle"), {0, 0.0849, 0.9 - 0.4215 - 0.4099});
}

TEST(DeepMimicTest, NormalisesQuaternionsAndFixesSigns) {
  Row first = Upright(0.033332), second = Upright(0);
  first[4] = 1.4;
  second[4] = -0.9;
  second[5] = -0.1;
  const SkeletonClip clip = Read({first, second});
  EXPECT_EQ(clip.rotations[0].w, 1);
  EXPECT_NEAR(Dot(clip.rotations[13], clip.rotations[13]), 1, 1e-12);
  EXPECT_GT(clip.rotations[13].w, 0);
  EXPECT_GT(clip.rotations[13].x, 0);
}

TEST(DeepMimicTest, RowsOfDifferentDurationAreResampled) {
  const SkeletonClip clip = Read({Upright(0.1, 0), Upright(0.3, 1), Upright(0, 4)});
  EXPECT_EQ(clip.fps, 10);
  ASSERT_EQ(clip.FrameCount(), 5);
  for (int f = 0; f < 5; ++f) EXPECT_NEAR(clip.root_positions[f].x, f, 1e-9);
  EXPECT_EQ(clip.warnings.size(), 1u);
}

TEST(DeepMimicTest, ErrorsNameFileLineAndWhatWasExpected) {
  std::vector<Row> rows = {Upright(0.03), Upright(0.03), Upright(0)};
  rows[1].pop_back();
  EXPECT_THAT(ErrorOf(Text(rows)),
              AllOf(StartsWith("a.txt:6: row 1"), HasSubstr("43 numbers; expected 44")));
  rows[1] = Upright(0.03);
  rows[1][8] = 0;
  EXPECT_THAT(ErrorOf(Text(rows)),
              AllOf(StartsWith("a.txt:6: row 1"), HasSubstr("no rotation for chest")));
  rows[1] = Upright(-1);
  EXPECT_THAT(ErrorOf(Text(rows)), AllOf(StartsWith("a.txt:6: row 1"), HasSubstr("lasts -1")));
  rows[1] = Upright(0.03);
  rows[1][3] = 1e20;
  EXPECT_THAT(ErrorOf(Text(rows)),
              AllOf(StartsWith("a.txt:6: row 1"), HasSubstr("larger than 1e9")));
  EXPECT_THAT(ErrorOf(Text({})), AllOf(StartsWith("a.txt:3: "), HasSubstr("empty")));
  EXPECT_THAT(ErrorOf(Text({Upright(0)}, "maybe")),
              AllOf(StartsWith("a.txt:2: "), HasSubstr("\"wrap\" or \"none\"")));
  EXPECT_THAT(ErrorOf("{\n\"Frames\": [\n[NaN]]}"), StartsWith("a.txt:3: is not valid JSON"));
  EXPECT_THAT(ErrorOf("{\"Frames\": [[1e999]]}"), HasSubstr("not valid JSON"));
  EXPECT_THAT(ErrorOf("{\"Frames\": [7]}"), HasSubstr("row 0 of Frames is not a list"));
  EXPECT_THAT(ErrorOf("{\"Frames\": 7}"), HasSubstr("no list \"Frames\""));
  EXPECT_THAT(ErrorOf(""), StartsWith("a.txt:1: "));
  EXPECT_THAT(ErrorOf("junk"), StartsWith("a.txt:1: "));
  EXPECT_THAT(ErrorOf("{\"Frames\":" + std::string(100000, '[')), HasSubstr("nested deeper"));
}

TEST(DeepMimicTest, EveryTruncationIsAnError) {
  const std::string whole = Text({Upright(0.03), Upright(0)});
  for (std::size_t size = 0; size + 2 < whole.size(); ++size) {
    EXPECT_NE(ErrorOf(whole.substr(0, size)), "") << size;
  }
}

TEST(DeepMimicTest, OneShortRowDoesNotBlowUpTheClip) {
  std::vector<Row> rows = {Upright(0.0001), Upright(100), Upright(0)};
  EXPECT_THAT(ErrorOf(Text(rows)), HasSubstr("too different"));
}

}  // namespace
}  // namespace stride
