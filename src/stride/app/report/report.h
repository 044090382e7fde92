#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/draw/plot.h"
#include "stride/record/recording.h"

// Result folders as one HTML file that needs nothing else: no script, no font, no picture from
// elsewhere. Behind `stride report`.
namespace stride {

// What a folder holds that a report can show:
//   result.json     of `stride reproduce`
//   simulate.json   of `stride simulate --json`
//   *.jsonl         histories: one JSON object a line, its numbers plotted over "iteration"
//   *.stride        recordings
struct ReportSection {
  std::string folder, title;
  int met = 0, total = 0;          // verdicts of result.json
  std::vector<std::string> facts;  // short, for the summary
  std::string html;
};

struct Report {
  std::vector<ReportSection> sections;
  std::string html;
};

// One section for every folder at or below `folders` that holds something of the above. Throws
// InputError: no such folder, nothing to show in it, a file that is not what its name says.
Report MakeReport(const std::vector<std::string>& folders);
nlohmann::ordered_json ToJson(const Report& report);

// The pieces.
// One plot for every number of the lines' objects. A last line that was cut off is left out.
std::vector<Plot> HistoryPlots(const std::string& text, const std::string& file_name);
// Height and speed of the root, tracking error where there is a reference, ground force.
std::vector<Plot> RecordingPlots(const Recording& recording);

}  // namespace stride
