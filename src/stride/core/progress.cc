#include "stride/core/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "stride/core/log.h"

namespace stride {
namespace {

constexpr int kBarWidth = 24;
constexpr double kPlainLineEvery = 5;  // s

std::string TimeText(double seconds) {
  const long s = std::lround(seconds);
  return s < 60 ? fmt::format("{} s", s) : fmt::format("{}:{:02} min", s / 60, s % 60);
}

}  // namespace

Progress::Progress(bool quiet)
    : quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) == 1),
      start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() {
  if (shown_ && terminal_) std::fputc('\n', stderr);
}

void Progress::Show(double done, double total, const std::string& text) {
  if (quiet_ || total <= 0) return;
  const auto now = std::chrono::steady_clock::now();
  const std::chrono::duration<double> passed = now - start_, since = now - last_;
  if (first_done_ < 0) first_done_ = done;  // work done before (a resumed run) tells no speed
  const double share = std::clamp(done / total, 0.0, 1.0);
  std::string left;
  if (done > first_done_ && done < total) {
    left = ", " + TimeText(passed.count() * (total - done) / (done - first_done_)) + " left";
  }
  if (terminal_) {
    const int filled = static_cast<int>(share * kBarWidth);
    // Erase the line, then write it anew.
    fmt::print(stderr, "\r\x1b[2K[{}{}] {:3.0f} %  {}{}", std::string(filled, '='),
               std::string(kBarWidth - filled, ' '), 100 * share, Printable(text), left);
  } else if (!shown_ || (done >= total ? !ended_ : since.count() >= kPlainLineEvery)) {
    fmt::print(stderr, "{:3.0f} %  {}{}\n", 100 * share, Printable(text), left);
    last_ = now;
    ended_ = done >= total;
  }
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace stride
