#pragma once

#include <spdlog/spdlog.h>

// Logging: spdlog::info, warn and error, on standard error only. Standard output belongs to
// results.
namespace stride {

enum class Verbosity { kQuiet, kNormal, kVerbose };

// Lines read "stride: warning: text". Quiet: errors only; verbose: debug messages too.
void SetUpLogging(Verbosity verbosity);

}  // namespace stride
