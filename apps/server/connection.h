#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "access.h"
#include "hub.h"
#include "net.h"

// One HTTP request. The connection ends with the response, or becomes a client's.
namespace stride {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Hub* hub, tcp::socket socket);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int id() const { return id_; }
  void Start();
  // Makes way for another one.
  void Drop();

 private:
  using Request = http::request<http::empty_body>;

  void Answer();
  void Route(const Request& request, const Target& target);
  void Upgrade(const Request& request);
  void SendOpened();
  void Download(const std::string& format);
  void DownloadSkill(int actor);
  void Upload(const Target& target);
  void Perform(const std::string& name, std::string bytes);
  void EndUpload(http::status status, const std::string& text);
  void GiveToSession(const Performance& performance);
  void Performed(const Performance& performance, const std::string& failure);
  // Calls `make` in the exporter's thread and responds with it.
  void MakeAndRespond(const std::function<std::string()>& make, const std::string& file_name,
                      const std::function<void(const Bytes&)>& keep);

  void Say(http::status status, const std::string& text);
  // `owner` keeps `body` alive until it is sent.
  void Respond(const char* type, std::string_view body, Bytes owner = nullptr,
               http::status status = http::status::ok);
  void Drain();

  Hub* hub_;
  std::weak_ptr<const void> hub_alive_;
  int id_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  http::request_parser<http::empty_body> parser_;
  std::unique_ptr<http::request_parser<http::string_body>> upload_;
  std::string host_, file_name_;
};

}  // namespace stride
