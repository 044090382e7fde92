#pragma once

#include <string>
#include <string_view>

// Who may talk to the viewer's server: pure functions of what a request says (docs/security.md).
namespace stride {

// The path and the query of a request's target ("/ws?token=T"). Nothing is decoded: a path is
// compared with the few there are, and never names a file.
struct Target {
  std::string_view path, query;
};
Target ParseTarget(std::string_view target);
// A value of the query by its key, as it stands there; empty: there is none.
std::string_view Parameter(const Target& target, std::string_view key);

// A Host header made of a name or address and a port only.
bool IsPlainHost(std::string_view host);

// The Host header names this machine's loopback and the server's port. Another name means that a
// foreign page's name was pointed here (DNS rebinding).
bool IsLoopbackHost(std::string_view host, int port);

// The page that asks was served from `host`. No Origin at all: not a browser's page.
bool IsSameOrigin(std::string_view origin, std::string_view host);

// Takes the same time wherever the two differ.
bool SameToken(std::string_view a, std::string_view b);

// 16 to 128 characters that need no escaping in an address.
bool IsGoodToken(std::string_view token);

// 128 random bits from the system.
std::string RandomToken();

}  // namespace stride
