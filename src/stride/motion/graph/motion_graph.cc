#include "stride/motion/graph/motion_graph.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "stride/core/error.h"
#include "stride/core/random.h"
#include "stride/motion/edit/point_cloud.h"

namespace stride {
namespace {

constexpr std::uint8_t kFeet = kLeftFootDown | kRightFootDown;

void CheckClips(const std::vector<Motion>& clips) {
  for (const Motion& clip : clips) {
    if (clip.FrameCount() < 2 || clip.contacts.size() != clip.frames.size()) {
      throw InputError(fmt::format(
          "motion graph: clip '{}' has {} frames and {} labels; expected at least 2, and as many",
          clip.name, clip.frames.size(), clip.contacts.size()));
    }
    if (std::fabs(clip.fps - clips[0].fps) > 1e-6 * clips[0].fps) {
      throw InputError(
          fmt::format("motion graph: clip '{}' has {} frames a second, '{}' {}; expected one rate, "
                      "resample first",
                      clip.name, clip.fps, clips[0].name, clips[0].fps));
    }
  }
}

// Transitions from one clip to another (or to itself).
class PairSearch {
 public:
  PairSearch(const std::vector<Motion>& clips, const std::vector<WindowClouds>& clouds, int from,
             int to, const GraphOptions& options)
      : a_(clips[from]),
        b_(clips[to]),
        cloud_a_(clouds[from]),
        cloud_b_(clouds[to]),
        from_(from),
        to_(to),
        options_(options) {
    step_ = std::max(1, static_cast<int>(a_.fps / options.search_rate));
    gap_ = options.least_jump * a_.fps;
  }

  std::vector<Transition> Find() {
    const int rows = (a_.FrameCount() - 1) / step_ + 1, columns = (b_.FrameCount() - 1) / step_ + 1;
    Eigen::MatrixXd distance(rows, columns);
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < columns; ++c) distance(r, c) = At(r * step_, c * step_);
    }
    std::vector<Transition> found;
    std::set<std::pair<int, int>> seen;
    // Between the compared frames the distance may go down by about what a step changes: refine
    // first, judge then.
    const double bound = options_.largest_distance * (step_ > 1 ? 1.5 : 1);
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < columns; ++c) {
        if (distance(r, c) > bound || !IsLowest(distance, r, c)) continue;
        const auto [i, j, least] = Descend(r * step_, c * step_);
        if (least <= options_.largest_distance && Allowed(i, j) && seen.insert({i, j}).second) {
          found.push_back({from_, i, to_, j, least});
        }
      }
    }
    return found;
  }

 private:
  double At(int i, int j) const { return cloud_a_.Distance(i, cloud_b_, j); }

  bool Allowed(int i, int j) const {
    // A piece before and a piece after must be left.
    if (i == 0 || j == b_.FrameCount() - 1) return false;
    if (from_ == to_ && std::abs(i - j) < gap_) return false;
    return !options_.same_contacts || (a_.contacts[i] & kFeet) == (b_.contacts[j] & kFeet);
  }

  static bool IsLowest(const Eigen::MatrixXd& distance, int r, int c) {
    for (int y = std::max(0, r - 1);
         y <= std::min<int>(r + 1, static_cast<int>(distance.rows()) - 1); ++y) {
      for (int x = std::max(0, c - 1);
           x <= std::min<int>(c + 1, static_cast<int>(distance.cols()) - 1); ++x) {
        if (distance(y, x) < distance(r, c)) return false;
      }
    }
    return true;
  }

  // To the lowest of the frames around, again and again, among those where a transition may be.
  std::tuple<int, int, double> Descend(int i, int j) const {
    const auto cost = [&](int y, int x) {
      const bool inside = y >= 0 && x >= 0 && y < a_.FrameCount() && x < b_.FrameCount();
      return inside && Allowed(y, x) ? At(y, x) : 1e9;
    };
    double least = cost(i, j);
    for (int round = 0; round < 4 * step_ + 4; ++round) {
      int best_y = i, best_x = j;
      for (int y = i - step_; y <= i + step_; ++y) {
        for (int x = j - step_; x <= j + step_; ++x) {
          const double d = cost(y, x);
          if (d < least) {
            least = d;
            best_y = y;
            best_x = x;
          }
        }
      }
      if (best_y == i && best_x == j) break;
      i = best_y;
      j = best_x;
    }
    return {i, j, least};
  }

  const Motion &a_, &b_;
  const WindowClouds &cloud_a_, &cloud_b_;
  int from_, to_;
  const GraphOptions& options_;
  int step_ = 1;
  double gap_ = 0;
};

