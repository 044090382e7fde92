#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include "stride/motion/import/motion_source.h"

namespace stride::cli {

// Adds --range, --fps and --loop, in the words of `stride import`; returns what reads them once
// they are parsed, and throws InputError.
std::function<CaptureOptions()> AddCaptureOptions(CLI::App* app);

}  // namespace stride::cli
