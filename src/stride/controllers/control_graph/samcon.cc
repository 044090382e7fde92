#include "stride/controllers/control_graph/samcon.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stride/learn/rollout_block.h"

namespace stride {
namespace {

constexpr float kLost = 1e6f;  // cost of a sample that fell or failed

// What is remembered of a chosen sample, to find the best path backwards.
struct Chosen {
  int parent = 0;  // among the chosen of the fragment before
  float cost = 0;
  float base = 0;                 // heading of the clip's beginning, at the end
  float features[kFeatureCount];  // at its beginning
  float action[kActionCount];
  float end_features[kFeatureCount];
};
struct Stage {
  std::vector<Chosen> chosen;  // best first
  std::vector<float> states;   // of the chosen, at the end
};

class Sampler {
 public:
  Sampler(const ControlGraph& graph, std::span<const int> course, const Policies& policies,
          const SamplingOptions& options, std::uint64_t stream, FragmentRunner* runner)
      : graph_(graph),
        course_(course),
        options_(options),
        stream_(stream),
        runner_(*runner),
        lanes_(runner->Lanes()),
        count_(WholeBlocks(options.samples)),
        elites_(std::clamp(options.elites > 0 ? options.elites : count_ / 5, 1, count_)),
        size_(runner->StateSize()),
        samples_(count_),
        starts_(static_cast<std::size_t>(count_) * size_),
        ends_(starts_.size()),
        order_(count_) {
    path_.adapted = policies;
  }

  SamplingPath Run(const std::function<bool()>& stop) {
    const int total = static_cast<int>(course_.size());
    stages_.reserve(total);
    Begin();
    while (static_cast<int>(stages_.size()) < total) {
      if (stop && stop()) break;
      RunSamples();
      if (samples_[order_[0]].cost > options_.failure_cost) {
        // Lost: go back and try again with other random numbers.
        if (++retries_ > options_.max_retries) break;
        stages_.resize(std::max(0, static_cast<int>(stages_.size()) - options_.rollback));
      } else {
        Choose();
      }
      if (stages_.empty()) {
        Begin();
      } else {
        Resample();
      }
    }
    path_.complete = static_cast<int>(stages_.size()) == total;
    TraceBack();
    return std::move(path_);
  }

 private:
  struct Sample {
    int parent = 0;
    float cost = 0, base = 0, end_base = 0;
    float features[kFeatureCount], action[kActionCount], end_features[kFeatureCount];
  };

  bool Known() const { return Now().policy < options_.known; }
  // Samples of the fragment that is next, and how many of them go on.
  // What is known is performed by all that were chosen, until it shows which of them it can go on
  // from.
  int Count() const { return Known() ? WholeBlocks(elites_) : count_; }
  int Elites() const { return Known() ? Count() : elites_; }
  // The one that is sampled now.
  int Index() const { return course_[stages_.size()]; }
  const Fragment& Now() const { return graph_.fragments[Index()]; }
  Random Stream(std::uint32_t sample) const {
    return Random(stream_, static_cast<std::uint32_t>(stages_.size() * 64 + retries_), sample);
  }

  // All samples at the beginning of the course.
  void Begin() {
    const int border = graph_.fragments[course_[0]].border;
    runner_.Load(0, options_.start ? *options_.start : graph_.border_states[border]);
    runner_.SetBase(0, 0);
    runner_.Refresh();
    runner_.Judge(graph_.borders[border], options_.weights, false);
    for (int j = 0; j < count_; ++j) {
      Sample& s = samples_[j];
      s.parent = 0;
      s.base = 0;
      runner_.Store(0, &starts_[static_cast<std::size_t>(j) * size_]);
      for (int k = 0; k < kFeatureCount; ++k) s.features[k] = runner_.Feature(0, k);
    }
  }

