#include "connection.h"

#include <charconv>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "client.h"
#include "page.h"
#include "stride/core/error.h"

namespace stride {
namespace {

constexpr auto kRequestTime = std::chrono::seconds(10);  // for a whole request to arrive
constexpr auto kUploadTime = std::chrono::seconds(60);   // for a file to arrive
constexpr auto kLingerTime = std::chrono::seconds(1);    // after a response
// For a response to be taken: so long, and longer for what is large.
constexpr auto kResponseTime = std::chrono::seconds(20);
constexpr std::size_t kResponseBytesASecond = 64 << 10;
constexpr int kMaxHeaderBytes = 8192;

std::string_view Header(const http::request<http::empty_body>& request, http::field field) {
  const beast::string_view value = request[field];
  return {value.data(), value.size()};
}

// Of a character; -1: no number.
int ActorOf(std::string_view text) {
  int actor = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), actor);
  return error == std::errc() && end == text.data() + text.size() ? actor : -1;
}

}  // namespace

Connection::Connection(Hub* hub, tcp::socket socket)
    : hub_(hub), hub_alive_(hub->alive()), id_(hub->NextId()), stream_(std::move(socket)) {
  parser_.header_limit(kMaxHeaderBytes);
  parser_.body_limit(Uploads::kMostBytes);
}

Connection::~Connection() {
  if (!hub_alive_.expired()) hub_->Leave(id_);
}

void Connection::Drop() {
  error_code ignored;
  stream_.socket().close(ignored);
}

void Connection::Start() {
  stream_.expires_after(kRequestTime);
  http::async_read_header(
      stream_, buffer_, parser_, [self = shared_from_this()](error_code error, std::size_t) {
        if (!error) return self->Answer();
        if (error == http::error::header_limit) {
          return self->Say(http::status::request_header_fields_too_large,
                           "the request is too long");
        }
        if (error == http::error::body_limit) {
          return self->Say(http::status::payload_too_large, Uploads::TooLarge());
        }
        if (error == http::error::end_of_stream || error == beast::error::timeout ||
            error == asio::error::operation_aborted) {
          return;
        }
        self->Say(http::status::bad_request, "no valid HTTP request");
      });
}

void Connection::Answer() {
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
  if (options.is_public && !SameToken(Parameter(target, "token"), options.token)) {
    return Say(http::status::forbidden,
               "the address lacks the right token: .../?token=TOKEN, as stride printed it");
  }
  if (!hub_->Welcome(id_)) {
    return Say(http::status::service_unavailable, "too many requests are under way; try again");
  }
  Route(request, target);
}

void Connection::Route(const Request& request, const Target& target) {
  const bool has_body = parser_.chunked() || parser_.content_length().value_or(0) > 0;
  if (request.method() == http::verb::post && target.path == "/perform") return Upload(target);
  if (has_body) return Say(http::status::bad_request, "a request with a body; expected none");
  if (request.method() != http::verb::get) {
    return Say(http::status::method_not_allowed, "only GET is served");
  }
  if (target.path == "/") return Respond("text/html; charset=utf-8", ViewerPage());
  if (target.path == "/ws") return Upgrade(request);
  if (target.path == "/recording") return SendOpened();
  if (target.path == "/download/skill") return DownloadSkill(ActorOf(Parameter(target, "actor")));
  for (const char* format : {"recording", "bvh", "glb", "csv"}) {
    if (target.path == std::string("/download/") + format) return Download(format);
  }
  Say(http::status::not_found, "there is no such page");
}

void Connection::Upgrade(const Request& request) {
  if (!websocket::is_upgrade(request)) {
    return Say(http::status::upgrade_required, "this address is for WebSockets");
  }
  if (hub_->Full()) {
    return Say(http::status::service_unavailable,
               fmt::format("{} viewers are open already; close one", Hub::kMaxClients));
  }
  auto client = std::make_shared<Client>(hub_, hub_->NextId(), std::move(stream_));
  hub_->Add(client);
  client->Accept(request);
}

void Connection::SendOpened() {
  const Bytes bytes = hub_->session().Opened();
  if (!bytes) return Say(http::status::not_found, "no recording is open");
  Respond("application/octet-stream", *bytes, bytes);
}

// In another thread: a long recording takes a while, and frames go on.
void Connection::Download(const std::string& format) {
  const Bytes recorded = hub_->session().Recorded();
  if (!recorded) return Say(http::status::not_found, "nothing was recorded yet");
  const std::string file_name = "recording." + (format == "recording" ? "stride" : format);
  const Bytes made = format == "recording" ? recorded : hub_->Made(recorded, format);
  if (made) {
    file_name_ = file_name;
    return Respond("application/octet-stream", *made, made);
  }
  MakeAndRespond([recorded, format] { return ExportRecordingBytes(recorded, format); }, file_name,
                 [hub = hub_, recorded, format](const Bytes& bytes) {
                   hub->KeepMade(recorded, format, bytes);
                 });
}

void Connection::DownloadSkill(int actor) {
  LiveSession* session = &hub_->session();
  MakeAndRespond([session, actor] { return session->EditedSkill(actor); }, "edited.skill",
                 [](const Bytes&) {});
}

