#pragma once

#include <functional>

#include "verb.h"

namespace stride::cli {

// `stride learn graph`: adds its options and returns what runs it. `stop`: see learn.cc.
std::function<Output()> AddGraph(CLI::App* app, const CommonOptions* common,
                                 std::function<bool()> stop);

}  // namespace stride::cli
