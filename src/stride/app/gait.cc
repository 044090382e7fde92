#include "stride/app/gait.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/record/gait_plot.h"

namespace stride {
namespace {

constexpr int kPlotColumns = 3;
constexpr int kLongestLabel = 40;

std::string NameOf(const std::string& file) {
  const std::string name = std::filesystem::path(file).filename().string();
  return name.size() > kLongestLabel ? name.substr(0, kLongestLabel) + "..." : name;
}

std::string Number(double value, int digits) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, digits) : "-";
}

std::string MeasuresText(const GaitAnalysis& a) {
  std::string text = fmt::format("  {:<24}{:>8}{:>8}{:>8}{:>8}{:>12}\n", "", "mean", "+-", "left",
                                 "right", "asymmetry");
  const auto row = [&](const char* name, const GaitMeasure& m, double scale, int digits) {
    const double asymmetry = 100 * m.Asymmetry();
    text += fmt::format("  {:<24}{:>8}{:>8}{:>8}{:>8}{:>12}\n", name,
                        Number(scale * m.mean, digits), Number(scale * m.deviation, digits),
                        Number(scale * m.side[0], digits), Number(scale * m.side[1], digits),
                        std::isfinite(asymmetry) ? fmt::format("{:.1f} %", asymmetry) : "-");
  };
  row("cycle time, s", a.cycle_time, 1, 3);
  row("step time, s", a.step_time, 1, 3);
  row("speed, m/s", a.speed, 1, 3);
  row("step length, m", a.step_length, 1, 3);
  row("step width, m", a.step_width, 1, 3);
  row("duty factor, %", a.duty_factor, 100, 1);
  row("double support, %", a.double_support, 100, 1);
  row("flight, %", a.flight, 100, 1);
  text += fmt::format("  {:<24}{:>8}\n", "cadence, steps/min", Number(a.cadence, 1));
  text += fmt::format("  {:<24}{:>8}\n", "asymmetry, %", Number(100 * a.asymmetry, 1));
  return text;
}

std::string CurvesText(const GaitAnalysis& a, const std::optional<GaitComparison>& comparison) {
  std::string text = fmt::format("  {:<24}{:>8}{:>17}{:>17}{:>8}", "over the cycle", "strike",
                                 "lowest", "highest", "+-");
  if (comparison) text += fmt::format("{:>10}{:>13}{:>10}", "RMS", "deviations", "inside");
  text += "\n";
  for (const GaitCurve& curve : a.curves) {
    const int digits = curve.unit == "deg" ? 1 : 2;
    const auto [low, high] = std::minmax_element(curve.mean.begin(), curve.mean.end());
    double deviation = 0;
    for (const double d : curve.deviation) deviation += d / kGaitSamples;
    const auto extreme = [&](auto at) {
      return fmt::format("{} at {:>3} %", Number(*at, digits), at - curve.mean.begin());
    };
    text += fmt::format("  {:<24}{:>8}{:>17}{:>17}{:>8}", curve.name + ", " + curve.unit,
                        Number(curve.mean[0], digits), extreme(low), extreme(high),
                        Number(deviation, digits));
    for (std::size_t k = 0; comparison && k < comparison->curves.size(); ++k) {
      const CurveDifference& d = comparison->curves[k];
      if (d.name != curve.name) continue;
      text += fmt::format("{:>10}{:>13}{:>8} %", Number(d.rms, digits), Number(d.deviations, 2),
                          Number(100 * d.inside, 0));
    }
    text += "\n";
  }
  return text;
}

std::string EffortText(const GaitEffort& e) {
  std::string text =
      fmt::format("  {:<24}{:>9}{:>9}{:>9}{:>9}\n", "", "hip", "knee", "ankle", "others");
  text += fmt::format("  {:<24}{:>9.1f}{:>9.1f}{:>9.1f}{:>9.1f}\n", "power, W", e.power[0],
                      e.power[1], e.power[2], e.power[3]);
  text += fmt::format("  {:<24}{:>9.0f}{:>9.0f}{:>9.0f}{:>9.0f}\n", "squared torques, (N m)^2",
                      e.squared_torque[0], e.squared_torque[1], e.squared_torque[2],
                      e.squared_torque[3]);
  text += fmt::format("  {:<24}{:>9.2f}{:>9.2f}{:>9.2f}\n", "  their ratio", e.ratio[0], e.ratio[1],
                      e.ratio[2]);
  return text + fmt::format("  {:<24}{:>9.2f}\n", "cost of transport", e.cost_of_transport);
}

}  // namespace

