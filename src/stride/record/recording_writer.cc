#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "stride/core/error.h"
#include "stride/record/frame_codec.h"
#include "stride/record/recording.h"
#include "stride/record/world_json.h"

namespace stride {
namespace {

using Clock = std::chrono::steady_clock;

// At most this much is lost when the process is killed, of wall time and of simulated time.
constexpr double kFlushSeconds = 0.4;
constexpr std::size_t kEndBytes = 1 << 16;  // kept free for the run's result

struct Descriptor {
  Descriptor() = default;
  ~Descriptor() {
    if (fd >= 0) close(fd);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int fd = -1;
};

}  // namespace

struct RecordingWriter::Impl {
  Impl(const std::string& path_in, const RecordingHeader& header, std::size_t most_bytes)
      : path(path_in), part(path_in + kPartEnding), most(most_bytes), shape(header) {
    if (path.empty()) throw InputError("--record: the name of a file to record to is empty");
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored) &&
        !std::filesystem::is_regular_file(path, ignored)) {
      throw InputError(path, 0, "is a folder or a device; expected a file to record to");
    }
    buffer = RecordingPreamble() + EncodeHeader(header) + EncodeSources(header.sources);
    file.fd = open(part.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file.fd < 0) Fail("cannot be written");
    // Emptied only once it is certain that no other run is at it.
    if (flock(file.fd, LOCK_EX | LOCK_NB) != 0) {
      throw InputError(part, 0,
                       "is being written by another run; record to another file, or wait for it");
    }
    if (ftruncate(file.fd, 0) != 0) Fail("cannot be written");
    Flush();
  }
  ~Impl() {
    try {
      Flush();
    } catch (const InputError&) {
      // Whoever cared has heard it from Add; here only what can be saved is.
    }
  }

  [[noreturn]] void Fail(const char* what) const {
    throw InputError(part, 0, fmt::format("{}: {}", what, std::strerror(errno)));
  }

  void Flush() {
    std::size_t done = 0;
    while (done < buffer.size()) {
      const ssize_t n = write(file.fd, buffer.data() + done, buffer.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        // What is written stays whole: the rest can follow when there is room again.
        buffer.erase(0, done);
        Fail("cannot be written on; make room, or record elsewhere (it is readable up to here)");
      }
      done += static_cast<std::size_t>(n);
    }
    written += buffer.size();
    buffer.clear();
    flushed_at = Clock::now();
    flushed_time = time;
  }

  void Append(std::string_view bytes) {
    if (written + buffer.size() + bytes.size() + kEndBytes > most) {
      Flush();
      throw InputError(
          part, 0,
          fmt::format("has reached the {:.3g} GiB that a recording may have, at {:.1f} s of the "
                      "run; it is readable up to here: record fewer frames (--record-every) or a "
                      "shorter run",
                      static_cast<double>(most) / (1 << 30), time));
    }
    buffer += bytes;
    if (time - flushed_time >= kFlushSeconds ||
        std::chrono::duration<double>(Clock::now() - flushed_at).count() >= kFlushSeconds) {
      Flush();
    }
  }

  std::string path, part;
  std::size_t most, written = 0;  // bytes
  FrameShape shape;
  Descriptor file;
  std::string buffer, frame_bytes;
  Clock::time_point flushed_at;
  double last_frame_time = -std::numeric_limits<double>::max();
  double time = 0, flushed_time = 0;  // simulated
};

RecordingWriter::RecordingWriter(const std::string& path, const RecordingHeader& header,
                                 std::size_t most_bytes)
    : impl_(std::make_unique<Impl>(path, header, most_bytes)) {}

RecordingWriter::~RecordingWriter() = default;

void RecordingWriter::Add(const RecordedFrame& frame) {
  // It could not be read back.
  STRIDE_CHECK(impl_->shape.Fits(frame) && frame.time >= impl_->last_frame_time);
  EncodeFrame(frame, &impl_->frame_bytes);
  impl_->time = impl_->last_frame_time = frame.time;
  impl_->Append(impl_->frame_bytes);
}

void RecordingWriter::Add(const RecordedEvent& event) {
  if (event.kind == kActorEvent) {
    impl_->shape.AddActor(CharacterFromJson(JsonNode(event.data, impl_->part)["character"]));
  }
  impl_->time = event.time;
  impl_->Append(EncodeEvent(event));
}

void RecordingWriter::Finish(const nlohmann::ordered_json& summary) {
  impl_->buffer += EncodeDone(summary);
  impl_->Flush();
  if (fsync(impl_->file.fd) != 0) impl_->Fail("cannot be written");
  if (std::rename(impl_->part.c_str(), impl_->path.c_str()) != 0) {
    impl_->Fail("cannot be renamed to what it was to be called");
  }
}

}  // namespace stride
