#include "stride/motion/formats/formats.h"

#include <filesystem>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using ::testing::HasSubstr;

class FormatsTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = std::filesystem::path(testing::TempDir()) / ("stride_formats_test_" + test);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::string File(const std::string& name, const std::string& bytes) const {
    WriteFileWhole(Path(name), bytes);
    return Path(name);
  }
  static std::string Corpus(const std::string& name) {
    return STRIDE_SOURCE_DIR "/tests/fuzz/corpus/" + name;
  }

  std::filesystem::path folder_;
};

std::string ErrorOf(const std::string& path) {
  return InputErrorOf([&] { ReadClip(path); });
}

TEST_F(FormatsTest, RegistryIsSound) {
  std::set<std::string> names, write_extensions;
  for (const FormatInfo& format : Formats()) {
    EXPECT_TRUE(names.insert(format.name).second) << format.name;
    EXPECT_FALSE(format.description.empty());
    EXPECT_EQ(format.read != nullptr, format.recognise != nullptr) << format.name;
    EXPECT_EQ(format.read != nullptr, !format.read_extensions.empty()) << format.name;
    EXPECT_EQ(format.write != nullptr, !format.write_extensions.empty()) << format.name;
    for (const std::string& extension : format.write_extensions) {
      EXPECT_TRUE(write_extensions.insert(extension).second) << extension;
    }
  }
  EXPECT_EQ(names, (std::set<std::string>{"bvh", "asf_amc", "deepmimic", "gltf", "csv"}));
}

TEST_F(FormatsTest, ReadsByContentWhateverTheName) {
  EXPECT_EQ(ReadClip(File("a.dat", ReadFile(Corpus("bvh/two_bones.bvh")))).format, "bvh");
  EXPECT_EQ(ReadClip(File("b.json", ReadFile(Corpus("deepmimic/two_rows.txt")))).format,
            "deepmimic");
  EXPECT_EQ(ReadClip(File("c.json", ReadFile(Corpus("gltf/arm.gltf")))).format, "gltf");
  EXPECT_EQ(ReadClip(File("d.bvh", ReadFile(Corpus("gltf/arm.glb")))).format, "gltf");
}

TEST_F(FormatsTest, ReadsAPairOfFiles) {
  const std::string both = ReadFile(Corpus("amc/two_bones.txt"));
  const std::size_t border = both.find("====\n");
  const std::string asf = File("02.asf", both.substr(0, border));
  const SkeletonClip clip = ReadClip(File("02_01.amc", both.substr(border + 5)));
  EXPECT_EQ(clip.format, "asf_amc");
  EXPECT_EQ(clip.FrameCount(), 2);
  EXPECT_THAT(ErrorOf(asf), HasSubstr("give the .amc file"));
}

TEST_F(FormatsTest, WhatCannotBeReadIsOneError) {
  EXPECT_THAT(ErrorOf(Path("missing.bvh")), HasSubstr("cannot be read"));
  EXPECT_THAT(ErrorOf(File("empty.bvh", "")), HasSubstr("is empty"));
  EXPECT_THAT(ErrorOf(File("junk.bin", std::string("\x00\x01\xff junk", 8))),
              HasSubstr("no known motion format"));
  EXPECT_THAT(ErrorOf(File("junk.bvh", "junk")), HasSubstr("expected HIERARCHY"));
  EXPECT_THAT(ErrorOf(File("junk.amc", "junk")), HasSubstr(".asf files beside it"));
  EXPECT_THAT(ErrorOf(File("junk.glb", "junk")), HasSubstr("not valid JSON"));
  EXPECT_THAT(ErrorOf(File("junk.txt", "junk")), HasSubstr("DeepMimic"));
}

TEST_F(FormatsTest, EveryWriterTakesEveryReadersClip) {
  for (const char* file : {"bvh/two_bones.bvh", "bvh/lower_case.bvh", "deepmimic/two_rows.txt",
                           "deepmimic/uneven.txt", "gltf/arm.gltf", "gltf/arm.glb"}) {
    SCOPED_TRACE(file);
    const SkeletonClip clip = ReadClip(Corpus(file));
    for (const FormatInfo& writer : Formats()) {
      if (!writer.write) continue;
      const std::string path = Path("out" + writer.write_extensions[0]);
      WriteClip(clip, path);
      if (!writer.read) continue;
      const SkeletonClip again = ReadClip(path);
      EXPECT_EQ(again.format, writer.name);
      ASSERT_EQ(again.JointCount(), clip.JointCount());
      ASSERT_EQ(again.FrameCount(), clip.FrameCount());
      const double unit =
          writer.name == "gltf" && clip.metres_per_unit > 0 ? clip.metres_per_unit : 1;
      for (int f = 0; f < clip.FrameCount(); ++f) {
        const ClipPose a = Positions(clip, f), b = Positions(again, f);
        for (int j = 0; j < clip.JointCount(); ++j) {
          EXPECT_LT(Norm(a.positions[j] * unit - b.positions[j]), 2e-5) << "frame " << f;
        }
      }
    }
  }
}

TEST_F(FormatsTest, UnknownExtensionsAreNotWritten) {
  const SkeletonClip clip = ReadClip(Corpus("bvh/two_bones.bvh"));
  EXPECT_THROW(WriteClip(clip, Path("a.fbx")), InputError);
  EXPECT_FALSE(std::filesystem::exists(Path("a.fbx")));
}

}  // namespace
}  // namespace stride
