#include "stride/record/gait_band.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/record/gait_files.h"

namespace stride {
namespace {

constexpr const char* kBandEnding = ".csv";
constexpr const char *kMean = "_mean_", *kDeviation = "_deviation_";
constexpr double kNoDeviation = 1e-9;

std::vector<std::string> Split(const std::string& line, char by) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end; (end = line.find(by, begin)) != std::string::npos; begin = end + 1) {
    parts.push_back(line.substr(begin, end - begin));
  }
  parts.push_back(line.substr(begin));
  return parts;
}

// What follows "# KEY: " in a line of comment; empty: it is not that one.
std::string CommentOf(const std::string& line, const std::string& key) {
  const std::string start = "# " + key + ": ";
  return line.starts_with(start) ? line.substr(start.size()) : "";
}

// Curves without numbers from the columns' names.
std::vector<GaitCurve> CurvesOfHead(const std::vector<std::string>& columns,
                                    const std::string& file, int line) {
  const auto fail = [&](const std::string& found) {
    throw InputError(file, line,
                     fmt::format("{}; expected the columns percent, NAME_mean_UNIT, "
                                 "NAME_deviation_UNIT, ... as `stride gait --csv` writes them",
                                 found));
  };
  if (columns[0] != "percent") fail(fmt::format("first column '{}'", columns[0]));
  if (columns.size() < 3 || columns.size() % 2 == 0) {
    fail(fmt::format("{} columns", columns.size()));
  }
  std::vector<GaitCurve> curves;
  for (std::size_t k = 1; k < columns.size(); k += 2) {
    const std::size_t at = columns[k].find(kMean);
    if (at == std::string::npos) fail(fmt::format("column '{}'", columns[k]));
    GaitCurve curve{.name = columns[k].substr(0, at),
                    .unit = columns[k].substr(at + std::string(kMean).size())};
    if (columns[k + 1] != curve.name + kDeviation + curve.unit) {
      fail(fmt::format("column '{}' after '{}'", columns[k + 1], columns[k]));
    }
    if (FindCurve(curves, curve.name)) fail(fmt::format("column '{}' twice", columns[k]));
    curves.push_back(std::move(curve));
  }
  return curves;
}

double NumberOf(const std::string& text, const std::string& file, int line) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    throw InputError(file, line, fmt::format("'{}' is no number", text));
  }
  return value;
}

// Who moves and how fast a capture is says nothing of recordings.
GaitFileOptions OptionsFor(const std::string& file, const GaitFileOptions& options) {
  GaitFileOptions own = options;
  if (NamesRecording(file)) {
    own.character.clear();
    own.fps = 0;
  }
  return own;
}

GaitBand BandOfFolder(const std::string& folder, const GaitFileOptions& options) {
  std::vector<std::string> files;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (const std::filesystem::directory_iterator end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::error_code ignored;
    if (entry->is_regular_file(ignored) && name[0] != '.') files.push_back(entry->path().string());
  }
  if (error) throw InputError(folder, 0, "cannot read the folder: " + error.message());
  std::sort(files.begin(), files.end());
  std::vector<GaitAnalysis> found;
  std::vector<std::string> failed, names;
  for (const std::string& file : files) {
    try {
      std::vector<std::string> warnings;
      found.push_back(AnalyzeGaitFile(file, OptionsFor(file, options), &warnings));
      names.push_back(std::filesystem::path(file).stem().string());
    } catch (const InputError& error) {
      // Most messages begin with the file.
      const std::string why = error.what();
      failed.push_back(why.find(file) == std::string::npos ? fmt::format("{}: {}", file, why)
                                                           : why);
    }
  }
  if (found.empty()) {
    throw InputError(
        fmt::format("{}: none of its {} files has a gait; expected recordings or "
                    "motions{}",
                    folder, files.size(), failed.empty() ? "" : " (first: " + failed[0] + ")"));
  }
  GaitBand band = MakeGaitBand(found);
  const std::filesystem::path path(folder);
  band.name = (path.has_filename() ? path : path.parent_path()).filename().string();
  band.source = fmt::format("{}", fmt::join(names, ", "));
  band.failed = std::move(failed);
  return band;
}

}  // namespace

GaitBand MakeGaitBand(const std::vector<GaitAnalysis>& analyses) {
  STRIDE_CHECK(!analyses.empty());
  GaitBand band{.name = analyses[0].name,
                .source = analyses[0].name,
                .subjects = static_cast<int>(analyses.size())};
  for (const GaitCurve& first : analyses[0].curves) {
    std::vector<const GaitCurve*> curves;
    for (const GaitAnalysis& analysis : analyses) {
      const GaitCurve* curve = FindCurve(analysis.curves, first.name);
      if (curve) curves.push_back(curve);
    }
    if (curves.size() != analyses.size()) continue;
    GaitCurve curve{first.name, first.unit, first.mean, first.deviation, {}};
    const double n = static_cast<double>(curves.size());
    for (int k = 0; n > 1 && k < kGaitSamples; ++k) {
      double mean = 0, squares = 0;
      for (const GaitCurve* c : curves) mean += c->mean[k] / n;
      for (const GaitCurve* c : curves) squares += (c->mean[k] - mean) * (c->mean[k] - mean);
      curve.mean[k] = mean;
      curve.deviation[k] = std::sqrt(squares / (n - 1));
    }
    band.curves.push_back(std::move(curve));
  }
  return band;
}

std::vector<std::string> BuiltInGaitBands() {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < kGaitFileCount; ++k) names.emplace_back(kGaitFiles[k].name);
  return names;
}

