#include <algorithm>
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

#include "stride/controllers/control_graph/checkpoint.h"
#include "stride/controllers/control_graph/learner_parts.h"
#include "stride/core/config.h"

// A checkpoint: what the run is and where it stands as JSON, then its numbers, chunk by chunk.
namespace stride {
namespace {

constexpr char kHead[] = "LRNR", kPolicies[] = "POLI", kBorders[] = "BORD", kPool[] = "POOL",
               kEvolution[] = "EVOL", kEntry[] = "ENTR";

static_assert(sizeof(FragmentPolicy) % sizeof(float) == 0);

template <class Number>
void PutAll(const std::vector<Number>& numbers, std::string* bytes) {
  PutNumbers(numbers.data(), numbers.size(), bytes);
}

template <class Number>
bool AllFinite(const Number* numbers, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    if (!std::isfinite(numbers[k])) return false;
  }
  return true;
}
bool AllFinite(const Policies& policies) {
  return AllFinite(reinterpret_cast<const float*>(policies.data()),
                   policies.size() * sizeof(FragmentPolicy) / sizeof(float));
}

// A chunk of numbers, all of them finite. Memory is asked for only where the bytes are there.
class NumbersOf {
 public:
  NumbersOf(const char* type, CheckpointReader* reader)
      : type_(type), reader_(*reader), bytes_(reader->Take(type)) {}
  template <class Number>
  void Take(std::size_t count, std::vector<Number>* numbers) {
    if (!bytes_.Take(count, numbers)) Damaged("too short");
    if constexpr (std::is_floating_point_v<Number>) {
      if (!AllFinite(numbers->data(), count)) Damaged("not finite");
    }
  }
  void Take(std::size_t count, Policies* policies) {
    if (!bytes_.Take(count, policies)) Damaged("too short");
    if (!AllFinite(*policies)) Damaged("not finite");
  }
  std::size_t Left() const { return bytes_.Left(); }
  void End() const {
    if (bytes_.Left() > 0) Damaged("too long");
  }
  [[noreturn]] void Damaged(const std::string& how) const {
    reader_.Damaged(std::string(type_) + " is " + how);
  }

 private:
  const char* type_;
  CheckpointReader& reader_;
  ByteReader bytes_;
};

double NumberWithin(const JsonNode& node, double least, double most) {
  const double number = node.Number();
  if (!(number >= least && number <= most)) {
    node.Fail(fmt::format("a number from {} to {}", least, most));
  }
  return number;
}

// None, or one for each of `count`.
std::vector<double> SharesOf(const JsonNode& node, std::size_t count) {
  std::vector<double> shares = node.Numbers();
  if (!shares.empty() && shares.size() != count) node.Fail(fmt::format("{} numbers", count));
  for (const double share : shares) {
    if (!(share > 0 && share < 2)) node.Fail("shares above 0");
  }
  return shares;
}

}  // namespace

RunIdentity Learner::Identity() const {
  RunIdentity mine = IdentityOf(graph_, seed_, InstructionSet(), ConfigToJson(options_));
  mine.input_hash += start_hash_;
  return mine;
}

std::string Learner::Checkpoint() const {
  const LearnState& s = state_;
  const nlohmann::ordered_json head = {{"version", kCheckpointVersion},
                                       {"run", ToJson(Identity())},
                                       {"phase", static_cast<int>(s.phase)},
                                       {"iteration", s.iteration},
                                       {"first_sigma", s.first_sigma},
                                       {"followed", s.followed},
                                       {"samples", s.samples},
                                       {"disturbance", s.disturbance},
                                       {"best", !s.best.empty()},
                                       {"best_seconds", s.best_seconds},
                                       {"stale", s.stale},
                                       {"push", s.push},
                                       {"sigma", s.sigma},
                                       {"direction_falls", s.direction_falls},
                                       {"start_falls", s.start_falls},
                                       {"history", s.history}};
  std::string bytes;
  AppendChunk(
      kHead, [&](std::string* to) { *to += head.dump(); }, &bytes);
  AppendChunk(
      kPolicies,
      [&](std::string* to) {
        PutAll(s.policies, to);
        PutAll(s.best, to);
      },
      &bytes);
  AppendChunk(
      kBorders, [&](std::string* to) { PutAll(s.borders, to); }, &bytes);
  AppendChunk(
      kPool,
      [&](std::string* to) {
        PutAll(s.pool_fragment, to);
        PutAll(s.pool_base, to);
        PutAll(s.pool_states, to);
      },
      &bytes);
  AppendChunk(
      kEvolution,
      [&](std::string* to) {
        PutAll(s.evolution.parameters, to);
        PutAll(s.evolution.velocity, to);
        PutAll(s.average, to);
      },
      &bytes);
  AppendChunk(
      kEntry,
      [&](std::string* to) {
        for (const State& state : entry_states_) {
          PutAll(state.q, to);
          PutAll(state.v, to);
        }
      },
      &bytes);
  return bytes;
}

