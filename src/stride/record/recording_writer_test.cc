#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/record/recording.h"
#include "stride/testing/input_error_of.h"
#include "stride/testing/test_recordings.h"

namespace stride {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class RecordingWriterTest : public testing::Test {
 protected:
  RecordingWriterTest() {
    char folder[] = "/tmp/stride_recording_XXXXXX";
    folder_ = mkdtemp(folder);
  }
  ~RecordingWriterTest() override { std::filesystem::remove_all(folder_); }
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }

  std::string folder_;
};

TEST_F(RecordingWriterTest, WritesWhatEncodeGives) {
  const Recording recording = SmallRecording();
  const std::string path = Path("run.stride");
  {
    RecordingWriter writer(path, recording.header);
    auto event = recording.events.begin();
    for (const RecordedFrame& frame : recording.frames) {
      while (event != recording.events.end() && event->step <= frame.step) writer.Add(*event++);
      writer.Add(frame);
    }
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_TRUE(std::filesystem::exists(path + ".part"));
    writer.Finish(recording.summary);
  }
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
  EXPECT_EQ(ReadFile(path), EncodeRecording(recording));
  EXPECT_TRUE(ReadRecording(path) == recording);
}

TEST_F(RecordingWriterTest, WithoutFinishThePartStays) {
  const Recording recording = SmallRecording();
  const std::string path = Path("run.stride");
  { RecordingWriter(path, recording.header).Add(recording.frames[0]); }
  EXPECT_FALSE(std::filesystem::exists(path));
  const Recording part = ReadRecording(path + ".part");
  EXPECT_EQ(part.frames.size(), 1u);
  EXPECT_FALSE(part.complete);
  EXPECT_THAT(InputErrorOf([&] { ReadRecording(path); }), HasSubstr("run.stride.part' is there"));
}

TEST_F(RecordingWriterTest, FlushesWithSimulatedTime) {
  const Recording recording = SmallRecording();
  const std::string path = Path("run.stride");
  RecordingWriter writer(path, recording.header);
  EXPECT_EQ(ReadRecording(path + ".part").frames.size(), 0u);  // the header is there at once
  RecordedFrame frame = recording.frames[0];
  for (int f = 0; f < 1000; ++f) {
    frame.time = f * 0.01;
    writer.Add(frame);
  }
  EXPECT_GE(ReadRecording(path + ".part").Duration(), frame.time - 0.5);
}

TEST_F(RecordingWriterTest, RefusesPlacesItCannotWrite) {
  const RecordingHeader header = SmallRecording().header;
  EXPECT_THAT(InputErrorOf([&] { RecordingWriter(Path("none/run.stride"), header); }),
              AllOf(HasSubstr("none/run.stride"), HasSubstr("No such file")));
  EXPECT_THAT(InputErrorOf([&] { RecordingWriter writer(folder_, header); }), HasSubstr("folder"));
  EXPECT_THAT(InputErrorOf([&] { RecordingWriter("/dev/null", header); }), HasSubstr("device"));
}

// It would not open again: the reader takes no more.
TEST_F(RecordingWriterTest, EndsBeforeItIsTooLargeToRead) {
  const Recording recording = SmallRecording();
  const std::string path = Path("run.stride");
  constexpr std::size_t kMost = 300000;
  RecordingWriter writer(path, recording.header, kMost);
  RecordedFrame frame = recording.frames[0];
  std::string refused;
  for (int f = 0; f < 100000 && refused.empty(); ++f) {
    frame.time = f * 1e-4;
    refused = InputErrorOf([&] { writer.Add(frame); });
  }
  EXPECT_THAT(refused, AllOf(HasSubstr("run.stride.part"), HasSubstr("--record-every")));
  EXPECT_LE(std::filesystem::file_size(path + ".part"), kMost);
  const Recording part = ReadRecording(path + ".part");
  EXPECT_GT(part.frames.size(), 10u);
  EXPECT_THAT(part.damage, HasSubstr("has no end"));
}

TEST_F(RecordingWriterTest, TwoRunsDoNotWriteTheSameFile) {
  const Recording recording = SmallRecording();
  const std::string path = Path("run.stride");
  RecordingWriter first(path, recording.header);
  first.Add(recording.frames[0]);
  EXPECT_THAT(InputErrorOf([&] { RecordingWriter second(path, recording.header); }),
              HasSubstr("another run"));
  first.Finish(nullptr);
  EXPECT_EQ(ReadRecording(path).frames.size(), 1u);
}

TEST_F(RecordingWriterTest, AFullDiskIsAnErrorAndWhatWasWrittenOpens) {
  const Recording recording = SmallRecording();
  const std::string path = Path("run.stride");
  // A bound on the size of files stands for the disk.
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 20000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string error = InputErrorOf([&] {
    RecordingWriter writer(path, recording.header);
    RecordedFrame frame = recording.frames[0];
    for (int f = 0; f < 1000; ++f) {
      frame.time = f * 0.1;
      writer.Add(frame);
    }
  });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_DFL);
  EXPECT_THAT(error, AllOf(HasSubstr(path), HasSubstr("File too large"), HasSubstr("make room")));
  EXPECT_GT(ReadRecording(path + ".part").frames.size(), 10u);
}

struct Pace {
  double frame;  // simulated seconds a frame
  int pause;     // microseconds of wall time between frames
};

// A child records until it is killed.
class Killed : public RecordingWriterTest, public testing::WithParamInterface<Pace> {};

TEST_P(Killed, LosesAtMostASecond) {
  const Pace pace = GetParam();
  const Recording recording = SmallRecording();
  const std::string path = Path("run.stride");
  void* shared = mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto* added = new (shared) std::atomic<int>(0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    RecordingWriter writer(path, recording.header);
    RecordedFrame frame = recording.frames[0];
    for (int f = 0; f < 1000000; ++f) {
      frame.time = f * pace.frame;
      writer.Add(frame);
      added->store(f + 1);
      if (pace.pause > 0) usleep(pace.pause);
    }
    _exit(0);
  }
  while (added->load() < 120) usleep(1000);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_FALSE(std::filesystem::exists(path));
  const Recording part = ReadRecording(path + ".part");
  EXPECT_FALSE(part.complete);
  ASSERT_GT(part.frames.size(), 0u);
  const int lost = added->load() - static_cast<int>(part.frames.size());
  EXPECT_LE(lost * pace.frame, 1);
  EXPECT_LE(lost * pace.pause * 1e-6, 1);
  munmap(shared, sizeof(std::atomic<int>));
}

// Much faster than real time, as fast, and much slower.
INSTANTIATE_TEST_SUITE_P(Paces, Killed,
                         testing::Values(Pace{0.01, 0}, Pace{0.01, 10000}, Pace{0.001, 10000}));

}  // namespace
}  // namespace stride
