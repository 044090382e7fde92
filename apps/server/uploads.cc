#include "uploads.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "stride/controllers/registry.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/motion/import/motion_source.h"

namespace stride {
namespace {

constexpr rlim_t kMostMemory = rlim_t{4} << 30;  // of an import, bytes of addresses
constexpr rlim_t kMostFile = rlim_t{256} << 20;
constexpr std::size_t kMostName = 40;

// As a file's name: letters, digits, - and _ only.
std::string PlainName(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  std::string plain;
  for (const char c : name.substr(0, std::min(dot, kMostName))) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    plain += kept || c == '-' || c == '_' ? c : '_';
  }
  return plain.empty() ? "file" : plain;
}

bool Begins(const std::string& bytes, std::string_view with) {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  return first != std::string::npos && bytes.compare(first, with.size(), with) == 0;
}

// Ending of a capture's file; empty: it is none that comes in one file.
std::string CaptureEnding(const std::string& bytes) {
  if (Begins(bytes, "HIERARCHY")) return ".bvh";
  if (bytes.compare(0, 4, "glTF") == 0) return ".glb";
  return "";
}

void Limit(int what, rlim_t most) {
  const rlimit limit{most, most};
  setrlimit(what, &limit);
}

}  // namespace

std::string Uploads::TooLarge() {
  return fmt::format("the file is larger than {} MiB, which is the most", kMostBytes >> 20);
}

Uploads::~Uploads() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

std::string Uploads::NewFolder() {
  if (folder_.empty()) {
    std::string made = (std::filesystem::temp_directory_path() / "stride-view-XXXXXX").string();
    if (!mkdtemp(made.data())) throw InputError("there is no folder to put the file into");
    folder_ = made;
  }
  std::string folder = fmt::format("{}/{}", folder_, ++count_);
  std::filesystem::create_directory(folder);
  return folder;
}

Performance Uploads::Take(std::string_view name, const std::string& bytes,
                          const std::string& character) {
  const std::string plain = PlainName(name);
  const std::string capture = CaptureEnding(bytes);
  const bool motion = capture.empty() && IsMotionFile(bytes);
  const bool skill =
      !motion && Begins(bytes, "{") && bytes.find("\"stride_skill\"") != std::string::npos;
  if (capture.empty() && !motion && !skill) {
    throw InputError(fmt::format(
        "'{}' is nothing that can be performed; expected a BVH or GLB file, a skill or a motion",
        plain));
  }
  if (skill && bytes.size() > kMostSkillBytes) {
    throw InputError(fmt::format("'{}' is larger than {} MiB, which is the most for a skill", plain,
                                 kMostSkillBytes >> 20));
  }
  if (skill) ParseSkill(bytes, plain);  // throws
  const std::string folder = NewFolder();
  Performance made;
  try {
    if (skill) {
      made.skill = fmt::format("{}/{}.skill", folder, plain);
      WriteFileWhole(made.skill, bytes);
      return made;
    }
    made.motion = fmt::format("{}/{}.motion", folder, plain);
    if (motion) {
      WriteFileWhole(made.motion, bytes);
      return made;
    }
    const std::string captured = fmt::format("{}/{}{}", folder, plain, capture);
    WriteFileWhole(captured, bytes);
    Import(captured, made.motion, character);
    return made;
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    throw;
  }
}

void Uploads::Keep(const Performance& performance) { Forget(std::exchange(kept_, performance)); }

void Uploads::Forget(const Performance& performance) {
  const std::filesystem::path file =
      performance.skill.empty() ? performance.motion : performance.skill;
  std::error_code ignored;
  if (!file.empty()) std::filesystem::remove_all(file.parent_path(), ignored);
}

void Uploads::Import(const std::string& from, const std::string& to, const std::string& character) {
  const std::string log = to + ".log";
  std::vector<std::string> words = {program_, "import", from, "-o", to, "--character", character};
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  const pid_t child = fork();
  if (child < 0) throw InputError("no process can be started to import the file");
  if (child == 0) {  // only what is allowed between fork and exec
    Limit(RLIMIT_CPU, kMostSeconds);
#ifndef __SANITIZE_THREAD__  // which reserves addresses by the terabyte
    Limit(RLIMIT_AS, kMostMemory);
#endif
    Limit(RLIMIT_FSIZE, kMostFile);
    Limit(RLIMIT_CORE, 0);
    const int nothing = open("/dev/null", O_RDWR);
    const int said = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(said, STDERR_FILENO);
    for (int file = 3; file < 1024; ++file) close(file);
    execv(program_.c_str(), arguments.data());
    _exit(127);
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kMostSeconds);
  bool late = false;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (!late && (cancelled_ || std::chrono::steady_clock::now() > end)) {
      late = true;
      kill(child, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  if (late) throw InputError(fmt::format("the import took more than {} s", kMostSeconds));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  // What it says, without where it was put.
  std::string why = std::filesystem::exists(log) ? ReadFile(log) : "";
  const std::string mark = "error: ";
  const std::size_t begin = why.find(mark);
  if (begin == std::string::npos) throw InputError("the file cannot be imported");
  why = why.substr(begin + mark.size());
  why = why.substr(0, why.find('\n'));
  const std::string folder = std::filesystem::path(from).parent_path().string() + "/";
  for (std::size_t at; (at = why.find(folder)) != std::string::npos;) why.erase(at, folder.size());
  throw InputError(why);
}

}  // namespace stride
