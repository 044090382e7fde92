#include "stride/record/gait_plot.h"

#include <fmt/format.h>

namespace stride {
namespace {

struct Words {
  const char *name, *title, *y_label;
};
constexpr Words kWords[] = {
    {"thigh", "Thigh from the vertical", "deg, forwards +"},
    {"knee", "Knee", "deg, flexion +"},
    {"foot", "Foot from the horizontal", "deg, toes up +"},
    {"hip", "Hip", "deg, flexion +"},
    {"ankle", "Ankle", "deg, dorsiflexion +"},
    {"trunk", "Trunk from the vertical", "deg, forwards +"},
    {"arm", "Shoulder", "deg, forwards +"},
    {"force_vertical", "Ground force on the foot, vertical", "body weights, up +"},
    {"force_forward", "Ground force on the foot, fore-aft", "body weights, forwards +"},
};

Series SeriesOf(const GaitCurve& curve, const std::string& name) {
  Series series;
  series.name = name;
  for (int k = 0; k < kGaitSamples; ++k) {
    series.x.push_back(k);
    series.y.push_back(curve.mean[k]);
    series.low.push_back(curve.mean[k] - curve.deviation[k]);
    series.high.push_back(curve.mean[k] + curve.deviation[k]);
  }
  return series;
}

}  // namespace

Plot GaitPlot(const GaitCurve& curve, const std::string& label, const GaitBand* band) {
  Plot plot{.title = curve.name, .x_label = "% of the gait cycle", .y_label = curve.unit};
  for (const Words& words : kWords) {
    if (curve.name != words.name) continue;
    plot.title = words.title;
    plot.y_label = words.y_label;
  }
  plot.series.push_back(SeriesOf(curve, label));
  const GaitCurve* usual = band ? FindCurve(band->curves, curve.name) : nullptr;
  if (usual && usual->unit == curve.unit) {
    plot.series.push_back(SeriesOf(
        *usual, band->subjects > 1 ? fmt::format("{} ({} subjects)", band->name, band->subjects)
                                   : band->name));
  }
  return plot;
}

std::vector<Plot> GaitPlots(const GaitAnalysis& analysis, const std::string& label,
                            const GaitBand* band) {
  std::vector<Plot> plots;
  for (const GaitCurve& curve : analysis.curves) plots.push_back(GaitPlot(curve, label, band));
  return plots;
}

}  // namespace stride