std::vector<std::vector<int>> EdgesFrom(const MotionGraph& graph) {
  std::vector<std::vector<int>> out(graph.nodes.size());
  for (std::size_t e = 0; e < graph.edges.size(); ++e)
    out[graph.edges[e].from].push_back(static_cast<int>(e));
  return out;
}

bool GoesOn(const MotionGraph& graph, const GraphEdge& edge) {
  const GraphNode &a = graph.nodes[edge.from], &b = graph.nodes[edge.to];
  return a.clip == b.clip && a.last == b.first;
}

double Seconds(const MotionGraph& graph, int node) {
  const GraphNode& n = graph.nodes[node];
  return (n.last - n.first) / graph.clips[n.clip].fps;
}

}  // namespace

std::vector<Transition> FindTransitions(const Character& character,
                                        const std::vector<Motion>& clips,
                                        const GraphOptions& options) {
  CheckClips(clips);
  std::vector<WindowClouds> clouds;
  for (const Motion& clip : clips) clouds.emplace_back(character, clip, options.half_window);
  std::vector<Transition> all;
  for (std::size_t a = 0; a < clips.size(); ++a) {
    for (std::size_t b = 0; b < clips.size(); ++b) {
      const std::vector<Transition> found =
          PairSearch(clips, clouds, static_cast<int>(a), static_cast<int>(b), options).Find();
      all.insert(all.end(), found.begin(), found.end());
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Transition& a, const Transition& b) {
    return a.distance < b.distance;
  });
  std::vector<Transition> kept;
  const double spacing = clips.empty() ? 0 : options.spacing * clips[0].fps;
  for (const Transition& t : all) {
    const bool close = std::any_of(kept.begin(), kept.end(), [&](const Transition& k) {
      return k.from_clip == t.from_clip && k.to_clip == t.to_clip &&
             std::abs(k.from_frame - t.from_frame) < spacing &&
             std::abs(k.to_frame - t.to_frame) < spacing;
    });
    if (!close) kept.push_back(t);
  }
  return kept;
}

MotionGraph CutAtTransitions(const std::vector<Motion>& clips,
                             const std::vector<Transition>& transitions) {
  CheckClips(clips);
  MotionGraph graph;
  graph.clips = clips;
  std::vector<std::set<int>> cuts;
  for (const Motion& clip : clips) cuts.push_back({0, clip.FrameCount() - 1});
  for (const Transition& t : transitions) {
    cuts[t.from_clip].insert(t.from_frame);
    cuts[t.to_clip].insert(t.to_frame);
  }
  std::vector<std::vector<int>> starting,
      ending;  // node that starts or ends at a frame of a clip; -1: none
  for (std::size_t c = 0; c < clips.size(); ++c) {
    starting.emplace_back(clips[c].FrameCount(), -1);
    ending.emplace_back(clips[c].FrameCount(), -1);
    int before = 0;
    for (const int cut : cuts[c]) {
      if (cut == 0) continue;
      const int node = static_cast<int>(graph.nodes.size());
      graph.nodes.push_back(
          {fmt::format("{}:{}-{}", clips[c].name, before, cut), static_cast<int>(c), before, cut});
      starting[c][before] = node;
      ending[c][cut] = node;
      if (before > 0) graph.edges.push_back({node - 1, node, 0});
      before = cut;
    }
    if (clips[c].loops) graph.edges.push_back({ending[c].back(), starting[c][0], 0});
  }
  for (const Transition& t : transitions) {
    const GraphEdge edge{ending[t.from_clip][t.from_frame], starting[t.to_clip][t.to_frame],
                         t.distance};
    const bool known = std::any_of(graph.edges.begin(), graph.edges.end(), [&](const GraphEdge& e) {
      return e.from == edge.from && e.to == edge.to;
    });
    if (edge.from >= 0 && edge.to >= 0 && !known) graph.edges.push_back(edge);
  }
  return graph;
}

std::vector<int> StrongComponents(const MotionGraph& graph) {
  const int count = static_cast<int>(graph.nodes.size());
  const std::vector<std::vector<int>> out = EdgesFrom(graph);
  std::vector<int> component(count, -1), index(count, -1), low(count, 0), open;
  struct Visit {
    int node;
    std::size_t next = 0;  // edge to look at
  };
  std::vector<Visit> visits;  // instead of recursion: graphs may be deep
  int visited = 0, components = 0;
  for (int root = 0; root < count; ++root) {
    if (index[root] >= 0) continue;
    visits.push_back({root});
    while (!visits.empty()) {
      const int node = visits.back().node;
      if (visits.back().next == 0) {
        index[node] = low[node] = visited++;
        open.push_back(node);
      }
      if (visits.back().next < out[node].size()) {
        const int to = graph.edges[out[node][visits.back().next++]].to;
        if (index[to] < 0) {
          visits.push_back({to});
        } else if (component[to] < 0) {
          low[node] = std::min(low[node], index[to]);
        }
        continue;
      }
      if (low[node] == index[node]) {
        for (int member = -1; member != node; open.pop_back()) {
          member = open.back();
          component[member] = components;
        }
        ++components;
      }
      visits.pop_back();
      if (!visits.empty()) low[visits.back().node] = std::min(low[visits.back().node], low[node]);
    }
  }
  return component;
}

