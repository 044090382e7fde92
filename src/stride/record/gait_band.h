#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/record/gait.h"
#include "stride/record/gait_file.h"

// What is usual: curves over the gait cycle of several subjects, with their deviation.
//
// As a file, CSV: lines of comment ("# source: ...", "# subjects: 19"), then the columns percent,
// NAME_mean_UNIT, NAME_deviation_UNIT, ... in kGaitSamples rows.
namespace stride {

struct GaitBand {
  std::string name;    // of the file, the folder or the built-in band
  std::string source;  // where it comes from, in words
  int subjects = 0;
  // Mean of the subjects' mean curves, and their standard deviation; of one subject, the deviation
  // over its cycles.
  std::vector<GaitCurve> curves;
  std::vector<std::string> failed;  // "file: why", of a folder; not in the file
};

// Curves that all have. There must be one analysis at least.
GaitBand MakeGaitBand(const std::vector<GaitAnalysis>& analyses);

// A built-in band by its name; a band's file (.csv); a folder, whose files are analysed, each of
// which is a subject; or one file that AnalyzeGaitFile takes. Character and rate of the options are
// for motions among them. Throws InputError, also where no file
// of a folder has a gait.
GaitBand LoadGaitBand(const std::string& name_or_path, const GaitFileOptions& options = {});
std::vector<std::string> BuiltInGaitBands();  // names

GaitBand ParseGaitBand(const std::string& text, const std::string& file_name);
std::string GaitBandText(const GaitBand& band);  // throws nothing; a source of several lines is one

struct CurveDifference {
  std::string name, unit;
  double rms = 0;  // over the cycle, of the difference of the means
  // Mean over the cycle of |difference| / the band's deviation; NaN where it has none.
  double deviations = 0;
  double inside = 0;  // share of the cycle within one deviation
};
struct GaitComparison {
  std::string band, source;
  int subjects = 0;
  std::vector<CurveDifference> curves;  // those that both have
};
GaitComparison Compare(const GaitAnalysis& analysis, const GaitBand& band);
nlohmann::ordered_json ToJson(const GaitComparison& comparison);

}  // namespace stride
