#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/core/file.h"
#include "stride/motion/edit/ground_move.h"
#include "stride/motion/formats/export.h"
#include "stride/motion/formats/formats.h"
#include "stride/motion/import/import.h"
#include "stride/motion/import/motion_source.h"
#include "stride/testing/test_motions.h"

namespace stride {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kRound = 60;  // frames

// A DeepMimic file that says it wraps: a whole turn to the left on the way along +X in one second,
// legs swinging. An arm does not come back to where it was. `fall`: the body ends lying.
std::string WrapFile(const std::string& name, bool fall = false) {
  std::vector<std::string> rows;
  for (int k = 0; k <= kRound; ++k) {
    const double x = static_cast<double>(k) / kRound, phase = 2 * M_PI * x;
    std::vector<double> row = {k < kRound ? 1.0 / kRound : 0, 0.5 * x, fall ? 0.88 - 0.7 * x : 0.88,
                               0};
    const auto add = [&](const Quatd& q) { row.insert(row.end(), {q.w, q.x, q.y, q.z}); };
    const Quatd still = Quatd::Identity();
    const double swing = 0.3 * std::sin(phase);
    add(AxisAngle({0, 1, 0}, phase) * AxisAngle({0, 0, 1}, fall ? 1.5 * x : 0));
    add(still);  // chest
    add(still);  // neck
    for (const int side : {1, -1}) {
      add(AxisAngle({0, 0, 1}, 0.1 + side * swing));
      row.push_back(-0.2);  // knee
      add(AxisAngle({0, 0, 1}, 0.1 - side * swing));
      add(AxisAngle({0, 0, 1}, side > 0 ? 0.5 * x : 0));
      row.push_back(0.3);  // elbow
    }
    rows.push_back(fmt::format("[{}]", fmt::join(row, ",")));
  }
  const std::string path = ::testing::TempDir() + "/" + name;
  WriteFileWhole(path,
                 fmt::format("{{\"Loop\": \"wrap\", \"Frames\": [{}]}}", fmt::join(rows, ",")));
  return path;
}

// Two and a half rounds of the walk that do not match exactly, as a capture.
std::string WalkFile(const std::string& name) {
  const std::string path = ::testing::TempDir() + "/" + name;
  WriteClip(ClipFromMotion(DriftingRounds(TestMotion("walk"), 2.5, 0.3), TestCharacter()), path);
  return path;
}

ImportResult Closed(const std::string& file, int first = -1, int last = -1, double warp = 0.25) {
  ImportOptions options;
  options.file = file;
  options.closing = Closing::kYes;
  options.first_frame = first;
  options.last_frame = last;
  options.loop_warp = warp;
  return Import(options);
}

// The last frame is the first one moved over the ground, and the speed does not jump there.
void ExpectNoSeam(const Motion& loop) {
  const Character& character = TestCharacter();
  EXPECT_TRUE(loop.loops);
  const GroundMove round = MoveBetween(character, loop.frames.front(), loop.frames.back());
  std::vector<double> next = loop.frames.front();
  MovePose(character, round.heading, round.shift, &next);
  EXPECT_LT(Distance(character, next, loop.frames.back()), 1e-9);
  EXPECT_EQ(loop.contacts.front(), loop.contacts.back());
  double elsewhere = 0;
  for (int f = 1; f + 1 < loop.FrameCount(); ++f)
    elsewhere = std::max(elsewhere, VelocityStep(character, loop, f));
  EXPECT_LT(VelocityStep(character, loop, 0), elsewhere);
}

TEST(ImportLoop, AFileThatWrapsKeepsItsTurnAndTravel) {
  const std::string file = WrapFile("stride_wraps.txt");
  ImportOptions options;
  options.file = file;
  const ImportResult open = Import(options);
  EXPECT_FALSE(open.motion.loops);
  EXPECT_FALSE(open.loop.closed);
  EXPECT_TRUE(ToJson(open)["loop"].is_null());
  EXPECT_THAT(open.warnings, Contains(HasSubstr("--loop")));
  Motion jumps = open.motion;
  jumps.loops = true;
  EXPECT_GT(VelocityStep(TestCharacter(), jumps, 0), 10);  // the arm

  const ImportResult closed = Closed(file);
  ExpectNoSeam(closed.motion);
  EXPECT_LT(VelocityStep(TestCharacter(), closed.motion, 0), 2);
  EXPECT_EQ(closed.motion.FrameCount(), kRound + 1);
  EXPECT_EQ(closed.loop.chosen, "file");
  EXPECT_EQ(closed.loop.first, 0);
  EXPECT_EQ(closed.loop.last, kRound);
  EXPECT_NEAR(closed.loop.turn_deg, 360, 0.1);
  const Vec3d way = Vec3At(open.motion.frames.back(), 0) - Vec3At(open.motion.frames.front(), 0);
  EXPECT_NEAR(Norm(closed.loop.travel), std::hypot(way.x, way.y), 0.03);
  const nlohmann::ordered_json json = ToJson(closed);
  EXPECT_EQ(json["loop"]["chosen_by"], "file");
  EXPECT_NEAR(json["loop"]["seconds"].get<double>(), 1, 1e-6);
  std::filesystem::remove(file);
}

TEST(ImportLoop, ACaptureGivenDirectlyIsClosedIfItSaysSo) {
  const std::string file = WrapFile("stride_wraps_directly.txt");
  const MotionSource source = LoadAnyMotion(file, "");
  EXPECT_EQ(source.motion, Closed(file).motion);
  EXPECT_THAT(source.warnings, Not(Contains(HasSubstr("one round"))));
  CaptureOptions part;
  part.last_frame = kRound / 2;
  EXPECT_FALSE(LoadAnyMotion(file, "", part).motion.loops);
  EXPECT_EQ(LoadAnyMotion(file, "", part).motion.FrameCount(), kRound / 2 + 1);
  part.loop = true;
  part.fps = kRound / 2;
  const Motion half = LoadAnyMotion(file, "", part).motion;
  EXPECT_TRUE(half.loops);
  EXPECT_NEAR(half.Duration(), 1, 1e-9);
  EXPECT_THAT(InputErrorOf([&] { LoadAnyMotion("walk", "", part); }), HasSubstr("captures only"));
  std::filesystem::remove(file);
}

TEST(ImportLoop, EndsThatDoNotMatchAreNotJoined) {
  const std::string file = WrapFile("stride_falls.txt", true);
  EXPECT_THAT(InputErrorOf([&] { Closed(file); }),
              AllOf(HasSubstr("stride_falls.txt"), HasSubstr("frames 0 and 60"),
                    HasSubstr(" m apart"), HasSubstr("--range")));
  const MotionSource source = LoadAnyMotion(file, "");
  EXPECT_FALSE(source.motion.loops);
  EXPECT_THAT(source.warnings, Contains(HasSubstr(" m apart")));
  std::filesystem::remove(file);
}

TEST(ImportLoop, TakesTheRangeOrTheBestCycle) {
  const std::string file = WalkFile("stride_walks.bvh");
  const Motion& walk = TestMotion("walk");
  const int period = walk.FrameCount() - 1;
  const double stride = Norm(Vec3At(walk.frames.back(), 0) - Vec3At(walk.frames.front(), 0));

  const ImportResult found = Closed(file);
  ExpectNoSeam(found.motion);
  EXPECT_EQ(found.loop.chosen, "cycle");
  EXPECT_NEAR(found.loop.last - found.loop.first, period, 2);
  EXPECT_EQ(found.motion.FrameCount(), found.loop.last - found.loop.first + 1);

  const ImportResult ranged = Closed(file, 10, 10 + period);
  ExpectNoSeam(ranged.motion);
  EXPECT_EQ(ranged.loop.chosen, "range");
  EXPECT_EQ(ranged.loop.first, 10);
  EXPECT_EQ(ranged.loop.last, 10 + period);
  EXPECT_EQ(ranged.motion.FrameCount(), period + 1);
  EXPECT_LT(ranged.ground.after.max_slide, 0.01);
  for (const ImportResult* result : {&found, &ranged}) {
    EXPECT_NEAR(result->loop.travel.x, stride, 0.1 * stride);  // straight on along +X
    EXPECT_NEAR(result->loop.travel.y, 0, 0.01);
    EXPECT_NEAR(result->motion.frames[0][0], 0, 1e-9);
  }
  // The same frames of a motion at another rate.
  ImportOptions fewer;
  fewer.file = file;
  fewer.closing = Closing::kYes;
  fewer.first_frame = 10;
  fewer.last_frame = 10 + period;
  fewer.rate = walk.fps / 2;
  const ImportResult half = Import(fewer);
  EXPECT_NEAR(half.motion.Duration(), walk.Duration(), 0.5 / fewer.rate + 1e-9);
  EXPECT_NEAR(half.loop.first, 10, 1);
  EXPECT_NEAR(half.loop.last, 10 + period, 2);

  // A wider warp changes poses further from the seam.
  const auto apart = [&](double warp) {
    const Motion loop = Closed(file, 10, 10 + period, warp).motion;
    const int f = static_cast<int>(std::lround(0.15 * loop.fps));
    return Distance(TestCharacter(), loop.frames[f], ranged.motion.frames[f]);
  };
  EXPECT_LT(apart(0.25), 1e-9);
  EXPECT_GT(apart(0.05), 1e-3);
  std::filesystem::remove(file);
}

TEST(ImportLoop, SaysWhatItCannotClose) {
  const std::string walk = WalkFile("stride_walks_on.bvh");
  EXPECT_THAT(InputErrorOf([&] { Closed(walk, 10, 11); }), HasSubstr("three"));
  EXPECT_THAT(InputErrorOf([&] { Closed(walk, 10, 100000); }), HasSubstr("expected a range"));
  EXPECT_THAT(InputErrorOf([&] { Closed(walk, -1, -1, 0); }), HasSubstr("--loop-warp"));
  const std::string stand = ::testing::TempDir() + "/stride_stands.bvh";
  WriteClip(ClipFromMotion(TestMotion("stand"), TestCharacter()), stand);
  EXPECT_THAT(InputErrorOf([&] { Closed(stand); }),
              AllOf(HasSubstr("stride_stands.bvh"), HasSubstr("no cycle"), HasSubstr("--range")));
  EXPECT_EQ(Closed(stand, 0).loop.chosen, "range");  // the whole file
  std::filesystem::remove(walk);
  std::filesystem::remove(stand);
}

}  // namespace
}  // namespace stride