void Connection::MakeAndRespond(const std::function<std::string()>& make,
                                const std::string& file_name,
                                const std::function<void(const Bytes&)>& keep) {
  if (hub_->exports >= Hub::kMaxExports) {
    return Say(http::status::service_unavailable, "other downloads are being made; try again");
  }
  ++hub_->exports;
  asio::post(hub_->exporter(), [self = shared_from_this(), make, file_name, keep]() mutable {
    Bytes made;
    std::string failure;
    auto status = http::status::internal_server_error;
    try {
      made = std::make_shared<const std::string>(make());
    } catch (const InputError& error) {
      failure = error.what();
      status = http::status::not_found;
    } catch (const std::exception& error) {
      failure = error.what();
    }
    // Moved: a connection ends in the thread it lives in.
    asio::io_context& io = self->hub_->io();
    asio::post(io, [self = std::move(self), made, failure, status, file_name, keep] {
      --self->hub_->exports;
      if (!made) return self->Say(status, failure);
      keep(made);
      self->file_name_ = file_name;
      self->Respond("application/octet-stream", *made, made);
    });
  });
}

// One at a time, so that what they hold stays small.
void Connection::Upload(const Target& target) {
  if (!hub_->options().takes_files) {
    return Say(http::status::forbidden, "this server takes no files");
  }
  if (hub_->uploading) {
    return Say(http::status::service_unavailable, "another file is being read; try again");
  }
  hub_->uploading = true;
  const std::string name(Parameter(target, "name"));
  upload_ = std::make_unique<http::request_parser<http::string_body>>(std::move(parser_));
  upload_->body_limit(Uploads::kMostBytes);
  stream_.expires_after(kUploadTime);
  http::async_read(
      stream_, buffer_, *upload_, [self = shared_from_this(), name](error_code error, std::size_t) {
        if (!error) return self->Perform(name, std::move(self->upload_->get().body()));
        const bool large = error == http::error::body_limit;
        self->EndUpload(large ? http::status::payload_too_large : http::status::bad_request,
                        large ? Uploads::TooLarge() : "the file did not arrive whole");
      });
}

void Connection::EndUpload(http::status status, const std::string& text) {
  hub_->uploading = false;
  Say(status, text);
}

void Connection::Perform(const std::string& name, std::string bytes) {
  upload_.reset();
  stream_.expires_never();  // what follows has limits of its own
  asio::post(hub_->exporter(),
             [self = shared_from_this(), name, bytes = std::move(bytes)]() mutable {
               Hub* hub = self->hub_;
               Performance performance;
               std::string failure;
               try {
                 performance = hub->uploads.Take(name, bytes, hub->session().Performer());
               } catch (const std::exception& error) {
                 failure = error.what();
               }
               // Moved: a connection ends in the thread it lives in.
               asio::io_context& io = hub->io();
               asio::post(io, [self = std::move(self), performance, failure] {
                 if (failure.empty()) return self->GiveToSession(performance);
                 self->EndUpload(http::status::unprocessable_entity, failure);
               });
             });
}

// Kept in the hub meanwhile: the session's thread may not be where a connection ends.
void Connection::GiveToSession(const Performance& performance) {
  Hub* hub = hub_;
  hub->performer = shared_from_this();
  const auto done = [hub, performance](const std::string& failure) {
    asio::post(hub->io(), [hub, performance, failure] {
      std::exchange(hub->performer, nullptr)->Performed(performance, failure);
    });
  };
  if (!hub->session().Perform(performance, done)) done("too much to do; try again");
}

void Connection::Performed(const Performance& performance, const std::string& failure) {
  if (failure.empty()) {
    hub_->uploads.Keep(performance);
    return EndUpload(http::status::ok, "it is performed");
  }
  hub_->uploads.Forget(performance);
  EndUpload(http::status::unprocessable_entity, failure);
}

void Connection::Say(http::status status, const std::string& text) {
  const auto body = std::make_shared<const std::string>(text + "\n");
  Respond("text/plain; charset=utf-8", *body, body, status);
}

void Connection::Respond(const char* type, std::string_view body, Bytes owner,
                         http::status status) {
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
    response->set(http::field::content_disposition, "attachment; filename=\"" + file_name_ + "\"");
  }
  response->body() = Body::value_type(body.data(), body.size());
  response->keep_alive(false);
  response->prepare_payload();
  stream_.expires_after(kResponseTime + std::chrono::seconds(body.size() / kResponseBytesASecond));
  http::async_write(
      stream_, *response,
      [self = shared_from_this(), response, owner = std::move(owner)](error_code, std::size_t) {
        error_code ignored;
        self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
        self->stream_.expires_after(kLingerTime);
        self->Drain();
      });
}

// Closing with bytes unread would take the response back: reads what else comes, for a moment.
void Connection::Drain() {
  buffer_.clear();
  stream_.async_read_some(buffer_.prepare(kMaxHeaderBytes),
                          [self = shared_from_this()](error_code error, std::size_t) {
                            if (!error) self->Drain();
                          });
}

}  // namespace stride
