#include "server.h"

#include <array>
#include <chrono>
#include <csignal>
#include <ctime>
#include <deque>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>

#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "access.h"
#include "page.h"
#include "stride/core/error.h"

namespace stride {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

constexpr auto kRequestTime = std::chrono::seconds(10);    // for a whole request to arrive
constexpr auto kResponseTime = std::chrono::seconds(120);  // for a whole response to be taken
constexpr auto kIdleTime = std::chrono::seconds(20);       // a client that answers no ping
constexpr auto kLingerTime = std::chrono::seconds(1);      // after a response
constexpr auto kFarewellTime = std::chrono::milliseconds(300);
constexpr auto kLoadInterval = std::chrono::milliseconds(500);
constexpr int kMaxHeaderBytes = 8192;
constexpr int kMaxConnections = 128;
constexpr std::size_t kMaxClients = 32;
constexpr int kMaxExports = 2;
constexpr int kMaxMessagesASecond = 240;
// Messages above kMaxLiveMessageBytes get an error; above this the connection ends at once.
constexpr std::size_t kMaxReadBytes = 16 * kMaxLiveMessageBytes;
// Of the system. Small, so that frames wait here, where a newer one replaces them.
constexpr int kSendBufferBytes = 32 << 10;
// What waits for a client that does not read, beside the newest frame and status.
constexpr std::size_t kMaxWaitingBytes = std::size_t{4} << 20;

double ThreadCpuSeconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

Bytes TextMessage(const char* type, const std::string& message) {
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
  return std::make_shared<const std::string>(
      nlohmann::json{{"type", type}, {"message", message}}.dump(-1, ' ', false, kReplace));
}

class Client;

// What all connections share. Everything but Take() runs in the thread of the io_context.
class Hub {
 public:
  Hub(asio::io_context* io, LiveSession* session, const ServerOptions& options)
      : io_(io), session_(session), options_(options) {}

  LiveSession& session() { return *session_; }
  const ServerOptions& options() const { return options_; }
  asio::io_context& io() { return *io_; }
  asio::thread_pool& exporter() { return exporter_; }
  int port = 0;
  // Shared, because what still waits in the io_context at its end lives longer than this.
  const std::shared_ptr<int> connections = std::make_shared<int>(0);
  int exports = 0;

  bool Full() const { return clients_.size() >= kMaxClients; }
  void Add(std::shared_ptr<Client> client);
  void Remove(int id) { clients_.erase(id); }
  int NextId() { return ++last_id_; }

  // From the session's thread.
  void Take(LiveOutput output);

  void MeasureLoad();
  void CloseAll();

 private:
  void Deliver();

  asio::io_context* io_;
  LiveSession* session_;
  const ServerOptions& options_;
  std::map<int, std::shared_ptr<Client>> clients_;
  int last_id_ = 0;
  asio::thread_pool exporter_{1};  // makes downloads
  double cpu_ = ThreadCpuSeconds();
  Clock::time_point measured_ = Clock::now();

  std::mutex mutex_;
  std::vector<LiveOutput> inbox_;
};

// Counts a connection for as long as it lives.
class Slot {
 public:
  explicit Slot(std::shared_ptr<int> count) : count_(std::move(count)) { ++*count_; }
  ~Slot() { --*count_; }
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

 private:
  std::shared_ptr<int> count_;
};

using Request = http::request<http::empty_body>;

// A page's WebSocket.
class Client : public std::enable_shared_from_this<Client> {
 public:
  Client(Hub* hub, int id, beast::tcp_stream stream, std::unique_ptr<Slot> slot)
      : hub_(hub), id_(id), slot_(std::move(slot)), ws_(std::move(stream)) {}

  int id() const { return id_; }

  void Accept(const Request& request) {
    ws_.next_layer().expires_never();  // the WebSocket has time limits of its own
    error_code ignored;
    ws_.next_layer().socket().set_option(tcp::no_delay(true), ignored);
    ws_.next_layer().socket().set_option(asio::socket_base::send_buffer_size(kSendBufferBytes),
                                         ignored);
    ws_.set_option(websocket::stream_base::timeout{kRequestTime, kIdleTime, true});
    ws_.read_message_max(kMaxReadBytes);
    ws_.auto_fragment(false);
    // Pings count too. The callback itself may not close.
    ws_.control_callback([this](websocket::frame_type, beast::string_view) {
      if (CountMessage()) return;
      asio::post(hub_->io(), [self = shared_from_this()] { self->RefuseSpeed(); });
    });
    ws_.async_accept(request, [self = shared_from_this()](error_code error) {
      if (error) return self->Drop();
      self->hub_->session().Join(self->id_);
      self->Read();
    });
  }

