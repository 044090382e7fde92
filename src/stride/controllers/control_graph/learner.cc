#include "stride/controllers/control_graph/learner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>

#include <fmt/format.h>

#include "stride/controllers/control_graph/learner_parts.h"
#include "stride/controllers/control_graph/regression.h"
#include "stride/core/error.h"

namespace stride {
namespace {

constexpr int kOpenLoopTries = 3;
constexpr double kOpenLoopFragments = 150;  // of a path
constexpr int kAfterwards = 12;             // fragments performed after a single pass

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

Learner::Learner(const ControlGraph& graph, const LearnOptions& options, std::uint64_t seed,
                 const Workers& workers, const LearnStart& start)
    : options_(options),
      seed_(seed),
      workers_(workers),
      graph_(graph),
      known_(start.known),
      entry_(start.entry),
      entry_states_(start.states) {
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
  state_.samples = options.guided_samples;
  Begin(start);
}

void Learner::Begin(const LearnStart& start) {
  STRIDE_CHECK(start.from.policies.size() <= state_.policies.size());
  STRIDE_CHECK(start.from.borders.size() <= state_.borders.size());
  std::copy(start.from.policies.begin(), start.from.policies.end(), state_.policies.begin());
  std::copy(start.from.borders.begin(), start.from.borders.end(), state_.borders.begin());
  state_.pool_fragment = start.from.pool_fragment;
  state_.pool_base = start.from.pool_base;
  state_.pool_states = start.from.pool_states;
  state_.phase = start.phase;
  // What ends where something known begins ends as that was found to begin.
  for (const Fragment& f : graph_.fragments) {
    if (f.policy < known_) known_borders_ = std::max(known_borders_, f.end_border + 1);
  }
  for (const Fragment& f : graph_.fragments) {
    const int begins = graph_.fragments[f.next[0]].border;
    if (begins >= known_borders_ || f.end_border < known_borders_) continue;
    std::copy_n(&state_.borders[begins * kFeatureCount], kFeatureCount,
                &state_.borders[f.end_border * kFeatureCount]);
  }
  ApplyBorders();
  for (int f = 0; f < graph_.Fragments(); ++f) new_fragments_ += IsNew(f);
  to_new_ = DistanceTo(graph_, [&](int f) { return IsNew(f); });
  one_pass_ = DistanceTo(graph_, [&](int f) {
                for (const int next : graph_.fragments[f].next) {
                  if (next == entry_) return true;
                }
                return false;
              })[entry_] == graph_.Fragments();
  // Half a second before what is new, so that it is entered as it will be.
  for (int f = 0; f < graph_.Fragments(); ++f) {
    if (to_new_[f] <= 5) trial_starts_.push_back(f);
  }
  for (const Segment& segment : graph_.segments) {
    int end = static_cast<int>(segment_end_.size());
    for (int k = 0; k < segment.count; ++k) {
      end = std::max(end, graph_.fragments[segment.first + k].policy + 1);
    }
    segment_end_.resize(end, end);
  }
  if (entry_states_.empty() && StartInPool(entry_) >= 0) entry_states_ = {Start()};
  if (state_.phase == LearnPhase::kEvolve) BeginEvolution();
}

void Learner::BeginEvolution() {
  if (!state_.best.empty()) state_.policies = state_.best;
  state_.evolution = {};
  state_.direction_falls.assign(kPushDirections, 1.0);
  state_.start_falls.assign(graph_.segments.size(), 1.0);
  Pack(std::span(state_.policies).subspan(known_), &state_.evolution.parameters);
}

// As long as it takes to visit what is new `cycles` times.
std::vector<int> Learner::SamplingCourse(int cycles, Random* random) const {
  const int fresh = new_fragments_;
  if (one_pass_) return RandomCourse(graph_, entry_, fresh + kAfterwards, random);
  if (fresh == graph_.Fragments()) return RandomCourse(graph_, entry_, fresh * cycles, random);
  constexpr int kMostDetours = 6;
  std::vector<int> course =
      RandomCourse(graph_, entry_, kMostDetours * fresh * cycles, random, to_new_);
  int visits = 0;
  for (std::size_t k = 0; k < course.size(); ++k) {
    visits += IsNew(course[k]);
    if (visits == fresh * cycles && k + 7 < course.size()) {
      course.resize(k + 7);  // the last of a path are not counted
      break;
    }
  }
  return course;
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
    if (state_.phase == LearnPhase::kEvolve) BeginEvolution();
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
  o.known = known_;
  // A symmetric gait visits each policy twice a cycle. The first cycle is not counted.
  const double pairs_a_cycle =
      static_cast<double>(options_.chains) * new_fragments_ / (graph_.policies - known_);
  // Enough for the sampling distributions to settle.
  const int first_cycles = std::clamp(
      static_cast<int>(std::lround(kOpenLoopFragments / new_fragments_)), 3, options_.first_cycles);
  const int cycles =
      first ? first_cycles : 1 + static_cast<int>(std::ceil(options_.guided_pairs / pairs_a_cycle));
  const int chains = options_.chains * (one_pass_ ? cycles : 1);
  std::vector<std::string> blobs;
  workers_.MapBlobs(
      chains,
      [&](int chain) {
        const std::uint64_t stream =
            StreamOf(seed_, static_cast<int>(state_.phase), state_.iteration, chain);
        Random random(stream, 1);
        const std::vector<int> course = SamplingCourse(cycles, &random);
        SamplingOptions own = o;
        if (!entry_states_.empty()) {
          own.start = &entry_states_[random.Index(static_cast<int>(entry_states_.size()))];
        }
        return ToBlob(SampleCourse(graph_, course, state_.policies, own, stream,
                                   &runners_->local.local(), stop));
      },
      &blobs);
  if (stop && workers_.Agree(stop())) return nullptr;

  const int loop = graph_.Fragments(), size = state_size_;
  std::vector<SamplePair> pairs;
  ClearPoolOfNew();
  nlohmann::ordered_json lost = nlohmann::ordered_json::object();
  int complete = 0, reached = 0;
  double cost = 0;
  long samples = 0;
  for (const std::string& blob : blobs) {
    const SamplingPath path = FromBlob(blob);
    complete += path.complete;
    if (!path.complete && path.fragments > 0) {
      auto& count = lost[graph_.segments[graph_.fragments[path.next.back()].segment].name];
      count = count.is_null() ? 1 : count.get<int>() + 1;
    }
    reached += path.fragments;
    samples += path.samples;
    cost += path.mean_cost * path.fragments;
    // The beginning still shows where the path began, the end is not yet proven good.
    const int skip = one_pass_ ? 0
                     : first   ? path.fragments / 2
                               : std::min(loop, path.fragments / 2);
    for (int f = skip; f < path.fragments - 6; ++f) {
      if (path.pairs[f].policy >= known_) pairs.push_back(path.pairs[f]);
      if (!IsNew(path.next[f])) continue;
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
      {"paths", chains},
      {"paths_complete", complete},
      {"fragments", reached},
      {"cost", reached > 0 ? cost / reached : 0},
      {"pairs_per_policy", static_cast<double>(pairs.size()) / (graph_.policies - known_)},
      {"samples", samples}};
  if (!lost.empty()) line["lost_before"] = lost;
  if (first) state_.followed = 2 * complete >= chains;
  if (first && !state_.followed && state_.iteration + 1 < kOpenLoopTries) {
    // Stunts need wider exploration.
    state_.first_sigma *= 1.5;
    const Policies wider = NoFeedback(graph_, state_.first_sigma);
    std::copy(wider.begin() + known_, wider.end(), state_.policies.begin() + known_);
    return line;
  }

  RegressionOptions fit;
  if (first) {
    // Open loop: offsets and states as they were on average (noise reduction), no gains yet.
    fit.min_pairs = 3;
    Policies average = state_.policies;
    FitPolicies(pairs, fit, &average);
    for (std::size_t k = known_; k < average.size(); ++k) {
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
      const Fragment& next = graph_.fragments[f.next[0]];
      if (f.policy >= known_ && f.border >= known_borders_) refine(f.border, f);
      if (next.policy >= known_ && f.end_border >= known_borders_) refine(f.end_border, next);
    }
    ApplyBorders();
  } else {
    FitPolicies(pairs, fit, &state_.policies);
    const float most = static_cast<float>(state_.first_sigma);
    for (FragmentPolicy& p : std::span(state_.policies).subspan(known_)) {
      for (float& sigma : p.sigma) sigma = std::min(sigma, most);
    }
  }
  if (first) {
    state_.samples = options_.guided_samples;
  } else if (2 * complete < chains) {
    state_.samples = std::min(2 * options_.first_samples, 2 * state_.samples);
    state_.disturbance /= 2;
    for (FragmentPolicy& p : std::span(state_.policies).subspan(known_)) {
      for (float& sigma : p.sigma)
        sigma = std::min(1.5f * sigma, static_cast<float>(state_.first_sigma));
    }
  } else if (complete == chains) {
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

// States where trials begin, but for those at what is known.
void Learner::ClearPoolOfNew() {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < state_.pool_fragment.size(); ++k) {
    if (IsNew(state_.pool_fragment[k])) continue;
    state_.pool_fragment[kept] = state_.pool_fragment[k];
    state_.pool_base[kept] = state_.pool_base[k];
    std::copy_n(&state_.pool_states[k * state_size_], state_size_,
                &state_.pool_states[kept * state_size_]);
    ++kept;
  }
  state_.pool_fragment.resize(kept);
  state_.pool_base.resize(kept);
  state_.pool_states.resize(kept * state_size_);
}

int Learner::FragmentsIn(double seconds) const {
  return std::max(1,
                  static_cast<int>(std::lround(seconds * graph_.Fragments() / graph_.Seconds())));
}

// Of the states in which rounds began, the one nearest to their mean.
int Learner::StartInPool(int entry) const {
  std::vector<int> begun;
  for (std::size_t k = 0; k < state_.pool_fragment.size(); ++k) {
    if (state_.pool_fragment[k] == entry) begun.push_back(static_cast<int>(k));
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
    runner.Judge(graph_.borders[graph_.fragments[entry].border], {}, false);
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
  const int at = StartInPool(entry_);
  if (at < 0) return graph_.border_states[graph_.fragments[entry_].border];
  FragmentRunner& runner = runners_->local.local();
  runner.Load(0, &state_.pool_states[static_cast<std::size_t>(at) * state_size_]);
  return Turned(graph_.character, runner.Read(0), -state_.pool_base[at]);
}

Learner::Trial Learner::Try(double seconds, double push, bool vary_world, int trials,
                            int entry) const {
  if (entry < 0) entry = entry_;
  EpisodeOptions o;
  o.push = push;
  o.push_every = 4;
  o.vary_world = vary_world;
  o.keep_heading = options_.keep_heading;
  o.variation = options_.variation;
  o.weights.velocity = static_cast<float>(options_.weight_velocity);
  const int lanes = runners_->local.local().Lanes(), start = StartInPool(entry);
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
        RunEpisodes(graph_, RandomCourse(graph_, entry, FragmentsIn(seconds), &random), o,
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
