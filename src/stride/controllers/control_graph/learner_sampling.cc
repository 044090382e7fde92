#include <algorithm>
#include <cmath>
#include <span>

#include "stride/controllers/control_graph/learner_parts.h"
#include "stride/controllers/control_graph/regression.h"
#include "stride/core/chunk.h"
#include "stride/core/error.h"

// Open-loop sampling and guided learning: paths are sampled, policies fitted to what they did.
namespace stride {
namespace {

constexpr double kOpenLoopFragments = 150;  // of a path
constexpr int kUnproven = 6;                // last fragments of a path, of which nothing followed

// A path as bytes, for other ranks.
std::string ToBlob(const SamplingPath& path) {
  std::string blob;
  PutNumber(path.complete, &blob);
  PutNumber(path.fragments, &blob);
  PutNumber(path.states.size(), &blob);
  PutNumber(path.samples, &blob);
  PutNumber(path.mean_cost, &blob);
  PutNumbers(path.pairs.data(), path.pairs.size(), &blob);
  PutNumbers(path.states.data(), path.states.size(), &blob);
  PutNumbers(path.bases.data(), path.bases.size(), &blob);
  PutNumbers(path.next.data(), path.next.size(), &blob);
  return blob;
}
SamplingPath FromBlob(const std::string& blob) {
  SamplingPath path;
  std::size_t states = 0;
  ByteReader bytes(blob);
  const bool whole = bytes.Take(&path.complete) && bytes.Take(&path.fragments) &&
                     bytes.Take(&states) && bytes.Take(&path.samples) &&
                     bytes.Take(&path.mean_cost) && bytes.Take(path.fragments, &path.pairs) &&
                     bytes.Take(states, &path.states) && bytes.Take(path.fragments, &path.bases) &&
                     bytes.Take(path.fragments, &path.next);
  STRIDE_CHECK(whole);
  return path;
}

}  // namespace

nlohmann::ordered_json Learner::Sample(const std::function<bool()>& stop) {
  const std::vector<std::string> paths = SamplePaths(stop);
  if (stop && workers_.Agree(stop())) return nullptr;
  const Sampled sampled = TakePaths(paths);
  nlohmann::ordered_json line = HistoryLine(sampled);
  if (state_.phase == LearnPhase::kOpenLoop) {
    state_.followed = 2 * sampled.complete >= sampled.paths;
    if (!state_.followed && state_.iteration + 1 < kOpenLoopTries) {
      ExploreWider();
      return line;
    }
    FitOpenLoop(sampled.pairs);
    RefineBorders();
    state_.samples = options_.guided_samples;
  } else {
    FitGuided(sampled.pairs);
    AdaptEffort(sampled);
    KeepTheBest(&line);
  }
  return line;
}

SamplingOptions Learner::SamplingNow() const {
  const bool first = state_.phase == LearnPhase::kOpenLoop;
  SamplingOptions o;
  o.samples = first ? options_.first_samples : state_.samples;
  o.adapt = first ? 0.2 : 0;
  o.action_noise = first ? 0 : state_.disturbance * options_.action_noise_deg * kDegree;
  o.vary_world = !first;
  o.variation = Narrowed(options_.variation, state_.disturbance);
  o.weights.velocity = static_cast<float>(options_.weight_velocity);
  o.weights.heading = static_cast<float>(options_.weight_heading);
  o.keep_heading = options_.keep_heading && (first || options_.guided_heading);
  o.known = known_;
  return o;
}

// Of the clip, in a path.
int Learner::SamplingCycles() const {
  if (state_.phase == LearnPhase::kOpenLoop) {
    // Enough for the sampling distributions to settle.
    return std::clamp(static_cast<int>(std::lround(kOpenLoopFragments / new_fragments_)), 3,
                      options_.first_cycles);
  }
  // A symmetric gait visits each policy twice a cycle. The first cycle is not counted.
  const double pairs_a_cycle =
      static_cast<double>(options_.chains) * new_fragments_ / (graph_.policies - known_);
  return 1 + static_cast<int>(std::ceil(options_.guided_pairs / pairs_a_cycle));
}

// As blobs, on every rank.
std::vector<std::string> Learner::SamplePaths(const std::function<bool()>& stop) const {
  const SamplingOptions options = SamplingNow();
  const int cycles = SamplingCycles();
  const StreamUse use =
      state_.phase == LearnPhase::kOpenLoop ? StreamUse::kOpenLoopPath : StreamUse::kGuidedPath;
  std::vector<std::string> paths;
  workers_.MapBlobs(
      options_.chains * (one_pass_ ? cycles : 1),
      [&](int chain) {
        const std::uint64_t stream = StreamOf(seed_, use, state_.iteration, chain);
        Random random(stream, 1);
        const std::vector<int> course = SamplingCourse(cycles, &random);
        SamplingOptions own = options;
        if (!entry_states_.empty()) {
          own.start = &entry_states_[random.Index(static_cast<int>(entry_states_.size()))];
        }
        return ToBlob(SampleCourse(graph_, course, state_.policies, own, stream,
                                   &runners_->local.local(), stop));
      },
      &paths);
  return paths;
}

// What they tell; their states become the pool.
Learner::Sampled Learner::TakePaths(const std::vector<std::string>& paths) {
  const bool first = state_.phase == LearnPhase::kOpenLoop;
  const int loop = graph_.Fragments(), size = state_size_;
  Sampled sampled;
  sampled.paths = static_cast<int>(paths.size());
  ClearPoolOfNew();
  for (const std::string& blob : paths) {
    const SamplingPath path = FromBlob(blob);
    sampled.complete += path.complete;
    if (!path.complete && path.fragments > 0) {
      const int segment = graph_.fragments[path.next.back()].segment;
      auto& count = sampled.lost_before[graph_.segments[segment].name];
      count = count.is_null() ? 1 : count.get<int>() + 1;
    }
    sampled.fragments += path.fragments;
    sampled.samples += path.samples;
    sampled.cost += path.mean_cost * path.fragments;
    // The beginning still shows where the path began, the end is not yet proven good.
    const int skip = one_pass_ ? 0
                     : first   ? path.fragments / 2
                               : std::min(loop, path.fragments / 2);
    for (int f = skip; f < path.fragments - kUnproven; ++f) {
      if (path.pairs[f].policy >= known_) sampled.pairs.push_back(path.pairs[f]);
      if (!IsNew(path.next[f])) continue;
      const float* state = &path.states[static_cast<std::size_t>(f) * size];
      state_.pool_fragment.push_back(path.next[f]);
      state_.pool_base.push_back(path.bases[f]);
      state_.pool_states.insert(state_.pool_states.end(), state, state + size);
    }
  }
  lane_steps_ += sampled.samples * graph_.fragments.back().end / loop;
  return sampled;
}

nlohmann::ordered_json Learner::HistoryLine(const Sampled& sampled) const {
  nlohmann::ordered_json line = {
      {"phase", state_.phase == LearnPhase::kOpenLoop ? "openloop" : "guided"},
      {"iteration", state_.iteration},
      {"paths", sampled.paths},
      {"paths_complete", sampled.complete},
      {"fragments", sampled.fragments},
      {"cost", sampled.fragments > 0 ? sampled.cost / sampled.fragments : 0},
      {"pairs_per_policy", static_cast<double>(sampled.pairs.size()) / (graph_.policies - known_)},
      {"samples", sampled.samples}};
  if (!sampled.lost_before.empty()) line["lost_before"] = sampled.lost_before;
  return line;
}

// Stunts need it.
void Learner::ExploreWider() {
  state_.first_sigma *= 1.5;
  const Policies wider = NoFeedback(graph_, state_.first_sigma);
  std::copy(wider.begin() + known_, wider.end(), state_.policies.begin() + known_);
}

// Offsets and states as they were on average (noise reduction), no gains yet.
void Learner::FitOpenLoop(const std::vector<SamplePair>& pairs) {
  RegressionOptions fit;
  fit.min_pairs = 3;
  Policies average = state_.policies;
  FitPolicies(pairs, fit, &average);
  for (std::size_t k = known_; k < average.size(); ++k) {
    FragmentPolicy& p = state_.policies[k];
    std::copy_n(average[k].offset, kActionCount, p.offset);
    std::copy_n(average[k].mean, kFeatureCount, p.mean);
    std::fill_n(p.sigma, kActionCount, static_cast<float>(state_.first_sigma / 2));
  }
}

// The reference's own numbers are replaced by what a body can do.
void Learner::RefineBorders() {
  const auto refine = [&](int border, const Fragment& from) {
    float mean[kFeatureCount];
    SeenFeatures(from.mirrored, state_.policies[from.policy].mean, mean);
    // All but tilt and heading, and the speed over ground, which is the clip's.
    float* features = &state_.borders[border * kFeatureCount];
    constexpr int kClimb = feature::kVelocity + 2;
    std::copy(mean + feature::kHeight, mean + feature::kVelocity, features + feature::kHeight);
    std::copy(mean + kClimb, mean + feature::kHeading, features + kClimb);
  };
  for (const Fragment& f : graph_.fragments) {
    const Fragment& next = graph_.fragments[f.next[0]];
    if (f.policy >= known_ && f.border >= known_borders_) refine(f.border, f);
    if (next.policy >= known_ && f.end_border >= known_borders_) refine(f.end_border, next);
  }
  ApplyBorders();
}

void Learner::FitGuided(const std::vector<SamplePair>& pairs) {
  FitPolicies(pairs, {.heading = options_.guided_heading}, &state_.policies);
  const float most = static_cast<float>(state_.first_sigma);
  const float least = std::min(most, static_cast<float>(options_.least_sigma_deg * kDegree));
  for (FragmentPolicy& p : std::span(state_.policies).subspan(known_)) {
    for (float& sigma : p.sigma) sigma = std::clamp(sigma, least, most);
  }
}

// More samples and less noise as long as paths are lost.
void Learner::AdaptEffort(const Sampled& sampled) {
  if (2 * sampled.complete < sampled.paths) {
    state_.samples = std::min(2 * options_.first_samples, 2 * state_.samples);
    state_.disturbance /= 2;
    for (FragmentPolicy& p : std::span(state_.policies).subspan(known_)) {
      for (float& sigma : p.sigma) {
        sigma = std::min(1.5f * sigma, static_cast<float>(state_.first_sigma));
      }
    }
  } else if (sampled.complete == sampled.paths) {
    state_.samples = std::max(options_.guided_samples, state_.samples / 2);
    state_.disturbance = std::min(1.0, 2 * state_.disturbance);
  }
}

// By how long the policies stand under small pushes.
void Learner::KeepTheBest(nlohmann::ordered_json* line) {
  const double seconds = StandingSeconds(kGuidedTrials);
  (*line)["seconds"] = seconds;
  (*line)["of"] = options_.evolve_seconds;
  (*line)["best"] = std::max(seconds, state_.best_seconds);
  state_.stale = seconds > 1.05 * state_.best_seconds ? 0 : state_.stale + 1;
  if (seconds >= state_.best_seconds) {  // of equals the last: it has seen more
    state_.best_seconds = seconds;
    state_.best = state_.policies;
  }
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

}  // namespace stride
