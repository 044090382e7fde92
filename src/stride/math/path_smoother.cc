#include "stride/math/path_smoother.h"

#include <algorithm>
#include <cmath>

namespace stride {

PathSmoother::PathSmoother(int window) : half_(std::max(1, window / 2)), ring_(2 * half_ + 1) {}

PathSmoother::Point PathSmoother::Add(double x, double y) {
  const long newest = count_++;
  Place& slot = ring_[newest % static_cast<long>(ring_.size())];
  if (newest > 2 * half_) sum_ = {sum_.x - slot.x, sum_.y - slot.y};
  slot = {x, y};
  sum_ = {sum_.x + x, sum_.y + y};
  // At the beginning the window is all there is, around its middle.
  if (newest < 2 * half_ && newest % 2 != 0) return {};
  const long width = std::min(newest, 2 * half_) + 1;
  const Place& raw = At(newest - width / 2);
  const double share = 1 / static_cast<double>(width);
  Point point{
      .valid = true, .x = sum_.x * share, .y = sum_.y * share, .raw_x = raw.x, .raw_y = raw.y};
  if (newest > 0) {
    point.dx = point.x - last_.x;
    point.dy = point.y - last_.y;
    point.moved = std::hypot(point.dx, point.dy);
  }
  last_ = {point.x, point.y};
  return point;
}

double PathSmoother::Tail(double x, double y) const {
  if (count_ == 0) return 0;
  const long newest = count_ - 1;
  double length = 0;
  Place before = last_;
  const auto go = [&](const Place& to) {
    length += std::hypot(to.x - before.x, to.y - before.y);
    before = to;
  };
  for (long center = newest - std::min(newest, 2 * half_) / 2; center <= newest; ++center) {
    go(MeanAround(center, std::min(half_, newest - center)));
  }
  go({x, y});
  return length;
}

PathSmoother::Place PathSmoother::MeanAround(long center, long half) const {
  Place sum;
  for (long i = center - half; i <= center + half; ++i) sum = {sum.x + At(i).x, sum.y + At(i).y};
  const double share = 1 / static_cast<double>(2 * half + 1);
  return {sum.x * share, sum.y * share};
}

}  // namespace stride
