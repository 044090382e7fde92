#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "stride/draw/plot.h"

// Pictures of plots. Positions are pixels of the view box, y downwards.
namespace stride {
namespace {

constexpr double kWidth = 560, kHeight = 300;
constexpr double kLeft = 70, kRight = 16, kTop = 12, kBottom = 46;
constexpr double kPolarSize = 420;
constexpr double kLetter = 6.2;  // mean width of a letter of the legend
constexpr double kLegendRow = 18;
constexpr int kColors = 8;
constexpr int kFewPoints = 40;            // up to which points are marked
constexpr std::size_t kMaxPoints = 1000;  // of a drawn line; more are thinned out

// Beyond this, differences of numbers overflow.
bool Drawable(double v) { return std::fabs(v) < 1e100; }

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void Add(double v) {
    if (!Drawable(v)) return;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  bool Empty() const { return low > high; }
};

// 1, 2 or 5 times a power of ten, so that `span` has about `count` steps of it.
double NiceStep(double span, int count) {
  const double rough = span / count, power = std::pow(10, std::floor(std::log10(rough)));
  const double digit = rough / power;
  return (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10) * power;
}

// From values to pixels along one axis, with its ticks.
class Axis {
 public:
  Axis(Range range, bool log, double from, double to, int ticks, bool from_zero)
      : log_(log), from_(from), to_(to) {
    if (range.Empty()) range = log ? Range{1, 10} : Range{0, 1};
    if (log_) {
      low_ = std::floor(std::log10(range.low) + 1e-9);
      high_ = std::max(low_ + 1, std::ceil(std::log10(range.high) - 1e-9));
      const double step = std::ceil((high_ - low_) / 8);
      for (double p = low_; p <= high_ + 0.5; p += step) ticks_.push_back(std::pow(10, p));
      return;
    }
    if (from_zero) range.Add(0);
    double span = range.high - range.low;
    const double size = std::max(std::fabs(range.low), std::fabs(range.high));
    if (span <= 1e-9 * size || span == 0) {
      const double margin = size > 0 ? 0.5 * size : 0.5;
      range = {range.low - margin, range.high + margin};
      span = range.high - range.low;
    }
    const double step = NiceStep(span, ticks);
    low_ = step * std::floor(range.low / step + 1e-6);
    high_ = step * std::ceil(range.high / step - 1e-6);
    const int count = static_cast<int>(std::lround((high_ - low_) / step));
    for (int k = 0; k <= count; ++k) {
      const double tick = low_ + k * step;
      ticks_.push_back(std::fabs(tick) < 1e-9 * step ? 0 : tick);
    }
  }

  std::optional<double> At(double value) const {
    if (!Drawable(value) || (log_ && value <= 0)) return std::nullopt;
    const double v = log_ ? std::log10(value) : value;
    return from_ + (v - low_) / (high_ - low_) * (to_ - from_);
  }
  const std::vector<double>& Ticks() const { return ticks_; }

 private:
  bool log_;
  double from_, to_;
  double low_ = 0, high_ = 1;  // of a logarithmic axis: exponents
  std::vector<double> ticks_;
};

std::string TickText(double value) {
  return std::fabs(value) < 1e9 && value != 0 && std::fabs(value) >= 1e-4
             ? (std::fabs(value) >= 1000 ? NumberText(value) : fmt::format("{:.6g}", value))
             : fmt::format("{:.3g}", value);
}

std::string Text(double x, double y, const char* anchor, const std::string& text,
                 const std::string& more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                     anchor, more, EscapeMarkup(text));
}
std::string Line(double x0, double y0, double x1, double y1, const char* style) {
  return fmt::format(
      "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x0, y0, x1,
      y1, style);
}

std::size_t Letters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

// Names of the series in rows from `top` on; moves `top` below them. None for a single series.
std::string Legend(const Plot& plot, double left, double width, double* top) {
  if (plot.series.size() < 2) return {};
  std::string svg;
  double x = left;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const double needed = 34 + kLetter * static_cast<double>(Letters(plot.series[i].name));
    if (x > left && x + needed > left + width) {
      x = left;
      *top += kLegendRow;
    }
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" rx=\"2\" class=\"bar c{}\"/>\n",
        x, *top, i % kColors);
    svg += Text(x + 17, *top + 10.5, "start", plot.series[i].name);
    x += needed;
  }
  *top += kLegendRow + 6;
  return svg;
}

