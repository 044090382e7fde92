#pragma once

#include <optional>
#include <vector>

#include "stride/run/run.h"

// A run as one sees it who asks where the character goes, how fast, and how it lands.
namespace stride::experiments {

struct WatchedWay {
  static constexpr double kEvery = 0.05;  // s between places
  std::vector<Vec3d> places;              // of the root
  // Vertical force of the ground, body weights, of every step after kSettled in which it carries.
  std::vector<double> forces;
  std::optional<double> fell_at;  // s

  bool Fell() const { return fell_at.has_value(); }
  double Seconds() const { return kEvery * static_cast<double>(places.size() - 1); }
  const Vec3d& At(double seconds) const;
  // From one moment to another over ground: speed, m/s, and direction, rad.
  double Speed(double from, double to) const;
  double Direction(double from, double to) const;
  // The first moment from which on the way of the next `window` s goes within `near` rad of
  // `heading`; none: never.
  std::optional<double> Reaches(double heading, double near, double from, double window) const;
  double ForceQuantile(double share) const;  // 1: the largest
};
constexpr double kSettled = 3;  // s

// Until the setup's end or the fall; `past_falls`: until its end.
WatchedWay Watch(const RunSetup& setup, bool past_falls = false);

}  // namespace stride::experiments
