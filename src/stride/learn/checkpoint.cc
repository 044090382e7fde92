#include "stride/learn/checkpoint.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stride/core/error.h"

namespace stride {
namespace {

using Json = nlohmann::ordered_json;

// "the setting 'evolve_pairs' is 16 there and 512 here", or nothing.
std::string SettingsDifference(const Json& theirs, const Json& ours,
                               const std::vector<std::string>& lengths) {
  const auto shown = [](const Json& all, const std::string& key) {
    return all.contains(key) ? all[key].dump() : "not known";
  };
  const auto flat = [](const Json& all) {
    return all.is_object() && !all.empty() ? all.flatten() : Json::object();
  };
  const Json there = flat(theirs), here = flat(ours);
  for (const Json* each : {&here, &there}) {
    for (const auto& [path, value] : each->items()) {
      const std::string a = shown(there, path), b = shown(here, path);
      if (a == b) continue;
      const bool length =
          std::find(lengths.begin(), lengths.end(), path.substr(1)) != lengths.end();
      if (length && there.contains(path) && there[path].is_number() && there[path] < here[path]) {
        continue;
      }
      return fmt::format("the setting '{}' is {} there and {} here", path.substr(1), a, b);
    }
  }
  return "";
}

}  // namespace

Json ToJson(const RunIdentity& identity) {
  return {{"kind", identity.kind},
          {"input", identity.input},
          {"input_hash", identity.input_hash},
          {"character", identity.character},
          {"body_hash", identity.body_hash},
          {"seed", identity.seed},
          {"instruction_set", identity.instruction_set},
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
  const std::string kind = run["kind"].Text(), input = run["input"].Text(),
                    character = run["character"].Text(), lanes = run["instruction_set"].Text();
  const std::uint64_t seed = run["seed"].Unsigned();
  if (kind != mine.kind || input != mine.input) {
    Refuse(fmt::format("the checkpoint is of the {} '{}', this run is of the {} '{}'", kind, input,
                       mine.kind, mine.input));
  }
  if (character != mine.character) {
    Refuse(fmt::format("the checkpoint is of the character '{}', this run is of '{}'", character,
                       mine.character));
  }
  if (seed != mine.seed) {
    Refuse(fmt::format("the checkpoint is of the seed {}, this run has {}", seed, mine.seed));
  }
  const std::string setting =
      SettingsDifference(run["settings"].value(), mine.settings, mine.lengths);
  if (!setting.empty()) {
    Refuse(fmt::format(
        "the checkpoint is of other settings: {} (a run goes on as it was begun{}; otherwise learn "
        "anew, from the skill so far where the method takes --from)",
        setting,
        mine.lengths.empty()
            ? ", and where this one stands it cannot be made longer"
            : fmt::format("; from here it can only be made longer, by more of '{}'",
                          fmt::join(mine.lengths, "' or '"))));
  }
  if (run["body_hash"].Text() != mine.body_hash) {
    Refuse(
        fmt::format("the checkpoint is of another body named '{}' (its masses, lengths, joints "
                    "or gains differ)",
                    character));
  }
  if (run["input_hash"].Text() != mine.input_hash) {
    Refuse(
        fmt::format("the checkpoint is of another {} named '{}' (its contents, or how they are "
                    "used, differ)",
                    kind, input));
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
