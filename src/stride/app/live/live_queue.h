#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include "stride/app/live/live_message.h"

// What the clients of a live session ask for, until it is done: bounded, and such that no client's
// requests keep the others waiting. No threads.
namespace stride {

struct JoinRequest {};
// A file to perform: a skill's or a motion's path, the other empty.
struct Performance {
  std::string skill, motion;
};
struct PerformRequest {
  Performance what;
  std::function<void(const std::string& failure)> done;  // empty: it is performed
};

struct LiveRequest {
  int client = 0;
  std::variant<JoinRequest, LiveMessage, PerformRequest> what;
};

class LiveQueue {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMostWaiting = 64;  // of one client
  // After a request a client waits so many times as long as that took, and after one that makes a
  // run nobody makes another for once as long.
  static constexpr double kClientRest = 4, kBeginRest = 1;

  // What a client sets (a speed, a slope, points of a curve) replaces what it set before and was
  // not done yet; a setup is joined with the one before it. False if too much waits; the request is
  // then lost.
  bool Add(LiveRequest request);
  // The client is gone: what it asked for is not done.
  void Drop(int client);

  // What is to be done next, clients in turn and each one's requests in order; none: nothing may be
  // done now. `begins`: also what makes a run.
  std::optional<LiveRequest> Next(Clock::time_point now, bool begins);
  // The request took so long and ended now.
  void Took(const LiveRequest& request, double seconds, Clock::time_point now);

 private:
  struct Waiting {
    std::deque<LiveRequest> requests;
    Clock::time_point ready{};
  };
  std::map<int, Waiting> clients_;
  int last_ = 0;  // who was served last
  Clock::time_point begin_ready_{};
};

// It makes another run, or opens something: it takes long.
bool Begins(const LiveRequest& request);

}  // namespace stride
