#pragma once

#include <functional>

namespace stride {

// Calls act(0) to act(count - 1), each a task of its own (runs differ in length), on so many
// threads (0: all cores).
void ForEachInParallel(int count, int threads, const std::function<void(int)>& act);

}  // namespace stride