// What is left of a long line: of each stretch its lowest and highest point, so that peaks stay,
// and a gap if it has one.
std::vector<std::size_t> Thinned(const std::vector<double>& y) {
  std::vector<std::size_t> kept;
  const std::size_t stretches = y.size() > kMaxPoints ? kMaxPoints / 2 : y.size();
  for (std::size_t k = 0; k < stretches; ++k) {
    const std::size_t begin = k * y.size() / stretches, end = (k + 1) * y.size() / stretches;
    std::size_t low = begin, high = begin;
    std::optional<std::size_t> gap;
    for (std::size_t i = begin; i < end; ++i) {
      if (!Drawable(y[i])) gap = i;
      if (y[i] < y[low] || !Drawable(y[low])) low = i;
      if (y[i] > y[high] || !Drawable(y[high])) high = i;
    }
    kept.push_back(std::min(low, high));
    if (low != high) kept.push_back(std::max(low, high));
    if (gap && *gap != kept.back()) kept.push_back(*gap);
  }
  return kept;
}

std::string Frame(const Plot& plot, double width, double height, const std::string& content) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" "
      "aria-label=\"{}\">\n{}</svg>\n",
      width, height, EscapeMarkup(plot.title), content);
}

std::string YAxis(const Axis& axis, const std::string& label, double top, double bottom) {
  std::string svg;
  for (const double tick : axis.Ticks()) {
    const double y = *axis.At(tick);
    svg += Line(kLeft, y, kWidth - kRight, y, "grid");
    svg += Text(kLeft - 7, y + 4, "end", TickText(tick));
  }
  const double middle = 0.5 * (top + bottom);
  svg += Text(12, middle, "middle", label,
              fmt::format(" class=\"label\" transform=\"rotate(-90 12 {:.1f})\"", middle));
  return svg;
}

// One area a stretch without gaps: there along `high`, back along `low`.
std::string BandSvg(const Series& series, const Axis& x_axis, const Axis& y_axis, std::size_t i) {
  std::string path, there, back;
  const auto close = [&] {
    if (!there.empty()) path += "M" + there.substr(1) + back + "Z";
    there.clear();
    back.clear();
  };
  for (std::size_t k = 0; k < std::min(series.low.size(), series.x.size()); ++k) {
    const auto x = x_axis.At(series.x[k]), low = y_axis.At(series.low[k]),
               high = y_axis.At(series.high[k]);
    if (!x || !low || !high) {
      close();
      continue;
    }
    there += fmt::format("L{:.1f} {:.1f}", *x, *high);
    back.insert(0, fmt::format("L{:.1f} {:.1f}", *x, *low));
  }
  close();
  return path.empty() ? ""
                      : fmt::format("<path d=\"{}\" class=\"band c{}\"/>\n", path, i % kColors);
}

std::string LinesSvg(const Plot& plot) {
  double top = kTop;
  std::string svg = Legend(plot, kLeft, kWidth - kLeft - kRight, &top);
  const double bottom = top + kHeight - kTop - kBottom;
  Range x_range, y_range;
  for (const Series& series : plot.series) {
    for (const double x : series.x) x_range.Add(x);
    for (const auto* values : {&series.y, &series.low, &series.high}) {
      for (const double y : *values) {
        if (!plot.log_y || y > 0) y_range.Add(y);
      }
    }
  }
  const Axis x_axis(x_range, false, kLeft, kWidth - kRight, 7, false);
  const Axis y_axis(y_range, plot.log_y, bottom, top, 5, plot.zero_y);
  svg += YAxis(y_axis, plot.y_label, top, bottom);
  for (const double tick : x_axis.Ticks()) {
    const double x = *x_axis.At(tick);
    svg += Line(x, bottom, x, bottom + 4, "axis");
    svg += Text(x, bottom + 17, "middle", TickText(tick));
  }
  svg += Line(kLeft, bottom, kWidth - kRight, bottom, "axis");
  svg += Text(0.5 * (kLeft + kWidth - kRight), bottom + 36, "middle", plot.x_label,
              " class=\"label\"");

  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    svg += BandSvg(plot.series[i], x_axis, y_axis, i);
  }
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Series& series = plot.series[i];
    std::string path, dots;
    bool pen_down = false;
    for (const std::size_t k : Thinned(series.y)) {
      const auto x = x_axis.At(series.x[k]), y = y_axis.At(series.y[k]);
      if (!x || !y) {
        pen_down = false;
        continue;
      }
      path += fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", *x, *y);
      pen_down = true;
      if (series.y.size() > kFewPoints) continue;
      dots += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.6\" class=\"bar "
          "c{}\"><title>{}</title></circle>\n",
          *x, *y, i % kColors,
          EscapeMarkup(fmt::format("{}: {} at {}", series.name, NumberText(series.y[k]),
                                   NumberText(series.x[k]))));
    }
    svg += fmt::format("<path d=\"{}\" class=\"line c{}\"/>\n{}", path, i % kColors, dots);
  }
  return Frame(plot, kWidth, bottom + (plot.x_label.empty() ? kBottom - 20 : kBottom), svg);
}

