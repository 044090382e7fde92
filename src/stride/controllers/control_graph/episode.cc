#include "stride/controllers/control_graph/episode.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace stride {
namespace {

constexpr double kPushDirection = 2 * std::numbers::pi / kPushDirections;  // rad

int DirectionOf(double heading) {
  const double around = heading / (2 * std::numbers::pi);
  return std::min(kPushDirections - 1,
                  static_cast<int>((around - std::floor(around)) * kPushDirections));
}

}  // namespace

int DrawByWeight(std::span<const double> weights, Random* random) {
  double sum = 0;
  for (const double w : weights) sum += w;
  double left = random->Uniform() * sum;
  for (std::size_t k = 0; k + 1 < weights.size(); ++k) {
    if ((left -= weights[k]) < 0) return static_cast<int>(k);
  }
  return static_cast<int>(weights.size()) - 1;
}

void RunEpisodes(const ControlGraph& graph, std::span<const int> course,
                 const EpisodeOptions& options, const Episode* episodes, FragmentRunner* runner,
                 EpisodeResult* results) {
  const int lanes = runner->Lanes();
  const double fragment_seconds = graph.Seconds() / graph.Fragments();
  const int push_length =
      std::max(1, static_cast<int>(std::lround(options.push_seconds / fragment_seconds)));
  const int push_every = std::max(
      push_length + 1, static_cast<int>(std::lround(options.push_every / fragment_seconds)));
  const Fragment& first = graph.fragments[course[0]];
  const bool any_time = options.push_from <= 0 && options.push_to >= 1;
  const auto pushes_begin = [&](std::size_t f) {
    const Fragment& at = graph.fragments[course[f]];
    const Segment& segment = graph.segments[at.segment];
    const double share =
        static_cast<double>(at.begin - segment.begin) / (segment.end - segment.begin);
    return share >= options.push_from && share < options.push_to;
  };
  // The next push from `f` on: any fragment of the part of the clip in which they begin.
  const auto next_push = [&](std::size_t f, Random* random) {
    if (any_time) return f;
    while (f < course.size() && !pushes_begin(f)) ++f;
    std::size_t end = f;
    while (end < course.size() && pushes_begin(end)) ++end;
    return end > f ? f + random->Index(static_cast<int>(end - f)) : f;
  };
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
    // The first push after half the time, or as soon as it may be.
    push_at[lane] = next_push(any_time ? push_every - push_every / 2 : 1, &random[lane]);
    results[lane] = {};
  }
  runner->Refresh();
  runner->Judge(graph.borders[first.border], options.weights, false);
  for (std::size_t f = 0; f < course.size(); ++f) {
    const Fragment& now = graph.fragments[course[f]];
    const BorderReference& end = graph.borders[now.end_border];
    for (int lane = 0; lane < lanes; ++lane) {
      if (!alive[lane]) continue;
      float features[kFeatureCount], action[kActionCount];
      for (int k = 0; k < kFeatureCount; ++k) features[k] = runner->Feature(lane, k);
      if (!options.keep_heading) features[18] = 0;
      Act((*episodes[lane].policies)[now.policy], now.mirrored, features, action);
      for (int k = 0; k < kActionCount; ++k) {
        runner->Action(lane, k) =
            action[k] + static_cast<float>(options.action_noise * random[lane].Normal());
      }
      if (options.push > 0 && f == push_at[lane]) {
        double heading = random[lane].Uniform(0, 2 * std::numbers::pi);
        if (!options.push_directions.empty()) {
          const int direction = DrawByWeight(options.push_directions, &random[lane]);
          heading =
              runner->Base(lane) + (direction + heading / (2 * std::numbers::pi)) * kPushDirection;
        }
        results[lane].last_push = DirectionOf(heading - runner->Base(lane));
        const double share = options.push_least + (1 - options.push_least) * random[lane].Uniform();
        const double size = options.push * share;
        runner->SetPush(lane, size * std::cos(heading), size * std::sin(heading));
      } else if (options.push > 0 && f == push_at[lane] + push_length) {
        runner->SetPush(lane, 0, 0);
        push_at[lane] = next_push(push_at[lane] + push_every, &random[lane]);
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
      double base = runner->Base(lane) + now.turn;
      if (!options.keep_heading) {
        base += 2 * std::asin(std::clamp(runner->Feature(lane, 18) / 2, -1.0f, 1.0f));
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
    if (lived[lane] > 0) results[lane].cost /= static_cast<float>(lived[lane]);
  }
}

}  // namespace stride
