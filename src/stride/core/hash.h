#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace stride {

// FNV-1a, 64 bits, as hexadecimal digits: tells contents apart, not forgeries.
inline std::string HashOf(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<std::uint8_t>(byte)) * 0x100000001b3u;
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace stride
