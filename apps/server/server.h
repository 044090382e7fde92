#pragma once

#include <functional>
#include <optional>
#include <string>

#include "stride/app/live/live.h"

// The viewer's server: the page, a WebSocket and downloads over HTTP (docs/viewer.md), in the
// calling thread.
namespace stride {

struct ServerOptions {
  int port = 8700;  // 0: any that is free
  // Loopback only, or every network, for those who have the token (access.h: IsGoodToken).
  bool is_public = false;
  std::string token;              // of a public server
  bool takes_files = true;        // that a page brings, to be performed
  std::string program;            // stride itself, which reads them in a process of its own
  std::optional<double> seconds;  // ends by itself
  // The port is known and clients can connect.
  std::function<void(int port)> on_ready;
};

// Serves until Ctrl-C, a termination signal, or the end of `seconds`. Throws InputError if it
// cannot listen.
void ServeViewer(LiveSession* session, const ServerOptions& options);

}  // namespace stride
