#include "stride/controllers/control_graph/episode.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace stride {
namespace {

// When pushes begin, in fragments of a course.
class PushTimes {
 public:
  PushTimes(const ControlGraph& graph, std::span<const int> course, const TrialPushes& pushes)
      : graph_(graph),
        course_(course),
        pushes_(pushes),
        any_time_(pushes.from <= 0 && pushes.to >= 1) {
    const double fragment = graph.Seconds() / graph.Fragments();
    const auto fragments = [&](double seconds) {
      return static_cast<int>(std::lround(seconds / fragment));
    };
    length_ = std::max(1, fragments(pushes.seconds));
    every_ = std::max(length_ + 1, fragments(pushes.every));
  }
  int Length() const { return length_; }
  // After half the time, or as soon as it may be.
  std::size_t First(Random* random) const {
    return FromOn(any_time_ ? every_ - every_ / 2 : 1, random);
  }
  std::size_t After(std::size_t push, Random* random) const {
    return FromOn(push + every_, random);
  }

 private:
  bool MayBegin(std::size_t f) const {
    const Fragment& at = graph_.fragments[course_[f]];
    const Segment& segment = graph_.segments[at.segment];
    const double share =
        static_cast<double>(at.begin - segment.begin) / (segment.end - segment.begin);
    return share >= pushes_.from && share < pushes_.to;
  }
  // Any fragment of the next part of the course in which they may begin.
  std::size_t FromOn(std::size_t f, Random* random) const {
    if (any_time_) return f;
    while (f < course_.size() && !MayBegin(f)) ++f;
    std::size_t end = f;
    while (end < course_.size() && MayBegin(end)) ++end;
    return end > f ? f + random->Index(static_cast<int>(end - f)) : f;
  }

  const ControlGraph& graph_;
  const std::span<const int> course_;
  const TrialPushes& pushes_;
  const bool any_time_;
  int length_, every_;
};

// As many trials of a block as the runner has lanes.
void RunPart(const ControlGraph& graph, std::span<const int> course, const EpisodeOptions& options,
             const PushTimes& push_times, const Episode* episodes, FragmentRunner* runner,
             EpisodeResult* results) {
  const int lanes = runner->Lanes();
  const Fragment& first = graph.fragments[course[0]];
  std::vector<Random> random;
  random.reserve(lanes);
  std::vector<char> alive(lanes, 1);
  std::vector<int> lived(lanes, 0);
  std::vector<double> seconds(lanes, 0.0);
  std::vector<std::size_t> push_at(lanes);
  for (int lane = 0; lane < lanes; ++lane) {
    const Episode& episode = episodes[lane];
    random.emplace_back(episode.stream);
    if (episode.state) {
      runner->Load(lane, episode.state);
    } else {
      runner->Load(lane, graph.border_states[first.border]);
    }
    runner->SetBase(lane, episode.base);
    runner->SetPush(lane, 0, 0);
    runner->SetConditions(lane, options.vary_world ? options.variation : kSameWorld, &random[lane]);
    push_at[lane] = push_times.First(&random[lane]);
    results[lane] = {};
  }
  runner->Refresh();
  runner->Judge(graph.borders[first.border], options.weights, false);
  for (std::size_t f = 0; f < course.size(); ++f) {
    const Fragment& now = graph.fragments[course[f]];
    const BorderReference& end = graph.borders[now.end_border];
    const double way = graph.segments[now.segment].travel_heading;
    const float way_c = static_cast<float>(std::cos(way)),
                way_s = static_cast<float>(std::sin(way));
    for (int lane = 0; lane < lanes; ++lane) {
      if (!alive[lane]) continue;
      float features[kFeatureCount], action[kActionCount];
      for (int k = 0; k < kFeatureCount; ++k) features[k] = runner->Feature(lane, k);
      if (!options.keep_heading) {
        features[feature::kHeading] = static_cast<float>(options.shown_heading);
      }
      Act((*episodes[lane].policies)[now.policy], now.mirrored, features, action);
      for (int k = 0; k < kActionCount; ++k) {
        runner->Action(lane, k) =
            action[k] + static_cast<float>(options.action_noise * random[lane].Normal());
      }
      if (options.pushes.force > 0 && f == push_at[lane]) {
        const TrialPush push = DrawPush(options.pushes, runner->Base(lane), &random[lane]);
        results[lane].last_push = push.direction;
        runner->SetPush(lane, push.force * std::cos(push.heading),
                        push.force * std::sin(push.heading));
      } else if (options.pushes.force > 0 && f == push_at[lane] + push_times.Length()) {
        runner->SetPush(lane, 0, 0);
        push_at[lane] = push_times.After(push_at[lane], &random[lane]);
      }
    }
    runner->Run(graph, course[f]);
    runner->Judge(end, options.weights, true);
    bool any = false;
    for (int lane = 0; lane < lanes; ++lane) {
      if (!alive[lane]) continue;
      if (runner->Fallen(lane, end) || !std::isfinite(runner->Cost(lane))) {
        alive[lane] = 0;
        runner->Freeze(lane);
        continue;
      }
      any = true;
      ++lived[lane];
      seconds[lane] += graph.Seconds(course[f]);
      results[lane].cost += std::min(runner->Cost(lane), 20.0f);
      results[lane].speed += way_c * runner->Feature(lane, feature::kVelocity) +
                             way_s * runner->Feature(lane, feature::kVelocity + 1);
      double base = runner->Base(lane) + now.turn;
      if (!options.keep_heading) {
        const float heading = runner->Feature(lane, feature::kHeading);
        base += 2 * std::asin(std::clamp(heading / 2, -1.0f, 1.0f));
      }
      runner->SetBase(lane, base);
    }
    if (!any) break;
  }
  for (int lane = 0; lane < lanes; ++lane) {
    results[lane].seconds = static_cast<float>(seconds[lane]);
    results[lane].stood = alive[lane] != 0;
    results[lane].base = static_cast<float>(runner->Base(lane));
    if (alive[lane] && episodes[lane].end_state) runner->Store(lane, episodes[lane].end_state);
    if (lived[lane] > 0) {
      results[lane].cost /= static_cast<float>(lived[lane]);
      results[lane].speed /= static_cast<float>(lived[lane]);
    }
  }
}

}  // namespace

void RunEpisodes(const ControlGraph& graph, std::span<const int> course,
                 const EpisodeOptions& options, const Episode* episodes, FragmentRunner* runner,
                 EpisodeResult* results) {
  const PushTimes push_times(graph, course, options.pushes);
  for (int first = 0; first < kTrialBlock; first += runner->Lanes()) {
    RunPart(graph, course, options, push_times, episodes + first, runner, results + first);
  }
}

}  // namespace stride
