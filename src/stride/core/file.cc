#include "stride/core/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "stride/core/error.h"

namespace stride {
namespace {

struct Close {
  void operator()(std::FILE* f) const { std::fclose(f); }
};
using FileHandle = std::unique_ptr<std::FILE, Close>;

std::string Reason() { return std::strerror(errno); }

[[noreturn]] void RefuseToWrite(const std::string& path, const std::string& reason) {
  throw InputError(path, 0, "cannot be written: " + reason);
}

// The name of a file that is there or can be made: renaming would replace a device.
void RequireFileName(const std::string& path) {
  if (path.empty()) throw InputError("the name of a file to write is empty");
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) RefuseToWrite(path, "it is a folder");
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    RefuseToWrite(path, "it is no file but a device or a pipe");
  }
}

// What is being written, for the handler of a signal that ends the program.
struct Unfinished {
  char path[4096] = "";
  volatile std::sig_atomic_t is_set = 0;
  void Set(const std::string& name) {
    is_set = 0;
    if (name.empty() || name.size() >= sizeof path) return;
    std::memcpy(path, name.c_str(), name.size() + 1);
    is_set = 1;
  }
};
Unfinished unfinished_file, unfinished_folder;

// A name beside a path; whatever is left under it goes.
class Aside {
 public:
  explicit Aside(const std::string& path) : name_(path + ".partial-" + std::to_string(getpid())) {
    unfinished_file.Set(name_);
  }
  ~Aside() {
    std::remove(Name());
    unfinished_file.Set("");
  }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
  const char* Name() const { return name_.c_str(); }

 private:
  std::string name_;
};

}  // namespace

std::string ReadFile(const std::string& path, std::size_t max_bytes) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw InputError(path, 0, "is a folder; expected a file");
  }
  const FileHandle file(std::fopen(path.c_str(), "rb"));
  if (!file) throw InputError(path, 0, "cannot be read: " + Reason());
  std::string bytes;
  char buffer[1 << 16];
  std::size_t n = 0;
  while ((n = std::fread(buffer, 1, sizeof buffer, file.get())) > 0) {
    if (bytes.size() + n > max_bytes) {
      throw InputError(
          path, 0,
          fmt::format("is larger than {:.4g} MiB", static_cast<double>(max_bytes) / (1 << 20)));
    }
    bytes.append(buffer, n);
  }
  if (std::ferror(file.get())) throw InputError(path, 0, "cannot be read: " + Reason());
  return bytes;
}

void WriteFileWhole(const std::string& path, std::string_view bytes) {
  RequireFileName(path);
  const Aside aside(path);
  const auto fail = [&](const std::string& reason) { RefuseToWrite(path, reason); };
  FileHandle file(std::fopen(aside.Name(), "wb"));
  if (!file) fail(Reason());
  if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) fail(Reason());
  if (std::fflush(file.get()) != 0 || fsync(fileno(file.get())) != 0) fail(Reason());
  if (std::fclose(file.release()) != 0) fail(Reason());
  if (std::rename(aside.Name(), path.c_str()) != 0) fail(Reason());
}

void CheckWritable(const std::string& path) {
  RequireFileName(path);
  const Aside aside(path);
  const FileHandle file(std::fopen(aside.Name(), "wb"));
  if (!file) RefuseToWrite(path, Reason());
}

// Only what is safe in a handler. A folder goes by another program, once this one is gone: its
// threads may still write into it.
void RemoveUnfinished() {
  if (unfinished_file.is_set) unlink(unfinished_file.path);
  if (!unfinished_folder.is_set) return;
  const pid_t parent = getpid();
  if (fork() != 0) return;
  constexpr int kMicroseconds = 2000;
  while (getppid() == parent) usleep(kMicroseconds);
  execl("/bin/rm", "rm", "-rf", "--", unfinished_folder.path, static_cast<char*>(nullptr));
  _exit(1);
}

void NameUnfinishedFolder(const std::string& path) { unfinished_folder.Set(path); }

OutputLock::OutputLock(const std::string& path) : lock_(path + ".lock") {
  RequireFileName(path);
  for (;;) {
    fd_ = open(lock_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd_ < 0) RefuseToWrite(path, Reason());
    // Where the file system knows no locks, there is none to respect.
    if (flock(fd_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      close(fd_);
      throw InputError(path, 0,
                       "is being written by another run; write to another file, or wait for it");
    }
    // Whoever had it may have removed it between the two.
    struct stat held {
    }, named{};
    if (fstat(fd_, &held) == 0 && stat(lock_.c_str(), &named) == 0 && held.st_ino == named.st_ino) {
      return;
    }
    close(fd_);
  }
}

OutputLock::~OutputLock() {
  unlink(lock_.c_str());
  close(fd_);
}

std::string FileExtension(const std::string& path) {
  std::string ext = std::filesystem::path(path).extension().string();
  std::transform(ext.begin(), ext.end(), ext.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return ext;
}

}  // namespace stride
