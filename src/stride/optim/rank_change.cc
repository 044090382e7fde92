#include "stride/optim/rank_change.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stride/core/error.h"

namespace stride {
namespace {

// The change of rank that the threshold allows to one of `rank` (from 1) among `count` others: a
// percentile of the changes that noise alone would make.
double AllowedChange(int rank, int count, double threshold) {
  std::vector<int> changes(count);
  for (int r = 1; r <= count; ++r) changes[r - 1] = std::abs(r - rank);
  std::sort(changes.begin(), changes.end());
  const double at = 0.5 * threshold * (count - 1);
  const int below = std::min(static_cast<int>(at), count - 1);
  const int above = std::min(below + 1, count - 1);
  return changes[below] + (at - below) * (changes[above] - changes[below]);
}

}  // namespace

double RankChange(std::span<const double> first, std::span<const double> second, double threshold) {
  const int n = static_cast<int>(first.size()), again = static_cast<int>(second.size());
  STRIDE_CHECK(again <= n);
  if (again == 0) return 0;
  // Value 2 i is the first of candidate i, 2 i + 1 the second, so that equals lie side by side.
  const auto value = [&](int k) {
    return k % 2 == 1 && k / 2 < again ? second[k / 2] : first[k / 2];
  };
  std::vector<int> order(2 * n), rank(2 * n);
  for (int k = 0; k < 2 * n; ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return value(a) > value(b); });
  for (int k = 0; k < 2 * n; ++k) rank[order[k]] = k + 1;
  double sum = 0;
  for (int i = 0; i < again; ++i) {
    const int before = rank[2 * i], after = rank[2 * i + 1];
    // Its own other value is not among those it could have been exchanged with.
    const int change = std::abs(after - before) - 1;
    sum += 2 * change - AllowedChange(after - (after > before), 2 * n - 1, threshold) -
           AllowedChange(before - (before > after), 2 * n - 1, threshold);
  }
  return sum / again;
}

}  // namespace stride
