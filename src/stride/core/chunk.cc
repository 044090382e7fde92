#include "stride/core/chunk.h"

#include <limits>

#include <fmt/format.h>
#include <zlib.h>

#include "stride/core/error.h"

namespace stride {
namespace {

constexpr std::size_t kTypeBytes = 4, kHeadBytes = 8, kCrcBytes = 4;

std::uint32_t Crc(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

void BeginChunk(std::string_view type, std::string* bytes) {
  STRIDE_CHECK(type.size() == kTypeBytes);
  bytes->assign(type);
  PutNumber(std::uint32_t{0}, bytes);
}

void EndChunk(std::string* bytes) {
  const std::size_t payload = bytes->size() - kHeadBytes;
  STRIDE_CHECK(payload <= std::numeric_limits<std::uint32_t>::max());
  const auto length = static_cast<std::uint32_t>(payload);
  std::memcpy(bytes->data() + kTypeBytes, &length, sizeof length);
  PutNumber(Crc(*bytes), bytes);
}

std::optional<Chunk> ChunkReader::Next() {
  if (at_ == bytes_.size()) return std::nullopt;
  chunk_at_ = at_;
  const std::string_view rest = bytes_.substr(at_);
  std::uint32_t length = 0;
  ByteReader head(rest.substr(std::min(kTypeBytes, rest.size())));
  if (!head.Take(&length) || head.Left() < kCrcBytes || length > head.Left() - kCrcBytes) {
    problem_ = fmt::format("ends within the piece that begins at byte {}", at_);
    return std::nullopt;
  }
  const std::size_t size = kHeadBytes + length;
  std::uint32_t crc = 0;
  ByteReader(rest.substr(size)).Take(&crc);
  if (crc != Crc(rest.substr(0, size))) {
    problem_ = fmt::format("is damaged in the piece that begins at byte {}", at_);
    return std::nullopt;
  }
  at_ += size + kCrcBytes;
  return Chunk{rest.substr(0, kTypeBytes), rest.substr(kHeadBytes, length)};
}

}  // namespace stride
