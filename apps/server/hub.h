#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "admission.h"
#include "net.h"
#include "server.h"
#include "uploads.h"

// What all connections of the server share. Everything but Take() runs in the io_context's thread.
namespace stride {

class Client;
class Connection;

class Hub {
 public:
  static constexpr std::size_t kMaxClients = 32;
  static constexpr int kMaxExports = 2;

  Hub(asio::io_context* io, LiveSession* session, const ServerOptions& options);
  ~Hub();

  LiveSession& session() { return *session_; }
  const ServerOptions& options() const { return options_; }
  asio::io_context& io() { return *io_; }
  asio::thread_pool& exporter() { return exporter_; }
  // What still waits in the io_context at its end lives longer than this.
  std::weak_ptr<const void> alive() const { return alive_; }
  int port = 0;
  int exports = 0;
  bool uploading = false;
  std::shared_ptr<Connection> performer;  // whose file the session was given
  Uploads uploads;

  // A connection arrives; another one may have to go for it.
  void Enter(const std::shared_ptr<Connection>& connection, const std::string& address);
  bool Welcome(int connection) { return admission_.Welcome(connection); }
  void Leave(int connection);

  bool Full() const { return clients_.size() >= kMaxClients; }
  void Add(const std::shared_ptr<Client>& client);
  void Remove(int id);
  int NextId() { return ++last_id_; }

  // What was made of the recording there is, so that all downloads share one copy; null: it was
  // not made yet.
  Bytes Made(const Bytes& recorded, const std::string& format) const;
  void KeepMade(const Bytes& recorded, const std::string& format, const Bytes& made);

  // From the session's thread.
  void Take(LiveOutput output);

  void MeasureLoad();
  void CloseAll();

 private:
  void Deliver();

  const std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
  asio::io_context* io_;
  LiveSession* session_;
  const ServerOptions& options_;
  std::map<int, std::shared_ptr<Client>> clients_;
  std::map<int, std::weak_ptr<Connection>> connections_;
  Admission admission_;
  int last_id_ = 0;
  asio::thread_pool exporter_{1};  // makes downloads, reads uploads
  std::weak_ptr<const std::string> made_of_;
  std::map<std::string, Bytes> made_;  // by format
  double cpu_ = 0;
  Clock::time_point measured_ = Clock::now();

  std::mutex mutex_;
  std::vector<LiveOutput> inbox_;
};

}  // namespace stride
