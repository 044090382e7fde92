#include "stride/controllers/control_graph/checkpoint.h"

#include <utility>

#include <fmt/format.h>

#include "stride/character/character_json.h"
#include "stride/core/error.h"
#include "stride/core/hash.h"

namespace stride {
namespace {

using Json = nlohmann::ordered_json;

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

// "the setting 'evolve_pairs' is 16 there and 512 here", or nothing.
std::string SettingsDifference(const Json& theirs, const Json& ours) {
  const auto shown = [](const Json& all, const std::string& key) {
    return all.contains(key) ? all[key].dump() : "not known";
  };
  const Json there = theirs.is_object() ? theirs.flatten() : Json::object(), here = ours.flatten();
  for (const Json* each : {&here, &there}) {
    for (const auto& [path, value] : each->items()) {
      const std::string a = shown(there, path), b = shown(here, path);
      if (a == b) continue;
      return fmt::format("the setting '{}' is {} there and {} here", path.substr(1), a, b);
    }
  }
  return "";
}

}  // namespace

RunIdentity IdentityOf(const ControlGraph& graph, std::uint64_t seed,
                       const std::string& instruction_set, const Json& settings) {
  return {.motion = graph.segments[0].name,
          .motion_hash = MotionHash(graph),
          .character = graph.character.name,
          .body_hash = HashOf(ToJson(graph.character).dump()),
          .seed = seed,
          .instruction_set = instruction_set,
          .settings = settings};
}

Json ToJson(const RunIdentity& identity) {
  return {{"motion", identity.motion},       {"motion_hash", identity.motion_hash},
          {"character", identity.character}, {"body_hash", identity.body_hash},
          {"seed", identity.seed},           {"instruction_set", identity.instruction_set},
          {"settings", identity.settings}};
}

CheckpointReader::CheckpointReader(std::string_view bytes, std::string file_name)
    : file_name_(std::move(file_name)), chunks_(bytes, 0) {
  // What was written before there were chunks.
  for (const char* old : {"{\"stride_checkpoint\":", "{\"stride_graph_checkpoint\":"}) {
    if (bytes.starts_with(old)) {
      Refuse(
          "the checkpoint was written by an older version of stride, whose format is no longer "
          "read");
    }
  }
}

void CheckpointReader::Refuse(const std::string& why) const {
  throw InputError(
      fmt::format("{}: {}; start again without --resume, or give the right file", file_name_, why));
}

void CheckpointReader::Damaged(const std::string& where) const {
  Refuse(fmt::format("the checkpoint is damaged: {}", where));
}

std::string_view CheckpointReader::Take(std::string_view type) {
  const std::optional<Chunk> chunk = chunks_.Next();
  if (!chunk) {
    Refuse(
        chunks_.Problem().empty()
            ? "the checkpoint is damaged: it is cut short"
            : fmt::format("no checkpoint of stride, or a damaged one: it {}", chunks_.Problem()));
  }
  if (chunk->type != type) {
    Refuse(fmt::format("no checkpoint of this kind of run: it holds '{}', expected '{}'",
                       chunk->type, type));
  }
  return chunk->payload;
}

Json CheckpointReader::TakeJson(std::string_view type) {
  return ParseBoundedJson(Take(type), file_name_);
}

void CheckpointReader::End() {
  if (chunks_.Next() || !chunks_.Problem().empty()) Damaged("something follows its end");
}

void CheckpointReader::Compare(const JsonNode& head, const RunIdentity& mine) const {
  const int version = head["version"].Int(0, 1 << 30);
  if (version != kCheckpointVersion) {
    Refuse(fmt::format("the checkpoint has version {}, this stride reads {}", version,
                       kCheckpointVersion));
  }
  const JsonNode run = head["run"];
  const std::string motion = run["motion"].Text(), character = run["character"].Text(),
                    lanes = run["instruction_set"].Text();
  const std::uint64_t seed = run["seed"].Unsigned();
  if (motion != mine.motion) {
    Refuse(fmt::format("the checkpoint is of the motion '{}', this run is of '{}'", motion,
                       mine.motion));
  }
  if (character != mine.character) {
    Refuse(fmt::format("the checkpoint is of the character '{}', this run is of '{}'", character,
                       mine.character));
  }
  if (seed != mine.seed) {
    Refuse(fmt::format("the checkpoint is of the seed {}, this run has {}", seed, mine.seed));
  }
  const std::string setting = SettingsDifference(run["settings"].value(), mine.settings);
  if (!setting.empty()) Refuse("the checkpoint is of other settings: " + setting);
  if (run["body_hash"].Text() != mine.body_hash) {
    Refuse(
        fmt::format("the checkpoint is of another body named '{}' (its masses, lengths, joints "
                    "or gains differ)",
                    character));
  }
  if (run["motion_hash"].Text() != mine.motion_hash) {
    Refuse(
        fmt::format("the checkpoint is of another motion named '{}' (its frames, or how they "
                    "are cut and connected, differ)",
                    motion));
  }
  if (lanes != mine.instruction_set) {
    Refuse(
        fmt::format("the checkpoint was made in lanes of '{}', this run's are of '{}' and would "
                    "come to other numbers; go on on a processor that has '{}' (where it is not "
                    "the best one: with STRIDE_INSTRUCTION_SET={})",
                    lanes, mine.instruction_set, lanes, lanes));
  }
}

}  // namespace stride