GaitResult RunGait(const GaitRequest& request) {
  if (request.against.empty() && !request.save_band.empty()) {
    throw InputError("--save-band writes what --against reads; give both");
  }
  if (request.save_band.empty() && !request.band_source.empty()) {
    throw InputError("--band-source is written by --save-band; give both");
  }
  for (const std::string& path : {request.csv, request.svg, request.save_band}) {
    if (!path.empty()) CheckWritable(path);
  }
  GaitResult result{.file = request.file};
  GaitFileOptions own = request.options;
  // Who a recording is compared with may be motions, which need them.
  if (NamesRecording(request.file) && !request.against.empty()) {
    own.character.clear();
    own.fps = 0;
  }
  result.analysis = AnalyzeGaitFile(request.file, own, &result.warnings);
  if (!request.against.empty()) {
    // What is cut from the one says nothing about the others.
    GaitFileOptions options;
    options.character = request.options.character;
    options.fps = request.options.fps;
    result.band = LoadGaitBand(request.against, options);
    result.comparison = Compare(result.analysis, *result.band);
    const std::size_t failed = result.band->failed.size();
    if (failed > 0) {
      result.warnings.push_back(fmt::format("{} of {} files of {} have no gait and were left out",
                                            failed, failed + result.band->subjects,
                                            request.against));
    }
    for (const std::string& file : result.band->failed) result.warnings.push_back(file);
  }
  const auto write = [&](const std::string& path, const std::string& text) {
    WriteFileWhole(path, text);
    result.written.push_back(path);
  };
  if (!request.csv.empty()) {
    GaitBand own = MakeGaitBand({result.analysis});
    own.source = NameOf(request.file);
    write(request.csv, GaitBandText(own));
  }
  if (!request.svg.empty()) {
    const std::string label = NameOf(request.file);
    write(request.svg,
          PlotSheetSvg(fmt::format("{}: {} cycles, {:.2f} m/s, shaded: one standard deviation",
                                   label, result.analysis.cycles[0] + result.analysis.cycles[1],
                                   result.analysis.speed.mean),
                       GaitPlots(result.analysis, label, result.band ? &*result.band : nullptr),
                       kPlotColumns));
  }
  if (!request.save_band.empty()) {
    GaitBand saved = *result.band;
    if (!request.band_source.empty()) saved.source = request.band_source;
    write(request.save_band, GaitBandText(saved));
  }
  return result;
}

nlohmann::ordered_json ToJson(const GaitResult& result) {
  nlohmann::ordered_json json = {{"file", result.file}};
  const nlohmann::ordered_json analysis = ToJson(result.analysis);
  for (const auto& item : analysis.items()) {
    if (item.key() != "name") json[item.key()] = item.value();
  }
  json["against"] = nullptr;
  if (result.comparison) {
    json["against"] = ToJson(*result.comparison);
    json["against"]["failed"] = result.band->failed;
  }
  json["written"] = result.written;
  json["warnings"] = result.warnings;
  return json;
}

std::string GaitText(const GaitResult& result) {
  const GaitAnalysis& a = result.analysis;
  std::string text = fmt::format("{}: gait of {} from {:.2f} s to {:.2f} s\n", result.file,
                                 a.character, a.from, a.to);
  text += fmt::format(
      "  heel strikes: {} left, {} right; toe-offs: {} left, {} right; cycles: {} left, {} right\n",
      a.strikes[0], a.strikes[1], a.toe_offs[0], a.toe_offs[1], a.cycles[0], a.cycles[1]);
  for (const std::string& note : a.notes) text += "  " + note + "\n";
  text += "\n" + MeasuresText(a) + "\n" + CurvesText(a, result.comparison);
  if (a.effort) text += "\n" + EffortText(*a.effort);
  if (result.comparison) {
    text += fmt::format("\n  against {}, {} subject{}: {}\n", result.comparison->band,
                        result.comparison->subjects, result.comparison->subjects == 1 ? "" : "s",
                        result.comparison->source);
  }
  for (const std::string& file : result.written) text += "  wrote " + file + "\n";
  return text;
}

}  // namespace stride
