#include "stride/motion/import/import.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using ::testing::HasSubstr;

constexpr const char* kClip = "/usr/share/assimp/models/BVH/01_01.bvh";

std::string ErrorOf(const ImportOptions& options) {
  return InputErrorOf([&] { Import(options); });
}

TEST(Import, WritesAMotionAndSaysWhatItDid) {
  const std::string folder = ::testing::TempDir();
  ImportOptions options;
  options.file = kClip;
  options.output = folder + "/stride_import_test.motion";
  options.last_frame = 600;
  const ImportResult result = Import(options);
  EXPECT_EQ(ReadMotion(options.output), result.motion);
  EXPECT_EQ(result.skeleton, "cmu");
  EXPECT_EQ(result.motion.FrameCount(), 600);  // without the T-pose
  EXPECT_EQ(result.motion.fps, 120);
  EXPECT_EQ(result.motion.source, "01_01.bvh");
  EXPECT_NEAR(result.body_height, StandingHeight(LoadCharacter("liu16")), 0.17);
  EXPECT_THAT(result.mapped, ::testing::Contains("LeftUpLeg"));
  EXPECT_THAT(result.unmapped, ::testing::Contains("LThumb"));
  const nlohmann::ordered_json json = ToJson(result);
  for (const char* key :
       {"skeleton", "scale", "frames", "fps", "seconds", "speed", "heading_change_deg", "mapped",
        "unmapped", "contacts", "cycle", "ground_offset", "max_foot_depth", "max_foot_slide_before",
        "max_foot_slide_after", "max_contact_height", "bone_direction_error_deg", "warnings"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  std::filesystem::remove(options.output);
}

TEST(Import, TheStatedRateIsOverruledAndTheResultsRateChosen) {
  ImportOptions options;
  options.file = kClip;
  options.last_frame = 240;
  options.fps = 60;
  const ImportResult slow = Import(options);
  EXPECT_EQ(slow.motion.fps, 60);
  EXPECT_NEAR(slow.motion.Duration(), 239 / 60.0, 1e-9);
  options.rate = 30;
  const ImportResult fewer = Import(options);
  EXPECT_EQ(fewer.motion.fps, 30);
  EXPECT_EQ(fewer.motion.FrameCount(), 120);
}

// The clip jumps from a climbing frame: at half its rate bodies would fall at a quarter of gravity.
TEST(Import, WarnsOfAWrongRate) {
  ImportOptions options;
  options.file = kClip;
  const ImportResult right = Import(options);
  EXPECT_NEAR(right.flight.gravity, 9.8, 1.0);
  EXPECT_EQ(right.flight.suggested_fps, 0);
  options.fps = 240;
  EXPECT_THAT(Import(options).warnings, ::testing::Contains(HasSubstr("--fps 120")));
}

TEST(Import, BadOptionsAreNamed) {
  ImportOptions options;
  options.file = "/nowhere/a.bvh";
  EXPECT_THAT(ErrorOf(options), HasSubstr("/nowhere/a.bvh"));
  options.file = kClip;
  options.character = "snake";
  EXPECT_THAT(ErrorOf(options), HasSubstr("snake"));
  options.character = "liu16";
  options.fps = -1;
  EXPECT_THAT(ErrorOf(options), HasSubstr("--fps"));
  options.fps = 0;
  options.output = ::testing::TempDir() + "/motion.bvh";
  EXPECT_THAT(ErrorOf(options), HasSubstr(".motion"));
  options.output.clear();
  options.first_frame = 10;
  options.last_frame = 1000000;
  EXPECT_THAT(ErrorOf(options), HasSubstr("range"));
}

TEST(Import, ParsesFrameRanges) {
  int first = 0, last = -1;
  ParseFrameRange("12:340", &first, &last);
  EXPECT_EQ(first, 12);
  EXPECT_EQ(last, 340);
  first = 0, last = -1;
  ParseFrameRange("7:", &first, &last);
  EXPECT_EQ(first, 7);
  EXPECT_EQ(last, -1);
  for (const char* bad : {"", ":", "7", "a:b", "-3:4", "1:2:3", "1: 2", "99999999999:"}) {
    EXPECT_THROW(ParseFrameRange(bad, &first, &last), InputError) << bad;
  }
}

}  // namespace
}  // namespace stride
