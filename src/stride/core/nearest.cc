#include "stride/core/nearest.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stride {
namespace {

// Damerau and Levenshtein's, with swaps of neighbours.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) now[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(now);
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        now[j] = std::min(now[j], before_last[j - 2] + 1);
      }
    }
  }
  return now[b.size()];
}

}  // namespace

std::string Nearest(std::string_view word, const std::vector<std::string>& names) {
  constexpr std::size_t kLongest = 64;  // of a word that is worth the time
  if (word.size() > kLongest) return "";
  std::string nearest;
  std::size_t least = 1 + std::max<std::size_t>(1, word.size() / 3);
  for (const std::string& name : names) {
    const std::size_t distance = Distance(word, name);
    if (distance >= least) continue;
    least = distance;
    nearest = name;
  }
  return nearest;
}

std::string NotAmong(std::string_view what, std::string_view word,
                     const std::vector<std::string>& names) {
  return fmt::format("there is no {} '{}'; expected one of: {}{}", what, word,
                     fmt::join(names, ", "), DidYouMean(word, names));
}

std::string DidYouMean(std::string_view word, const std::vector<std::string>& names) {
  const std::string nearest = Nearest(word, names);
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

}  // namespace stride
