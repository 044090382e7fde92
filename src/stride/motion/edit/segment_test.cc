#include "stride/motion/edit/segment.h"

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/motion/formats/formats.h"
#include "stride/motion/import/ground_contact.h"
#include "stride/motion/import/retarget.h"

namespace stride {
namespace {

// Runs of labels: {label, frames}.
std::vector<std::uint8_t> Labels(const std::vector<std::pair<int, int>>& runs) {
  std::vector<std::uint8_t> labels;
  for (const auto& [label, frames] : runs)
    labels.insert(labels.end(), frames, static_cast<std::uint8_t>(label));
  return labels;
}

// "S-20 R-35 ..."
std::string Text(const std::vector<GaitSegment>& segments) {
  std::string text;
  for (const GaitSegment& segment : segments) {
    text += (text.empty() ? "" : " ") + std::string(1, PhaseLetter(segment.phase)) + "-" +
            std::to_string(segment.last);
  }
  return text;
}

constexpr int kLeft = kLeftFootDown, kRight = kRightFootDown, kBoth = 3;

TEST(SegmentGait, ShortDoubleSupportGoesToTheSwingAfterIt) {
  // Stands, right foot swings and lands at 35, left swings from 40, lands at 52, stands.
  const auto labels = Labels({{kBoth, 20}, {kLeft, 15}, {kBoth, 5}, {kRight, 12}, {kBoth, 20}});
  EXPECT_EQ(Text(SegmentGait(labels, 30)), "S-20 R-35 L-52 S-71");
}

TEST(SegmentGait, ShortFlightGoesToTheSwingBeforeIt) {
  const auto labels = Labels({{kLeft, 10}, {0, 6}, {kRight, 10}, {0, 6}, {kLeft, 10}});
  EXPECT_EQ(Text(SegmentGait(labels, 30)), "R-16 L-32 R-41");
}

TEST(SegmentGait, LongStopsAndFlightsStay) {
  const auto labels = Labels({{kBoth, 15}, {0, 15}, {kBoth, 15}});
  EXPECT_EQ(Text(SegmentGait(labels, 30)), "S-15 F-30 S-44");
  EXPECT_EQ(Text(SegmentGait(labels, 60)), "S-44");  // half as long in time
}

TEST(SegmentGait, AStopAtTheEndStaysHoweverShort) {
  const auto labels = Labels({{kBoth, 30}, {kRight, 12}, {kBoth, 5}});
  EXPECT_EQ(Text(SegmentGait(labels, 30)), "S-30 L-42 S-46");
}

TEST(SegmentGait, BordersAreSharedAndCoverTheMotion) {
  const auto labels =
      Labels({{kBoth, 20}, {kLeft, 2}, {kBoth, 9}, {kLeft, 15}, {0, 3}, {kRight, 12}, {kBoth, 30}});
  const std::vector<GaitSegment> segments = SegmentGait(labels, 30);
  EXPECT_EQ(segments.front().first, 0);
  EXPECT_EQ(segments.back().last, static_cast<int>(labels.size()) - 1);
  for (std::size_t i = 1; i < segments.size(); ++i) {
    EXPECT_EQ(segments[i].first, segments[i - 1].last);
    EXPECT_NE(segments[i].phase, segments[i - 1].phase);
  }
  EXPECT_TRUE(SegmentGait({}, 30).empty());
}

// The annotated walks of lee10's reference data (see docs/import.md for where to get them), if they
// are there: STRIDE_MOCAP_DIR names the folder that holds snumrl/.
TEST(SegmentGait, AgreesWithAnnotatedWalks) {
  const char* folder = std::getenv("STRIDE_MOCAP_DIR");
  if (!folder) GTEST_SKIP() << "STRIDE_MOCAP_DIR is not set";
  const std::vector<std::pair<std::string, std::string>> annotated = {
      {"WalkForwardNormal00", "S-52 R-70 L-92 R-114 L-136 R-158 L-176 S-199"},
      {"WalkForwardSlow01", "S-29 R-42 L-64 R-86 L-106 R-128 L-147 R-169 S-192"},
      {"WalkForwardVFast00", "S-25 R-38 L-53 R-68 L-82 R-96 L-107 S-119"},
      {"WalkSameSame01", "S-40 R-56 L-77 R-98 L-118 R-142 L-158 S-198"},
      {"WalkHandWav00", "S-28 R-44 L-61 R-79 L-97 R-116 L-133 R-151 S-166"},
      {"WalkAzuma01", "S-35 R-55 L-75 R-94 L-113 R-132 L-148 R-164 S-194"},
      {"WalkSoldier00", "S-33 R-56 L-79 R-100 L-121 R-142 L-165 R-187 L-209 S-243"},
      {"WalkBackward00", "S-41 R-60 L-86 R-110 L-134 R-160 L-185 R-206 S-249"}};
  const Character character = LoadCharacter("lee10");
  int borders = 0, close = 0;
  for (const auto& [name, text] : annotated) {
    SkeletonClip clip = ReadClip(std::string(folder) + "/snumrl/wd2_" + name + ".bvh");
    std::vector<std::string> warnings;
    const SkeletonMap map = RecogniseSkeleton(clip);
    const SourceClip source(std::move(clip), map, 0, -1, &warnings);
    Motion motion = Retarget(source, character, {}).motion;
    PutFeetOnGround(character, {}, &motion);
    const std::vector<GaitSegment> found = SegmentGait(AnkleLabels(character, motion), motion.fps);
    std::size_t at = 0;
    for (const GaitSegment& segment : found) {
      ASSERT_LT(at, text.size()) << name << ": " << Text(found);
      EXPECT_EQ(text[at], PhaseLetter(segment.phase)) << name << ": " << Text(found);
      const int last = std::atoi(text.c_str() + at + 2);
      at = std::min(text.find(' ', at), text.size() - 1) + 1;
      ++borders;
      close += std::abs(last - segment.last) <= 2;
    }
    EXPECT_EQ(at, text.size()) << name << ": " << Text(found);
  }
  EXPECT_GE(close, 0.9 * borders);
}

}  // namespace
}  // namespace stride