  void DrawAction(int lane, Sample* s, bool explore, Random* random) {
    const FragmentPolicy& policy = path_.adapted[Now().policy];
    Act(policy, Now().mirrored, s->features, s->action);
    float spread[kActionCount];
    SeenAction(Now().mirrored, policy.sigma, spread);
    for (int k = 0; k < kActionCount; ++k) {
      const double sigma = std::max<double>(std::fabs(spread[k]), options_.min_sigma);
      const double drawn = s->action[k] + (explore && !Known() ? sigma * random->Normal() : 0);
      s->action[k] = std::clamp(static_cast<float>(drawn), -kActionLimit, kActionLimit);
      runner_.Action(lane, k) =
          s->action[k] + static_cast<float>(options_.action_noise * random->Normal());
    }
  }

  void Finish(int lane, const BorderReference& end, Sample* s) {
    float square = 0;
    for (const float a : s->action) square += a * a;
    s->cost = runner_.Cost(lane) + options_.weights.action * std::sqrt(square);
    if (runner_.Fallen(lane, end) || !std::isfinite(s->cost)) s->cost = kLost;
    for (int k = 0; k < kFeatureCount; ++k) s->end_features[k] = runner_.Feature(lane, k);
    s->end_base = s->base;
    if (!options_.keep_heading) {
      // The axes go with the character.
      s->end_base += 2 * std::asin(std::clamp(s->end_features[feature::kHeading] / 2, -1.0f, 1.0f));
      s->end_features[feature::kHeading] = 0;
    }
    s->end_base += static_cast<float>(Now().turn);
  }

  // Runs a fragment from every start; order_ then begins with the best.
  void RunSamples() {
    const BorderReference& end = graph_.borders[Now().end_border];
    const int count = Count();
    for (int block = 0; block < count; block += lanes_) {
      for (int lane = 0; lane < lanes_; ++lane) {
        const int j = block + lane;
        Random random = Stream(static_cast<std::uint32_t>(j));
        runner_.Load(lane, &starts_[static_cast<std::size_t>(j) * size_]);
        runner_.SetBase(lane, samples_[j].base);
        runner_.SetConditions(lane, options_.vary_world ? options_.variation : kSameWorld, &random);
        runner_.SetPush(lane, 0, 0);
        DrawAction(lane, &samples_[j], j != 0, &random);
      }
      runner_.Refresh();
      runner_.Run(graph_, Index());
      runner_.Judge(end, options_.weights, true);
      for (int lane = 0; lane < lanes_; ++lane) {
        const int j = block + lane;
        Finish(lane, end, &samples_[j]);
        runner_.Store(lane, &ends_[static_cast<std::size_t>(j) * size_]);
      }
    }
    path_.samples += count;
    order_.resize(count);
    std::iota(order_.begin(), order_.end(), 0);
    std::partial_sort(order_.begin(), order_.begin() + Elites(), order_.end(), [&](int a, int b) {
      return std::pair(samples_[a].cost, a) < std::pair(samples_[b].cost, b);
    });
  }

  void Choose() {
    Stage stage;
    for (int e = 0; e < Elites(); ++e) {
      const int j = order_[e];
      const Sample& s = samples_[j];
      if (s.cost >= kLost) break;
      Chosen c{.parent = s.parent, .cost = s.cost, .base = s.end_base};
      std::copy_n(s.features, kFeatureCount, c.features);
      std::copy_n(s.action, kActionCount, c.action);
      std::copy_n(s.end_features, kFeatureCount, c.end_features);
      stage.chosen.push_back(c);
      const float* state = &ends_[static_cast<std::size_t>(j) * size_];
      stage.states.insert(stage.states.end(), state, state + size_);
    }
    if (options_.adapt > 0 && !Known()) Adapt(stage);
    stages_.push_back(std::move(stage));
  }

  // The sampling distribution moves to the better half of what was chosen.
  void Adapt(const Stage& stage) {
    FragmentPolicy& policy = path_.adapted[Now().policy];
    const int better = std::max(1, static_cast<int>(stage.chosen.size()) / 2);
    double mean[kActionCount] = {}, square[kActionCount] = {};
    for (int e = 0; e < better; ++e) {
      float seen[kActionCount];
      SeenAction(Now().mirrored, stage.chosen[e].action, seen);
      for (int k = 0; k < kActionCount; ++k) mean[k] += seen[k], square[k] += seen[k] * seen[k];
    }
    const float rate = static_cast<float>(options_.adapt);
    for (int k = 0; k < kActionCount; ++k) {
      mean[k] /= better;
      const double deviation = std::sqrt(std::max(0.0, square[k] / better - mean[k] * mean[k]));
      policy.offset[k] += rate * (static_cast<float>(mean[k]) - policy.offset[k]);
      policy.sigma[k] += rate * (static_cast<float>(1.2 * deviation) - policy.sigma[k]);
    }
  }

