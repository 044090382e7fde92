#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

#include "stride/controllers/control_graph/learner_parts.h"
#include "stride/core/error.h"

// The evolution of the gains: trials of perturbed policies.
namespace stride {
namespace {

// Pushes: shares of the time stood at which they grow and shrink.
constexpr double kEasy = 0.85, kHard = 0.65;
// Perturbations shrink and grow where perturbed policies stand less or more than these shares of
// what the unperturbed ones do.
constexpr double kRuined = 0.75, kHarmless = 0.9;

// Normal numbers to take runs of, anywhere: drawing them anew for every trial took longer than
// simulating it.
const std::vector<float>& NoiseTable() {
  static const std::vector<float> table = [] {
    std::vector<float> numbers(1 << 20);
    Random random(0x7ab1e);
    for (float& x : numbers) x = static_cast<float>(random.Normal());
    return numbers;
  }();
  return table;
}

}  // namespace

// Alike for neighbouring fragments of a segment, with a part that all of it share. Each segment has
// random numbers of its own, so that those that are not used cost nothing.
void Learner::Perturb(const std::vector<char>& used, Random* random, std::span<float> out) const {
  const double width = options_.smooth;
  const std::uint64_t stream = (std::uint64_t{random->Bits()} << 32) | random->Bits();
  const std::vector<float>& table = NoiseTable();
  const auto noise = [&](Random* from, int count) {
    return &table[from->Index(static_cast<int>(table.size()) - count)];
  };
  std::vector<float> kernel;
  std::fill(out.begin(), out.end(), 0.0f);
  const float shared = std::sqrt(0.5f);
  for (int begin = known_; begin < graph_.policies; begin = segment_end_[begin]) {
    const int n = segment_end_[begin] - begin;
    const auto first_used = used.begin() + (begin - known_);
    if (std::none_of(first_used, first_used + n, [](char u) { return u != 0; })) continue;
    Random own(stream, static_cast<std::uint32_t>(begin));
    const int reach = std::min(n / 2, static_cast<int>(std::ceil(2.5 * width)));
    kernel.clear();
    double square = 0;
    for (int d = -reach; d <= reach; ++d) {
      kernel.push_back(width > 0 ? static_cast<float>(std::exp(-0.5 * d * d / (width * width)))
                                 : (d == 0 ? 1.0f : 0.0f));
      square += kernel.back() * kernel.back();
    }
    const float scale = static_cast<float>(std::sqrt(0.5 / square));
    STRIDE_CHECK(n * kPolicySize < static_cast<int>(table.size()));
    const float* raw = noise(&own, n * kPolicySize);
    const float* common = noise(&own, kPolicySize);
    for (int p = 0; p < n; ++p) {
      float* to = &out[static_cast<std::size_t>(begin - known_ + p) * kPolicySize];
      for (int k = 0; k < kPolicySize; ++k) to[k] = shared * common[k];
      for (int d = -reach; d <= reach; ++d) {
        const float weight = kernel[d + reach] * scale;
        const float* from = &raw[static_cast<std::size_t>((p + d + n) % n) * kPolicySize];
        for (int k = 0; k < kPolicySize; ++k) to[k] += weight * from[k];
      }
    }
  }
}

// Half of the trials of what is entered from outside begin there.
std::vector<int> Learner::TrialCourse(std::uint64_t key, int block, Random* random) const {
  *random = Random(StreamOf(seed_, StreamUse::kTrialCourse, key, block));
  int start = trial_starts_[random->Index(static_cast<int>(trial_starts_.size()))];
  if (options_.evolve_focus > 0 && random->Uniform() < options_.evolve_focus) {
    const int segment = DrawByWeight(state_.start_falls, random);
    std::vector<int> there;
    for (const int f : trial_starts_) {
      if (graph_.fragments[f].segment == segment) there.push_back(f);
    }
    if (!there.empty()) start = there[random->Index(static_cast<int>(there.size()))];
  }
  if (one_pass_ && block % 2 == 0) start = entry_;
  return RandomCourse(graph_, start, FragmentsIn(options_.evolve_seconds) + 1, random);
}

EpisodeOptions Learner::TrialOptions() const {
  EpisodeOptions o;
  o.pushes.force = state_.push;
  o.pushes.every = options_.evolve_push_every;
  o.pushes.least = options_.evolve_push_least;
  o.pushes.from = options_.evolve_push_from, o.pushes.to = options_.evolve_push_to;
  o.action_noise = 2 * kDegree;
  o.keep_heading = options_.keep_heading;
  // Who keeps a heading that it was not shown in guided learning learns it here.
  if (o.keep_heading && !options_.guided_heading) o.turned = options_.evolve_turn;
  o.variation = options_.variation;
  o.weights.velocity = static_cast<float>(options_.weight_velocity);
  o.weights.heading = static_cast<float>(options_.weight_heading);
  return o;
}

std::vector<Learner::TrialResult> Learner::RunTrials(
    int count, int group, std::uint64_t key, bool with_states, const EpisodeOptions& options,
    const std::function<void(int, Policies*)>& policies) const {
  const int blocks = WholeBlocks(count) / kTrialBlock;
  std::vector<std::vector<int>> pool(graph_.Fragments());
  for (std::size_t k = 0; k < state_.pool_fragment.size(); ++k) {
    pool[state_.pool_fragment[k]].push_back(static_cast<int>(k));
  }
  std::vector<float> entry_floats(entry_states_.size() * state_size_);
  for (std::size_t k = 0; k < entry_states_.size(); ++k) {
    FragmentRunner& runner = runners_->local.local();
    runner.Load(0, entry_states_[k]);
    runner.Store(0, &entry_floats[k * state_size_]);
  }
  const std::size_t state_floats = with_states ? state_size_ : 0;
  // Of each trial: the result, where it began, what follows, the state.
  const std::size_t head = sizeof(EpisodeResult) + 2 * sizeof(int);
  const std::size_t record = head + state_floats * sizeof(float);
  std::string bytes(static_cast<std::size_t>(blocks) * kTrialBlock * record, '\0');
  workers_.Map(
      blocks, kTrialBlock * record,
      [&](int block, char* out) {
        std::vector<Policies> own(kTrialBlock, state_.policies);
        std::array<Episode, kTrialBlock> episodes;
        std::array<EpisodeResult, kTrialBlock> results;
        std::vector<float> states(kTrialBlock * state_floats);
        Random pick(0);
        std::vector<int> course = TrialCourse(key, block, &pick);
        const int start = course[0];
        // Of a graph only gaits turn; a single clip learns to bear it, whatever it is.
        const bool turns =
            options.turned > 0 && (graph_.segments.size() == 1 ||
                                   IsGait(graph_.segments[graph_.fragments[start].segment]));
        for (int k = 0; k < kTrialBlock; ++k) {
          const int trial = std::min(block * kTrialBlock + k, count - 1);
          policies(trial, &own[k]);
          Episode& episode = episodes[k];
          episode.policies = &own[k];
          episode.stream = StreamOf(seed_, StreamUse::kTrial, key, trial / group);
          if (with_states) episode.end_state = &states[k * state_floats];
          if (k % group != 0) {
            episode.state = episodes[k - 1].state;
            episode.base = episodes[k - 1].base;
          } else if (start == entry_ && !entry_floats.empty()) {
            const std::size_t at = pick.Index(static_cast<int>(entry_states_.size()));
            episode.state = &entry_floats[at * state_size_];
          } else if (!pool[start].empty()) {
            const std::size_t at = pool[start][pick.Index(static_cast<int>(pool[start].size()))];
            episode.state = &state_.pool_states[at * state_size_];
            episode.base = state_.pool_base[at];
          }
          if (k % group == 0 && turns && pick.Uniform() < 0.5) {
            episode.base += static_cast<float>(pick.Uniform(-options.turned, options.turned));
          }
        }
        const int next = course.back();
        course.pop_back();
        RunEpisodes(graph_, course, options, episodes.data(), &runners_->local.local(),
                    results.data());
        for (int k = 0; k < kTrialBlock; ++k, out += record) {
          std::memcpy(out, &results[k], sizeof(EpisodeResult));
          std::memcpy(out + sizeof(EpisodeResult), &start, sizeof start);
          std::memcpy(out + sizeof(EpisodeResult) + sizeof start, &next, sizeof next);
          if (with_states) {
            std::memcpy(out + head, &states[k * state_floats], state_floats * sizeof(float));
          }
        }
      },
      bytes.data());
  std::vector<TrialResult> results(count);
  for (int k = 0; k < count; ++k) {
    const char* at = bytes.data() + k * record;
    TrialResult& r = results[k];
    std::memcpy(&r.episode, at, sizeof r.episode);
    std::memcpy(&r.begun, at + sizeof r.episode, sizeof r.begun);
    std::memcpy(&r.next, at + sizeof r.episode + sizeof r.begun, sizeof r.next);
    if (with_states && r.episode.stood) {
      r.state.resize(state_floats);
      std::memcpy(r.state.data(), at + head, state_floats * sizeof(float));
    }
    lane_steps_ += static_cast<long>(r.episode.seconds / world_.time_step);
  }
  return results;
}

double Learner::StandingSeconds(std::uint64_t key, std::vector<TrialResult>* results) const {
  const int trial_count = graph_.segments.size() > 1 ? 256 : 64;
  std::vector<TrialResult> trials =
      RunTrials(trial_count, 1, key, results != nullptr, TrialOptions(),
                [&](int, Policies* policies) { *policies = state_.policies; });
  double seconds = 0;
  for (const TrialResult& trial : trials) seconds += trial.episode.seconds / trial_count;
  if (results) *results = std::move(trials);
  return seconds;
}

// Trials begin where trials ended before: what goes wrong slowly is met as well.
void Learner::RefreshPool(const std::vector<TrialResult>& results) {
  Random random(StreamOf(seed_, StreamUse::kPool, state_.evolution.iteration, 0));
  const int size = static_cast<int>(state_.pool_fragment.size());
  for (const TrialResult& r : results) {
    if (r.state.empty() || size == 0) continue;
    const int k = random.Index(size);
    state_.pool_fragment[k] = r.next;
    state_.pool_base[k] = r.episode.base;
    std::copy(r.state.begin(), r.state.end(),
              state_.pool_states.begin() + static_cast<std::ptrdiff_t>(k) * state_size_);
  }
}

// Of each block of trials: the policies on its course.
std::vector<std::vector<char>> Learner::PoliciesOnCourses(int blocks) const {
  std::vector<std::vector<char>> used(blocks);
  Random random(0);
  for (int block = 0; block < blocks; ++block) {
    used[block].assign(graph_.policies - known_, 0);
    for (const int f : TrialCourse(state_.evolution.iteration, block, &random)) {
      const int policy = graph_.fragments[f].policy;
      if (policy >= known_) used[block][policy - known_] = 1;
    }
  }
  return used;
}

// Of each pair: those that its trials lived to use.
std::vector<std::vector<char>> Learner::PoliciesUsed(
    const std::vector<TrialResult>& results) const {
  std::vector<std::vector<char>> used(results.size() / 2);
  std::vector<int> course;
  Random random(0);
  for (int pair = 0; pair < static_cast<int>(used.size()); ++pair) {
    if (2 * pair % kTrialBlock == 0) {
      course = TrialCourse(state_.evolution.iteration, 2 * pair / kTrialBlock, &random);
    }
    used[pair].assign(graph_.policies - known_, 0);
    double left =
        std::max(results[2 * pair].episode.seconds, results[2 * pair + 1].episode.seconds);
    for (const int f : course) {
      const int policy = graph_.fragments[f].policy;
      if (policy >= known_) used[pair][policy - known_] = 1;
      if ((left -= graph_.Seconds(f)) < -1e-6) break;
    }
  }
  return used;
}

void Learner::NoteFalls(const std::vector<TrialResult>& results) {
  constexpr double kNew = 0.1;     // against what was seen before
  constexpr double kAlways = 0.2;  // falls more, so that nothing is ever left out
  const auto note = [&](std::vector<double>* falls, const auto& index_of) {
    std::vector<int> all(falls->size(), 0), fell(falls->size(), 0);
    for (const TrialResult& r : results) {
      const int k = index_of(r);
      if (k < 0) continue;
      ++all[k];
      fell[k] += !r.episode.stood;
    }
    for (std::size_t k = 0; k < falls->size(); ++k) {
      if (all[k] > 0) (*falls)[k] += kNew * ((fell[k] + kAlways) / (all[k] + 1.0) - (*falls)[k]);
    }
  };
  note(&state_.direction_falls, [](const TrialResult& r) { return r.episode.last_push; });
  note(&state_.start_falls,
       [&](const TrialResult& r) { return graph_.fragments[r.begun].segment; });
}

int Learner::FirstAveraged(int all) const {
  return all - static_cast<int>(std::lround(options_.evolve_average * all));
}

// The noise of single steps averages out: a mean of the last gains is better than the last ones
// (Polyak and Juditsky 1992).
void Learner::Average() {
  const int count = state_.iteration - FirstAveraged(options_.evolve_iterations) + 1;
  if (count < 1) return;
  std::vector<float>& parameters = state_.evolution.parameters;
  if (count == 1) {
    state_.average = parameters;
  } else {
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      state_.average[k] += (parameters[k] - state_.average[k]) / static_cast<float>(count);
    }
  }
  if (state_.iteration + 1 == options_.evolve_iterations)
    parameters = std::exchange(state_.average, {});
}

