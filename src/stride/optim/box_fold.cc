#include "stride/optim/box_fold.h"

#include <algorithm>
#include <cmath>

namespace stride {

BoxFold::BoxFold(std::vector<double> lower, std::vector<double> upper, double open_margin)
    : lower_(std::move(lower)), upper_(std::move(upper)), open_margin_(open_margin) {}

double BoxFold::Margin(int parameter) const {
  const double range = upper_[parameter] - lower_[parameter];
  return std::isfinite(range) ? range / 20 : open_margin_;
}

double BoxFold::ToBox(int parameter, double y) const {
  if (lower_.empty()) return y;
  const double lower = lower_[parameter], upper = upper_[parameter], m = Margin(parameter);
  const double first = lower - m, last = upper + m;
  if (std::isfinite(lower) && std::isfinite(upper)) {
    // Mirrors on both sides repeat after twice their distance.
    const double period = 2 * (last - first);
    if (y < first || y > last) {
      y = std::fmod(y - first, period);
      if (y < 0) y += period;
      y = first + std::min(y, period - y);
    }
  } else {
    if (y < first) y = 2 * first - y;
    if (y > last) y = 2 * last - y;
  }
  if (y < lower + m) y = lower + (y - first) * (y - first) / (4 * m);
  if (y > upper - m) y = upper - (y - last) * (y - last) / (4 * m);
  return std::clamp(y, lower, upper);
}

double BoxFold::FromBox(int parameter, double x) const {
  if (lower_.empty()) return x;
  const double lower = lower_[parameter], upper = upper_[parameter], m = Margin(parameter);
  if (x < lower + m) return lower - m + std::sqrt(4 * m * std::max(0.0, x - lower));
  if (x > upper - m) return upper + m - std::sqrt(4 * m * std::max(0.0, upper - x));
  return x;
}

}  // namespace stride
