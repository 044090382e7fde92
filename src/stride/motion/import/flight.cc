#include "stride/motion/import/flight.h"

#include <algorithm>
#include <cmath>

#include "stride/motion/feet.h"
#include "stride/motion/kinematics.h"

namespace stride {
namespace {

constexpr double kGravity = 9.81;

// The parabola a + b x + c x^2 on -1 <= x <= 1 that fits best, by least squares.
struct Parabola {
  double curvature = 0;  // second derivative, m/s2
  double sag = 0;        // |c|: how far the ends lie below the top, m
  double error = 0;      // root of the mean squared residual, m
};
Parabola Fit(const std::vector<double>& values, double dt) {
  const int n = static_cast<int>(values.size());
  const double half = 0.5 * (n - 1) * dt;  // s
  const auto x_at = [&](int i) { return 2.0 * i / (n - 1) - 1; };
  double s2 = 0, s4 = 0, y0 = 0, y1 = 0, y2 = 0;
  for (int i = 0; i < n; ++i) {
    const double x = x_at(i), xx = x * x;
    s2 += xx;
    s4 += xx * xx;
    y0 += values[i];
    y1 += values[i] * x;
    y2 += values[i] * xx;
  }
  const double c = (n * y2 - s2 * y0) / (n * s4 - s2 * s2), b = y1 / s2, a = (y0 - c * s2) / n;
  double squares = 0;
  for (int i = 0; i < n; ++i) {
    const double x = x_at(i), residual = values[i] - a - b * x - c * x * x;
    squares += residual * residual;
  }
  return {2 * c / (half * half), std::fabs(c), std::sqrt(squares / n)};
}

// Headers are mostly wrong by a factor of two or four; else one of the usual rates is meant.
double LikelyRate(double stated, double fps) {
  for (const double factor : {0.5, 2.0, 0.25, 4.0}) {
    if (std::fabs(std::log(stated * factor / fps)) < 0.25) return stated * factor;
  }
  double best = 24;
  for (const double rate : {25.0, 30.0, 50.0, 60.0, 100.0, 120.0, 200.0, 240.0}) {
    if (std::fabs(std::log(rate / fps)) < std::fabs(std::log(best / fps))) best = rate;
  }
  return best;
}

}  // namespace

FlightCheck CheckFlights(const Character& character, const Motion& motion) {
  const Kinematics kinematics(character);
  const double mass = TotalMass(character);
  FlightCheck check;
  BodyFrames frames;
  const int shortest = std::max(6, static_cast<int>(std::ceil(0.2 * motion.fps)));
  std::vector<double> heights;  // of the centre of mass in the flight so far
  const auto end_flight = [&] {
    // Next to its ends the ground may still push.
    const auto margin = static_cast<long>(heights.size() / 10);
    const std::vector<double> middle(heights.begin() + margin, heights.end() - margin);
    const bool long_enough = static_cast<int>(heights.size()) >= shortest;
    heights.clear();
    if (!long_enough) return;
    const Parabola parabola = Fit(middle, 1 / motion.fps);
    // No rate is wrong by more than four times: below a sixteenth of gravity it is something else.
    if (parabola.sag > 0.02 && parabola.error < 0.15 * parabola.sag &&
        -parabola.curvature > kGravity / 20) {
      check.gravities.push_back(-parabola.curvature);
    }
  };
  for (const std::vector<double>& q : motion.frames) {
    kinematics.Frames(q, &frames);
    const bool flies =
        std::all_of(character.contact_points.begin(), character.contact_points.end(),
                    [&](const ContactPoint& point) { return PointAt(frames, point).z > 0.03; });
    if (!flies) {
      end_flight();
      continue;
    }
    double height = 0;
    for (int i = 0; i < character.BodyCount(); ++i) {
      const Body& body = character.bodies[i];
      height += body.mass * (frames.position[i] + Rotate(frames.rotation[i], body.com)).z;
    }
    heights.push_back(height / mass);
  }
  end_flight();
  if (check.gravities.empty()) return check;
  std::vector<double> sorted = check.gravities;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<long>(sorted.size() / 2),
                   sorted.end());
  check.gravity = sorted[sorted.size() / 2];
  const double ratio = std::sqrt(kGravity / check.gravity);  // true rate over the stated one
  if (ratio < 1 / 1.4 || ratio > 1.4)
    check.suggested_fps = LikelyRate(motion.fps, motion.fps * ratio);
  return check;
}

}  // namespace stride
