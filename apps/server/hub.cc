#include "hub.h"

#include <ctime>

#include "client.h"
#include "connection.h"

namespace stride {
namespace {

double ThreadCpuSeconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

Hub::Hub(asio::io_context* io, LiveSession* session, const ServerOptions& options)
    : uploads(options.program),
      io_(io),
      session_(session),
      options_(options),
      cpu_(ThreadCpuSeconds()) {}

// What is still made for somebody ends before what it is made with.
Hub::~Hub() {
  uploads.Cancel();
  exporter_.stop();
  exporter_.join();
}

void Hub::Enter(const std::shared_ptr<Connection>& connection, const std::string& address) {
  const int goes = admission_.Enter(connection->id(), address);
  connections_.emplace(connection->id(), connection);
  if (goes == 0) return;
  const auto found = connections_.find(goes);
  if (found == connections_.end()) return;
  if (const auto other = found->second.lock()) other->Drop();
}

void Hub::Leave(int connection) {
  admission_.Leave(connection);
  connections_.erase(connection);
}

void Hub::Add(const std::shared_ptr<Client>& client) { clients_.emplace(client->id(), client); }

void Hub::Remove(int id) {
  session_->Leave(id);
  clients_.erase(id);
}

Bytes Hub::Made(const Bytes& recorded, const std::string& format) const {
  if (made_of_.lock() != recorded) return nullptr;
  const auto found = made_.find(format);
  return found == made_.end() ? nullptr : found->second;
}

void Hub::KeepMade(const Bytes& recorded, const std::string& format, const Bytes& made) {
  if (made_of_.lock() != recorded) made_.clear();
  made_of_ = recorded;
  made_[format] = made;
}

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

}  // namespace stride
