#include "stride/controllers/spline/spline_fitness.h"

#include <algorithm>
#include <cmath>

#include "stride/core/error.h"
#include "stride/core/nearest.h"

namespace stride {
namespace {

using V = SplineMeter;

double At(const RolloutResult& r, int value) { return r.values[value]; }
double Mean(const RolloutResult& r, int value) {
  return r.values[value] / std::max(r.seconds, 1e-3);
}
double Survived(const RolloutResult& r, const SplineTrial& t) {
  return std::min(r.seconds / t.seconds, 1.0);
}

// Phase 1: "the distance the character traveled forward minus the distance the character center of
// gravity lowered", here as shares of what is wanted and of its height. Who stands longer without a
// step is told apart too, or a population that falls at once learns nothing.
double Distance(const RolloutResult& r, const SplineTrial& t) {
  const double ahead = std::clamp(At(r, V::kForwards) / t.goal, -1.0, 1.0);
  return 2 * ahead + Survived(r, t) - Mean(r, V::kDrop) / t.height -
         0.5 * std::min(At(r, V::kTrunkTouch) / t.seconds, 1.0) - At(r, V::kBackwards);
}

// Phase 2: "the average speed ... and the distance the robot wavered from the desired path".
double Wander(const RolloutResult& r, const SplineTrial& t) {
  return Distance(r, t) - std::min(4 * Mean(r, V::kWander) / t.goal, 1.0) -
         std::min(4 * Mean(r, V::kHeadingError), 1.0);
}

// How far from rest one is that was told to stop. Nobody stands still before the time to.
double Unrest(const RolloutResult& r, const SplineTrial& t) {
  if (!t.stops) return 0;
  return Survived(r, t) < 1 ? 1 : std::min(At(r, V::kUnrest) / 0.5, 1.0);
}

// The same, where stopping is all that is left to learn: who falls late is nearer to it, and falls
// are what most searches for a stop begin with; who sways by a few cm/s is not at rest, so that the
// last of it weighs as much as the first.
double FarFromRest(const RolloutResult& r, const SplineTrial& t) {
  if (!t.stops) return 0;
  if (Survived(r, t) < 1) {
    return 1 + std::min((t.seconds - r.seconds) / (t.seconds - t.stop_at), 1.0);
  }
  const double speed = At(r, V::kUnrest);
  return 0.5 * std::min(speed / 0.5, 1.0) + 0.5 * std::min(speed / 0.1, 1.0);
}

// Phase 3: "the distance the robot is at termination from its desired terminating point"; at rest.
double Goal(const RolloutResult& r, const SplineTrial& t) {
  const double off = std::abs(At(r, V::kForwards) - t.goal) / t.goal;
  return Wander(r, t) - 0.5 * std::min(off, 1.0) - FarFromRest(r, t);
}

// Always over its feet, which never all leave the ground, nor slide over it: what slides shuffles.
// Shares of the time weigh more than all of the way, or it pays to hop.
double Static(const RolloutResult& r, const SplineTrial& t) {
  return Wander(r, t) - 5 * Mean(r, V::kUnsupported) - 20 * Mean(r, V::kOffSupport) -
         5 * Mean(r, V::kFlight) - 2 * std::min(At(r, V::kSlip) / t.goal, 1.0) - Unrest(r, t);
}

// What a snake does: a wave that travels along the body, by a sixth of a cycle a joint or more.
double Wave(const RolloutResult& r, const SplineTrial& t) {
  return Goal(r, t) + 2 * std::min(At(r, V::kWave), 0.6);
}

double Speed(const RolloutResult& r, const SplineTrial& t) {
  return At(r, V::kForwards) / t.seconds;
}
double Fnd(const RolloutResult& r, const SplineTrial& t) { return Speed(r, t) - Mean(r, V::kDrop); }
double Dfnd(const RolloutResult& r, const SplineTrial&) { return At(r, V::kDecayed); }
double Dfndf(const RolloutResult& r, const SplineTrial& t) {
  return Dfnd(r, t) - (r.fell || At(r, V::kTrunkTouch) > 0 ? 1 : 0);
}
double Dfndfa(const RolloutResult& r, const SplineTrial& t) {
  return Dfndf(r, t) - (1 - At(r, V::kActive));
}
double Dfndfo(const RolloutResult& r, const SplineTrial& t) {
  return Dfndfa(r, t) - (1 - At(r, V::kOscillating));
}
double Path(const RolloutResult& r, const SplineTrial& t) {
  // Who falls is as far off as if it had stayed there.
  const double left = t.seconds - r.seconds;
  return -(At(r, V::kPathError) + left * t.goal * t.goal) / t.seconds;
}
// The centre of mass rises above where it stood, with all feet off the ground, again and again,
// and goes on. It does not fall.
double Jump(const RolloutResult& r, const SplineTrial& t) {
  const double flight = std::min(At(r, V::kFlight) / t.seconds, 0.3);
  // Times how long it stood: a leap into a fall is none.
  return Survived(r, t) * (1 + 10 * std::min(At(r, V::kRise), 0.15) + 5 * flight) +
         std::clamp(At(r, V::kForwards) / t.goal, -1.0, 1.0) -
         std::min(4 * Mean(r, V::kWander) / t.goal, 0.5) -
         std::min(4 * Mean(r, V::kHeadingError), 1.0) - Mean(r, V::kDrop) / t.height -
         0.5 * std::min(At(r, V::kTrunkTouch) / t.seconds, 1.0) - At(r, V::kBackwards) -
         Unrest(r, t);
}
double Turn(const RolloutResult& r, const SplineTrial& t) {
  return Survived(r, t) + std::clamp(At(r, V::kTurned) / 1.5707963, -1.0, 2.0) +
         0.5 * std::min(At(r, V::kForwards) / t.goal, 1.0) - Mean(r, V::kDrop) / t.height;
}

}  // namespace

const std::vector<SplineFitness>& SplineFitnesses() {
  static const std::vector<SplineFitness> all = {
      {"distance", "forward distance less the drop of the centre of mass", Distance},
      {"wander", "the same, and straight", Wander},
      {"goal", "the same, and at the goal in the end, at rest", Goal, true},
      {"speed", "mean forward speed (Reeve's Speed5 of five seconds)", Speed},
      {"fnd", "forward not down: mean speed less the mean drop of the centre of mass", Fnd},
      {"dfnd", "the same, later times counting less and less", Dfnd},
      {"dfndf", "the same, less 1 where the body touches the ground or falls", Dfndf},
      {"dfndfa", "the same, less the share of actuators that do not move", Dfndfa},
      {"dfndfo", "the same, less the share of joints that do not swing", Dfndfo},
      {"path", "squared distance to a path that speeds up, goes straight and slows down", Path},
      {"static", "distance, straight, with the centre of mass over the feet all the time", Static,
       true},
      {"wave", "goal, by a wave that travels along a chain of joints about the vertical", Wave,
       true},
      {"jump", "rise of the centre of mass and time in flight", Jump, true},
      {"turn", "turned to the left", Turn}};
  return all;
}

const SplineFitness& FindSplineFitness(const std::string& name) {
  std::vector<std::string> names = {"staged"};
  for (const SplineFitness& fitness : SplineFitnesses()) {
    if (fitness.name == name) return fitness;
    names.push_back(fitness.name);
  }
  throw InputError(NotAmong("fitness", name, names));
}

}  // namespace stride
