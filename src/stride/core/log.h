#pragma once

#include <string>
#include <string_view>

#include <spdlog/spdlog.h>

// Logging: spdlog::info, warn and error, on standard error only. Standard output belongs to
// results.
namespace stride {

enum class Verbosity { kQuiet, kNormal, kVerbose };

// Names come from foreign files: what would steer a terminal (escape sequences, bells) is shown as
// \x1b. Lines end and columns stay.
std::string Printable(std::string_view text);

// Lines read "stride: warning: text". Quiet: errors only; verbose: debug messages too.
void SetUpLogging(Verbosity verbosity);

}  // namespace stride
