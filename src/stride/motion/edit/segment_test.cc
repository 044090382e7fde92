#include "stride/motion/edit/segment.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/motion/formats/export.h"
#include "stride/motion/formats/formats.h"
#include "stride/motion/import/ground_contact.h"
#include "stride/motion/import/retarget.h"
#include "stride/motion/library.h"

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

// A capture as its reader leaves it, on another body, cut.
std::vector<GaitSegment> SegmentsOf(SkeletonClip clip) {
  const Character character = LoadCharacter("lee10");
  std::vector<std::string> warnings;
  const SkeletonMap map = RecogniseSkeleton(clip);
  const SourceClip source(std::move(clip), map, 0, -1, &warnings);
  Motion motion = Retarget(source, character, {}).motion;
  PutFeetOnGround(character, {}, &motion);
  return SegmentGait(AnkleLabels(character, motion), motion.fps);
}

// Cycles of a built-in gait at a capture's rate. Its labels come from how it was made, from the
// heel's strike to the toes' leaving.
Motion Capture(const std::string& name, const Character& character) {
  constexpr double kCycles = 3.5;
  const Motion cycle = LoadMotion(name, character);
  Motion motion = cycle;
  motion.loops = false;
  motion.frames.clear();
  motion.contacts.clear();
  motion.fps = 30;
  for (int f = 0; f < kCycles * cycle.Duration() * motion.fps; ++f) {
    motion.frames.push_back(SampleMotion(cycle, character, f / motion.fps));
    motion.contacts.push_back(SampleContacts(cycle, f / motion.fps));
  }
  return motion;
}

// From a body to a file of motion capture and back on another one: every swing that is whole begins
// and ends with a landing.
TEST(SegmentGait, CutsAtTheLandingsOfKnownWalks) {
  const Character character = LoadCharacter("liu16");
  for (const std::string name : {"walk", "walk_slow", "walk_fast", "march"}) {
    const Motion motion = Capture(name, character);
    const std::string path = testing::TempDir() + name + "_segments.bvh";
    WriteClip(ClipFromMotion(motion, character), path);
    const std::vector<GaitSegment> found = SegmentsOf(ReadClip(path));
    std::vector<std::pair<char, int>> landings;  // foot, frame
    for (int f = 1; f < motion.FrameCount(); ++f) {
      const int landed = motion.contacts[f] & ~motion.contacts[f - 1];
      if (landed & kLeft) landings.emplace_back('L', f);
      if (landed & kRight) landings.emplace_back('R', f);
    }
    ASSERT_GE(landings.size(), 6u) << name;
    // The last may end with the motion, before its foot is down.
    ASSERT_GE(found.size() + 1, landings.size()) << name << ": " << Text(found);
    for (std::size_t i = 0; i + 1 < landings.size(); ++i) {
      EXPECT_EQ(PhaseLetter(found[i].phase), landings[i].first) << name << ": " << Text(found);
      // The ankle comes to rest a little after the heel's strike.
      EXPECT_GE(found[i].last, landings[i].second - 1) << name << ": " << Text(found);
      EXPECT_LE(found[i].last, landings[i].second + 3) << name << ": " << Text(found);
    }
  }
}

}  // namespace
}  // namespace stride
