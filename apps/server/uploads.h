#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "stride/app/live/live_queue.h"

// Files that a page brings, to be performed: skills, motions, and captures, which a process of its
// own imports within limits of time and memory, so that no file can harm the server.
namespace stride {

class Uploads {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20;
  static constexpr std::size_t kMostSkillBytes = std::size_t{8} << 20;  // read by the session too
  static constexpr int kMostSeconds = 30;                               // for an import
  static std::string TooLarge();

  explicit Uploads(std::string program) : program_(std::move(program)) {}
  ~Uploads();  // removes what was taken
  Uploads(const Uploads&) = delete;
  Uploads& operator=(const Uploads&) = delete;

  // What the bytes are shows in themselves; `name` is for people. A capture is imported to
  // `character`. Takes a while. Throws InputError.
  Performance Take(std::string_view name, const std::string& bytes, const std::string& character);
  // It is performed, and what was performed before may go; or it is not.
  void Keep(const Performance& performance);
  void Forget(const Performance& performance);
  // What is being imported is given up.
  void Cancel() { cancelled_ = true; }

 private:
  std::string NewFolder();
  void Import(const std::string& from, const std::string& to, const std::string& character);

  const std::string program_;
  std::atomic<bool> cancelled_ = false;
  std::string folder_;  // private, made with the first file; one folder in it for each
  int count_ = 0;
  Performance kept_;
};

}  // namespace stride
