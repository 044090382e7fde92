#include "stride/math/curve.h"

#include <algorithm>
#include <cmath>

#include "stride/core/error.h"

namespace stride {
namespace {

// Solves a tridiagonal system by elimination: low[i] x[i-1] + mid[i] x[i] + high[i] x[i+1] =
// right[i].
std::vector<double> SolveTridiagonal(const std::vector<double>& low, std::vector<double> mid,
                                     const std::vector<double>& high, std::vector<double> right) {
  const int n = static_cast<int>(mid.size());
  for (int i = 1; i < n; ++i) {
    const double w = low[i] / mid[i - 1];
    mid[i] -= w * high[i - 1];
    right[i] -= w * right[i - 1];
  }
  for (int i = n - 1; i >= 0; --i) {
    right[i] = (right[i] - (i + 1 < n ? high[i] * right[i + 1] : 0)) / mid[i];
  }
  return right;
}

}  // namespace

Curve::Curve(std::vector<double> times, std::vector<double> values, double first_slope,
             double last_slope)
    : times_(std::move(times)), values_(std::move(values)) {
  const int n = static_cast<int>(times_.size());
  STRIDE_CHECK(n > 0 && values_.size() == times_.size());
  std::vector<double> low(n, 0.0), mid(n, 1.0), high(n, 0.0), right(n, 0.0);
  right.front() = first_slope;
  right.back() = n > 1 ? last_slope : first_slope;
  for (int i = 1; i + 1 < n; ++i) {
    const double h0 = times_[i] - times_[i - 1], h1 = times_[i + 1] - times_[i];
    low[i] = 1 / h0;
    high[i] = 1 / h1;
    mid[i] = 2 * (low[i] + high[i]);
    right[i] =
        3 * ((values_[i] - values_[i - 1]) / (h0 * h0) + (values_[i + 1] - values_[i]) / (h1 * h1));
  }
  slopes_ = SolveTridiagonal(low, mid, high, right);
}

Curve Curve::Periodic(std::vector<double> times, std::vector<double> values, double period) {
  // Three periods of the points make the slopes of the middle one periodic to the last digits that
  // matter: the influence of an end falls by 3.7 with every point.
  const int n = static_cast<int>(times.size());
  STRIDE_CHECK(n > 0 && period > 0);
  const int repeats = 2 * (20 / n + 1) + 1, middle = repeats / 2;
  std::vector<double> long_times, long_values;
  for (int k = 0; k < repeats; ++k) {
    for (int i = 0; i < n; ++i) {
      long_times.push_back(times[i] + (k - middle) * period);
      long_values.push_back(values[i]);
    }
  }
  const Curve unrolled(long_times, long_values);
  Curve curve;
  const auto first = middle * n;
  for (int i = 0; i <= n; ++i) {
    curve.times_.push_back(unrolled.times_[first + i]);
    curve.values_.push_back(unrolled.values_[first + i]);
    curve.slopes_.push_back(unrolled.slopes_[first + i % n]);
  }
  curve.period_ = period;
  return curve;
}

Curve Curve::Monotone(std::vector<double> times, std::vector<double> values, bool rolls) {
  const int n = static_cast<int>(times.size());
  STRIDE_CHECK(n > 0 && values.size() == times.size());
  Curve curve;
  curve.slopes_.assign(n, 0.0);
  for (int i = 1; i + 1 < n; ++i) {
    const double h0 = times[i] - times[i - 1], h1 = times[i + 1] - times[i];
    const double d0 = (values[i] - values[i - 1]) / h0, d1 = (values[i + 1] - values[i]) / h1;
    if (d0 * d1 <= 0) continue;
    // The weighted harmonic mean of both chords.
    curve.slopes_[i] = 3 * (h0 + h1) / ((2 * h1 + h0) / d0 + (h1 + 2 * h0) / d1);
  }
  if (rolls && n > 1) {
    curve.slopes_.front() = (values[1] - values[0]) / (times[1] - times[0]);
    curve.slopes_.back() = (values[n - 1] - values[n - 2]) / (times[n - 1] - times[n - 2]);
  }
  curve.times_ = std::move(times);
  curve.values_ = std::move(values);
  return curve;
}

double Curve::At(double t) const {
  if (period_ > 0) t -= period_ * std::floor((t - times_.front()) / period_);
  if (t <= times_.front()) return values_.front();
  if (t >= times_.back()) return values_.back();
  const auto i = std::upper_bound(times_.begin(), times_.end(), t) - times_.begin() - 1;
  const double h = times_[i + 1] - times_[i];
  return Hermite(values_[i], slopes_[i] * h, values_[i + 1], slopes_[i + 1] * h,
                 (t - times_[i]) / h);
}

double Hermite(double a, double slope_a, double b, double slope_b, double u) {
  const double v = 1 - u;
  return v * v * ((1 + 2 * u) * a + u * slope_a) + u * u * ((1 + 2 * v) * b - v * slope_b);
}

}  // namespace stride
