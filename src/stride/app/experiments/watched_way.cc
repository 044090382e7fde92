#include "stride/app/experiments/watched_way.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "stride/motion/kinematics.h"

namespace stride::experiments {

const Vec3d& WatchedWay::At(double seconds) const {
  const auto index = static_cast<std::size_t>(std::max(0.0, std::round(seconds / kEvery)));
  return places[std::min(index, places.size() - 1)];
}

double WatchedWay::Speed(double from, double to) const {
  const Vec3d way = At(to) - At(from);
  return std::hypot(way.x, way.y) / (to - from);
}

double WatchedWay::Direction(double from, double to) const {
  const Vec3d way = At(to) - At(from);
  return std::atan2(way.y, way.x);
}

std::optional<double> WatchedWay::Reaches(double heading, double near, double from,
                                          double window) const {
  std::optional<double> since;
  for (double t = from; t + window <= Seconds(); t += kEvery) {
    const double off = std::remainder(Direction(t, t + window) - heading, 2 * std::numbers::pi);
    if (std::fabs(off) > near) {
      since.reset();
    } else if (!since) {
      since = t;
    }
  }
  return since;
}

double WatchedWay::ForceQuantile(double share) const {
  if (forces.empty()) return 0;
  std::vector<double> sorted = forces;
  const auto at =
      sorted.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(sorted.size() - 1));
  std::nth_element(sorted.begin(), at, sorted.end());
  return *at;
}

WatchedWay Watch(const RunSetup& setup, bool past_falls) {
  Run run(setup);
  WatchedWay way;
  const World& world = run.GetWorld();
  const double weight = TotalMass(world.actors[0]) * world.gravity;
  const int every =
      std::max(1, static_cast<int>(std::lround(WatchedWay::kEvery / world.time_step)));
  RecordedFrame frame;
  const auto note = [&] { way.places.push_back(Vec3At(run.ActorState().q, 0)); };
  note();
  while (!run.Finished() && !run.Failed() && (past_falls || !run.Fell())) {
    run.Step();
    run.TakeEvents();
    if (static_cast<int>(run.StepCount()) % every == 0) note();
    if (run.Time() < kSettled) continue;
    run.ReadFrame(&frame);
    double force = 0;
    for (const RecordedContact& contact : frame.contacts) {
      if (contact.actor == 0 && contact.other_actor < 0) force += contact.force[2];
    }
    if (force > 0) way.forces.push_back(force / weight);
  }
  way.fell_at = run.FellAt();
  if (run.Failed() && !way.fell_at) way.fell_at = run.Time();
  return way;
}

}  // namespace stride::experiments
