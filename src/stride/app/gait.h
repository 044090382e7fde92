#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/record/gait.h"
#include "stride/record/gait_band.h"

// Gait analysis of a file, alone or against others: behind `stride gait`.
namespace stride {

struct GaitRequest {
  std::string file;
  GaitFileOptions options;
  std::string against;      // what LoadGaitBand takes; empty: nothing
  std::string csv, svg;     // files to write; empty: none
  std::string save_band;    // likewise, the band of `against`
  std::string band_source;  // where its motions come from; empty: their names
};

struct GaitResult {
  std::string file;
  GaitAnalysis analysis;
  std::optional<GaitBand> band;
  std::optional<GaitComparison> comparison;
  std::vector<std::string> written;  // files
  std::vector<std::string> warnings;
};

// Throws InputError; then no file was written, unless another one's disk was full.
GaitResult RunGait(const GaitRequest& request);
nlohmann::ordered_json ToJson(const GaitResult& result);
std::string GaitText(const GaitResult& result);  // tables for people

}  // namespace stride
