#include "stride/core/parallel.h"

#include <optional>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace stride {

void ForEachInParallel(int count, int threads, const std::function<void(int)>& act) {
  // More threads than cores are possible too, as asked.
  std::optional<tbb::global_control> more;
  if (threads > tbb::this_task_arena::max_concurrency()) {
    more.emplace(tbb::global_control::max_allowed_parallelism, threads);
  }
  tbb::task_arena arena(threads > 0 ? threads : tbb::task_arena::automatic);
  arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<int>(0, count, 1),
        [&](const tbb::blocked_range<int>& range) {
          for (int i = range.begin(); i < range.end(); ++i) act(i);
        },
        tbb::simple_partitioner());
  });
}

}  // namespace stride