std::string PolarSvg(const Plot& plot) {
  double top = kTop;
  std::string svg = Legend(plot, 12, kPolarSize - 24, &top);
  const double cx = kPolarSize / 2, radius = kPolarSize / 2 - 40, cy = top + radius + 22;
  Range range;
  for (const Series& series : plot.series) {
    for (const double y : series.y) range.Add(y);
  }
  const Axis axis(range, false, 0, radius, 4, true);
  const auto point = [&](double heading, double r) {  // forwards is up, left is left
    return std::pair{cx - r * std::sin(heading), cy - r * std::cos(heading)};
  };
  for (int k = 0; k < 8; ++k) {
    const auto [x, y] = point(k * std::numbers::pi / 4, radius);
    svg += Line(cx, cy, x, y, "grid");
  }
  for (const double tick : axis.Ticks()) {
    const double r = *axis.At(tick);
    if (r <= 0) continue;
    svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" class=\"grid\"/>\n", cx,
                       cy, r);
    const auto [x, y] = point(-std::numbers::pi / 8, r);
    svg += Text(x, y + 4, "middle", TickText(tick), " class=\"halo\"");
  }
  svg += Text(cx, cy - radius - 9, "middle", "forwards", " class=\"label\"");
  svg += Text(cx, cy + radius + 18, "middle", "backwards", " class=\"label\"");
  svg += Text(cx - radius - 6, cy - 6, "end", "left", " class=\"label\"");
  svg += Text(cx + radius + 6, cy - 6, "start", "right", " class=\"label\"");

  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Series& series = plot.series[i];
    std::string path, dots;
    bool whole = true;
    for (std::size_t k = 0; k < series.y.size(); ++k) {
      const auto r = axis.At(series.y[k]);
      if (!r || !Drawable(series.x[k])) {
        whole = false;
        continue;
      }
      const auto [x, y] = point(series.x[k], *r);
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x, y);
      dots += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.2\" class=\"bar "
          "c{}\"><title>{}</title></circle>\n",
          x, y, i % kColors,
          EscapeMarkup(fmt::format("{}: {} at {:.0f} deg", series.name, NumberText(series.y[k]),
                                   series.x[k] * 180 / std::numbers::pi)));
    }
    svg += fmt::format("<path d=\"{}{}\" class=\"line area c{}\"/>\n{}", path,
                       whole && !path.empty() ? "Z" : "", i % kColors, dots);
  }
  const double end = cy + radius + 40;
  svg += Text(cx, end, "middle", plot.y_label, " class=\"label\"");
  return Frame(plot, kPolarSize, end + 10, svg);
}

