#include "stride/controllers/control_graph/learner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "stride/controllers/control_graph/learner_parts.h"
#include "stride/core/error.h"

namespace stride {
namespace {

constexpr int kAfterwards = 12;  // fragments performed after a single pass

}  // namespace

Learner::Learner(const ControlGraph& graph, const LearnOptions& options, std::uint64_t seed,
                 const Workers& workers, const LearnStart& start,
                 const std::string& instruction_set)
    : options_(options),
      seed_(seed),
      workers_(workers),
      graph_(graph),
      start_hash_(start.hash),
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
      [this, instruction_set] { return FragmentRunner(world_, graph_.parts, instruction_set); })});
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
  if (options_.keep_heading && !options_.guided_heading && LearnsOneGait()) FindSteering();
  Pack(std::span(state_.policies).subspan(known_), &state_.evolution.parameters);
}

// What is new is a loop that goes somewhere: it can be steered. What stays where it is, and what
// leads from one clip to another, goes on with the heading it has.
bool Learner::LearnsOneGait() const {
  int gait = -1;
  for (int f = 0; f < graph_.Fragments(); ++f) {
    if (!IsNew(f)) continue;
    if (gait >= 0 && gait != graph_.fragments[f].segment) return false;
    gait = graph_.fragments[f].segment;
  }
  return gait >= 0 && IsGait(graph_.segments[gait]);
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

const char* Learner::InstructionSet() const { return runners_->local.local().InstructionSet(); }

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
  o.pushes.force = push;
  o.pushes.every = 4;
  o.vary_world = vary_world;
  o.keep_heading = options_.keep_heading;
  o.variation = options_.variation;
  o.weights.velocity = static_cast<float>(options_.weight_velocity);
  o.weights.heading = static_cast<float>(options_.weight_heading);
  const int start = StartInPool(entry), blocks = WholeBlocks(trials) / kTrialBlock;
  std::vector<EpisodeResult> results(WholeBlocks(trials));
  workers_.Map(
      blocks, kTrialBlock * sizeof(EpisodeResult),
      [&](int block, char* out) {
        std::array<Episode, kTrialBlock> episodes;
        for (int k = 0; k < kTrialBlock; ++k) {
          episodes[k].policies = &state_.policies;
          episodes[k].stream = StreamOf(seed_, StreamUse::kTry, 0, block * kTrialBlock + k);
          if (start >= 0) {
            episodes[k].state = &state_.pool_states[static_cast<std::size_t>(start) * state_size_];
            episodes[k].base = state_.pool_base[start];
          }
        }
        Random random(StreamOf(seed_, StreamUse::kTryCourse, 0, block));
        RunEpisodes(graph_, RandomCourse(graph_, entry, FragmentsIn(seconds), &random), o,
                    episodes.data(), &runners_->local.local(),
                    reinterpret_cast<EpisodeResult*>(out));
      },
      reinterpret_cast<char*>(results.data()));
  Trial trial;
  for (int k = 0; k < trials; ++k) {
    trial.seconds += results[k].seconds / trials;
    trial.cost += results[k].cost / trials;
    trial.speed += results[k].speed / trials;
    lane_steps_ += static_cast<long>(results[k].seconds / world_.time_step);
  }
  return trial;
}

}  // namespace stride
