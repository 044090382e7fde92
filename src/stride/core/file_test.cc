#include "stride/core/file.h"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using ::testing::HasSubstr;

class FileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "file_test_" +
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    path_ = folder_ + "/a.txt";
  }
  std::size_t Files() const {
    return std::distance(std::filesystem::directory_iterator(folder_),
                         std::filesystem::directory_iterator());
  }
  std::string folder_, path_;
};

TEST_F(FileTest, WhatCannotBeWrittenIsToldBeforeAndLeavesNothing) {
  CheckWritable(path_);
  EXPECT_EQ(Files(), 0u);
  WriteFileWhole(path_, "before");
  CheckWritable(path_);
  EXPECT_EQ(ReadFile(path_), "before");
  EXPECT_EQ(Files(), 1u);
  for (const std::string& wrong :
       {folder_, folder_ + "/no/such/folder/a", std::string("/dev/full"), std::string("/proc/a")}) {
    EXPECT_THAT(InputErrorOf([&] { CheckWritable(wrong); }), HasSubstr("cannot be written"))
        << wrong;
    EXPECT_THAT(InputErrorOf([&] { WriteFileWhole(wrong, "x"); }), HasSubstr("cannot be written"))
        << wrong;
  }
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));  // not replaced by a file
  EXPECT_THAT(InputErrorOf([] { WriteFileWhole("", "x"); }), HasSubstr("empty"));
}

TEST_F(FileTest, AnOutputBelongsToOneProcess) {
  {
    const OutputLock lock(path_);
    const pid_t child = fork();
    if (child == 0) {
      const std::string error = InputErrorOf([&] { OutputLock again(path_); });
      _exit(error.find("another run") != std::string::npos ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(Files(), 0u);
  // What a killed one left behind keeps nobody out.
  std::ofstream(path_ + ".lock") << "";
  const OutputLock lock(path_);
  EXPECT_THAT(InputErrorOf([&] { OutputLock missing(folder_ + "/no/a"); }),
              HasSubstr("cannot be written"));
}

}  // namespace
}  // namespace stride