std::string BarsSvg(const Plot& plot) {
  double top = kTop;
  std::string svg = Legend(plot, kLeft, kWidth - kLeft - kRight, &top);
  top += 10;  // for the numbers over the bars
  const double bottom = top + kHeight - kTop - kBottom;
  Range range;
  for (const Series& series : plot.series) {
    for (const double y : series.y) {
      if (!plot.log_y || y > 0) range.Add(y);
    }
  }
  // A bar must be seen even if it is the smallest.
  if (plot.log_y && !range.Empty()) range.low /= 2;
  const Axis axis(range, plot.log_y, bottom, top, 5, true);
  svg += YAxis(axis, plot.y_label, top, bottom);
  const double base = plot.log_y ? bottom : *axis.At(0);
  const std::size_t groups = std::max<std::size_t>(1, plot.categories.size());
  const double group = (kWidth - kLeft - kRight) / static_cast<double>(groups);
  const double bar = std::min(
      64.0, 0.76 * group / static_cast<double>(std::max<std::size_t>(1, plot.series.size())));
  for (std::size_t g = 0; g < plot.categories.size(); ++g) {
    const double middle = kLeft + (static_cast<double>(g) + 0.5) * group;
    svg += Text(middle, bottom + 17, "middle", plot.categories[g]);
    double x = middle - 0.5 * bar * static_cast<double>(plot.series.size());
    for (std::size_t i = 0; i < plot.series.size(); ++i, x += bar) {
      const auto y = axis.At(plot.series[i].y[g]);
      if (!y) continue;
      svg += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"2\" class=\"bar "
          "c{}\"/>\n",
          x + 1, std::min(*y, base), bar - 2, std::fabs(base - *y), i % kColors);
      svg += Text(x + bar / 2, std::min(*y, base) - 5, "middle", NumberText(plot.series[i].y[g]));
    }
  }
  svg += Line(kLeft, base, kWidth - kRight, base, "axis");
  svg += Text(0.5 * (kLeft + kWidth - kRight), bottom + 36, "middle", plot.x_label,
              " class=\"label\"");
  return Frame(plot, kWidth, bottom + (plot.x_label.empty() ? kBottom - 20 : kBottom), svg);
}

}  // namespace

std::string PlotSvg(const Plot& plot) {
  switch (plot.kind) {
    case Plot::Kind::kPolar: return PolarSvg(plot);
    case Plot::Kind::kBars: return BarsSvg(plot);
    case Plot::Kind::kLines: break;
  }
  return LinesSvg(plot);
}

namespace {

constexpr const char* kSheetStyle =
    "svg { font-family: sans-serif; } text { font-size: 11.5px; fill: #555; }\n"
    ".title { font-size: 14px; font-weight: 600; fill: #222; } .label { fill: #222; }\n"
    ".grid { stroke: #e4e4e4; fill: none; } .axis { stroke: #777; }\n"
    ".line { fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linejoin: round; }\n"
    ".area { fill: currentColor; fill-opacity: 0.1; } .bar { fill: currentColor; }\n"
    ".band { fill: currentColor; fill-opacity: 0.2; }\n"
    ".c0 { color: #1f6fb4; } .c1 { color: #d9660f; } .c2 { color: #2e8b47; } .c3 { color: #b5322f; "
    "}"
    "\n.c4 { color: #7c55a8; } .c5 { color: #8a6a3a; } .c6 { color: #c85aa0; } .c7 { color: #666; }"
    "\n";

}  // namespace

std::string PlotSheetSvg(const std::string& title, const std::vector<Plot>& plots, int columns) {
  constexpr double kCellHeight = kHeight + 2 * kLegendRow, kTitle = 24, kHead = 34;
  const int rows = (static_cast<int>(plots.size()) + columns - 1) / columns;
  const double width = columns * kWidth, height = kHead + rows * (kTitle + kCellHeight);
  std::string svg = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
      "width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\">\n<style>\n{2}</style>\n"
      "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#fff\"/>\n",
      width, height, kSheetStyle);
  svg += Text(0.5 * width, 22, "middle", title, " class=\"title\"");
  for (std::size_t i = 0; i < plots.size(); ++i) {
    const int row = static_cast<int>(i) / columns, column = static_cast<int>(i) % columns;
    const double x = column * kWidth, y = kHead + row * (kTitle + kCellHeight);
    svg += Text(x + 0.5 * (kLeft + kWidth - kRight), y + 16, "middle", plots[i].title,
                " class=\"title\"");
    // The plot is an <svg> itself, put into its cell.
    svg += fmt::format(
        "<svg x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" "
        "preserveAspectRatio=\"xMidYMin\"{}",
        x, y + kTitle, kWidth, kCellHeight, PlotSvg(plots[i]).substr(4));
  }
  return svg + "</svg>\n";
}

}  // namespace stride
