#include "stride/app/live/live_queue.h"

#include <iterator>
#include <utility>

namespace stride {
namespace {

using Clock = LiveQueue::Clock;

Clock::duration Seconds(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

template <class T>
T* As(LiveRequest* request) {
  LiveMessage* message = std::get_if<LiveMessage>(&request->what);
  return message ? std::get_if<T>(message) : nullptr;
}

// Sets something that a later message of its kind sets again, whatever else is set in between.
bool Sets(LiveRequest* request) {
  if (As<RateMessage>(request) || As<DragMessage>(request)) return true;
  const RunInput* input = As<RunInput>(request);
  return input && input->kind != RunInput::Kind::kPush && input->kind != RunInput::Kind::kThrow;
}

bool SetTheSame(LiveRequest* a, LiveRequest* b) {
  if (As<RateMessage>(a)) return As<RateMessage>(b);
  if (As<DragMessage>(a)) return As<DragMessage>(b);
  const RunInput *x = As<RunInput>(a), *y = As<RunInput>(b);
  if (!x || !y || x->kind != y->kind || x->actor != y->actor) return false;
  return x->kind != RunInput::Kind::kCurve ||
         (x->edit.curve == y->edit.curve && x->edit.part == y->edit.part);
}

void Join(const SetupMessage& later, SetupMessage* setup) {
  const auto take = [](const std::optional<std::string>& from, std::optional<std::string>* to) {
    if (from) *to = from;
  };
  take(later.character, &setup->character);
  take(later.engine, &setup->engine);
  take(later.controller, &setup->controller);
  take(later.motion, &setup->motion);
  take(later.skill, &setup->skill);
}

// True if `request` need not wait on its own.
bool Merge(LiveRequest* request, std::deque<LiveRequest>* waiting) {
  for (auto at = waiting->rbegin(); Sets(request) && at != waiting->rend() && Sets(&*at); ++at) {
    if (!SetTheSame(&*at, request)) continue;
    *at = std::move(*request);
    return true;
  }
  if (waiting->empty()) return false;
  LiveRequest* last = &waiting->back();
  const SetupMessage* setup = As<SetupMessage>(request);
  if (setup && As<SetupMessage>(last)) {
    Join(*setup, As<SetupMessage>(last));
    return true;
  }
  // What begins another run, and a restart right before or behind it, are one.
  if (As<RestartMessage>(request) && (As<RestartMessage>(last) || As<SetupMessage>(last))) {
    return true;
  }
  const bool again = (setup && As<RestartMessage>(last)) ||
                     (As<PlayMessage>(request) && As<PlayMessage>(last)) ||
                     (As<GoLiveMessage>(request) && As<GoLiveMessage>(last));
  if (again) *last = std::move(*request);
  return again;
}

}  // namespace

bool Begins(const LiveRequest& request) {
  if (std::holds_alternative<PerformRequest>(request.what)) return true;
  const LiveMessage* message = std::get_if<LiveMessage>(&request.what);
  return message && (std::holds_alternative<SetupMessage>(*message) ||
                     std::holds_alternative<RestartMessage>(*message) ||
                     std::holds_alternative<PlayMessage>(*message) ||
                     std::holds_alternative<GoLiveMessage>(*message));
}

bool LiveQueue::Add(LiveRequest request) {
  std::deque<LiveRequest>& waiting = clients_[request.client].requests;
  if (Merge(&request, &waiting)) return true;
  if (waiting.size() >= kMostWaiting) return false;
  waiting.push_back(std::move(request));
  return true;
}

void LiveQueue::Drop(int client) { clients_.erase(client); }

std::optional<LiveRequest> LiveQueue::Next(Clock::time_point now, bool begins) {
  auto at = clients_.upper_bound(last_);
  for (std::size_t k = 0; k < clients_.size(); ++k, ++at) {
    if (at == clients_.end()) at = clients_.begin();
    Waiting& waiting = at->second;
    if (waiting.requests.empty() || waiting.ready > now) continue;
    if (Begins(waiting.requests.front()) && (!begins || begin_ready_ > now)) continue;
    LiveRequest next = std::move(waiting.requests.front());
    waiting.requests.pop_front();
    last_ = at->first;
    return next;
  }
  return std::nullopt;
}

void LiveQueue::Took(const LiveRequest& request, double seconds, Clock::time_point now) {
  const auto client = clients_.find(request.client);
  if (client != clients_.end()) client->second.ready = now + Seconds(kClientRest * seconds);
  if (Begins(request)) begin_ready_ = now + Seconds(kBeginRest * seconds);
}

}  // namespace stride
