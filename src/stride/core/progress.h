#pragma once

#include <chrono>
#include <string>

namespace stride {

// Progress of long work on standard error: a bar with the time left where it is a terminal, a plain
// line now and then where it is not.
class Progress {
 public:
  explicit Progress(bool quiet = false);
  ~Progress();  // leaves the terminal on a fresh line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `done` of `total`, and a few words about how it stands.
  void Show(double done, double total, const std::string& text);

 private:
  bool quiet_, terminal_, shown_ = false;
  bool ended_ = false;  // the plain line of the end stands
  double first_done_ = -1;
  std::chrono::steady_clock::time_point start_, last_;
};

}  // namespace stride