  void Send(const LiveOutput& output) {
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

  // After `last`, if there is one.
  void Close(websocket::close_code code, Bytes last = nullptr) {
    if (std::exchange(closing_, true)) return;
    waiting_.clear();
    frame_.reset();
    status_.reset();
    close_code_ = code;
    if (last) waiting_.push_back({std::move(last), false});
    Write();
  }

 private:
  struct Outgoing {
    Bytes bytes;
    bool binary;
  };

  void Drop() {
    error_code ignored;
    ws_.next_layer().socket().close(ignored);
    hub_->Remove(id_);
  }

  // Tells what was wrong, then closes; nobody else notices.
  void Refuse(const std::string& message) {
    Close(websocket::close_code::policy_error, TextMessage("error", message));
  }

  void RefuseSpeed() {
    Refuse(fmt::format("more than {} messages in a second", kMaxMessagesASecond));
  }

  // Whether it is within what a second may hold.
  bool CountMessage() {
    const Clock::time_point now = Clock::now();
    Clock::time_point& oldest = times_[next_time_];
    const bool too_fast = now - oldest < std::chrono::seconds(1);
    oldest = now;
    next_time_ = (next_time_ + 1) % times_.size();
    return !too_fast;
  }

  void Read() {
    ws_.async_read(buffer_, [self = shared_from_this()](error_code error, std::size_t) {
      if (error) return self->Drop();
      self->OnMessage();
    });
  }

  void OnMessage() {
    if (closing_) return;  // async_close() takes what else arrives
    if (!CountMessage()) return RefuseSpeed();
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
  void Write() {
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

  void WriteNow(const Outgoing& next) {
    writing_ = true;
    ws_.binary(next.binary);
    ws_.async_write(asio::buffer(*next.bytes),
                    [self = shared_from_this(), kept = next.bytes](error_code error, std::size_t) {
                      self->writing_ = false;
                      if (error) return self->Drop();
                      self->Write();
                    });
  }

  Hub* hub_;
  int id_;
  std::unique_ptr<Slot> slot_;
  websocket::stream<beast::tcp_stream> ws_;
  beast::flat_buffer buffer_;
  bool joined_ = false, writing_ = false, closing_ = false;
  websocket::close_code close_code_ = websocket::close_code::normal;
  std::deque<Outgoing> waiting_;
  Bytes frame_, status_;
  std::array<Clock::time_point, kMaxMessagesASecond> times_{};
  std::size_t next_time_ = 0;
};

void Hub::Add(std::shared_ptr<Client> client) { clients_.emplace(client->id(), client); }

void Hub::Take(LiveOutput output) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = inbox_.empty();
    inbox_.push_back(std::move(output));
  }
  if (first) asio::post(*io_, [this] { Deliver(); });
}

void Hub::Deliver() {
  std::vector<LiveOutput> outputs;
  {
    const std::lock_guard lock(mutex_);
    outputs.swap(inbox_);
  }
  const auto clients = clients_;  // sending may drop one from the map
  for (const LiveOutput& output : outputs) {
    for (const auto& [id, client] : clients) {
      if (output.client == 0 || output.client == id) client->Send(output);
    }
  }
}

void Hub::MeasureLoad() {
  const double cpu = ThreadCpuSeconds();
  const Clock::time_point now = Clock::now();
  const double wall = std::chrono::duration<double>(now - measured_).count();
  session_->ReportServer(static_cast<int>(clients_.size()), (cpu - cpu_) / wall);
  cpu_ = cpu;
  measured_ = now;
}

void Hub::CloseAll() {
  const auto clients = clients_;
  for (const auto& [id, client] : clients) client->Close(websocket::close_code::going_away);
}

// One HTTP request. The connection ends with the response, or becomes a client's.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Hub* hub, tcp::socket socket)
      : hub_(hub), slot_(std::make_unique<Slot>(hub->connections)), stream_(std::move(socket)) {
    parser_.header_limit(kMaxHeaderBytes);
    parser_.body_limit(0);
  }

  void Start() {
    stream_.expires_after(kRequestTime);
    http::async_read_header(
        stream_, buffer_, parser_, [self = shared_from_this()](error_code error, std::size_t) {
          if (!error) return self->Answer();
          if (error == http::error::header_limit) {
            return self->Say(http::status::request_header_fields_too_large,
                             "the request is too long");
          }
          if (error == http::error::end_of_stream || error == beast::error::timeout) {
            return;
          }
          self->Say(http::status::bad_request, "no valid HTTP request");
        });
  }

 private:
  void Answer() {
    const Request& request = parser_.get();
    const ServerOptions& options = hub_->options();
    const Target target = ParseTarget({request.target().data(), request.target().size()});
    const std::string_view host = Header(request, http::field::host);
    if (!IsPlainHost(host)) return Say(http::status::bad_request, "no valid Host");
    host_ = host;
    if (!options.is_public && !IsLoopbackHost(host, hub_->port)) {
      return Say(http::status::forbidden, "this server is for 127.0.0.1 only");
    }
    if (!IsSameOrigin(Header(request, http::field::origin), host)) {
      return Say(http::status::forbidden, "another site's page may not use this server");
    }
    if (options.is_public && !SameToken(target.token, options.token)) {
      return Say(http::status::forbidden,
                 "the address lacks the right token: .../?token=TOKEN, as stride printed it");
    }
    if (request.method() != http::verb::get) {
      return Say(http::status::method_not_allowed, "only GET is served");
    }
    if (target.path == "/") return Respond("text/html; charset=utf-8", ViewerPage());
    if (target.path == "/ws") return Upgrade(request);
    if (target.path == "/recording") return SendOpened();
    constexpr std::string_view kDownload = "/download/";
    for (const char* format : {"recording", "bvh", "glb", "csv"}) {
      if (target.path == std::string(kDownload) + format) return Download(format);
    }
    Say(http::status::not_found, "there is no such page");
  }

