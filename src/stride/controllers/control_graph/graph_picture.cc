#include "stride/controllers/control_graph/graph_picture.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace stride {
namespace {

constexpr double kWidth = 900, kRing = 300, kBox = 104, kHigh = 38;

std::string Escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '"') {
      out += "&quot;";
    } else {
      out += c;
    }
  }
  return out;
}

struct Point {
  double x = 0, y = 0;
};

}  // namespace

std::string GraphSvg(const ClipSkill& skill) {
  const auto& clips = skill.plan.clips;
  const auto colour = [](double r) {
    if (r < 0) return std::string("hsl(0,0%,60%)");
    return fmt::format("hsl({:.0f},60%,42%)", 130 * r * r);  // green to red
  };
  int ring = 0, rising = 0;
  for (const GraphClip& clip : clips) ++(clip.rises ? rising : ring);
  std::vector<Point> places;
  int on_ring = 0, below = 0;
  const double high = 2 * kRing + 130 + (rising > 0 ? 110 : 0);
  for (const GraphClip& clip : clips) {
    if (clip.rises) {
      places.push_back({kWidth * (below++ + 0.5) / rising, high - 50});
    } else {
      // The first, from which all is reached, in the middle.
      const double angle = 2 * std::numbers::pi * (on_ring - 1) / std::max(1, ring - 1);
      places.push_back(on_ring == 0 ? Point{kWidth / 2, kRing + 60}
                                    : Point{kWidth / 2 + 1.25 * kRing * std::sin(angle),
                                            kRing + 60 - kRing * std::cos(angle)});
      ++on_ring;
    }
  }
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:g} {:g}\" "
      "font-family=\"sans-serif\" "
      "font-size=\"14\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" "
      "markerHeight=\"7\" orient=\"auto\"><path d=\"M0,0L8,4L0,8z\" "
      "fill=\"#555\"/></marker></defs>\n",
      kWidth, high);
  for (const GraphTransition& t : skill.plan.transitions) {
    const Point a = places[t.from], b = places[t.to];
    const double length = std::hypot(b.x - a.x, b.y - a.y) + 1e-9;
    const Point along{(b.x - a.x) / length, (b.y - a.y) / length};
    // Beside the line, so that there and back are two; from edge to edge of the boxes.
    const auto edge = [&](Point p, double sign) {
      const double reach = std::min(kBox / 2 / (std::fabs(along.x) + 1e-9),
                                    kHigh / 2 / (std::fabs(along.y) + 1e-9)) +
                           3;
      return Point{p.x + sign * along.x * reach - 5 * along.y,
                   p.y + sign * along.y * reach + 5 * along.x};
    };
    const Point from = edge(a, 1), to = edge(b, -1);
    const std::string name = clips[t.from].name + ">" + clips[t.to].name;
    const double r = RobustnessOf(skill.robustness, name);
    svg += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" "
        "stroke-width=\"2.5\"{} marker-end=\"url(#a)\"><title>{}: {:.0f} %</title></line>\n",
        from.x, from.y, to.x, to.y, colour(r),
        clips[t.from].rises ? " stroke-dasharray=\"6 4\"" : "", Escaped(name), 100 * r);
  }
  for (std::size_t k = 0; k < clips.size(); ++k) {
    const double r = RobustnessOf(skill.robustness, clips[k].name);
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:g}\" height=\"{:g}\" rx=\"9\" fill=\"{}\"/>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"white\" text-anchor=\"middle\">{}</text>"
        "<text x=\"{:.1f}\" y=\"{:.1f}\" fill=\"white\" font-size=\"11\" "
        "text-anchor=\"middle\">{}</text>\n",
        places[k].x - kBox / 2, places[k].y - kHigh / 2, kBox, kHigh, colour(r), places[k].x,
        places[k].y - 1, Escaped(clips[k].name), places[k].x, places[k].y + 13,
        r < 0 ? std::string("not measured") : fmt::format("{:.0f} %", 100 * r));
  }
  return svg + "</svg>\n";
}

}  // namespace stride
