#include "stride/controllers/control_graph/graph_choice.h"

#include <algorithm>
#include <cmath>

namespace stride {
namespace {

constexpr double kStill = 0.3;  // m/s: slower is standing
constexpr double kTurns = 0.3;  // rad/s: a clip that turns
// Any heading is reached in half a circle. One that is not runs away, as that to a point inside the
// circle does: straight on for so long, to come back to it.
constexpr double kMostTurn = 3.6;  // rad
constexpr double kGetsAway = 2.5;  // s

}  // namespace

GraphChoice::GraphChoice(std::shared_ptr<const ControlGraph> graph, const GraphPlan& plan, int seed)
    : graph_(std::move(graph)),
      random_(static_cast<std::uint64_t>(seed)),
      visits_(graph_->fragments.size(), 0) {
  auto nodes = std::make_shared<std::vector<Node>>(plan.clips.size());
  auto distance = std::make_shared<std::vector<std::vector<int>>>(plan.clips.size());
  int style = kFirstNode;
  for (const Segment& segment : graph_->segments) {
    if (segment.clip < 0) {
      links_.emplace_back(segment.from, segment.to);
      continue;
    }
    Node& node = (*nodes)[segment.clip];
    const std::vector<double>&a = segment.motion.frames.front(), &b = segment.motion.frames.back();
    const double seconds = segment.motion.Duration();
    node.name = segment.name;
    node.loops = segment.motion.loops;
    node.rises = segment.rises;
    node.speed = std::hypot(b[0] - a[0], b[1] - a[1]) / seconds;
    if (node.loops) {
      node.turn_rate = graph_->fragments[segment.first + segment.count - 1].turn / seconds;
    }
    const int clip = segment.clip;
    (*distance)[clip] = DistanceTo(*graph_, [&](int f) {
      return graph_->segments[graph_->fragments[f].segment].clip == clip;
    });
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

bool GraphChoice::CanTurn() const {
  return std::any_of(nodes_->begin(), nodes_->end(),
                     [](const Node& node) { return std::fabs(node.turn_rate) > kTurns; });
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
    if (speed < 0 && node.loops && node.speed > kStill) speed = node.speed;
  }
  const bool turns =
      command.heading && speed > kStill && straight_ <= 0 && std::fabs(heading_error) > kFarAround;
  int best = -1;
  double least = 0;
  for (int k = 0; k < static_cast<int>(nodes.size()); ++k) {
    const Node& node = nodes[k];
    if (!node.loops || (node.speed < kStill) != (speed < kStill)) continue;
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
  ++visits_[fragment];
  if (const double rate = TurnRate(fragment); rate != 0) {
    turned_ += std::fabs(rate) * graph_->Seconds(fragment);
    if (turned_ > kMostTurn) straight_ = kGetsAway, turned_ = 0;
  } else if (graph_->segments[graph_->fragments[fragment].segment].clip >= 0) {
    straight_ -= graph_->Seconds(fragment);
    if (std::fabs(heading_error) < kFarAround) turned_ = 0;
  }
  const bool random = command.style == kRandom;
  const int wanted = random ? -1 : WantedNode(fragment, command, heading_error);
  if (next.size() == 1) return next[0];
  int chosen = -1, alike = 0;
  for (const int f : next) {
    const int cost = wanted >= 0 ? (*distance_)[wanted][f] : random ? visits_[f] : f;
    const int least = chosen < 0    ? cost + 1
                      : wanted >= 0 ? (*distance_)[wanted][chosen]
                      : random      ? visits_[chosen]
                                    : chosen;
    if (cost > least) continue;
    alike = cost < least ? 1 : alike + 1;
    if (cost < least || (random && random_.Uniform() * alike < 1)) chosen = f;
  }
  return chosen;
}

std::vector<std::string> GraphChoice::Styles() const {
  std::vector<std::string> styles = {"as commanded", "random walk"};
  for (const Node& node : *nodes_) {
    if (!node.rises) styles.push_back(node.name);
  }
  return styles;
}

BehaviourGraph GraphChoice::Picture(const nlohmann::ordered_json& metrics) const {
  BehaviourGraph picture;
  const auto robustness = [&](const std::string& name) {
    if (!metrics.contains("robustness") || !metrics["robustness"].is_object()) return -1.0;
    const auto& all = metrics["robustness"];
    return all.contains(name) && all[name].is_number() ? all[name].get<double>() : -1.0;
  };
  for (const Node& node : *nodes_) {
    picture.nodes.push_back(
        {.name = node.name, .style = node.style, .robustness = robustness(node.name)});
  }
  for (const auto& [from, to] : links_) {
    picture.links.push_back(
        {.from = from,
         .to = to,
         .robustness = robustness((*nodes_)[from].name + ">" + (*nodes_)[to].name)});
  }
  return picture;
}

}  // namespace stride