// The most so far: pushes grow with the skill, so that neither seconds nor pushes alone tell
// whether it gets better.
double Learner::Survived(double push) const {
  for (const nlohmann::ordered_json& line : state_.history) {
    push = std::max(push, line.value("survived", 0.0));
  }
  return push;
}

nlohmann::ordered_json Learner::Evolve() {
  EvolutionOptions evolution{.pairs = options_.evolve_pairs,
                             .sigma = state_.sigma,
                             .rate = options_.evolve_rate * state_.sigma,
                             .top = options_.evolve_top};
  if (graph_.segments.size() > 1) evolution.top = 1;  // trials differ in how hard they are
  const std::vector<std::vector<char>> courses =
      PoliciesOnCourses(WholeBlocks(2 * evolution.pairs) / kTrialBlock);
  EvolutionStrategy search(
      evolution, StreamOf(seed_, StreamUse::kPerturbation, 0, 0),
      [&](int pair, Random* random, std::span<float> out) {
        Perturb(courses[2 * pair / kTrialBlock], random, out);
      },
      state_.evolution);
  const std::size_t size = state_.evolution.parameters.size();
  EpisodeOptions trials = TrialOptions();
  if (options_.evolve_focus > 0) {
    const std::vector<double>& falls = state_.direction_falls;
    const double sum = std::accumulate(falls.begin(), falls.end(), 0.0);
    for (const double fell : falls) {
      trials.pushes.directions.push_back((1 - options_.evolve_focus) / kPushDirections +
                                         options_.evolve_focus * fell / sum);
    }
  }
  const std::vector<TrialResult> results =
      RunTrials(2 * evolution.pairs, 2, state_.evolution.iteration, false, trials,
                [&](int trial, Policies* policies) {
                  std::vector<float> parameters(size);
                  search.Ask(trial / 2, trial % 2 == 0 ? 1 : -1, parameters);
                  Unpack(parameters, std::span(*policies).subspan(known_));
                });
  std::vector<TrialResult> stood;
  const double unperturbed = StandingSeconds(state_.evolution.iteration, &stood);
  RefreshPool(stood);
  std::vector<float> plus(evolution.pairs), minus(evolution.pairs);
  double seconds = 0, cost = 0;
  for (int i = 0; i < 2 * evolution.pairs; ++i) {
    const EpisodeResult& e = results[i].episode;
    seconds += e.seconds / (2.0 * evolution.pairs);
    cost += e.cost / (2.0 * evolution.pairs);
    (i % 2 == 0 ? plus : minus)[i / 2] =
        e.seconds * (1 - static_cast<float>(options_.evolve_cost) * e.cost);
  }
  if (graph_.segments.size() > 1) {
    search.Tell(plus, minus, kPolicySize, PoliciesUsed(results));
  } else {
    search.Tell(plus, minus);
  }
  NoteFalls(stood);
  state_.evolution = search.State();
  Average();
  Unpack(state_.evolution.parameters, std::span(state_.policies).subspan(known_));
  const double share = unperturbed / options_.evolve_seconds;
  nlohmann::ordered_json line = {{"phase", "evolve"},
                                 {"iteration", state_.iteration},
                                 {"seconds", seconds},
                                 {"of", options_.evolve_seconds},
                                 {"unperturbed", unperturbed},
                                 {"push", state_.push},
                                 {"survived", Survived(state_.push * share)},
                                 {"sigma", state_.sigma},
                                 {"cost", cost},
                                 {"samples", 2 * evolution.pairs}};
  // Pushes as large as it can just take teach it most.
  if (share > kEasy) state_.push = std::min(options_.evolve_push, 1.2 * state_.push);
  if (share < kHard)
    state_.push = std::max(std::min(kFirstPush, options_.evolve_push), state_.push / 1.2);
  // Perturbations that ruin the skill tell little about it.
  if (seconds < kRuined * unperturbed) state_.sigma *= 0.8;
  if (seconds > kHarmless * unperturbed) {
    state_.sigma = std::min(options_.evolve_sigma, 1.1 * state_.sigma);
  }
  return line;
}

}  // namespace stride