GaitBand LoadGaitBand(const std::string& name_or_path, const GaitFileOptions& options) {
  for (std::size_t k = 0; k < kGaitFileCount; ++k) {
    if (name_or_path == kGaitFiles[k].name) {
      return ParseGaitBand(kGaitFiles[k].text, name_or_path);
    }
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(name_or_path, ignored)) {
    return BandOfFolder(name_or_path, options);
  }
  if (FileExtension(name_or_path) == kBandEnding) {
    return ParseGaitBand(ReadFile(name_or_path), name_or_path);
  }
  try {
    std::vector<std::string> warnings;
    return MakeGaitBand(
        {AnalyzeGaitFile(name_or_path, OptionsFor(name_or_path, options), &warnings)});
  } catch (const InputError& error) {
    if (std::filesystem::exists(name_or_path, ignored)) throw;
    throw InputError(fmt::format(
        "there is nothing to compare with: {}; expected a folder, a file, or a built-in band: {}",
        error.what(), fmt::join(BuiltInGaitBands(), ", ")));
  }
}

GaitBand ParseGaitBand(const std::string& text, const std::string& file_name) {
  GaitBand band{.name = file_name, .subjects = 1};
  std::istringstream lines(text);
  std::string line;
  int number = 0, rows = 0;
  while (std::getline(lines, line)) {
    ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    if (line[0] == '#') {
      if (const std::string source = CommentOf(line, "source"); !source.empty()) {
        band.source = source;
      } else if (const std::string count = CommentOf(line, "subjects"); !count.empty()) {
        const double subjects = NumberOf(count, file_name, number);
        if (!(subjects >= 1 && subjects <= 1e6)) {
          throw InputError(file_name, number,
                           fmt::format("{} subjects; expected 1 or more", count));
        }
        band.subjects = static_cast<int>(subjects);
      }
      continue;
    }
    const std::vector<std::string> cells = Split(line, ',');
    if (band.curves.empty()) {
      band.curves = CurvesOfHead(cells, file_name, number);
      continue;
    }
    if (cells.size() != 1 + 2 * band.curves.size()) {
      throw InputError(
          file_name, number,
          fmt::format("{} columns; expected {}", cells.size(), 1 + 2 * band.curves.size()));
    }
    const double percent = NumberOf(cells[0], file_name, number);
    if (rows >= kGaitSamples || percent != rows) {
      throw InputError(
          file_name, number,
          fmt::format("row of {} %; expected 0, 1, ... {}", cells[0], kGaitSamples - 1));
    }
    ++rows;
    for (std::size_t k = 0; k < band.curves.size(); ++k) {
      band.curves[k].mean.push_back(NumberOf(cells[1 + 2 * k], file_name, number));
      band.curves[k].deviation.push_back(NumberOf(cells[2 + 2 * k], file_name, number));
      if (band.curves[k].deviation.back() < 0) {
        throw InputError(file_name, number,
                         fmt::format("deviation {}; expected 0 or more", cells[2 + 2 * k]));
      }
    }
  }
  if (rows != kGaitSamples) {
    throw InputError(file_name, 0,
                     fmt::format("{} rows; expected a band's {}: percent, NAME_mean_UNIT, ... as "
                                 "`stride gait --csv` writes it",
                                 rows, kGaitSamples));
  }
  return band;
}

std::string GaitBandText(const GaitBand& band) {
  std::string source = band.source;
  std::replace_if(
      source.begin(), source.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  std::string text = fmt::format(
      "# Gait: mean and standard deviation over the cycle (docs/gait.md)\n# source: {}\n"
      "# subjects: {}\npercent",
      source, band.subjects);
  for (const GaitCurve& curve : band.curves) {
    text += fmt::format(",{0}{1}{3},{0}{2}{3}", curve.name, kMean, kDeviation, curve.unit);
  }
  text += "\n";
  for (int k = 0; k < kGaitSamples; ++k) {
    text += fmt::format("{}", k);
    for (const GaitCurve& curve : band.curves) {
      text += fmt::format(",{:.4f},{:.4f}", curve.mean[k], curve.deviation[k]);
    }
    text += "\n";
  }
  return text;
}

GaitComparison Compare(const GaitAnalysis& analysis, const GaitBand& band) {
  GaitComparison comparison{band.name, band.source, band.subjects, {}};
  for (const GaitCurve& ours : analysis.curves) {
    const GaitCurve* usual = FindCurve(band.curves, ours.name);
    if (!usual || usual->unit != ours.unit) continue;
    CurveDifference difference{.name = ours.name, .unit = ours.unit};
    double squares = 0, deviations = 0;
    int known = 0, inside = 0;
    for (int k = 0; k < kGaitSamples; ++k) {
      const double d = std::fabs(ours.mean[k] - usual->mean[k]);
      squares += d * d;
      if (usual->deviation[k] <= kNoDeviation) continue;
      ++known;
      deviations += d / usual->deviation[k];
      inside += d <= usual->deviation[k];
    }
    difference.rms = std::sqrt(squares / kGaitSamples);
    // Of one cycle nobody knows a deviation: NaN.
    difference.deviations = deviations / known;
    difference.inside = static_cast<double>(inside) / known;
    comparison.curves.push_back(std::move(difference));
  }
  return comparison;
}

nlohmann::ordered_json ToJson(const GaitComparison& comparison) {
  using Json = nlohmann::ordered_json;
  const auto number = [](double v) { return std::isfinite(v) ? Json(v) : Json(nullptr); };
  Json json = {{"band", comparison.band},
               {"source", comparison.source},
               {"subjects", comparison.subjects},
               {"curves", Json::array()}};
  for (const CurveDifference& curve : comparison.curves) {
    json["curves"].push_back({{"name", curve.name},
                              {"unit", curve.unit},
                              {"rms", number(curve.rms)},
                              {"deviations", number(curve.deviations)},
                              {"inside", number(curve.inside)}});
  }
  return json;
}

}  // namespace stride