MotionGraph LargestComponent(const MotionGraph& graph) {
  const std::vector<int> component = StrongComponents(graph);
  const int count = static_cast<int>(graph.nodes.size());
  std::vector<double> seconds(count, 0.0);
  std::vector<bool> cyclic(count, false);
  for (int n = 0; n < count; ++n) seconds[component[n]] += Seconds(graph, n);
  for (const GraphEdge& e : graph.edges) {
    if (component[e.from] == component[e.to]) cyclic[component[e.from]] = true;
  }
  int best = -1;
  for (int c = 0; c < count; ++c) {
    if (cyclic[c] && (best < 0 || seconds[c] > seconds[best])) best = c;
  }
  MotionGraph result;
  std::vector<int> new_node(count, -1), new_clip(graph.clips.size(), -1);
  for (int n = 0; n < count; ++n) {
    if (component[n] != best) continue;
    GraphNode node = graph.nodes[n];
    if (new_clip[node.clip] < 0) {
      new_clip[node.clip] = static_cast<int>(result.clips.size());
      result.clips.push_back(graph.clips[node.clip]);
    }
    node.clip = new_clip[node.clip];
    new_node[n] = static_cast<int>(result.nodes.size());
    result.nodes.push_back(std::move(node));
  }
  for (const GraphEdge& e : graph.edges) {
    if (new_node[e.from] >= 0 && new_node[e.to] >= 0)
      result.edges.push_back({new_node[e.from], new_node[e.to], e.distance});
  }
  return result;
}

MotionGraph BuildMotionGraph(const Character& character, const std::vector<Motion>& clips,
                             const GraphOptions& options) {
  return LargestComponent(CutAtTransitions(clips, FindTransitions(character, clips, options)));
}

std::vector<int> RandomWalk(const MotionGraph& graph, double seconds, std::uint64_t seed, int start,
                            double least_stay) {
  std::vector<int> path;
  if (graph.nodes.empty()) return path;
  STRIDE_CHECK(start < static_cast<int>(graph.nodes.size()));
  Random random(seed);
  const std::vector<std::vector<int>> out = EdgesFrom(graph);
  int node = start >= 0 ? start : random.Index(static_cast<int>(graph.nodes.size()));
  path.push_back(node);
  double time = Seconds(graph, node), stay = time;
  // Nodes of a frame only add no time; a bound on their number ends any walk.
  const std::size_t most_nodes = 1000000;
  while (time < seconds && !out[node].empty() && path.size() < most_nodes) {
    std::vector<int> choices = out[node];
    if (stay < least_stay) {
      std::erase_if(choices, [&](int e) { return !GoesOn(graph, graph.edges[e]); });
      if (choices.empty()) choices = out[node];
    }
    const GraphEdge& edge = graph.edges[choices[random.Index(static_cast<int>(choices.size()))]];
    if (!GoesOn(graph, edge)) stay = 0;
    node = edge.to;
    path.push_back(node);
    time += Seconds(graph, node);
    stay += Seconds(graph, node);
  }
  return path;
}

Motion PlayPath(const Character& character, const MotionGraph& graph, const std::vector<int>& path,
                const SeamOptions& options) {
  std::vector<Stretch> stretches;
  for (std::size_t k = 0; k < path.size(); ++k) {
    STRIDE_CHECK(path[k] >= 0 && path[k] < static_cast<int>(graph.nodes.size()));
    const GraphNode& node = graph.nodes[path[k]];
    const bool connected =
        k == 0 || std::any_of(graph.edges.begin(), graph.edges.end(), [&](const GraphEdge& e) {
          return e.from == path[k - 1] && e.to == path[k];
        });
    if (!connected) {
      throw InputError(
          fmt::format("motion graph: no edge from '{}' to '{}'; expected a path along edges",
                      graph.nodes[path[k - 1]].name, node.name));
    }
    const Motion* clip = &graph.clips[node.clip];
    // Pieces that follow each other are one stretch, so that seams have room on both sides.
    if (k > 0 && stretches.back().motion == clip && stretches.back().last == node.first) {
      stretches.back().last = node.last;
    } else {
      stretches.push_back({clip, node.first, node.last});
    }
  }
  Motion motion = Join(character, stretches, options);
  motion.name = "path";
  return motion;
}

}  // namespace stride
