#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

// Plots as data, and as pictures: drawn as SVG that takes its colours from the page around it.
namespace stride {

struct Series {
  std::string name;
  std::vector<double> x, y;  // of equal length; bars have no x
  // A band around a line, such as its deviation: shaded from low to high at each x. Empty: none.
  std::vector<double> low = {}, high = {};
  friend bool operator==(const Series&, const Series&) = default;
};

// Values that are not finite leave a gap.
struct Plot {
  enum class Kind {
    kLines,  // y over x
    kPolar,  // radius y towards the heading x (rad; 0 is up on the page, left is left)
    kBars    // y for each of `categories`, the series side by side
  };
  Kind kind = Kind::kLines;
  std::string title;
  std::string x_label, y_label;  // with units; of a polar plot y_label is the radius
  std::vector<std::string> categories;
  bool log_y = false;   // not for polar plots; values must be positive
  bool zero_y = false;  // the axis of a line plot begins at 0
  std::vector<Series> series;
  friend bool operator==(const Plot&, const Plot&) = default;
};

// Numbers that are not finite become null and come back as NaN.
nlohmann::ordered_json ToJson(const Plot& plot);
// Throws InputError with `source` and the key.
Plot PlotFromJson(const nlohmann::json& json, const std::string& source);

// An <svg> element, well-formed XML: class names "c0" … "c7" for the series, "grid", "axis".
// Bands are of the class "band".
std::string PlotSvg(const Plot& plot);
// A picture file of its own: plots with their titles in rows of `columns`, in colours for paper.
std::string PlotSheetSvg(const std::string& title, const std::vector<Plot>& plots, int columns);

// "12,345", "0.0123", "1.5e+09": three digits at least.
std::string NumberText(double value);
// Text inside an element or an attribute of HTML or SVG. Control characters and bytes that are no
// UTF-8 become U+FFFD.
std::string EscapeMarkup(const std::string& text);

}  // namespace stride
