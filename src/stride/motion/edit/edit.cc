#include "stride/motion/edit/edit.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stride/core/error.h"
#include "stride/math/rotation.h"
#include "stride/motion/edit/displacement.h"
#include "stride/motion/edit/foot_hold.h"
#include "stride/motion/kinematics.h"

namespace stride {
namespace {

// Cubic between two values with the slopes m0 and m1, 0 <= x <= 1; as a difference from the first.
template <class T>
T Cubic(double x, const T& way, const T& m0, const T& m1) {
  return way * (x * x * (3 - 2 * x)) + m0 * (x * (1 - x) * (1 - x)) - m1 * (x * x * (1 - x));
}

// A foot between frames, in the world: where it stands it stands still, which interpolated joints
// do not give.
FootPose FootBetween(const std::vector<FootPose>& path, double at) {
  const int last = static_cast<int>(path.size()) - 1;
  const int f = std::clamp(static_cast<int>(at), 0, std::max(0, last - 1)),
            next = std::min(f + 1, last);
  const int before = std::max(0, f - 1), after = std::min(last, next + 1);
  const double x = at - f;
  const auto way = [&](int a, int b) { return path[b].position - path[a].position; };
  const auto turn = [&](int a, int b) {
    return Log(path[b].rotation * Conjugate(path[a].rotation));
  };
  // Where a foot stands on one side, its slope there is zero: no overshoot into the ground.
  const auto slope = [](const Vec3d& a, const Vec3d& b) {
    return Norm(a) < 1e-6 || Norm(b) < 1e-6 ? Vec3d{} : (a + b) * 0.5;
  };
  FootPose pose = path[x < 0.5 ? f : next];
  pose.position = path[f].position + Cubic(x, way(f, next), slope(way(before, f), way(f, next)),
                                           slope(way(f, next), way(next, after)));
  pose.rotation = Normalized(Exp(Cubic(x, turn(f, next), slope(turn(before, f), turn(f, next)),
                                       slope(turn(f, next), turn(next, after)))) *
                             path[f].rotation);
  pose.height = (1 - x) * path[f].height + x * path[next].height;
  return pose;
}

}  // namespace

Motion Cut(const Motion& motion, int first, int last) {
  if (first < 0 || last < first || last >= motion.FrameCount()) {
    throw InputError(fmt::format("motion '{}': no frames {} to {}; expected a range within 0 to {}",
                                 motion.name, first, last, motion.FrameCount() - 1));
  }
  Motion part = motion;
  part.loops = motion.loops && first == 0 && last == motion.FrameCount() - 1;
  part.frames.assign(motion.frames.begin() + first, motion.frames.begin() + last + 1);
  part.contacts.assign(motion.contacts.begin() + first, motion.contacts.begin() + last + 1);
  return part;
}

std::vector<double> SampleSmooth(const Motion& motion, const Character& character, double t) {
  const int count = motion.FrameCount();
  if (count < 3) return SampleMotion(motion, character, t);
  double at = t * motion.fps;
  if (!motion.loops) at = std::clamp(at, 0.0, count - 1.0);
  double frame = std::floor(at);
  if (!motion.loops) frame = std::min(frame, count - 2.0);
  const double x = at - frame;
  const auto pose = [&](double f) {
    if (f >= 0 && f < count) return motion.frames[static_cast<int>(f)];
    return SampleMotion(motion, character, f / motion.fps);
  };
  const std::vector<double> p0 = pose(frame);
  if (x < 1e-9) return p0;
  const std::vector<double> p1 = pose(frame + 1);
  const std::vector<double> way = PoseDifference(character, p0, p1, 1);
  // At an end the slope is the way itself.
  const bool at_start = !motion.loops && frame < 1, at_end = !motion.loops && frame + 2 >= count;
  const std::vector<double> before =
      at_start ? way : PoseDifference(character, pose(frame - 1), p0, 1);
  const std::vector<double> after =
      at_end ? way : PoseDifference(character, p1, pose(frame + 2), 1);
  std::vector<double> sum(way.size());
  for (std::size_t i = 0; i < way.size(); ++i) {
    sum[i] = Cubic(x, way[i], 0.5 * (before[i] + way[i]), 0.5 * (way[i] + after[i]));
  }
  return PoseSum(character, p0, sum, 1);
}

TimeCurve::TimeCurve(std::vector<std::pair<double, double>> points, bool periodic)
    : points_(std::move(points)) {
  const std::size_t count = points_.size();
  if (count < 2)
    throw InputError(fmt::format("time curve: {} points; expected at least two", count));
  std::vector<double> secant(count - 1);
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const double dx = points_[i + 1].first - points_[i].first,
                 dy = points_[i + 1].second - points_[i].second;
    if (!(dx > 0 && dy > 0 && std::isfinite(dx) && std::isfinite(dy))) {
      throw InputError(fmt::format(
          "time curve: goes from ({}, {}) to ({}, {}); expected both times to grow",
          points_[i].first, points_[i].second, points_[i + 1].first, points_[i + 1].second));
    }
    secant[i] = dy / dx;
  }
  // Harmonic means of the neighbouring secants stay within the bounds of Fritsch and Carlson.
  const auto mean = [](double a, double b) { return 2 * a * b / (a + b); };
  slopes_.resize(count);
  slopes_.front() = periodic ? mean(secant.front(), secant.back()) : secant.front();
  slopes_.back() = periodic ? slopes_.front() : secant.back();
  for (std::size_t i = 1; i + 1 < count; ++i) slopes_[i] = mean(secant[i - 1], secant[i]);
}

