#include "stride/controllers/control_graph/graph_plan.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stride/core/error.h"
#include "stride/motion/edit/point_cloud.h"
#include "stride/motion/edit/seam.h"

namespace stride {
namespace {

constexpr double kWindow = 0.12;    // s, half of the point clouds'
constexpr double kPieceRate = 120;  // frames a second of blends

// A part of a motion at the pieces' rate, which both pieces of a blend have in common.
Motion Piece(const Character& character, const Motion& motion, double from, double to) {
  Motion piece = motion;
  piece.loops = false;
  piece.fps = kPieceRate;
  piece.frames.clear();
  piece.contacts.clear();
  const int last = static_cast<int>(std::lround((to - from) * kPieceRate));
  for (int k = 0; k <= last; ++k) {
    const double t = from + k / kPieceRate;
    piece.frames.push_back(SampleMotion(motion, character, t));
    piece.contacts.push_back(SampleContacts(motion, t));
  }
  return piece;
}

// Times at which a clip may be left or entered, s.
std::vector<double> Crossings(const GraphClip& clip, bool leave, double fragment) {
  const double seconds = clip.motion.Duration();
  if (!clip.motion.loops) return {leave ? seconds - kBlend : kBlend};
  std::vector<double> times;
  const int count = std::max(1, static_cast<int>(std::lround(seconds / fragment)));
  for (int k = 0; k < count; ++k) times.push_back(seconds * k / count);
  return times;
}

void CheckClips(const GraphPlan& plan) {
  for (const GraphClip& clip : plan.clips) {
    if (!clip.motion.loops && clip.motion.Duration() < 4 * kBlend) {
      throw InputError(fmt::format("node '{}' is too short: {:.2f} s; at least {:g} s are needed",
                                   clip.name, clip.motion.Duration(), 4 * kBlend));
    }
  }
  for (const GraphTransition& t : plan.transitions) {
    if (plan.clips[t.to].rises) {
      throw InputError(
          fmt::format("node '{}' rises, so it is entered after a fall only; leave out the "
                      "transition from '{}'",
                      plan.clips[t.to].name, plan.clips[t.from].name));
    }
  }
}

// Every clip can be reached from the first, and leads back to it.
void CheckConnected(const GraphPlan& plan) {
  const int n = static_cast<int>(plan.clips.size());
  for (const bool backwards : {false, true}) {
    std::vector<char> seen(n, 0);
    seen[0] = 1;
    for (int round = 0; round < n; ++round) {
      for (const GraphTransition& t : plan.transitions) {
        const int a = backwards ? t.to : t.from, b = backwards ? t.from : t.to;
        if (seen[a]) seen[b] = 1;
      }
    }
    for (int k = 0; k < n; ++k) {
      if (seen[k] || (!backwards && plan.clips[k].rises)) continue;
      throw InputError(fmt::format("node '{}' {} '{}'; add a transition {} it", plan.clips[k].name,
                                   backwards ? "never leads back to" : "cannot be reached from",
                                   plan.clips[0].name, backwards ? "out of" : "to"));
    }
  }
}

// Fragment border of a segment nearest to a time of its clip, from 0 to its count.
int BorderAt(const ControlGraph& graph, const Segment& segment, double time) {
  const double t = time * segment.motion.Duration() - segment.offset;
  int best = 0;
  double least = 1e9;
  for (int k = 0; k <= segment.count; ++k) {
    const int step = (k < segment.count ? graph.fragments[segment.first + k].begin : segment.end) -
                     segment.begin;
    const double d = std::fabs(step * graph.time_step - t);
    if (d < least) least = d, best = k;
  }
  return best;
}

double TimeOf(const ControlGraph& graph, const Segment& segment, int border) {
  const int step =
      border < segment.count ? graph.fragments[segment.first + border].begin : segment.end;
  return segment.offset + (step - segment.begin) * graph.time_step;
}

void AddTransition(const GraphPlan& plan, const GraphTransition& transition,
                   const ClipOptions& options, const std::vector<int>& segment_of,
                   ControlGraph* graph) {
  const GraphClip &clip_a = plan.clips[transition.from], &clip_b = plan.clips[transition.to];
  if (transition.leave < 0 || transition.enter < 0) {
    throw InputError(fmt::format("the transition from '{}' to '{}' has no place to leave and enter",
                                 clip_a.name, clip_b.name));
  }
  const Segment a = graph->segments[segment_of[transition.from]],
                b = graph->segments[segment_of[transition.to]];
  int leave = BorderAt(*graph, a, transition.leave / clip_a.motion.Duration());
  int enter = BorderAt(*graph, b, transition.enter / clip_b.motion.Duration());
  // A loop's end is its beginning.
  if (a.motion.loops) leave %= a.count;
  if (b.motion.loops) enter %= b.count;
  const double blend_a = a.motion.loops ? transition.blend : kBlend,
               blend_b = b.motion.loops ? transition.blend : kBlend;
  const double leave_time = TimeOf(*graph, a, leave), enter_time = TimeOf(*graph, b, enter);
  // Each piece is twice the blend long, so that the warp fades exactly at the segment's ends, and
  // servo targets that run ahead find what follows.
  const Motion from = Piece(graph->character, a.motion, leave_time - blend_a, leave_time + blend_a);
  const Motion to = Piece(graph->character, b.motion, enter_time - blend_b, enter_time + blend_b);
  SeamOptions seam;
  seam.warp = std::min(blend_a, blend_b);
  Motion motion = Join(graph->character,
                       {{&from, 0, from.FrameCount() - 1}, {&to, 0, to.FrameCount() - 1}}, seam);
  motion.name = clip_a.name + ">" + clip_b.name;
  ClipOptions plain = options;
  plain.symmetric = false;
  Segment* added = AddSegment(motion, blend_a, blend_a + blend_b, true, plain, graph);
  added->clip = -1;
  added->from = transition.from;
  added->to = transition.to;
  // It begins and ends at the very borders of the clips, the second in axes of its own.
  Fragment& before = graph->fragments[a.first + (leave > 0 ? leave : a.count) - 1];
  Fragment& last = graph->fragments[added->first + added->count - 1];
  graph->fragments[added->first].border =
      leave < a.count ? graph->fragments[a.first + leave].border : before.end_border;
  const State& arrival = graph->border_states[graph->fragments[b.first + enter].border];
  last.turn = TurnOfAxes(arrival, graph->border_states[last.end_border]);
  graph->border_states[last.end_border] = Turned(graph->character, arrival, last.turn);
  graph->borders[last.end_border] =
      BorderOf(graph->character, graph->parts, graph->border_states[last.end_border]);
  last.next = {b.first + enter};
  before.next.push_back(added->first);
}

}  // namespace

void ChooseCrossings(const Character& character, const ClipOptions& options, GraphPlan* plan,
                     double most) {
  CheckClips(*plan);
  CheckConnected(*plan);
  std::vector<WindowClouds> clouds;
  for (const GraphClip& clip : plan->clips) clouds.emplace_back(character, clip.motion, kWindow);
  for (GraphTransition& t : plan->transitions) {
    const GraphClip &a = plan->clips[t.from], &b = plan->clips[t.to];
    const auto frame = [](const GraphClip& clip, double time) {
      const int frames = clip.motion.FrameCount() - 1;
      const int k = static_cast<int>(std::lround(time * clip.motion.fps));
      return clip.motion.loops ? ((k % frames) + frames) % frames : std::clamp(k, 0, frames);
    };
    const double blend_a = a.motion.loops ? t.blend : kBlend,
                 blend_b = b.motion.loops ? t.blend : kBlend;
    const std::vector<double> leave = t.leave >= 0 ? std::vector<double>{t.leave}
                                                   : Crossings(a, true, options.fragment),
                              enter = t.enter >= 0 ? std::vector<double>{t.enter}
                                                   : Crossings(b, false, options.fragment);
    double least = 1e9;
    for (const double from : leave) {
      for (const double to : enter) {
        const double d =
            clouds[t.from].Distance(frame(a, from + blend_a), clouds[t.to], frame(b, to - blend_b));
        if (d < least) least = d, t.leave = from, t.enter = to;
      }
    }
    if (least > most) {
      throw InputError(
          fmt::format("the transition from '{}' to '{}' leads between poses that do not match: "
                      "{:.2f} m apart on average, at most {:.2f} m expected; leave and enter at "
                      "other times, or go by way of another node",
                      a.name, b.name, least, most));
    }
  }
}

ControlGraph MakeControlGraph(const GraphPlan& plan, const Character& character,
                              const ClipOptions& options, double time_step) {
  if (plan.clips.empty()) throw InputError("a graph without nodes; expected at least one");
  ControlGraph graph = EmptyGraph(character, time_step);
  const int n = static_cast<int>(plan.clips.size());
  std::vector<int> segment_of(n, -1);
  const auto add_clip = [&](int i) {
    const GraphClip& clip = plan.clips[i];
    ClipOptions own = options;
    own.symmetric = clip.symmetric;
    // Alone, a clip is performed as a whole.
    const bool whole = clip.motion.loops || plan.transitions.empty();
    const double offset = whole || clip.rises ? 0 : kBlend;
    const double end = clip.motion.Duration() - (whole ? 0 : kBlend);
    Segment* segment = AddSegment(clip.motion, offset, end - offset, false, own, &graph);
    segment->name = clip.name;
    segment->clip = i;
    segment->rises = clip.rises;
    segment_of[i] = static_cast<int>(graph.segments.size()) - 1;
    if (clip.motion.loops) Connect(graph.segments.back(), graph.segments.back(), &graph);
  };
  std::vector<char> added(plan.transitions.size(), 0);
  const auto add = [&](std::size_t k) {
    const GraphTransition& t = plan.transitions[k];
    if (added[k] || segment_of[t.from] < 0 || segment_of[t.to] < 0) return;
    AddTransition(plan, t, options, segment_of, &graph);
    added[k] = 1;
  };
  const auto add_transitions = [&] {
    for (std::size_t k = 0; k < plan.transitions.size(); ++k) {
      add(k);
      for (std::size_t back = 0; back < plan.transitions.size(); ++back) {
        if (plan.transitions[back].from == plan.transitions[k].to &&
            plan.transitions[back].to == plan.transitions[k].from) {
          add(back);
        }
      }
    }
  };
  for (int i = 0; i < n; ++i) {
    if (plan.clips[i].motion.loops) add_clip(i);
  }
  add_transitions();
  for (int i = 0; i < n; ++i) {
    if (plan.clips[i].motion.loops) continue;
    add_clip(i);
    add_transitions();
  }
  return graph;
}

std::vector<GraphStage> Stages(const ControlGraph& graph) {
  std::vector<GraphStage> stages;
  const int n = static_cast<int>(graph.segments.size());
  int count = 0;
  for (; count < n && graph.segments[count].clip >= 0 && graph.segments[count].motion.loops;
       ++count) {
    stages.push_back({count + 1, graph.segments[count].first});
  }
  // From there on: as many as it takes to get from where the first that is new is entered to all
  // others and back.
  const auto first_of = [&](int clip) {
    for (const Segment& segment : graph.segments) {
      if (segment.clip == clip) return segment.first;
    }
    return 0;
  };
  for (int begin = count; begin < n;) {
    const Segment& first = graph.segments[begin];
    int from = first.from;
    for (int s = begin; first.clip >= 0 && s < n; ++s) {
      const Segment& entering = graph.segments[s];
      if (entering.clip < 0 && entering.to == first.clip) {
        from = entering.from;
        break;
      }
    }
    const int entry = first.rises ? first.first : first_of(from), home = first.rises ? 0 : entry;
    int end = begin;
    for (bool closed = false; !closed && end < n;) {
      const ControlGraph prefix = Prefix(graph, ++end);
      std::vector<char> reached(prefix.Fragments(), 0);
      std::vector<int> open = {entry};
      while (!open.empty()) {
        const int f = open.back();
        open.pop_back();
        if (reached[f]) continue;
        reached[f] = 1;
        const std::vector<int>& next = prefix.fragments[f].next;
        open.insert(open.end(), next.begin(), next.end());
      }
      const std::vector<int> back = DistanceTo(prefix, [&](int f) { return f == home; });
      closed = true;
      for (int f = first.first; f < prefix.Fragments(); ++f) {
        closed = closed && reached[f] && back[f] < prefix.Fragments();
      }
    }
    stages.push_back({end, entry});
    begin = end;
  }
  return stages;
}

ControlGraph Prefix(const ControlGraph& graph, int segments) {
  ControlGraph prefix = graph;
  if (segments == static_cast<int>(graph.segments.size())) return prefix;
  prefix.segments.resize(segments);
  const Segment& last = prefix.segments.back();
  const int fragments = last.first + last.count;
  prefix.fragments.resize(fragments);
  prefix.policies = 0;
  int borders = 0;
  for (Fragment& f : prefix.fragments) {
    std::erase_if(f.next, [&](int next) { return next >= fragments; });
    prefix.policies = std::max(prefix.policies, f.policy + 1);
    borders = std::max(borders, f.end_border + 1);
  }
  prefix.borders.resize(borders);
  prefix.border_states.resize(borders);
  prefix.targets.resize(static_cast<std::size_t>(last.end) * graph.character.bodies.size());
  return prefix;
}

}  // namespace stride