  static std::string_view Header(const Request& request, http::field field) {
    const beast::string_view value = request[field];
    return {value.data(), value.size()};
  }

  void Upgrade(const Request& request) {
    if (!websocket::is_upgrade(request)) {
      return Say(http::status::upgrade_required, "this address is for WebSockets");
    }
    if (hub_->Full()) {
      return Say(http::status::service_unavailable,
                 fmt::format("{} viewers are open already; close one", kMaxClients));
    }
    auto client =
        std::make_shared<Client>(hub_, hub_->NextId(), std::move(stream_), std::move(slot_));
    hub_->Add(client);
    client->Accept(request);
  }

  void SendOpened() {
    const Bytes bytes = hub_->session().Opened();
    if (!bytes) return Say(http::status::not_found, "no recording is open");
    Respond("application/octet-stream", *bytes, bytes);
  }

  // In another thread: a long recording takes a while, and frames go on.
  void Download(const std::string& format) {
    const Bytes recorded = hub_->session().Recorded();
    if (!recorded) return Say(http::status::not_found, "nothing was recorded yet");
    if (hub_->exports >= kMaxExports) {
      return Say(http::status::service_unavailable, "other downloads are being made; try again");
    }
    ++hub_->exports;
    asio::post(hub_->exporter(), [self = shared_from_this(), recorded, format]() mutable {
      Bytes made;
      std::string failure;
      try {
        made = std::make_shared<const std::string>(ExportRecordingBytes(recorded, format));
      } catch (const std::exception& error) {
        failure = error.what();
      }
      // Moved: a connection ends in the thread it lives in.
      asio::io_context& io = self->hub_->io();
      asio::post(io, [self = std::move(self), made, failure, format] {
        --self->hub_->exports;
        if (!made) return self->Say(http::status::internal_server_error, failure);
        self->file_name_ = "recording." + (format == "recording" ? "stride" : format);
        self->Respond("application/octet-stream", *made, made);
      });
    });
  }

  void Say(http::status status, const std::string& text) {
    const auto body = std::make_shared<const std::string>(text + "\n");
    Respond("text/plain; charset=utf-8", *body, body, status);
  }

  // `owner` keeps `body` alive until it is sent.
  void Respond(const char* type, std::string_view body, Bytes owner = nullptr,
               http::status status = http::status::ok) {
    using Body = http::span_body<const char>;
    auto response = std::make_shared<http::response<Body>>(status, 11);
    response->set(http::field::content_type, type);
    response->set(http::field::cache_control, "no-store");
    // The page is one file with its scripts inside; it talks to this server only.
    response->set("Content-Security-Policy",
                  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
                  "img-src 'self' data: blob:; font-src data:; worker-src blob:; "
                  "connect-src 'self' blob: data:" +
                      (host_.empty() ? "" : " ws://" + host_) +
                      "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    response->set("X-Content-Type-Options", "nosniff");
    response->set("X-Frame-Options", "DENY");
    response->set("Referrer-Policy", "no-referrer");  // the address may hold the token
    response->set("Cross-Origin-Resource-Policy", "same-origin");
    response->set("Cross-Origin-Opener-Policy", "same-origin");
    if (status == http::status::method_not_allowed) response->set(http::field::allow, "GET");
    if (!file_name_.empty()) {
      response->set(http::field::content_disposition,
                    "attachment; filename=\"" + file_name_ + "\"");
    }
    response->body() = Body::value_type(body.data(), body.size());
    response->keep_alive(false);
    response->prepare_payload();
    stream_.expires_after(kResponseTime);
    http::async_write(stream_, *response,
                      [self = shared_from_this(), response, owner](error_code, std::size_t) {
                        error_code ignored;
                        self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
                        self->stream_.expires_after(kLingerTime);
                        self->Drain();
                      });
  }

  // Closing with bytes unread would take the response back: reads what else comes, for a moment.
  void Drain() {
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(kMaxHeaderBytes),
                            [self = shared_from_this()](error_code error, std::size_t) {
                              if (!error) self->Drain();
                            });
  }

  Hub* hub_;
  std::unique_ptr<Slot> slot_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  http::request_parser<http::empty_body> parser_;
  std::string host_, file_name_;
};

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
      if (*hub_->connections < kMaxConnections) {
        std::make_shared<Connection>(hub_, std::move(socket))->Start();
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
void Repeat(asio::steady_timer* timer, Clock::duration interval, std::function<void()> action) {
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
