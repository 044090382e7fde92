#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/core/chunk.h"
#include "stride/core/json_node.h"

// Checkpoints of learning runs: checked chunks (core/chunk.h), of which the first says which run
// made them. Another run cannot go on from them.
namespace stride {

// Before 5 they were no chunks; before 6 searches did not name their stage.
inline constexpr int kCheckpointVersion = 6;

// All that decides which numbers a run comes to.
struct RunIdentity {
  std::string kind;                  // of what is learned from: "motion", or the method's name
  std::string input, input_hash;     // its name; its contents
  std::string character, body_hash;  // name; the whole body
  std::uint64_t seed = 0;
  std::string instruction_set;  // lanes of another kind round differently
  nlohmann::ordered_json settings;
  // Settings that only say how long it trains from where the checkpoint stands: more of them than
  // there is no difference.
  std::vector<std::string> lengths;
};
nlohmann::ordered_json ToJson(const RunIdentity& identity);

// One chunk more. `fill` appends its payload.
template <class Fill>
void AppendChunk(std::string_view type, const Fill& fill, std::string* bytes) {
  std::string chunk;
  BeginChunk(type, &chunk);
  fill(&chunk);
  EndChunk(&chunk);
  *bytes += chunk;
}

// Chunks of a checkpoint in their order. All of it throws InputError, which names the file and says
// what to do.
class CheckpointReader {
 public:
  CheckpointReader(std::string_view bytes, std::string file_name);
  // The next one, which must be of this type.
  std::string_view Take(std::string_view type);
  // The same, JSON.
  nlohmann::ordered_json TakeJson(std::string_view type);
  // Nothing may be left.
  void End();

  // Refuses another version, or a run that is not `mine`: names the difference and both values.
  void Compare(const JsonNode& head, const RunIdentity& mine) const;
  [[noreturn]] void Refuse(const std::string& why) const;
  // For contents that no run writes, under a right checksum.
  [[noreturn]] void Damaged(const std::string& where) const;

 private:
  std::string file_name_;
  ChunkReader chunks_;
};

}  // namespace stride
