#include "stride/learn/learner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>

#include "stride/core/error.h"
#include "stride/learn/regression.h"

namespace stride {
namespace {

constexpr double kDegree = 3.14159265358979 / 180;

// What one unit of each feature is worth when gains are perturbed: its usual spread.
constexpr float kFeatureScale[kFeatureCount] = {.1f,  .1f, .03f, .03f, .03f, .03f, .2f,
                                                .2f,  .2f, .08f, .05f, .05f, .08f, .05f,
                                                .05f, .1f, .1f,  .1f,  .1f};
// The evolution's pushes: the smallest, N; shares of the time stood at which they grow and shrink.
constexpr double kFirstPush = 40, kEasy = 0.85, kHard = 0.65;
// Its perturbations shrink and grow where perturbed policies stand less or more than these shares
// of what the unperturbed ones do.
constexpr double kRuined = 0.75, kHarmless = 0.9;
constexpr int kOpenLoopTries = 3;
constexpr int kPolicySize = kActionCount * (kFeatureCount + 1);

void Pack(const Policies& policies, std::vector<float>* out) {
  out->clear();
  for (const FragmentPolicy& p : policies) {
    for (int a = 0; a < kActionCount; ++a) {
      for (int k = 0; k < kFeatureCount; ++k) out->push_back(p.gains[a][k] * kFeatureScale[k]);
      out->push_back(p.offset[a]);
    }
  }
}
void Unpack(std::span<const float> in, Policies* policies) {
  const float* at = in.data();
  for (FragmentPolicy& p : *policies) {
    for (int a = 0; a < kActionCount; ++a) {
      for (int k = 0; k < kFeatureCount; ++k) p.gains[a][k] = *at++ / kFeatureScale[k];
      p.offset[a] = *at++;
    }
  }
}

std::uint64_t StreamOf(std::uint64_t seed, std::uint64_t phase, std::uint64_t iteration,
                       std::uint64_t index) {
  const auto a = Philox({static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                         static_cast<std::uint32_t>(phase), static_cast<std::uint32_t>(iteration)},
                        {static_cast<std::uint32_t>(index), 0x5eedu});
  return (std::uint64_t{a[0]} << 32) | a[1];
}

// A path as bytes, for other ranks.
std::string ToBlob(const SamplingPath& path) {
  std::string blob;
  const auto put = [&](const void* data, std::size_t bytes) {
    blob.append(static_cast<const char*>(data), bytes);
  };
  const std::uint64_t head[4] = {path.complete, static_cast<std::uint64_t>(path.fragments),
                                 path.states.size(), static_cast<std::uint64_t>(path.samples)};
  put(head, sizeof head);
  put(&path.mean_cost, sizeof path.mean_cost);
  put(path.pairs.data(), path.pairs.size() * sizeof(SamplePair));
  put(path.states.data(), path.states.size() * sizeof(float));
  put(path.bases.data(), path.bases.size() * sizeof(float));
  put(path.next.data(), path.next.size() * sizeof(int));
  return blob;
}
SamplingPath FromBlob(const std::string& blob) {
  SamplingPath path;
  const char* at = blob.data();
  const auto get = [&](void* data, std::size_t bytes) {
    std::memcpy(data, at, bytes);
    at += bytes;
  };
  std::uint64_t head[4];
  get(head, sizeof head);
  get(&path.mean_cost, sizeof path.mean_cost);
  path.complete = head[0] != 0;
  path.fragments = static_cast<int>(head[1]);
  path.samples = static_cast<long>(head[3]);
  path.pairs.resize(head[1]);
  path.states.resize(head[2]);
  path.bases.resize(head[1]);
  get(path.pairs.data(), path.pairs.size() * sizeof(SamplePair));
  get(path.states.data(), path.states.size() * sizeof(float));
  get(path.bases.data(), path.bases.size() * sizeof(float));
  path.next.resize(head[1]);
  get(path.next.data(), path.next.size() * sizeof(int));
  return path;
}

}  // namespace

struct Learner::Runners {
  tbb::enumerable_thread_specific<FragmentRunner> local;
};

Learner::Learner(const ControlGraph& graph, const LearnOptions& options, std::uint64_t seed,
                 const Workers& workers)
    : options_(options), seed_(seed), workers_(workers), graph_(graph) {
  for (const Fragment& fragment : graph_.fragments) {
    if (!fragment.next.empty()) continue;
    throw InputError(
        fmt::format("'{}' is no loop: a skill is learned over many rounds. Take a motion that "
                    "loops, or close it (--loop, for motion capture)",
                    graph_.segments[fragment.segment].name));
  }
  world_.actors = {graph_.character};
  world_.contact.passes = 2;
  world_.time_step = graph_.time_step;
  runners_ = std::make_unique<Runners>(Runners{tbb::enumerable_thread_specific<FragmentRunner>(
      [this] { return FragmentRunner(world_, graph_.parts); })});
  state_size_ = runners_->local.local().StateSize();
  state_.first_sigma = options.first_sigma_deg * kDegree;
  state_.policies = NoFeedback(graph_, state_.first_sigma);
  state_.push = std::min(kFirstPush, options.evolve_push);
  state_.sigma = options.evolve_sigma;
  for (const BorderReference& border : graph_.borders) {
    state_.borders.insert(state_.borders.end(), border.features, border.features + kFeatureCount);
  }
}

Learner::~Learner() = default;

int Learner::TotalIterations() const {
  return 1 + options_.guided_iterations + options_.evolve_iterations;
}
int Learner::DoneIterations() const {
  switch (state_.phase) {
    case LearnPhase::kOpenLoop: return 0;
    case LearnPhase::kGuided: return 1 + state_.iteration;
    case LearnPhase::kEvolve: return 1 + options_.guided_iterations + state_.iteration;
    case LearnPhase::kDone: break;
  }
  return TotalIterations();
}

// It stands long enough, or half of that and does not get better: the evolution will do more.
bool Learner::GuidedEnough() const {
  return state_.best_seconds >= options_.guided_enough ||
         (state_.stale >= 2 && state_.best_seconds >= options_.guided_enough / 2);
}

void Learner::ApplyBorders() {
  for (std::size_t k = 0; k < graph_.borders.size(); ++k) {
    std::copy_n(&state_.borders[k * kFeatureCount], kFeatureCount, graph_.borders[k].features);
  }
}

nlohmann::ordered_json Learner::Advance(const std::function<bool()>& stop) {
  nlohmann::ordered_json line;
  if (state_.phase == LearnPhase::kEvolve) {
    line = Evolve();
  } else {
    line = Sample(stop);
    if (line.is_null()) return line;
  }
  ++state_.iteration;
  // On to the next phase that has iterations.
  const auto limit = [&] {
    return state_.phase == LearnPhase::kOpenLoop ? (state_.followed ? 0 : kOpenLoopTries)
           : state_.phase == LearnPhase::kGuided ? (GuidedEnough() ? 0 : options_.guided_iterations)
                                                 : options_.evolve_iterations;
  };
  while (state_.phase != LearnPhase::kDone && state_.iteration >= limit()) {
    state_.phase = static_cast<LearnPhase>(static_cast<int>(state_.phase) + 1);
    state_.iteration = 0;
    if (state_.phase == LearnPhase::kEvolve) {
      if (!state_.best.empty()) state_.policies = state_.best;
      state_.evolution = {};
      Pack(state_.policies, &state_.evolution.parameters);
    }
  }
  state_.history.push_back(line);
  return line;
}

nlohmann::ordered_json Learner::Sample(const std::function<bool()>& stop) {
  const bool first = state_.phase == LearnPhase::kOpenLoop;
  SamplingOptions o;
  o.samples = first ? options_.first_samples : state_.samples;
  o.adapt = first ? 0.2 : 0;
  o.action_noise = first ? 0 : state_.disturbance * options_.action_noise_deg * kDegree;
  o.vary_world = !first;
  o.variation = options_.variation;
  for (double* range :
       {&o.variation.stiffness, &o.variation.damping, &o.variation.friction, &o.variation.gains}) {
    *range = std::pow(*range, state_.disturbance);
  }
  o.variation.slope *= state_.disturbance;
  o.weights.velocity = static_cast<float>(options_.weight_velocity);
  o.keep_heading = options_.keep_heading;
  // A symmetric gait visits each policy twice a cycle. The first cycle is not counted.
  const double pairs_a_cycle =
      static_cast<double>(options_.chains) * graph_.Fragments() / graph_.policies;
  const int cycles = first ? options_.first_cycles
                           : 1 + static_cast<int>(std::ceil(options_.guided_pairs / pairs_a_cycle));
  const int length = graph_.Fragments() * cycles;
  std::vector<std::string> blobs;
  workers_.MapBlobs(
      options_.chains,
      [&](int chain) {
        const std::uint64_t stream =
            StreamOf(seed_, static_cast<int>(state_.phase), state_.iteration, chain);
        Random random(stream, 1);
        const std::vector<int> course = RandomCourse(graph_, 0, length, &random);
        return ToBlob(SampleCourse(graph_, course, state_.policies, o, stream,
                                   &runners_->local.local(), stop));
      },
      &blobs);
  if (stop && workers_.Agree(stop())) return nullptr;

  const int loop = graph_.Fragments(), size = state_size_;
  std::vector<SamplePair> pairs;
  state_.pool_fragment.clear();
  state_.pool_base.clear();
  state_.pool_states.clear();
  int complete = 0, reached = 0;
  double cost = 0;
  long samples = 0;
  for (const std::string& blob : blobs) {
    const SamplingPath path = FromBlob(blob);
    complete += path.complete;
    reached += path.fragments;
    samples += path.samples;
    cost += path.mean_cost * path.fragments;
    // The beginning still shows where the path began, the end is not yet proven good.
    const int skip = first ? path.fragments / 2 : std::min(loop, path.fragments / 2);
    for (int f = skip; f < path.fragments - 6; ++f) {
      pairs.push_back(path.pairs[f]);
      const float* state = &path.states[static_cast<std::size_t>(f) * size];
      state_.pool_fragment.push_back(path.next[f]);
      state_.pool_base.push_back(path.bases[f]);
      state_.pool_states.insert(state_.pool_states.end(), state, state + size);
    }
  }
  lane_steps_ += samples * graph_.fragments.back().end / loop;

  nlohmann::ordered_json line = {
      {"phase", first ? "openloop" : "guided"},
      {"iteration", state_.iteration},
      {"paths", options_.chains},
      {"paths_complete", complete},
      {"fragments", reached},
      {"cost", reached > 0 ? cost / reached : 0},
      {"pairs_per_policy", static_cast<double>(pairs.size()) / graph_.policies},
      {"samples", samples}};
  if (first) state_.followed = 2 * complete >= options_.chains;
  if (first && !state_.followed && state_.iteration + 1 < kOpenLoopTries) {
    // Stunts need wider exploration.
    state_.first_sigma *= 1.5;
    state_.policies = NoFeedback(graph_, state_.first_sigma);
    return line;
  }

  RegressionOptions fit;
  if (first) {
    // Open loop: offsets and states as they were on average (noise reduction), no gains yet.
    fit.min_pairs = 3;
    Policies average = state_.policies;
    FitPolicies(pairs, fit, &average);
    for (std::size_t k = 0; k < average.size(); ++k) {
      FragmentPolicy& p = state_.policies[k];
      std::copy_n(average[k].offset, kActionCount, p.offset);
      std::copy_n(average[k].mean, kFeatureCount, p.mean);
      std::fill_n(p.sigma, kActionCount, static_cast<float>(state_.first_sigma / 2));
      // The reference's own numbers are replaced by what a body can do.
    }
    const auto refine = [&](int border, const Fragment& from) {
      float mean[kFeatureCount];
      SeenFeatures(from.mirrored, state_.policies[from.policy].mean, mean);
      // All but tilt and heading, and the speed over ground, which is the clip's.
      float* features = &state_.borders[border * kFeatureCount];
      std::copy_n(mean + 2, 4, features + 2);
      std::copy_n(mean + 8, 10, features + 8);
    };
    for (const Fragment& f : graph_.fragments) {
      refine(f.border, f);
      refine(f.end_border, graph_.fragments[f.next[0]]);
    }
    ApplyBorders();
  } else {
    FitPolicies(pairs, fit, &state_.policies);
    const float most = static_cast<float>(state_.first_sigma);
    for (FragmentPolicy& p : state_.policies) {
      for (float& sigma : p.sigma) sigma = std::min(sigma, most);
    }
  }
  if (first) {
    state_.samples = options_.guided_samples;
  } else if (2 * complete < options_.chains) {
    state_.samples = std::min(2 * options_.first_samples, 2 * state_.samples);
    state_.disturbance /= 2;
    for (FragmentPolicy& p : state_.policies) {
      for (float& sigma : p.sigma)
        sigma = std::min(1.5f * sigma, static_cast<float>(state_.first_sigma));
    }
  } else if (complete == options_.chains) {
    state_.samples = std::max(options_.guided_samples, state_.samples / 2);
    state_.disturbance = std::min(1.0, 2 * state_.disturbance);
  }
  if (!first) {
    const double seconds = StandingSeconds(1u << 31);
    line["seconds"] = seconds;
    line["of"] = options_.evolve_seconds;
    state_.stale = seconds > 1.05 * state_.best_seconds ? 0 : state_.stale + 1;
    if (seconds > state_.best_seconds) {
      state_.best_seconds = seconds;
      state_.best = state_.policies;
    }
  }
  return line;
}

// Alike for neighbouring fragments, with a part that all share.
void Learner::Perturb(Random* random, std::span<float> out) const {
  const int n = graph_.policies;
  const double width = options_.smooth;
  std::vector<float> kernel;
  double square = 0;
  const int reach = std::min(n / 2, static_cast<int>(std::ceil(2.5 * width)));
  for (int d = -reach; d <= reach; ++d) {
    kernel.push_back(width > 0 ? static_cast<float>(std::exp(-0.5 * d * d / (width * width)))
                               : (d == 0 ? 1.0f : 0.0f));
    square += kernel.back() * kernel.back();
  }
  const float scale = static_cast<float>(std::sqrt(0.5 / square)), shared = std::sqrt(0.5f);
  std::vector<float> raw(out.size());
  for (float& x : raw) x = static_cast<float>(random->Normal());
  std::vector<float> common(kPolicySize);
  for (float& x : common) x = shared * static_cast<float>(random->Normal());
  for (int p = 0; p < n; ++p) {
    float* to = &out[static_cast<std::size_t>(p) * kPolicySize];
    std::copy(common.begin(), common.end(), to);
    for (int d = -reach; d <= reach; ++d) {
      const float weight = kernel[d + reach] * scale;
      const float* from = &raw[static_cast<std::size_t>((p + d + n) % n) * kPolicySize];
      for (int k = 0; k < kPolicySize; ++k) to[k] += weight * from[k];
    }
  }
}

EpisodeOptions Learner::TrialOptions() const {
  EpisodeOptions o;
  o.push = state_.push;
  o.push_every = options_.evolve_push_every;
  o.action_noise = 2 * kDegree;
  o.keep_heading = options_.keep_heading;
  o.variation = options_.variation;
  o.weights.velocity = static_cast<float>(options_.weight_velocity);
  return o;
}

std::vector<Learner::TrialResult> Learner::RunTrials(
    int count, int group, std::uint64_t key, bool with_states,
    const std::function<void(int, Policies*)>& policies) const {
  const int lanes = runners_->local.local().Lanes();
  const int blocks = (count + lanes - 1) / lanes, length = FragmentsIn(options_.evolve_seconds);
  std::vector<std::vector<int>> pool(graph_.Fragments());
  for (std::size_t k = 0; k < state_.pool_fragment.size(); ++k) {
    pool[state_.pool_fragment[k]].push_back(static_cast<int>(k));
  }
  const EpisodeOptions options = TrialOptions();
  const std::size_t state_floats = with_states ? state_size_ : 0;
  // Of each lane: the result, what follows, the state.
  const std::size_t record = sizeof(EpisodeResult) + sizeof(int) + state_floats * sizeof(float);
  std::string bytes(static_cast<std::size_t>(blocks) * lanes * record, '\0');
  workers_.Map(
      blocks, lanes * record,
      [&](int block, char* out) {
        std::vector<Policies> own(lanes, state_.policies);
        std::vector<Episode> episodes(lanes);
        std::vector<EpisodeResult> results(lanes);
        std::vector<float> states(lanes * state_floats);
        Random pick(StreamOf(seed_, 101, key, block));
        const int start = pick.Index(graph_.Fragments());
        for (int lane = 0; lane < lanes; ++lane) {
          const int trial = std::min(block * lanes + lane, count - 1);
          policies(trial, &own[lane]);
          Episode& episode = episodes[lane];
          episode.policies = &own[lane];
          episode.stream = StreamOf(seed_, 102, key, trial / group);
          if (with_states) episode.end_state = &states[lane * state_floats];
          if (lane % group != 0) {
            episode.state = episodes[lane - 1].state;
            episode.base = episodes[lane - 1].base;
          } else if (!pool[start].empty()) {
            const int k = pool[start][pick.Index(static_cast<int>(pool[start].size()))];
            episode.state = &state_.pool_states[static_cast<std::size_t>(k) * state_size_];
            episode.base = state_.pool_base[k];
          }
        }
        std::vector<int> course = RandomCourse(graph_, start, length + 1, &pick);
        const int next = course.back();
        course.pop_back();
        RunEpisodes(graph_, course, options, episodes.data(), &runners_->local.local(),
                    results.data());
        for (int lane = 0; lane < lanes; ++lane, out += record) {
          std::memcpy(out, &results[lane], sizeof(EpisodeResult));
          std::memcpy(out + sizeof(EpisodeResult), &next, sizeof next);
          if (with_states) {
            std::memcpy(out + sizeof(EpisodeResult) + sizeof next, &states[lane * state_floats],
                        state_floats * sizeof(float));
          }
        }
      },
      bytes.data());
  std::vector<TrialResult> results(count);
  for (int k = 0; k < count; ++k) {
    const char* at = bytes.data() + k * record;
    TrialResult& r = results[k];
    std::memcpy(&r.episode, at, sizeof r.episode);
    std::memcpy(&r.next, at + sizeof r.episode, sizeof r.next);
    if (with_states && r.episode.stood) {
      r.state.resize(state_floats);
      std::memcpy(r.state.data(), at + sizeof r.episode + sizeof r.next,
                  state_floats * sizeof(float));
    }
    lane_steps_ += static_cast<long>(r.episode.seconds / world_.time_step);
  }
  return results;
}

double Learner::StandingSeconds(std::uint64_t key, std::vector<TrialResult>* results) const {
  constexpr int kTrials = 64;
  std::vector<TrialResult> trials =
      RunTrials(kTrials, 1, key, results != nullptr,
                [&](int, Policies* policies) { *policies = state_.policies; });
  double seconds = 0;
  for (const TrialResult& trial : trials) seconds += trial.episode.seconds / kTrials;
  if (results) *results = std::move(trials);
  return seconds;
}

// Trials begin where trials ended before: what goes wrong slowly is met as well.
void Learner::RefreshPool(const std::vector<TrialResult>& results) {
  Random random(StreamOf(seed_, 103, state_.evolution.iteration, 0));
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

nlohmann::ordered_json Learner::Evolve() {
  EvolutionOptions evolution;
  evolution.pairs = options_.evolve_pairs;
  evolution.sigma = state_.sigma;
  evolution.rate = options_.evolve_rate * state_.sigma;
  EvolutionStrategy search(
      evolution, StreamOf(seed_, 100, 0, 0),
      [this](Random* random, std::span<float> out) { Perturb(random, out); }, state_.evolution);
  const std::size_t size = state_.evolution.parameters.size();
  const std::vector<TrialResult> results =
      RunTrials(2 * evolution.pairs, 2, state_.evolution.iteration, false,
                [&](int trial, Policies* policies) {
                  std::vector<float> parameters(size);
                  search.Ask(trial / 2, trial % 2 == 0 ? 1 : -1, parameters);
                  Unpack(parameters, policies);
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
  search.Tell(plus, minus);
  state_.evolution = search.State();
  Unpack(state_.evolution.parameters, &state_.policies);
  nlohmann::ordered_json line = {{"phase", "evolve"},
                                 {"iteration", state_.iteration},
                                 {"seconds", seconds},
                                 {"of", options_.evolve_seconds},
                                 {"unperturbed", unperturbed},
                                 {"push", state_.push},
                                 {"sigma", state_.sigma},
                                 {"cost", cost},
                                 {"samples", 2 * evolution.pairs}};
  // Pushes as large as it can just take teach it most.
  const double share = unperturbed / options_.evolve_seconds;
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

int Learner::FragmentsIn(double seconds) const {
  return std::max(1,
                  static_cast<int>(std::lround(seconds * graph_.Fragments() / graph_.Seconds())));
}

// Of the states in which rounds began, the one nearest to their mean.
int Learner::StartInPool() const {
  std::vector<int> begun;
  for (std::size_t k = 0; k < state_.pool_fragment.size(); ++k) {
    if (state_.pool_fragment[k] == 0) begun.push_back(static_cast<int>(k));
  }
  FragmentRunner& runner = runners_->local.local();
  std::vector<std::array<float, kFeatureCount>> features(begun.size());
  std::array<double, kFeatureCount> mean{};
  Random unused(0);
  runner.SetConditions(0, kSameWorld, &unused);
  for (std::size_t i = 0; i < begun.size(); ++i) {
    runner.Load(0, &state_.pool_states[static_cast<std::size_t>(begun[i]) * state_size_]);
    runner.SetBase(0, state_.pool_base[begun[i]]);
    runner.Refresh();
    runner.Judge(graph_.borders[graph_.fragments[0].border], {}, false);
    for (int k = 0; k < kFeatureCount; ++k) {
      features[i][k] = runner.Feature(0, k);
      mean[k] += features[i][k] / static_cast<double>(begun.size());
    }
  }
  int best = -1;
  double least = 0;
  for (std::size_t i = 0; i < begun.size(); ++i) {
    double distance = 0;
    for (int k = 0; k < kFeatureCount; ++k) {
      const double d = (features[i][k] - mean[k]) / kFeatureScale[k];
      distance += d * d;
    }
    if (best < 0 || distance < least) best = begun[i], least = distance;
  }
  return best;
}

State Learner::Start() const {
  const int at = StartInPool();
  if (at < 0) return graph_.border_states[graph_.fragments[0].border];
  FragmentRunner& runner = runners_->local.local();
  runner.Load(0, &state_.pool_states[static_cast<std::size_t>(at) * state_size_]);
  return Turned(graph_.character, runner.Read(0), -state_.pool_base[at]);
}

Learner::Trial Learner::Try(double seconds, double push, bool vary_world, int trials) const {
  EpisodeOptions o;
  o.push = push;
  o.push_every = 4;
  o.vary_world = vary_world;
  o.keep_heading = options_.keep_heading;
  o.variation = options_.variation;
  o.weights.velocity = static_cast<float>(options_.weight_velocity);
  const int lanes = runners_->local.local().Lanes(), start = StartInPool();
  const int blocks = (trials + lanes - 1) / lanes;
  std::vector<EpisodeResult> results(static_cast<std::size_t>(blocks) * lanes);
  workers_.Map(
      blocks, lanes * sizeof(EpisodeResult),
      [&](int block, char* out) {
        std::vector<Episode> episodes(lanes);
        for (int lane = 0; lane < lanes; ++lane) {
          episodes[lane].policies = &state_.policies;
          episodes[lane].stream = StreamOf(seed_, 200, 0, block * lanes + lane);
          if (start >= 0) {
            episodes[lane].state =
                &state_.pool_states[static_cast<std::size_t>(start) * state_size_];
            episodes[lane].base = state_.pool_base[start];
          }
        }
        Random random(StreamOf(seed_, 201, 0, block));
        RunEpisodes(graph_, RandomCourse(graph_, 0, FragmentsIn(seconds), &random), o,
                    episodes.data(), &runners_->local.local(),
                    reinterpret_cast<EpisodeResult*>(out));
      },
      reinterpret_cast<char*>(results.data()));
  Trial trial;
  for (int k = 0; k < trials; ++k) {
    trial.seconds += results[k].seconds / trials;
    trial.cost += results[k].cost / trials;
    lane_steps_ += static_cast<long>(results[k].seconds / world_.time_step);
  }
  return trial;
}

}  // namespace stride
