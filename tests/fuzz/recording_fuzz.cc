// Any bytes: a recording or one InputError. What was read is written the same again, and survives
// the exporters. Checksums are put right first, or nothing behind them would be reached; the
// mutator changes whole payloads, so that lengths stay right too.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <zlib.h>

#include "stride/core/error.h"
#include "stride/motion/motion.h"
#include "stride/record/recording.h"

namespace {

void RepairChecksums(std::string* bytes) {
  std::size_t at = stride::RecordingPreamble().size();
  while (at + 12 <= bytes->size()) {
    std::uint32_t length = 0;
    std::memcpy(&length, bytes->data() + at + 4, 4);
    if (length > bytes->size() - at - 12) return;
    const auto crc = static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(bytes->data() + at), length + 8));
    std::memcpy(bytes->data() + at + 8 + length, &crc, 4);
    at += length + 12;
  }
}

// Where the payload of a random chunk begins, and its length; length 0: there is none.
std::pair<std::size_t, std::size_t> PickPayload(const std::string& bytes, unsigned seed) {
  std::vector<std::pair<std::size_t, std::size_t>> payloads;
  for (std::size_t at = stride::RecordingPreamble().size(); at + 12 <= bytes.size();) {
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data() + at + 4, 4);
    if (length > bytes.size() - at - 12) break;
    payloads.emplace_back(at + 8, length);
    at += length + 12;
  }
  return payloads.empty() ? std::pair<std::size_t, std::size_t>{0, 0}
                          : payloads[seed % payloads.size()];
}

void TryAll(const std::string& bytes) {
  try {
    const stride::Recording recording = stride::ParseRecording(bytes, "fuzz");
    stride::Recording again =
        stride::ParseRecording(stride::EncodeRecording(recording), "written again");
    again.damage = recording.damage;
    again.version = recording.version;  // what is written is of the present one
    STRIDE_CHECK(again == recording);
    stride::RecordingCsv(recording);
    const std::vector<stride::Character> actors = stride::ActorsOf(recording);
    const stride::Motion motion = stride::MotionFromRecording(recording);
    stride::Validate(motion, actors[0]);
  } catch (const stride::InputError&) {
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  const auto [at, length] = PickPayload(bytes, seed / 4);
  if (seed % 4 == 0 || length == 0 || size >= max_size) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  std::string payload = bytes.substr(at, length);
  payload.resize(length + max_size - size);
  payload.resize(
      LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(payload.data()), length, payload.size()));
  bytes.replace(at, length, payload);
  const auto changed = static_cast<std::uint32_t>(payload.size());
  std::memcpy(bytes.data() + at - 4, &changed, 4);
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  TryAll(bytes);
  RepairChecksums(&bytes);
  TryAll(bytes);
  return 0;
}
