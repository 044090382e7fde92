#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "stride/motion/graph/motion_graph.h"

namespace stride {
namespace {

std::string EscapedXml(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      default: escaped += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return escaped;
}

std::string EscapedDot(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return escaped;
}

// Green for what fits well, over yellow, to red at 10 cm and beyond.
std::string ColorOf(double distance) {
  const double hue = 130 * (1 - std::clamp(distance / 0.1, 0.0, 1.0));
  return fmt::format("hsl({:.0f},65%,42%)", hue);
}

bool GoesOn(const GraphNode& a, const GraphNode& b) {
  return a.clip == b.clip && a.last == b.first;
}

}  // namespace

std::string MotionGraphDot(const MotionGraph& graph) {
  std::string text =
      "digraph motion_graph {\n  rankdir=LR;\n  node [shape=box, style=rounded, "
      "fontname=\"sans-serif\"];\n";
  auto out = std::back_inserter(text);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const GraphNode& node = graph.nodes[n];
    fmt::format_to(out, "  n{} [label=\"{}\\n{:.2f} s\"];\n", n, EscapedDot(node.name),
                   (node.last - node.first) / graph.clips[node.clip].fps);
  }
  for (const GraphEdge& edge : graph.edges) {
    if (GoesOn(graph.nodes[edge.from], graph.nodes[edge.to])) {
      fmt::format_to(out, "  n{} -> n{} [penwidth=2];\n", edge.from, edge.to);
    } else {
      fmt::format_to(out, "  n{} -> n{} [style=dashed, label=\"{:.1f} cm\"];\n", edge.from, edge.to,
                     100 * edge.distance);
    }
  }
  return text + "}\n";
}

std::string MotionGraphSvg(const MotionGraph& graph) {
  constexpr double kLeft = 150, kTop = 50, kLane = 90, kBar = 24, kWidth = 900;
  double longest = 1e-9;
  for (const Motion& clip : graph.clips) longest = std::max(longest, clip.Duration());
  const auto x_of = [&](int clip, int frame) {
    return kLeft + kWidth * frame / graph.clips[clip].fps / longest;
  };
  const auto y_of = [&](int clip) { return kTop + kLane * clip + 0.5 * kLane; };
  const double width = kLeft + kWidth + 40,
               height = kTop + kLane * static_cast<double>(graph.clips.size()) + 40;

  std::string text;
  auto out = std::back_inserter(text);
  fmt::format_to(out,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
                 "viewBox=\"0 0 {0:.0f} {1:.0f}\" "
                 "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" "
                 "height=\"100%\" fill=\"#fff\"/>\n"
                 "<text x=\"12\" y=\"24\" font-size=\"15\">Motion graph: {2} clips, {3} pieces, "
                 "{4} edges</text>\n",
                 width, height, graph.clips.size(), graph.nodes.size(), graph.edges.size());
  for (std::size_t c = 0; c < graph.clips.size(); ++c) {
    const int clip = static_cast<int>(c);
    fmt::format_to(out, "<text x=\"12\" y=\"{:.1f}\">{}</text>\n", y_of(clip) + 4,
                   EscapedXml(graph.clips[c].name));
  }
  for (const GraphNode& node : graph.nodes) {
    const double x = x_of(node.clip, node.first), end = x_of(node.clip, node.last);
    fmt::format_to(out,
                   "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\" rx=\"3\" "
                   "fill=\"#cfe0f3\" "
                   "stroke=\"#456\"><title>{}</title></rect>\n",
                   x, y_of(node.clip) - kBar / 2, std::max(1.0, end - x), kBar,
                   EscapedXml(node.name));
  }
  for (const GraphEdge& edge : graph.edges) {
    const GraphNode &a = graph.nodes[edge.from], &b = graph.nodes[edge.to];
    if (GoesOn(a, b)) continue;
    const double x0 = x_of(a.clip, a.last), x1 = x_of(b.clip, b.first);
    // Out of the bar's side that faces the other clip; within one clip over the top.
    const double side = a.clip < b.clip ? 1 : -1;
    const double y0 = y_of(a.clip) + side * kBar / 2;
    const double y1 = y_of(b.clip) + (a.clip == b.clip ? side : -side) * kBar / 2;
    const double bend = a.clip == b.clip ? std::min(0.35 * kLane, 8 + 0.1 * std::fabs(x1 - x0))
                                         : 0.4 * std::fabs(y1 - y0);
    const double c0 = y0 + side * bend, c1 = y1 + (a.clip == b.clip ? side : -side) * bend;
    fmt::format_to(out,
                   "<path d=\"M{0:.1f} {1:.1f} C{0:.1f} {2:.1f} {3:.1f} {4:.1f} {3:.1f} {5:.1f}\" "
                   "fill=\"none\" stroke=\"{6}\" "
                   "stroke-opacity=\"0.7\"><title>{7} to {8}: {9:.1f} cm</title></path>\n"
                   "<circle cx=\"{3:.1f}\" cy=\"{5:.1f}\" r=\"2.5\" fill=\"{6}\"/>\n",
                   x0, y0, c0, x1, c1, y1, ColorOf(edge.distance), EscapedXml(a.name),
                   EscapedXml(b.name), 100 * edge.distance);
  }
  fmt::format_to(out,
                 "<text x=\"{:.0f}\" y=\"{:.0f}\" fill=\"#555\">time to the right, {:.1f} s in "
                 "all; an arc leads to its dot; "
                 "green fits, red is 10 cm off</text>\n</svg>\n",
                 kLeft, height - 14, longest);
  return text;
}

}  // namespace stride
