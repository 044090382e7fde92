#pragma once

#include <string>
#include <vector>

#include "stride/record/gait.h"

namespace stride {

inline constexpr const char* kGaitHuman = "human";

struct GaitFileOptions {
  GaitOptions gait;  // but for `captured`, which the file tells
  // Who moves, for a motion (LoadAnyMotion); empty: the motion file's own, or kGaitHuman.
  std::string character;
  double fps = 0;  // true rate of a capture, frames/s; 0: what the file says
};

// A recording, or any motion that LoadAnyMotion takes. Warnings of the readers go to `warnings`.
// Throws InputError with the file.
GaitAnalysis AnalyzeGaitFile(const std::string& file, const GaitFileOptions& options,
                             std::vector<std::string>* warnings);

}  // namespace stride
