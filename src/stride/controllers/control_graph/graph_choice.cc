#include "stride/controllers/control_graph/graph_choice.h"

#include <algorithm>
#include <cmath>

#include "stride/motion/edit/blend.h"

namespace stride {
namespace {

constexpr double kTurns = 0.3;  // rad/s: a clip that turns
// Any heading is reached in half a circle. One that is not runs away, as that to a point inside the
// circle does: straight on for so long, to come back to it.
constexpr double kMostTurn = 3.6;  // rad
constexpr double kGetsAway = 2.5;  // s

}  // namespace

std::vector<std::string> StylesOf(const GraphPlan& plan) {
  std::vector<std::string> styles = {"as commanded", kRandomStyleName};
  for (const GraphClip& clip : plan.clips) {
    if (!clip.rises) styles.push_back(clip.name);
  }
  return styles;
}

GraphChoice::GraphChoice(std::shared_ptr<const ControlGraph> graph, const GraphPlan& plan, int seed)
    : graph_(std::move(graph)),
      styles_(std::make_shared<const std::vector<std::string>>(StylesOf(plan))),
      random_(static_cast<std::uint64_t>(seed)),
      visits_(graph_->segments.size(), 0) {
  auto nodes = std::make_shared<std::vector<Node>>(plan.clips.size());
  auto distance = std::make_shared<std::vector<std::vector<int>>>();
  int style = kFirstNodeStyle;
  for (int s = 0; s < static_cast<int>(graph_->segments.size()); ++s) {
    const Segment& segment = graph_->segments[s];
    distance->push_back(
        DistanceTo(*graph_, [&](int f) { return graph_->fragments[f].segment == s; }));
    if (segment.clip < 0) {
      links_.emplace_back(segment.from, segment.to);
      continue;
    }
    Node& node = (*nodes)[segment.clip];
    node.name = segment.name;
    node.segment = s;
    node.loops = segment.motion.loops;
    node.rises = segment.rises;
    node.travels = segment.travels;
    node.speed = MeanSpeed(segment.motion);
    if (node.loops) {
      node.turn_rate =
          graph_->fragments[segment.first + segment.count - 1].turn / segment.motion.Duration();
    }
  }
  for (Node& node : *nodes) {
    if (!node.rises) node.style = style++;
  }
  nodes_ = std::move(nodes);
  distance_ = std::move(distance);
}

int GraphChoice::NodeOf(int fragment) const {
  const Segment& segment = graph_->segments[graph_->fragments[fragment].segment];
  return segment.clip >= 0 ? segment.clip : segment.to;
}

double GraphChoice::TurnRate(int fragment) const {
  const int clip = graph_->segments[graph_->fragments[fragment].segment].clip;
  const double rate = clip >= 0 ? (*nodes_)[clip].turn_rate : 0;
  return std::fabs(rate) > kTurns ? rate : 0;
}

// -1: any.
int GraphChoice::WantedNode(int fragment, const Command& command, double heading_error) {
  const std::vector<Node>& nodes = *nodes_;
  const int here = NodeOf(fragment);
  if (command.style != style_) style_ = command.style, served_ = false;
  for (int k = 0; k < static_cast<int>(nodes.size()); ++k) {
    if (nodes[k].style == 0 || nodes[k].style != style_) continue;
    if (nodes[k].loops) return k;
    if (graph_->segments[graph_->fragments[fragment].segment].clip == k) served_ = true;
    if (!served_) return k;
  }
  if (!command.speed && !command.heading) {
    return nodes[here].loops ? here : -1;
  }
  // The speed asked for, or that of the first node that gets anywhere.
  double speed = command.speed.value_or(-1);
  for (const Node& node : nodes) {
    if (speed < 0 && node.loops && node.travels) speed = node.speed;
  }
  const bool travels = speed > kStandingSpeed;
  const bool turns =
      command.heading && travels && straight_ <= 0 && std::fabs(heading_error) > kFarAround;
  int best = -1;
  double least = 0;
  for (int k = 0; k < static_cast<int>(nodes.size()); ++k) {
    const Node& node = nodes[k];
    if (!node.loops || node.travels != travels) continue;
    const bool turning = std::fabs(node.turn_rate) > kTurns;
    if (turning && (!turns || node.turn_rate * heading_error < 0)) continue;
    // Turning the right way is worth a metre per second.
    const double cost = std::fabs(node.speed - speed) - (turning ? 1 : 0) + 0.01 * (k != here);
    if (best < 0 || cost < least) best = k, least = cost;
  }
  return best >= 0 ? best : nodes[here].loops ? here : -1;
}

int GraphChoice::Next(int fragment, const Command& command, double heading_error) {
  const std::vector<int>& next = graph_->fragments[fragment].next;
  if (const double rate = TurnRate(fragment); rate != 0) {
    turned_ += std::fabs(rate) * graph_->Seconds(fragment);
    if (turned_ > kMostTurn) straight_ = kGetsAway, turned_ = 0;
  } else if (graph_->segments[graph_->fragments[fragment].segment].clip >= 0) {
    straight_ -= graph_->Seconds(fragment);
    if (std::fabs(heading_error) < kFarAround) turned_ = 0;
  }
  const int segment = graph_->fragments[fragment].segment;
  int goal = -1;
  goes_to_turn_ = false;
  if (command.style == kRandomStyle) {
    // All of it, once around.
    if (goal_ < 0 || (segment == goal_ && ++stayed_ >= graph_->segments[segment].count)) {
      goal_ = RandomGoal();
      stayed_ = 0;
    }
    goal = goal_;
  } else {
    goal_ = -1;
    const int wanted = WantedNode(fragment, command, heading_error);
    if (wanted >= 0) goal = (*nodes_)[wanted].segment;
    goes_to_turn_ = wanted >= 0 && std::fabs((*nodes_)[wanted].turn_rate) > kTurns;
  }
  int chosen = next[0];
  for (const int f : next) {
    if (goal >= 0 && (*distance_)[goal][f] < (*distance_)[goal][chosen]) chosen = f;
  }
  const int entered = graph_->fragments[chosen].segment;
  if (chosen == graph_->segments[entered].first || entered != segment) ++visits_[entered];
  return chosen;
}

// One of those that were visited least.
int GraphChoice::RandomGoal() {
  int goal = -1, alike = 0;
  for (int s = 0; s < static_cast<int>(graph_->segments.size()); ++s) {
    const Segment& segment = graph_->segments[s];
    if ((*nodes_)[segment.clip >= 0 ? segment.clip : segment.from].rises) continue;
    if (goal >= 0 && visits_[s] > visits_[goal]) continue;
    alike = goal >= 0 && visits_[s] == visits_[goal] ? alike + 1 : 1;
    if (random_.Uniform() * alike < 1) goal = s;
  }
  return goal;
}

BehaviourGraph GraphChoice::Picture(const ClipSkill& skill) const {
  BehaviourGraph picture;
  for (const Node& node : *nodes_) {
    picture.nodes.push_back({.name = node.name,
                             .style = node.style,
                             .robustness = RobustnessOf(skill.robustness, node.name)});
  }
  for (const auto& [from, to] : links_) {
    picture.links.push_back(
        {.from = from,
         .to = to,
         .robustness =
             RobustnessOf(skill.robustness, (*nodes_)[from].name + ">" + (*nodes_)[to].name)});
  }
  return picture;
}

}  // namespace stride
