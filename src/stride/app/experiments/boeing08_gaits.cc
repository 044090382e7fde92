#include "stride/app/experiments/boeing08_gaits.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/format.h>

#include "stride/character/rest_pose.h"
#include "stride/core/error.h"
#include "stride/run/run.h"

namespace stride::experiments {
namespace {

constexpr double kRestSeconds = 2;

struct Point {
  double x, y;
};

// Distance of a point outside the convex hull of others; 0 inside.
double Outside(const Point& p, std::vector<Point> points) {
  if (points.empty()) return HUGE_VAL;
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  const auto turn = [](const Point& a, const Point& b, const Point& c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  };
  std::vector<Point> hull;  // counter-clockwise (Andrew)
  for (int side = 0; side < 2; ++side) {
    const std::size_t first = hull.size();
    for (const Point& next : points) {
      while (hull.size() >= first + 2 && turn(hull[hull.size() - 2], hull.back(), next) <= 0) {
        hull.pop_back();
      }
      hull.push_back(next);
    }
    if (points.size() > 1) hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  double nearest = HUGE_VAL;
  bool inside = hull.size() > 2;
  for (std::size_t k = 0; k < hull.size(); ++k) {
    const Point &a = hull[k], &b = hull[(k + 1) % hull.size()];
    if (turn(a, b, p) < 0) inside = false;
    const double length = (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y);
    const double s =
        length > 0
            ? std::clamp(((p.x - a.x) * (b.x - a.x) + (p.y - a.y) * (b.y - a.y)) / length, 0.0, 1.0)
            : 0;
    nearest =
        std::min(nearest, std::hypot(a.x + s * (b.x - a.x) - p.x, a.y + s * (b.y - a.y) - p.y));
  }
  return inside ? 0 : nearest;
}

// How far each joint about Z is behind the first, as a share of a turn of its main frequency.
std::vector<double> WaveOf(const Character& character, const std::vector<std::vector<double>>& q,
                           double step) {
  std::vector<int> joints;
  const Layout layout = LayoutOf(character);
  for (int i = 1; i < character.BodyCount(); ++i) {
    const Joint& joint = character.bodies[i].joint;
    if (joint.kind == JointKind::kHinge && std::abs(joint.axis.z) > 0.9)
      joints.push_back(layout.q[i]);
  }
  std::vector<double> wave;
  if (joints.size() < 2 || q.size() < 100) return wave;
  const auto component = [&](int joint, double frequency) {
    std::complex<double> sum = 0;
    for (std::size_t k = 0; k < q.size(); ++k) {
      sum += q[k][joint] *
             std::polar(1.0, -2 * std::numbers::pi * frequency * step * static_cast<double>(k));
    }
    return sum;
  };
  double best = 0, most = 0;
  for (double frequency = 0.2; frequency < 5; frequency += 0.02) {
    double power = 0;
    for (const int joint : joints) power += std::norm(component(joint, frequency));
    if (power > most) most = power, best = frequency;
  }
  const std::complex<double> first = component(joints[0], best);
  for (const int joint : joints) {
    double delay = std::arg(first / component(joint, best)) / (2 * std::numbers::pi);
    wave.push_back(delay - std::floor(delay));
  }
  return wave;
}

}  // namespace

double GaitRun::AsideDegrees() const {
  return std::abs(std::atan2(sideways, forwards)) * 180 / std::numbers::pi;
}

const std::vector<GaitPlan>& MorphologyPlans() {
  const std::vector<std::string> base = {"optimizer=cma", "servo_generations=0", "trials=2"};
  const std::vector<std::string> more = Join(base, {"generations=240", "population=48"});
  const std::vector<std::string> less = Join(base, {"generations=90", "population=32"});
  static const std::vector<GaitPlan> plans = {
      {"biped", "biped", more, 5},
      {"android", "android", Join(more, {"speed=0.45"}), 5},
      {"tripod", "tripod", more, 5},
      {"snake", "snake", Join(more, {"speed=0.18", "shortest=0.8"}), 2},
      {"quadruped", "quadruped", Join(less, {"speed=0.5"}), 5},
      {"hexapod", "hexapod", Join(less, {"speed=0.45"}), 5},
      // It hops or stands: what it finds first, so that it looks further from rest.
      {"hopper", "hopper",
       Join(base, {"generations=150", "population=48", "shortest=0.25", "sigma=0.8"}), 5},
  };
  return plans;
}

const GaitPlan& PlanOf(const std::string& name) {
  for (const GaitPlan& plan : MorphologyPlans()) {
    if (plan.name == name) return plan;
  }
  throw InputError("there is no gait plan '" + name + "'");
}

GaitPlan JumpPlan() {
  return {"android_jump",
          "android",
          {"optimizer=cma", "generations=200", "population=96", "trials=2", "servo_generations=0",
           "fitness=jump", "symmetry=together", "shortest=0.25"},
          0};
}
GaitPlan StaticPlan() {
  return {"biped_static",
          "biped",
          {"optimizer=cma", "generations=240", "population=48", "trials=2", "servo_generations=0",
           "fitness=static", "speed=0.12", "shortest=0.8", "reach=0.8"},
          1};
}
// In four worlds, and slower than it could: with two it gallops on its own ground alone.
GaitPlan GallopPlan() {
  return {"tripod_gallop",
          "tripod",
          {"optimizer=cma", "generations=300", "population=64", "trials=4", "servo_generations=0",
           "symmetry=together", "speed=1.2"},
          5};
}

// In four worlds: with two it hardly moves in engines whose friction is another's.
GaitPlan UndulationPlan() {
  return {"snake_undulation",
          "snake",
          {"optimizer=cma", "generations=240", "population=48", "trials=4", "servo_generations=0",
           "speed=0.18", "shortest=0.8", "fitness=wave"},
          2};
}

ObtainedWalker ObtainGait(const GaitPlan& plan, std::uint64_t seed,
                          const ExperimentContext& context,
                          const std::map<std::string, std::vector<std::string>>& options) {
  return ObtainWalker({.name = fmt::format("{}-{}", plan.name, seed),
                       .character = plan.character,
                       .settings = plan.settings,
                       .options = options,
                       .seed = seed,
                       .method = "spline",
                       .quick = {"generations=3", "servo_generations=1", "population=8",
                                 "seconds=2", "goal_seconds=4", "trials=1"}},
                      context);
}

RunSetup GaitSetup(const std::string& skill, double seconds, double stop,
                   const std::string& engine) {
  RunSetup setup = WalkSetup(skill, seconds);
  setup.engine = engine;
  if (stop >= 0) setup.scenario.commands.push_back({.at = stop, .speed = 0});
  return setup;
}

GaitRun PerformGait(const RunSetup& setup) {
  Run run(setup);
  const Character character = run.GetWorld().actors[0];
  const double step = run.GetWorld().time_step;
  double moving_until = setup.scenario.seconds;
  for (const TimedCommand& command : setup.scenario.commands) {
    if (command.speed && *command.speed == 0) moving_until = std::min(moving_until, command.at);
  }
  const Vec3d start = CenterOfMassAt(character, run.ActorState().q);
  Vec3d last = start;
  GaitRun result;
  RecordedFrame frame;
  std::vector<std::vector<double>> poses;
  double moving = 0;
  while (!run.Finished()) {
    run.Step();
    const Vec3d com = CenterOfMassAt(character, run.ActorState().q);
    const double speed = Norm(com - last) / step;
    last = com;
    result.rise = std::max(result.rise, com.z - start.z);
    if (run.Time() > setup.scenario.seconds - kRestSeconds) {
      result.rest_speed = std::max(result.rest_speed, speed);
    }
    if (run.Time() > moving_until || run.Time() < 1) continue;
    moving += step;
    poses.push_back(run.ActorState().q);
    run.ReadFrame(&frame);
    std::vector<Point> touching;
    for (const RecordedContact& contact : frame.contacts) {
      if (contact.force[2] > 0) touching.push_back({contact.position[0], contact.position[1]});
    }
    if (touching.empty()) result.flight += step;
    if (Outside({com.x, com.y}, touching) <= 0.02) result.over_feet += step;
  }
  result.seconds = run.FellAt().value_or(run.Time());
  result.fell = run.Fell() || run.Failed();
  result.forwards = last.x - start.x;
  result.sideways = last.y - start.y;
  result.flight /= std::max(moving, step);
  result.over_feet /= std::max(moving, step);
  result.slip = run.Measure().foot_slip;
  if (result.fell) result.rest_speed = NAN;
  result.wave = WaveOf(character, poses, step);
  return result;
}

}  // namespace stride::experiments
