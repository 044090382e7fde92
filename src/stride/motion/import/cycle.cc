#include "stride/motion/import/cycle.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "stride/motion/edit/point_cloud.h"

namespace stride {
namespace {

// How many landings there were up to each frame.
std::vector<int> CountLandings(const Motion& motion, std::uint8_t flag) {
  std::vector<int> landings(motion.FrameCount(), 0);
  for (int f = 1; f < motion.FrameCount(); ++f) {
    landings[f] =
        landings[f - 1] + ((motion.contacts[f] & flag) && !(motion.contacts[f - 1] & flag));
  }
  return landings;
}

class CycleSearch {
 public:
  CycleSearch(const Character& character, const Motion& motion, const CycleOptions& options)
      : motion_(motion),
        clouds_(character, motion, options.half_window),
        left_(CountLandings(motion, kLeftFootDown)),
        right_(CountLandings(motion, kRightFootDown)) {
    last_ = motion.FrameCount() - 1;
    shortest_ = std::max(2, static_cast<int>(std::ceil(options.shortest * motion.fps)));
    longest_ = std::min(last_, static_cast<int>(options.longest * motion.fps));
    // 30 frames a second tell where; every frame is looked at only there.
    step_ = std::max(1, static_cast<int>(motion.fps / 30));
  }

  Cycle Find(double largest_distance) {
    Survey();
    Cycle cycle = Refined(stride_, true);
    if (!cycle.found || cycle.distance > largest_distance) cycle = Refined(ShortestReturn(), false);
    cycle.found = cycle.found && cycle.distance <= largest_distance;
    return cycle;
  }

 private:
  bool IsStride(int i, int j) const {
    return left_[j] - left_[i] == 1 && right_[j] - right_[i] == 1 &&
           motion_.contacts[i] == motion_.contacts[j];
  }

  // The best pair for each length, and the best stride.
  void Survey() {
    best_.assign(longest_ / step_ + 1, {});
    for (int i = 0; i <= last_; i += step_) {
      double farthest = 0;  // from frame i, so far
      for (int lag = step_; lag <= longest_ && i + lag <= last_; lag += step_) {
        const int j = i + lag;
        const double distance = clouds_.Distance(i, clouds_, j);
        farthest = std::max(farthest, distance);
        if (lag < shortest_) continue;
        Consider(i, j, distance, IsStride(i, j), &stride_);
        // Standing about is no cycle.
        const bool away = farthest > std::max(0.05, 3 * distance);
        Consider(i, j, distance, away, &best_[lag / step_]);
      }
    }
  }

  static void Consider(int i, int j, double distance, bool allowed, Cycle* best) {
    if (allowed && (!best->found || distance < best->distance)) *best = {true, i, j, distance};
  }

  Cycle ShortestReturn() const {
    double least = std::numeric_limits<double>::infinity();
    for (const Cycle& cycle : best_) {
      if (cycle.found) least = std::min(least, cycle.distance);
    }
    for (std::size_t k = 1; k + 1 < best_.size(); ++k) {
      const auto cost = [&](std::size_t at) { return best_[at].found ? best_[at].distance : 1e9; };
      if (best_[k].found && cost(k) <= 1.3 * least + 0.005 && cost(k) <= cost(k - 1) &&
          cost(k) <= cost(k + 1)) {
        return best_[k];
      }
    }
    const auto found = std::find_if(best_.begin(), best_.end(),
                                    [&](const Cycle& c) { return c.found && c.distance == least; });
    return found == best_.end() ? Cycle{} : *found;
  }

  Cycle Refined(const Cycle& coarse, bool stride) const {
    if (!coarse.found) return coarse;
    Cycle best = coarse;
    for (int i = std::max(0, coarse.first - step_); i <= coarse.first + step_; ++i) {
      for (int j = coarse.last - step_; j <= std::min(last_, coarse.last + step_); ++j) {
        if (j - i < shortest_) continue;
        Consider(i, j, clouds_.Distance(i, clouds_, j), !stride || IsStride(i, j), &best);
      }
    }
    return best;
  }

  const Motion& motion_;
  WindowClouds clouds_;
  std::vector<int> left_, right_;
  int last_ = 0, shortest_ = 0, longest_ = 0, step_ = 1;
  std::vector<Cycle> best_;  // by length, in steps
  Cycle stride_;
};

}  // namespace

Cycle FindCycle(const Character& character, const Motion& motion, const CycleOptions& options) {
  if (motion.FrameCount() < 3) return {};
  return CycleSearch(character, motion, options).Find(options.largest_distance);
}

}  // namespace stride
