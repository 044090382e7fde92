#include "stride/controllers/spline/spline_fit.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "stride/controllers/spline/spline_genome.h"
#include "stride/core/error.h"
#include "stride/math/rotation.h"

namespace stride {
namespace {

constexpr int kSamples = 240;                    // of a cycle
constexpr double kShortest = 0.3, kLongest = 3;  // s, of a cycle that is looked for

// What each actuator does at a time.
std::vector<double> ActuatorsAt(const Character& character, const SplineBody& body,
                                const Motion& motion, double t) {
  const std::vector<double> q = SampleMotion(motion, character, t);
  const Layout layout = LayoutOf(character);
  std::vector<double> values;
  for (const SplineBody::Servo& servo : body.servos) {
    const double* at = &q[layout.q[servo.body]];
    if (!servo.ball) {
      values.push_back(at[0]);
      continue;
    }
    const Vec3d v = Log(Quatd{at[0], at[1], at[2], at[3]});
    values.insert(values.end(), {v.x, v.y, v.z});
  }
  return values;
}

struct Stretch {
  double first = 0, seconds = 0;
};

// The stretch whose end is most like its start, against how far the joints move at all.
Stretch FindCycle(const Character& character, const SplineBody& body, const Motion& motion) {
  const double step = 1.0 / 60, duration = motion.Duration();
  std::vector<std::vector<double>> poses;
  for (double t = 0; t <= duration; t += step) {
    poses.push_back(ActuatorsAt(character, body, motion, t));
  }
  const int n = static_cast<int>(poses.size());
  const auto apart = [&](int a, int b) {
    double sum = 0;
    for (std::size_t k = 0; k < poses[a].size(); ++k) {
      sum += (poses[a][k] - poses[b][k]) * (poses[a][k] - poses[b][k]);
    }
    return sum;
  };
  const int shortest = static_cast<int>(kShortest / step),
            longest = static_cast<int>(kLongest / step);
  Stretch best;
  double least = HUGE_VAL;
  // Poses and where they go: two frames at each end.
  for (int a = 1; a + shortest < n; ++a) {
    for (int b = a + shortest; b < std::min(n, a + longest); ++b) {
      double moved = 0;
      for (int k = a; k < b; k += 3) moved = std::max(moved, apart(a, k));
      const double off = (apart(a, b) + apart(a - 1, b - 1)) / std::max(moved, 1e-3);
      // Of two that are alike the shorter.
      const double cost = off * (1 + 0.2 * (b - a) * step);
      if (cost < least) least = cost, best = {a * step, (b - a) * step};
    }
  }
  if (least == HUGE_VAL) {
    throw InputError(
        fmt::format("clip '{}' of {:.2f} s holds no cycle; expected {:g} s or more, or a loop",
                    motion.name, duration, kShortest));
  }
  return best;
}

}  // namespace

SplineFit FitSplines(const Character& character, const SplineBody& body, const Motion& motion,
                     const SplineGait& shape) {
  Validate(motion, character);
  SplineFit fit;
  fit.gait = shape;
  fit.period_given = motion.loops;
  const Stretch cycle =
      motion.loops ? Stretch{0, motion.Duration()} : FindCycle(character, body, motion);
  fit.first = cycle.first;
  // A loop's last frame is where it begins again, further on.
  const std::vector<double> from = SampleMotion(motion, character, cycle.first),
                            to = SampleMotion(motion, character, cycle.first + cycle.seconds);
  if (character.bodies[0].joint.kind == JointKind::kFree) {
    fit.speed = std::hypot(to[0] - from[0], to[1] - from[1]) / cycle.seconds;
  }
  fit.gait.cycle_seconds = cycle.seconds;
  fit.gait.in_seconds = fit.gait.out_seconds = cycle.seconds;
  std::vector<std::vector<double>> samples;
  for (int m = 0; m < kSamples; ++m) {
    samples.push_back(
        ActuatorsAt(character, body, motion, cycle.first + cycle.seconds * m / kSamples));
  }
  double square = 0;
  for (std::size_t a = 0; a < body.actuators.size(); ++a) {
    const SplineBody::Actuator& actuator = body.actuators[a];
    CurvePoints& points = fit.gait.curves[a].cycle;
    const int count = static_cast<int>(points.times.size());
    Eigen::MatrixXd weights(kSamples, count);
    Eigen::VectorXd values(kSamples);
    for (int m = 0; m < kSamples; ++m) {
      double w[kMostCurvePoints];
      CycleWeights(points.times.data(), count, static_cast<double>(m) / kSamples, w);
      for (int k = 0; k < count; ++k) weights(m, k) = w[k];
      values(m) = samples[m][a];
    }
    Eigen::VectorXd found = weights.colPivHouseholderQr().solve(values);
    for (int k = 0; k < count; ++k) {
      found(k) = std::clamp(found(k), actuator.low, actuator.high);
      for (int layer = 0; layer < fit.gait.Layers(); ++layer) {
        points.values[layer * count + k] = found(k);
      }
    }
    square += (weights * found - values).squaredNorm();
  }
  fit.error = std::sqrt(square / (kSamples * static_cast<double>(body.actuators.size())));
  BlendWithTheCycle(body, &fit.gait);
  return fit;
}

}  // namespace stride
