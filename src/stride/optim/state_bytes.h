#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "stride/core/chunk.h"
#include "stride/core/error.h"

// States of searches as bytes: one checked chunk that holds who wrote it and the fields of the
// state, which are named once, beside the state:
//
//   template <class Archive>
//   void VisitState(GeneticState& s, Archive& archive) { archive(s.iteration), archive(s.bits); }
namespace stride {

class StateWriter {
 public:
  explicit StateWriter(std::string* bytes) : bytes_(bytes) {}
  template <class T>
  void operator()(const T& number) {
    static_assert(std::is_arithmetic_v<T>);
    PutNumber(number, bytes_);
  }
  template <class T>
  void operator()(const std::vector<T>& numbers) {
    PutNumber(static_cast<std::uint64_t>(numbers.size()), bytes_);
    PutNumbers(numbers.data(), numbers.size(), bytes_);
  }
  void operator()(std::string_view text) {
    PutNumber(static_cast<std::uint64_t>(text.size()), bytes_);
    bytes_->append(text);
  }

 private:
  std::string* bytes_;
};

class StateReader {
 public:
  explicit StateReader(std::string_view bytes) : bytes_(bytes) {}
  template <class T>
  void operator()(T& number) {
    whole_ = whole_ && bytes_.Take(&number);
  }
  template <class T>
  void operator()(std::vector<T>& numbers) {
    std::uint64_t count = 0;
    (*this)(count);
    whole_ = whole_ && bytes_.Take(count, &numbers);
  }
  // Every field was there, and nothing is left.
  bool Whole() const { return whole_ && bytes_.Left() == 0; }

 private:
  ByteReader bytes_;
  bool whole_ = true;
};

// `kind` has four letters; `setup` is all that the state was made with and does not hold itself.
template <class State>
std::string SaveState(std::string_view kind, std::string_view setup, State state) {
  std::string bytes;
  BeginChunk(kind, &bytes);
  StateWriter writer(&bytes);
  writer(setup);
  VisitState(state, writer);
  EndChunk(&bytes);
  return bytes;
}

template <class State>
State LoadState(std::string_view kind, std::string_view setup, std::string_view bytes) {
  ChunkReader chunks(bytes, 0);
  const std::optional<Chunk> chunk = chunks.Next();
  if (!chunk) {
    throw InputError("state of a search " + (bytes.empty() ? "is empty" : chunks.Problem()) +
                     "; take another copy of it");
  }
  if (chunk->type != kind || chunks.Next() || !chunks.Problem().empty()) {
    throw InputError(fmt::format("state of a search is of another kind; expected '{}'", kind));
  }
  std::string head;
  StateWriter head_writer(&head);
  head_writer(setup);
  if (!chunk->payload.starts_with(head)) {
    throw InputError(
        "state of a search was made with another dimension, other options or another seed; "
        "go on with those that it was saved with");
  }
  State state;
  StateReader reader(chunk->payload.substr(head.size()));
  VisitState(state, reader);
  if (!reader.Whole()) {
    throw InputError("state of a search does not hold what it should; take another copy of it");
  }
  return state;
}

// What a state that was read must hold for the search to go on.
inline void ExpectInState(bool condition, std::string_view what) {
  if (!condition) {
    throw InputError(fmt::format("state of a search: {}; take another copy of it", what));
  }
}

template <class T>
bool AllFinite(const std::vector<T>& numbers) {
  for (const T x : numbers) {
    if (!std::isfinite(x)) return false;
  }
  return true;
}

}  // namespace stride
