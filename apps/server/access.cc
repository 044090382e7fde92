#include "access.h"

#include <algorithm>
#include <cctype>
#include <random>

#include <fmt/format.h>

namespace stride {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool IsMadeOf(std::string_view text, std::string_view others) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return IsAlphanumeric(c) || others.find(c) != std::string_view::npos;
  });
}

}  // namespace

Target ParseTarget(std::string_view target) {
  const std::size_t question = target.find('?');
  Target parsed{target.substr(0, question), {}};
  if (question != std::string_view::npos) parsed.query = target.substr(question + 1);
  return parsed;
}

std::string_view Parameter(const Target& target, std::string_view key) {
  std::string_view rest = target.query, value;
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    if (pair.substr(0, key.size()) == key && pair.substr(key.size(), 1) == "=") {
      value = pair.substr(key.size() + 1);
    }
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
  }
  return value;
}

bool IsPlainHost(std::string_view host) {
  return !host.empty() && host.size() <= 255 && IsMadeOf(host, ".-:[]");
}

bool IsLoopbackHost(std::string_view host, int port) {
  const std::string lower = Lower(host);
  for (const char* name : {"127.0.0.1", "localhost", "[::1]"}) {
    if (lower == fmt::format("{}:{}", name, port)) return true;
    if (port == 80 && lower == name) return true;
  }
  return false;
}

bool IsSameOrigin(std::string_view origin, std::string_view host) {
  return origin.empty() || Lower(origin) == "http://" + Lower(host);
}

bool SameToken(std::string_view a, std::string_view b) {
  // The length of the right token is no secret; its characters are.
  if (a.size() != b.size()) return false;
  volatile unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = difference | static_cast<unsigned char>(a[i] ^ b[i]);
  }
  return difference == 0;
}

bool IsGoodToken(std::string_view token) {
  return token.size() >= 16 && token.size() <= 128 && IsMadeOf(token, "-_");
}

std::string RandomToken() {
  std::random_device random;  // the system's generator
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", random());
  return token;
}

}  // namespace stride
