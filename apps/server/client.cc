#include "client.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "stride/core/error.h"

namespace stride {
namespace {

constexpr auto kHandshakeTime = std::chrono::seconds(10);
constexpr auto kIdleTime = std::chrono::seconds(20);  // a client that answers no ping
// Messages above kMaxLiveMessageBytes get an error; above this the connection ends at once.
constexpr std::size_t kMaxReadBytes = 16 * kMaxLiveMessageBytes;
// Of the system. Small, so that frames wait here, where a newer one replaces them.
constexpr int kSendBufferBytes = 32 << 10;
// What waits for a client that does not read, beside the newest frame and status.
constexpr std::size_t kMaxWaitingBytes = std::size_t{4} << 20;

Bytes TextMessage(const char* type, const std::string& message) {
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
  return std::make_shared<const std::string>(
      nlohmann::json{{"type", type}, {"message", message}}.dump(-1, ' ', false, kReplace));
}

}  // namespace

void Client::Accept(const http::request<http::empty_body>& request) {
  ws_.next_layer().next_layer().expires_never();  // the WebSocket has time limits of its own
  error_code ignored;
  Socket().set_option(tcp::no_delay(true), ignored);
  Socket().set_option(asio::socket_base::send_buffer_size(kSendBufferBytes), ignored);
  ws_.set_option(websocket::stream_base::timeout{kHandshakeTime, kIdleTime, true});
  ws_.read_message_max(kMaxReadBytes);
  ws_.auto_fragment(false);
  // Not from within the reading, which may not close.
  ws_.next_layer().on_too_fast = [this] {
    asio::post(hub_->io(), [self = shared_from_this()] {
      self->Refuse(fmt::format("more than {} messages in a second", FrameCounter::kMostASecond));
    });
  };
  ws_.async_accept(request, [self = shared_from_this()](error_code error) {
    if (error) return self->Drop();
    self->hub_->session().Join(self->id_);
    self->Read();
  });
}

void Client::Send(const LiveOutput& output) {
  using Kind = LiveOutput::Kind;
  if (closing_) return;
  if (output.client == id_ && output.kind == Kind::kStatus) joined_ = true;
  if (!joined_ && output.client != id_) return;
  switch (output.kind) {
    case Kind::kFrame: frame_ = output.bytes; break;
    case Kind::kStatus: status_ = output.bytes; break;
    case Kind::kHead:
      // A new beginning: what waits belongs to the run before.
      std::erase_if(waiting_, [](const Outgoing& o) { return o.binary; });
      [[fallthrough]];
    case Kind::kEvent:
      frame_.reset();  // it may have fewer actors than the event tells of
      waiting_.push_back({output.bytes, true});
      break;
    case Kind::kText: waiting_.push_back({output.bytes, false}); break;
  }
  std::size_t waiting_bytes = 0;
  for (const Outgoing& o : waiting_) waiting_bytes += o.bytes->size();
  if (waiting_bytes > kMaxWaitingBytes) return Drop();
  Write();
}

void Client::Close(websocket::close_code code, Bytes last) {
  if (std::exchange(closing_, true)) return;
  waiting_.clear();
  frame_.reset();
  status_.reset();
  close_code_ = code;
  if (last) waiting_.push_back({std::move(last), false});
  Write();
}

void Client::Drop() {
  error_code ignored;
  Socket().close(ignored);
  hub_->Remove(id_);
}

// Tells what was wrong, then closes; nobody else notices.
void Client::Refuse(const std::string& message) {
  hub_->session().Leave(id_);
  Close(websocket::close_code::policy_error, TextMessage("error", message));
}

void Client::Read() {
  ws_.async_read(buffer_, [self = shared_from_this()](error_code error, std::size_t) {
    if (error) return self->Drop();
    self->OnMessage();
  });
}

void Client::OnMessage() {
  if (closing_) return;  // async_close() takes what else arrives
  if (!ws_.got_text()) return Refuse("a binary message; expected JSON text");
  const auto data = buffer_.cdata();
  try {
    const bool taken = hub_->session().Post(
        id_, ParseLiveMessage({static_cast<const char*>(data.data()), data.size()}));
    if (!taken) waiting_.push_back({TextMessage("refused", "too much to do; try again"), false});
  } catch (const InputError& error) {
    return Refuse(error.what());
  }
  buffer_.consume(buffer_.size());
  Write();
  Read();
}

// One message at a time; the rest waits, and of frames and statuses only the newest.
void Client::Write() {
  if (writing_) return;
  if (!waiting_.empty()) {
    const Outgoing next = std::move(waiting_.front());
    waiting_.pop_front();
    WriteNow(next);
  } else if (status_) {
    WriteNow({std::exchange(status_, nullptr), false});
  } else if (frame_) {
    WriteNow({std::exchange(frame_, nullptr), true});
  } else if (closing_) {
    writing_ = true;
    ws_.async_close(close_code_, [self = shared_from_this()](error_code) { self->Drop(); });
  }
}

void Client::WriteNow(const Outgoing& next) {
  writing_ = true;
  ws_.binary(next.binary);
  ws_.async_write(asio::buffer(*next.bytes),
                  [self = shared_from_this(), kept = next.bytes](error_code error, std::size_t) {
                    self->writing_ = false;
                    if (error) return self->Drop();
                    self->Write();
                  });
}

}  // namespace stride