  // Systematic resampling of what was chosen: the better have more successors.
  void Resample() {
    const Stage& stage = stages_.back();
    const int kept = static_cast<int>(stage.chosen.size());
    const float best = stage.chosen.front().cost, worst = stage.chosen.back().cost;
    std::vector<double> weight(kept);
    double sum = 0;
    for (int e = 0; e < kept; ++e) {
      // The last of the chosen still gets a chance.
      weight[e] = (worst - stage.chosen[e].cost) / (worst - best + 1e-6f) + 0.05;
      sum += weight[e];
    }
    if (static_cast<int>(stages_.size()) == static_cast<int>(course_.size())) return;
    const int count = Count();
    double at = Stream(0xffffffffu).Uniform(), reached = weight[0] / sum * count;
    int e = 0;
    for (int j = 0; j < count; ++j, at += 1) {
      while (at > reached && e + 1 < kept) reached += weight[++e] / sum * count;
      Sample& s = samples_[j];
      s.parent = e;
      s.base = stage.chosen[e].base;
      std::copy_n(stage.chosen[e].end_features, kFeatureCount, s.features);
      std::copy_n(&stage.states[static_cast<std::size_t>(e) * size_], size_,
                  &starts_[static_cast<std::size_t>(j) * size_]);
    }
  }

  void TraceBack() {
    path_.fragments = static_cast<int>(stages_.size());
    path_.retries = retries_;
    std::vector<int> best(path_.fragments);
    for (int f = path_.fragments - 1, e = 0; f >= 0; --f) {
      best[f] = e;
      e = stages_[f].chosen[e].parent;
    }
    for (int f = 0; f < path_.fragments; ++f) {
      const Chosen& c = stages_[f].chosen[best[f]];
      const Fragment& fragment = graph_.fragments[course_[f]];
      SamplePair pair;
      pair.policy = fragment.policy;
      SeenFeatures(fragment.mirrored, c.features, pair.features);
      SeenAction(fragment.mirrored, c.action, pair.action);
      path_.pairs.push_back(pair);
      const float* state = &stages_[f].states[static_cast<std::size_t>(best[f]) * size_];
      path_.states.insert(path_.states.end(), state, state + size_);
      path_.bases.push_back(c.base);
      path_.next.push_back(f + 1 < static_cast<int>(course_.size()) ? course_[f + 1]
                           : fragment.next.empty()                  ? course_[f]
                                                                    : fragment.next[0]);
      path_.costs.push_back(c.cost);
      path_.mean_cost += c.cost / path_.fragments;
    }
  }

  const ControlGraph& graph_;
  const std::span<const int> course_;
  const SamplingOptions& options_;
  const std::uint64_t stream_;
  FragmentRunner& runner_;
  const int lanes_, count_, elites_, size_;
  std::vector<Sample> samples_;
  std::vector<float> starts_, ends_;
  std::vector<int> order_;
  std::vector<Stage> stages_;
  SamplingPath path_;
  int retries_ = 0;
};

}  // namespace

Policies NoFeedback(const ControlGraph& graph, double sigma) {
  Policies policies(graph.policies);
  for (const Fragment& fragment : graph.fragments) {
    FragmentPolicy& policy = policies[fragment.policy];
    std::fill_n(policy.sigma, kActionCount, static_cast<float>(sigma));
    if (!fragment.mirrored) {
      std::copy_n(graph.borders[fragment.border].features, kFeatureCount, policy.mean);
    }
  }
  return policies;
}

SamplingPath SampleCourse(const ControlGraph& graph, std::span<const int> course,
                          const Policies& policies, const SamplingOptions& options,
                          std::uint64_t stream, FragmentRunner* runner,
                          const std::function<bool()>& stop) {
  return Sampler(graph, course, policies, options, stream, runner).Run(stop);
}

}  // namespace stride