double TimeCurve::operator()(double x) const {
  if (x <= points_.front().first) return points_.front().second;
  if (x >= points_.back().first) return points_.back().second;
  const auto next =
      std::upper_bound(points_.begin(), points_.end(), x,
                       [](double value, const auto& point) { return value < point.first; });
  const std::size_t i = static_cast<std::size_t>(next - points_.begin()) - 1;
  const double width = points_[i + 1].first - points_[i].first;
  const double y = (x - points_[i].first) / width;
  return points_[i].second + y * y * (3 - 2 * y) * (points_[i + 1].second - points_[i].second) +
         width * (y * (1 - y) * (1 - y) * slopes_[i] - y * y * (1 - y) * slopes_[i + 1]);
}

Motion TimeScaled(const Motion& motion, const Character& character, double factor) {
  if (!(factor >= 0.01 && factor <= 100)) {
    throw InputError(
        fmt::format("motion '{}': time scale {}; expected 0.01 to 100", motion.name, factor));
  }
  if (motion.FrameCount() < 2 || factor == 1) return motion;
  const double duration = motion.Duration();
  return TimeWarped(motion, character,
                    TimeCurve({{0, 0}, {factor * duration, duration}}, motion.loops));
}

Motion TimeWarped(const Motion& motion, const Character& character, const TimeCurve& curve) {
  RequireFreeRoot(character);
  Motion result = motion;
  const double duration = curve.End() - curve.Start();
  if (duration * motion.fps > 1e7) {
    throw InputError(fmt::format("motion '{}': time curve of {} s; expected less than 1e7 frames",
                                 motion.name, duration));
  }
  const int last = std::max(1, static_cast<int>(std::lround(duration * motion.fps)));
  result.frames.clear();
  result.contacts.clear();
  std::vector<double> times;
  for (int f = 0; f <= last; ++f) {
    const double t = curve(curve.Start() + duration * f / last);
    // A loop's last frame is asked for as such, not as the first of the next round.
    const bool end = t >= motion.Duration();
    result.frames.push_back(end ? motion.frames.back() : SampleSmooth(motion, character, t));
    result.contacts.push_back(end ? motion.contacts.back() : SampleContacts(motion, t));
    times.push_back(t);
  }
  // Less than all of a loop is none.
  result.loops = motion.loops && std::fabs(curve(curve.Start())) < 1e-9 &&
                 std::fabs(curve(curve.End()) - motion.Duration()) < 1e-9;
  MakeSignsContinuous(Kinematics(character), &result.frames);
  const FootPaths feet = TrackFeet(character, motion);
  FootPaths wanted;
  for (int side = 0; side < 2; ++side) {
    if (feet[side].empty()) continue;
    for (const double t : times) {
      wanted[side].push_back(
          FootBetween(feet[side], std::clamp(t * motion.fps, 0.0, motion.FrameCount() - 1.0)));
    }
  }
  BringFeet(character, wanted, &result);
  return result;
}

}  // namespace stride
