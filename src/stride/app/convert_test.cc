#include "stride/app/convert.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/app/info.h"
#include "stride/character/library.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/motion/formats/export.h"
#include "stride/motion/formats/formats.h"
#include "stride/motion/library.h"
#include "stride/record/recording.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// A walk that was recorded, in a folder of its own.
class ConvertRecordingTest : public testing::Test {
 protected:
  ConvertRecordingTest() {
    char folder[] = "/tmp/stride_convert_XXXXXX";
    folder_ = mkdtemp(folder);
    character_ = LoadCharacter("lee10");
    recording_ = RecordingFromMotion(LoadMotion("walk", character_), character_);
    recording_.events = {{0, 0, "push"}, {1, 0.01, "push"}, {2, 0.02, "fall"}};
    WriteFileWhole(Path("run.stride"), EncodeRecording(recording_));
  }
  ~ConvertRecordingTest() override { std::filesystem::remove_all(folder_); }
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }

  std::string folder_;
  Character character_;
  Recording recording_;
};

TEST_F(ConvertRecordingTest, ToMotionFormats) {
  for (const std::string ending : {"bvh", "glb"}) {
    const std::string path = Path("run." + ending);
    const ConvertResult result = Convert({Path("run.stride"), path});
    EXPECT_EQ(result.character, "lee10");
    EXPECT_EQ(result.frames, static_cast<int>(recording_.frames.size()));
    EXPECT_TRUE(result.warnings.empty());
    const SkeletonClip clip = ReadClip(path);
    ASSERT_EQ(clip.FrameCount(), result.frames);
    const int last = clip.FrameCount() - 1;
    const Vec3d root = Positions(clip, last).positions[0];
    const std::vector<double>& q = recording_.frames[last].actors[0].q;
    EXPECT_LT(Norm(root - Vec3d{q[0], q[1], q[2]}), 1e-4);
  }
  Convert({Path("run.stride"), Path("run.motion")});
  const Motion motion = ReadMotion(Path("run.motion"));
  Validate(motion, character_);
  EXPECT_EQ(motion.frames.back(), recording_.frames.back().actors[0].q);
}

TEST_F(ConvertRecordingTest, ToATableOfAllThatWasRecorded) {
  EXPECT_EQ(Convert({Path("run.stride"), Path("run.csv")}).format, "csv");
  EXPECT_EQ(ReadFile(Path("run.csv")), RecordingCsv(recording_));
}

TEST_F(ConvertRecordingTest, AMotionToARecording) {
  Convert({"walk", Path("walk.stride"), "lee10"});
  EXPECT_TRUE(ReadRecording(Path("walk.stride")).frames == recording_.frames);
}

TEST_F(ConvertRecordingTest, TheMotionFileNamesWhatTheRunWasAskedFor) {
  recording_.header.setup = {{"character", "my/lee.xml"}};
  WriteFileWhole(Path("run.stride"), EncodeRecording(recording_));
  Convert({Path("run.stride"), Path("run.motion")});
  EXPECT_EQ(ReadMotion(Path("run.motion")).character, "my/lee.xml");
}

TEST_F(ConvertRecordingTest, ACutOneIsConvertedWithAWarning) {
  const std::string bytes = EncodeRecording(recording_);
  WriteFileWhole(Path("run.stride.part"), bytes.substr(0, bytes.size() * 3 / 4));
  const ConvertResult result = Convert({Path("run.stride.part"), Path("part.bvh")});
  EXPECT_GT(result.frames, 5);
  EXPECT_LT(result.frames, static_cast<int>(recording_.frames.size()));
  EXPECT_THAT(result.warnings, ElementsAre(AllOf(HasSubstr("run.stride.part"), HasSubstr("ends"))));
}

TEST_F(ConvertRecordingTest, BadRequestsLeaveNoFile) {
  const std::string in = Path("run.stride");
  EXPECT_THAT(InputErrorOf([&] { Convert({in, Path("a.xml")}); }), HasSubstr("is a recording"));
  EXPECT_THAT(InputErrorOf([&] {
                Convert({in, Path("a.bvh"), "liu16"});
              }),
              HasSubstr("--character"));
  EXPECT_THAT(InputErrorOf([&] {
                Convert({Path("no.stride"), Path("a.bvh")});
              }),
              HasSubstr("no.stride"));
  EXPECT_THAT(InputErrorOf([&] {
                Convert({"liu16", Path("a.stride")});
              }),
              HasSubstr("a character"));
  WriteFileWhole(Path("bad.stride"), "STRIDEREC");
  EXPECT_THAT(InputErrorOf([&] {
                Convert({Path("bad.stride"), Path("a.bvh")});
              }),
              HasSubstr("bad.stride"));
  recording_.frames.clear();
  WriteFileWhole(in, EncodeRecording(recording_));
  EXPECT_THAT(InputErrorOf([&] { Convert({in, Path("a.bvh")}); }), HasSubstr("no frame"));
  for (const char* name : {"a.xml", "a.bvh", "a.stride"}) {
    EXPECT_FALSE(std::filesystem::exists(Path(name))) << name;
  }
}

TEST_F(ConvertRecordingTest, InfoSaysWhatIsInIt) {
  const auto json = ToJson(InspectRecording(Path("run.stride")));
  EXPECT_EQ(json["kind"], "recording");
  EXPECT_EQ(json["title"], "walk");
  EXPECT_EQ(json["frames"], recording_.frames.size());
  EXPECT_EQ(json["seconds"], recording_.Duration());
  EXPECT_EQ(json["complete"], true);
  EXPECT_EQ(json["events"]["push"], 2);
  EXPECT_EQ(json["events"]["fall"], 1);
  EXPECT_EQ(json["actors"][0]["name"], "lee10");
  EXPECT_EQ(json["actors"][0]["motion"], "walk");
  EXPECT_EQ(json["actors"][0]["controller"], "");
  EXPECT_TRUE(json["warnings"].empty());
  const std::string bytes = EncodeRecording(recording_);
  WriteFileWhole(Path("cut.stride"), bytes.substr(0, bytes.size() - 1));
  const auto cut = ToJson(InspectRecording(Path("cut.stride")));
  EXPECT_EQ(cut["complete"], false);
  EXPECT_EQ(cut["warnings"].size(), 1u);
}

}  // namespace
}  // namespace stride
