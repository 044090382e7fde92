#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "frame_counter.h"
#include "hub.h"
#include "net.h"

// A page's WebSocket.
namespace stride {

// A TCP stream that counts the frames it reads. Some names are those the network library looks for.
// NOLINTBEGIN(readability-identifier-naming)
class CountedStream {
 public:
  using next_layer_type = beast::tcp_stream;
  using executor_type = beast::tcp_stream::executor_type;

  explicit CountedStream(beast::tcp_stream stream) : next_(std::move(stream)) {}
  executor_type get_executor() { return next_.get_executor(); }
  next_layer_type& next_layer() { return next_; }
  const next_layer_type& next_layer() const { return next_; }

  std::function<void()> on_too_fast;

  template <class Buffers, class Handler>
  auto async_read_some(const Buffers& buffers, Handler&& handler) {
    return asio::async_compose<Handler, void(error_code, std::size_t)>(
        ReadOperation<Buffers>{this, buffers}, handler, next_);
  }
  template <class Buffers, class Handler>
  auto async_write_some(const Buffers& buffers, Handler&& handler) {
    return next_.async_write_some(buffers, std::forward<Handler>(handler));
  }

 private:
  template <class Buffers>
  struct ReadOperation {
    CountedStream* stream;
    Buffers buffers;
    bool begun = false;

    template <class Self>
    void operator()(Self& self, error_code error = {}, std::size_t bytes = 0) {
      if (!begun) {
        begun = true;
        const Buffers into = buffers;
        stream->next_.async_read_some(into, std::move(self));
        return;
      }
      stream->Count(beast::buffers_prefix(bytes, buffers));
      self.complete(error, bytes);
    }
  };

  template <class Buffers>
  void Count(const Buffers& buffers) {
    bool within = true;
    for (auto at = asio::buffer_sequence_begin(buffers); at != asio::buffer_sequence_end(buffers);
         ++at) {
      const asio::const_buffer piece(*at);
      within = counter_.Count(static_cast<const std::uint8_t*>(piece.data()), piece.size(),
                              Clock::now()) &&
               within;
    }
    if (!within && on_too_fast) on_too_fast();
  }

  beast::tcp_stream next_;
  FrameCounter counter_;
};

// How the WebSocket ends what it runs on.
template <class Handler>
void async_teardown(beast::role_type role, CountedStream& stream, Handler&& handler) {
  websocket::async_teardown(role, stream.next_layer().socket(), std::forward<Handler>(handler));
}
// NOLINTEND(readability-identifier-naming)

class Client : public std::enable_shared_from_this<Client> {
 public:
  Client(Hub* hub, int id, beast::tcp_stream stream)
      : hub_(hub), id_(id), ws_(CountedStream(std::move(stream))) {}

  int id() const { return id_; }

  void Accept(const http::request<http::empty_body>& request);
  void Send(const LiveOutput& output);
  // After `last`, if there is one.
  void Close(websocket::close_code code, Bytes last = nullptr);

 private:
  struct Outgoing {
    Bytes bytes;
    bool binary;
  };

  tcp::socket& Socket() { return ws_.next_layer().next_layer().socket(); }
  void Drop();
  void Refuse(const std::string& message);
  void Read();
  void OnMessage();
  void Write();
  void WriteNow(const Outgoing& next);

  Hub* hub_;
  int id_;
  websocket::stream<CountedStream> ws_;
  beast::flat_buffer buffer_;
  bool joined_ = false, writing_ = false, closing_ = false;
  websocket::close_code close_code_ = websocket::close_code::normal;
  std::deque<Outgoing> waiting_;
  Bytes frame_, status_;
};

}  // namespace stride
