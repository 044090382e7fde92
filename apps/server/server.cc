#include "server.h"

#include <csignal>
#include <utility>

#include <fmt/format.h>

#include "connection.h"
#include "hub.h"
#include "net.h"
#include "stride/core/error.h"

namespace stride {
namespace {

constexpr auto kFarewellTime = std::chrono::milliseconds(300);
constexpr auto kLoadInterval = std::chrono::milliseconds(500);

class Listener {
 public:
  Listener(Hub* hub, int port) : hub_(hub), acceptor_(hub->io()), retry_(hub->io()) {
    const auto address =
        hub->options().is_public ? asio::ip::address_v4::any() : asio::ip::address_v4::loopback();
    const tcp::endpoint endpoint(address, static_cast<unsigned short>(port));
    error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      throw InputError(
          fmt::format("--port {}: {}; choose another port, or --port 0 for any that is free", port,
                      error == asio::error::address_in_use ? "another program listens there"
                                                           : error.message()));
    }
    hub->port = acceptor_.local_endpoint().port();
  }

  void Accept() {
    acceptor_.async_accept([this](error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) {  // out of file descriptors, for instance
        retry_.expires_after(std::chrono::milliseconds(100));
        return retry_.async_wait([this](error_code stopped) {
          if (!stopped) Accept();
        });
      }
      error_code gone;
      const tcp::endpoint from = socket.remote_endpoint(gone);
      if (!gone) {
        const auto connection = std::make_shared<Connection>(hub_, std::move(socket));
        hub_->Enter(connection, from.address().to_string());
        connection->Start();
      }
      Accept();
    });
  }

  void Close() {
    error_code ignored;
    acceptor_.close(ignored);
    retry_.cancel();
  }

 private:
  Hub* hub_;
  tcp::acceptor acceptor_;
  asio::steady_timer retry_;
};

// Calls `action` again and again.
void Repeat(asio::steady_timer* timer, Clock::duration interval,
            const std::function<void()>& action) {
  timer->expires_after(interval);
  timer->async_wait([=](error_code stopped) {
    if (stopped) return;
    action();
    Repeat(timer, interval, action);
  });
}

}  // namespace

void ServeViewer(LiveSession* session, const ServerOptions& options) {
  asio::io_context io(1);
  session->TakeFiles(options.takes_files);
  Hub hub(&io, session, options);
  Listener listener(&hub, options.port);
  asio::signal_set signals(io, SIGINT, SIGTERM);
  asio::steady_timer end(io), load(io);

  const auto stop = [&] {
    listener.Close();
    hub.CloseAll();
    end.expires_after(kFarewellTime);
    end.async_wait([&](error_code) { io.stop(); });
  };
  signals.async_wait([&](error_code error, int) {
    if (!error) stop();
  });
  if (options.seconds) {
    end.expires_after(std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(*options.seconds)));
    end.async_wait([&](error_code error) {
      if (!error) stop();
    });
  }
  Repeat(&load, kLoadInterval, [&] { hub.MeasureLoad(); });
  // Also when something throws: the session's thread calls the hub.
  const std::shared_ptr<void> stopped(nullptr, [&](void*) { session->Stop(); });
  session->Start([&hub](LiveOutput output) { hub.Take(std::move(output)); });
  listener.Accept();
  if (options.on_ready) options.on_ready(hub.port);
  io.run();
}

}  // namespace stride
