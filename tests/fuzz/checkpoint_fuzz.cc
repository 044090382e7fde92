// A checkpoint with damaged contents and right checksums: refused with one InputError, or taken and
// gone on from. The input is a list of what to change: the first byte chooses the method, then five
// bytes each a chunk, a place in it, and what to put there.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "damage.h"
#include "stride/character/library.h"
#include "stride/controllers/control_graph/graph_learner.h"
#include "stride/controllers/registry.h"
#include "stride/core/chunk.h"
#include "stride/core/error.h"
#include "stride/learn/checkpoint.h"
#include "stride/motion/library.h"

namespace {

using fuzz::Json;
using stride::LearningJob;

// A learner of a clip, as short as can be.
class ClipJob {
 public:
  ClipJob() : learner_(Graph(), Options(), 4, Workers()) {}
  void Advance() { learner_.Advance(); }
  std::string Checkpoint() const { return learner_.Checkpoint(); }
  void Restore(const std::string& bytes) { learner_.Restore(bytes, "fuzz"); }
  bool Done() const { return learner_.Done(); }

 private:
  static const stride::Workers& Workers() {
    static const stride::Workers workers(1);
    return workers;
  }
  static stride::ControlGraph Graph() {
    const stride::Character body = stride::LoadCharacter("liu16");
    return stride::MakeControlGraph(stride::LoadMotion("walk", body), body, {}, 0.005);
  }
  static stride::LearnOptions Options() {
    stride::LearnOptions o;
    o.chains = 1;
    o.first_samples = 16;
    o.first_cycles = 2;
    o.guided_samples = 16;
    o.guided_pairs = 20;
    o.guided_iterations = 1;
    o.evolve_iterations = 3;
    o.evolve_pairs = 4;
    o.evolve_seconds = 0.5;
    o.evolve_average = 1;
    return o;
  }
  stride::Learner learner_;
};

// A search over parameters: the head and the optimiser's state of every such method.
class SearchJob {
 public:
  SearchJob() {
    static const stride::Workers workers(1);
    for (const stride::LearningMethod& method : stride::LearningMethods()) {
      if (method.name != "simbicon") continue;
      stride::LearningRequest request{.out = "fuzz.skill", .settings = {"iterations=3"}};
      std::vector<std::string> warnings;
      job_ = method.make(request, workers, &warnings);
    }
    STRIDE_CHECK(job_ != nullptr);
  }
  void Advance() {}  // thousands of steps: too long here
  std::string Checkpoint() const { return job_->Checkpoint(); }
  void Restore(const std::string& bytes) { job_->Restore(bytes, "fuzz"); }
  bool Done() const { return job_->Done(); }

 private:
  std::unique_ptr<LearningJob> job_;
};

// With the changes, and right checksums.
std::string Damaged(const std::string& whole, const std::uint8_t* data, std::size_t size) {
  struct Piece {
    std::string type, payload;
  };
  std::vector<Piece> pieces;
  stride::ChunkReader chunks(whole, 0);
  while (const auto chunk = chunks.Next()) {
    pieces.push_back({std::string(chunk->type), std::string(chunk->payload)});
  }
  constexpr int kMost = 8;
  for (int k = 0; k < kMost && size >= 6; ++k, data += 6, size -= 6) {
    std::string& payload = pieces[data[0] % pieces.size()].payload;
    std::uint32_t place = 0;
    std::memcpy(&place, data + 1, 4);
    if (Json json = Json::parse(payload, nullptr, false); json.is_object()) {
      fuzz::Damage(fuzz::Choose(&json, place), data[5], json["run"]);
      payload = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    } else if (data[5] % 8 == 0) {
      payload.resize(place % (payload.size() + 1));
    } else if (data[5] % 8 == 1) {
      payload += payload.substr(0, place % 64);
    } else if (payload.size() >= 8) {
      static constexpr std::uint32_t kWords[] = {0,          1,          0xffffffff, 0x7fffffff,
                                                 0x7fc00000, 0x7f800000, 0xff7fffff, 1000000};
      std::memcpy(&payload[place % (payload.size() - 7) / 4 * 4], &kWords[data[5] / 8 % 8], 4);
    }
  }
  std::string bytes;
  for (const Piece& piece : pieces) {
    stride::AppendChunk(
        piece.type, [&](std::string* to) { *to += piece.payload; }, &bytes);
  }
  return bytes;
}

template <class Job>
void Try(const std::uint8_t* data, std::size_t size) {
  static const std::string kWhole = [] {
    Job job;
    for (int k = 0; k < 4 && !job.Done(); ++k) job.Advance();
    return job.Checkpoint();
  }();
  const std::string bytes = Damaged(kWhole, data, size);
  static Job job;
  try {
    job.Restore(bytes);
    job.Checkpoint();
    if (bytes != kWhole && !job.Done()) job.Advance();
  } catch (const stride::InputError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  if (data[0] % 4 == 0) {
    Try<SearchJob>(data + 1, size - 1);
  } else {
    Try<ClipJob>(data + 1, size - 1);
  }
  return 0;
}
