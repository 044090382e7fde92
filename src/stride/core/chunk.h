#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Bytes and chunks of a recording (docs/recordings.md).
namespace stride {

static_assert(std::endian::native == std::endian::little, "recordings are little endian");

template <class T>
void PutNumber(T value, std::string* bytes) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes->append(raw, sizeof value);
}
template <class T>
void PutNumbers(const T* values, std::size_t count, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

// Takes numbers from the front of bytes; false where there are not enough.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  template <class T>
  bool Take(T* value) {
    return TakeAll(value, 1);
  }
  template <class T>
  bool TakeAll(T* values, std::size_t count) {
    if (count > bytes_.size() / sizeof(T)) return false;
    if (count > 0) std::memcpy(values, bytes_.data(), count * sizeof(T));
    bytes_.remove_prefix(count * sizeof(T));
    return true;
  }
  template <class T>
  bool Take(std::size_t count, std::vector<T>* values) {
    if (count > bytes_.size() / sizeof(T)) return false;  // before memory is asked for
    values->resize(count);
    return TakeAll(values->data(), count);
  }
  std::size_t Left() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

// A chunk is begun, its payload appended, and ended. Begin drops what `bytes` held before, and
// keeps its memory.
void BeginChunk(std::string_view type, std::string* bytes);
void EndChunk(std::string* bytes);

struct Chunk {
  std::string_view type, payload;
};

// Chunks from the front of bytes, up to the first that is cut or damaged.
class ChunkReader {
 public:
  ChunkReader(std::string_view bytes, std::size_t at) : bytes_(bytes), at_(at) {}
  // Nothing at the end of the bytes, and where the next chunk is not whole: Problem() then says so.
  std::optional<Chunk> Next();
  const std::string& Problem() const { return problem_; }
  // Where the last chunk begins.
  std::size_t At() const { return chunk_at_; }

 private:
  std::string_view bytes_;
  std::size_t at_, chunk_at_ = 0;
  std::string problem_;
};

}  // namespace stride
