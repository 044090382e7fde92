#include "stride/controllers/control_graph/checkpoint.h"

#include "stride/character/character_json.h"
#include "stride/core/chunk.h"
#include "stride/core/hash.h"

namespace stride {
namespace {

// Unlike the borders, these do not change as learning goes on.
std::string MotionHash(const ControlGraph& graph) {
  std::string bytes;
  PutNumbers(graph.targets.data(), graph.targets.size(), &bytes);
  for (const Fragment& f : graph.fragments) {
    for (const int number :
         {f.segment, f.begin, f.end, f.border, f.end_border, f.policy, f.mirrored ? 1 : 0}) {
      PutNumber(number, &bytes);
    }
    PutNumber(f.turn, &bytes);
    PutNumbers(f.next.data(), f.next.size(), &bytes);
  }
  PutNumber(graph.time_step, &bytes);
  return HashOf(bytes);
}

}  // namespace

RunIdentity IdentityOf(const ControlGraph& graph, std::uint64_t seed,
                       const std::string& instruction_set, const nlohmann::ordered_json& settings) {
  return {.kind = "motion",
          .input = graph.segments[0].name,
          .input_hash = MotionHash(graph),
          .character = graph.character.name,
          .body_hash = HashOf(ToJson(graph.character).dump()),
          .seed = seed,
          .instruction_set = instruction_set,
          .settings = settings};
}

}  // namespace stride