// All is checked before any of it is taken: a file may be damaged, or made up, under a right
// checksum.
void Learner::Restore(const std::string& bytes, const std::string& file_name) {
  CheckpointReader reader(bytes, file_name);
  const nlohmann::ordered_json json = reader.TakeJson(kHead);
  const JsonNode head(json, file_name);
  RunIdentity mine = Identity();
  mine.lengths = {"evolve_iterations"};
  reader.Compare(head, mine);
  const int evolved_there =
      head["run"]["settings"]["evolve_iterations"].Int(0, options_.evolve_iterations);

  LearnState s = state_;
  s.phase = static_cast<LearnPhase>(head["phase"].Int(0, static_cast<int>(LearnPhase::kDone)));
  const bool evolves = s.phase == LearnPhase::kEvolve;
  const bool evolved = evolves || s.phase == LearnPhase::kDone;
  // Of a phase that is over, none is left: the next one has begun.
  const int iterations = s.phase == LearnPhase::kOpenLoop ? kOpenLoopTries
                         : s.phase == LearnPhase::kGuided ? options_.guided_iterations
                         : evolves                        ? evolved_there
                                                          : 1;
  s.iteration = head["iteration"].Int(0, std::max(0, iterations - 1));
  constexpr double kHuge = 1e9;
  s.first_sigma = NumberWithin(head["first_sigma"], 0, 10);
  s.followed = head["followed"].Bool();
  s.samples = head["samples"].Int(1, std::max(options_.guided_samples, 2 * options_.first_samples));
  s.disturbance = NumberWithin(head["disturbance"], 0, 1);
  s.best_seconds = NumberWithin(head["best_seconds"], -1, kHuge);
  s.stale = head["stale"].Int(0, 1 << 30);
  s.push = NumberWithin(head["push"], 0, std::max(kFirstPush, options_.evolve_push));
  s.sigma = NumberWithin(head["sigma"], 0, options_.evolve_sigma);
  s.direction_falls = SharesOf(head["direction_falls"], kPushDirections);
  s.start_falls = SharesOf(head["start_falls"], graph_.segments.size());
  if (evolved && (s.direction_falls.empty() || s.start_falls.empty())) {
    reader.Damaged("falls are not counted");
  }
  if (!json.contains("history") || !json["history"].is_array()) reader.Damaged("no history");
  s.history = json["history"];

  NumbersOf policies(kPolicies, &reader);
  policies.Take(graph_.policies, &s.policies);
  policies.Take(head["best"].Bool() ? graph_.policies : 0, &s.best);
  policies.End();

  NumbersOf borders(kBorders, &reader);
  borders.Take(graph_.borders.size() * kFeatureCount, &s.borders);
  borders.End();

  NumbersOf pool(kPool, &reader);
  const std::size_t entry_bytes = sizeof(int) + (1 + state_size_) * sizeof(float);
  const std::size_t pooled = pool.Left() / entry_bytes;
  pool.Take(pooled, &s.pool_fragment);
  pool.Take(pooled, &s.pool_base);
  pool.Take(pooled * state_size_, &s.pool_states);
  pool.End();
  for (const int fragment : s.pool_fragment) {
    if (fragment < 0 || fragment >= graph_.Fragments()) pool.Damaged("of another graph");
  }

  // Parameters only from the evolution on, their velocity after its first step, their mean within
  // the iterations that are averaged.
  NumbersOf evolution(kEvolution, &reader);
  const std::size_t parameters =
      evolved ? static_cast<std::size_t>(graph_.policies - known_) * kPolicySize : 0;
  evolution.Take(parameters, &s.evolution.parameters);
  const bool stepped = evolved_there > 0 && (!evolves || s.iteration > 0);
  evolution.Take(stepped ? parameters : 0, &s.evolution.velocity);
  const int first_averaged = FirstAveraged(evolved_there);
  evolution.Take(evolves && s.iteration > first_averaged ? parameters : 0, &s.average);
  evolution.End();
  s.evolution.iteration = !evolved ? 0 : evolves ? s.iteration : evolved_there;
  if (evolved && options_.evolve_iterations > evolved_there) {
    if (static_cast<int>(s.evolution.iteration) > first_averaged) {
      reader.Refuse(
          fmt::format("the mean of its last iterations has been begun, which are the last {:g} of "
                      "{}: it cannot "
                      "be made longer",
                      options_.evolve_average, evolved_there));
    }
    s.phase = LearnPhase::kEvolve;
    s.iteration = s.evolution.iteration;
  }

  NumbersOf entry(kEntry, &reader);
  const Layout layout = LayoutOf(graph_.character);
  const std::size_t state_bytes = (layout.nq + layout.nv) * sizeof(double);
  std::vector<State> entry_states(entry.Left() / state_bytes);
  for (State& state : entry_states) {
    entry.Take(layout.nq, &state.q);
    entry.Take(layout.nv, &state.v);
  }
  entry.End();
  reader.End();

  entry_states_ = std::move(entry_states);
  state_ = std::move(s);
  ApplyBorders();
}

}  // namespace stride
