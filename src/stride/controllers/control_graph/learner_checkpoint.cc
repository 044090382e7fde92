#include <cstring>

#include <fmt/format.h>
#include <zlib.h>

#include "stride/controllers/control_graph/learner.h"
#include "stride/core/config.h"
#include "stride/core/error.h"

// A checkpoint is a line of JSON, the numbers, and a checksum.
namespace stride {
namespace {

std::uint32_t Checksum(const void* data, std::size_t bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, static_cast<const unsigned char*>(data), bytes));
}

// Tells the clip from another of the same name.
std::uint32_t ClipHash(const ControlGraph& graph) {
  return Checksum(graph.targets.data(), graph.targets.size() * sizeof(graph.targets[0]));
}

}  // namespace

std::string Learner::Checkpoint() const {
  std::string numbers;
  const auto put = [&](const void* data, std::size_t bytes) {
    numbers.append(static_cast<const char*>(data), bytes);
  };
  put(state_.policies.data(), state_.policies.size() * sizeof(FragmentPolicy));
  put(state_.best.data(), state_.best.size() * sizeof(FragmentPolicy));
  put(state_.borders.data(), state_.borders.size() * sizeof(float));
  put(state_.pool_fragment.data(), state_.pool_fragment.size() * sizeof(int));
  put(state_.pool_base.data(), state_.pool_base.size() * sizeof(float));
  put(state_.pool_states.data(), state_.pool_states.size() * sizeof(float));
  put(state_.evolution.parameters.data(), state_.evolution.parameters.size() * sizeof(float));
  put(state_.evolution.velocity.data(), state_.evolution.velocity.size() * sizeof(float));
  put(state_.average.data(), state_.average.size() * sizeof(float));
  for (const State& state : entry_states_) {
    put(state.q.data(), state.q.size() * sizeof(double));
    put(state.v.data(), state.v.size() * sizeof(double));
  }
  nlohmann::ordered_json head = {{"stride_checkpoint", 4},
                                 {"motion", graph_.segments[0].name},
                                 {"character", graph_.character.name},
                                 {"seed", seed_},
                                 {"clip", ClipHash(graph_)},
                                 {"settings", ConfigToJson(options_)},
                                 {"phase", static_cast<int>(state_.phase)},
                                 {"iteration", state_.iteration},
                                 {"first_sigma", state_.first_sigma},
                                 {"followed", state_.followed},
                                 {"samples", state_.samples},
                                 {"disturbance", state_.disturbance},
                                 {"best", state_.best.size()},
                                 {"best_seconds", state_.best_seconds},
                                 {"stale", state_.stale},
                                 {"push", state_.push},
                                 {"sigma", state_.sigma},
                                 {"pool", state_.pool_fragment.size()},
                                 {"parameters", state_.evolution.parameters.size()},
                                 {"velocity", state_.evolution.velocity.size()},
                                 {"average", state_.average.size()},
                                 {"direction_falls", state_.direction_falls},
                                 {"start_falls", state_.start_falls},
                                 {"evolution_iteration", state_.evolution.iteration},
                                 {"entry_states", entry_states_.size()},
                                 {"history", state_.history},
                                 {"bytes", numbers.size()}};
  std::string bytes = head.dump() + "\n" + numbers;
  const std::uint32_t crc = Checksum(bytes.data(), bytes.size());
  bytes.append(reinterpret_cast<const char*>(&crc), sizeof crc);
  return bytes;
}

void Learner::Restore(const std::string& bytes, const std::string& file_name) {
  const auto fail = [&](const std::string& what) {
    throw InputError(fmt::format("{}: {}; start again without --resume, or give the right file",
                                 file_name, what));
  };
  if (bytes.size() < 8) fail("no checkpoint of stride, it is too short");
  std::uint32_t crc;
  std::memcpy(&crc, bytes.data() + bytes.size() - sizeof crc, sizeof crc);
  if (crc != Checksum(bytes.data(), bytes.size() - sizeof crc)) {
    fail("the checkpoint is damaged (its checksum does not match)");
  }
  const std::size_t line = bytes.find('\n');
  const auto head = nlohmann::ordered_json::parse(bytes.substr(0, line), nullptr, false);
  if (head.is_discarded() || !head.is_object() || head.value("stride_checkpoint", 0) != 4) {
    fail("no checkpoint of this version of stride");
  }
  if (head.at("motion") != graph_.segments[0].name ||
      head.at("character") != graph_.character.name || head.at("seed") != seed_ ||
      head.at("settings") != ConfigToJson(options_)) {
    fail(fmt::format(
        "the checkpoint is of another run (motion '{}', character '{}', seed {}, or other "
        "settings)",
        head.at("motion").get<std::string>(), head.at("character").get<std::string>(),
        head.at("seed").get<std::uint64_t>()));
  }
  LearnState s = state_;
  s.phase = static_cast<LearnPhase>(head.at("phase").get<int>());
  s.iteration = head.at("iteration");
  s.first_sigma = head.at("first_sigma");
  s.followed = head.at("followed");
  s.samples = head.at("samples");
  s.disturbance = head.at("disturbance");
  const std::size_t best = head.at("best");
  if (best != 0 && best != s.policies.size()) fail("the checkpoint is damaged");
  s.best.resize(best);
  s.best_seconds = head.at("best_seconds");
  s.stale = head.at("stale");
  s.push = head.at("push");
  s.sigma = head.at("sigma");
  s.history = head.at("history");
  const std::size_t pool = head.at("pool");
  const int size = state_size_;
  s.pool_fragment.resize(pool);
  s.pool_base.resize(pool);
  s.pool_states.resize(pool * size);
  s.evolution.parameters.resize(head.at("parameters").get<std::size_t>());
  s.evolution.velocity.resize(head.at("velocity").get<std::size_t>());
  s.average.resize(head.at("average").get<std::size_t>());
  s.direction_falls = head.at("direction_falls").get<std::vector<double>>();
  s.start_falls = head.at("start_falls").get<std::vector<double>>();
  s.evolution.iteration = head.at("evolution_iteration");
  const char* at = bytes.data() + line + 1;
  const char* end = bytes.data() + bytes.size() - sizeof crc;
  const auto get = [&](void* data, std::size_t count) {
    if (static_cast<std::size_t>(end - at) < count) fail("the checkpoint is cut short");
    std::memcpy(data, at, count);
    at += count;
  };
  get(s.policies.data(), s.policies.size() * sizeof(FragmentPolicy));
  get(s.best.data(), s.best.size() * sizeof(FragmentPolicy));
  get(s.borders.data(), s.borders.size() * sizeof(float));
  get(s.pool_fragment.data(), pool * sizeof(int));
  get(s.pool_base.data(), pool * sizeof(float));
  get(s.pool_states.data(), pool * size * sizeof(float));
  get(s.evolution.parameters.data(), s.evolution.parameters.size() * sizeof(float));
  get(s.evolution.velocity.data(), s.evolution.velocity.size() * sizeof(float));
  get(s.average.data(), s.average.size() * sizeof(float));
  const Layout layout = LayoutOf(graph_.character);
  std::vector<State> entry_states(head.at("entry_states").get<std::size_t>());
  for (State& state : entry_states) {
    state.q.resize(layout.nq);
    state.v.resize(layout.nv);
    get(state.q.data(), state.q.size() * sizeof(double));
    get(state.v.data(), state.v.size() * sizeof(double));
  }
  entry_states_ = std::move(entry_states);
  state_ = std::move(s);
  ApplyBorders();
}

}  // namespace stride
