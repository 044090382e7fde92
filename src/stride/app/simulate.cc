#include "stride/app/simulate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stride/character/library.h"
#include "stride/character/rest_pose.h"
#include "stride/core/error.h"
#include "stride/core/random.h"
#include "stride/scenario/fall.h"
#include "stride/scenario/placement.h"
#include "stride/sim/world_config.h"

namespace stride {
namespace {

constexpr double kThrowDistance = 2;  // from the trunk, m
constexpr double kBallDensity = 500;  // kg/m^3: a heavy ball of leather
constexpr double kMaxSeconds = 86400;

void CheckOptions(const SimulateOptions& o) {
  const auto check = [](bool good, const std::string& what) {
    if (!good) throw InputError(what);
  };
  check(
      o.seconds > 0 && o.seconds <= kMaxSeconds,
      fmt::format("--seconds is {}; expected more than 0 and at most {}", o.seconds, kMaxSeconds));
  check(o.disturbance >= 0 && o.disturbance <= 1e6,
        fmt::format("--disturb is {}; expected 0 to 1e6 N", o.disturbance));
  for (const Push& p : o.pushes) {
    check(
        std::fabs(p.force) <= 1e6 && std::isfinite(p.heading) && p.at >= 0 && p.duration > 0 &&
            std::isfinite(p.at + p.duration),
        fmt::format("--push of {} N at {} s for {} s; expected at most 1e6 N, a time from 0 and a "
                    "positive duration",
                    p.force, p.at, p.duration));
  }
  for (const Throw& t : o.throws) {
    check(t.mass >= 1e-3 && t.mass <= 1e3 && t.speed > 0 && t.speed <= 100 && t.at >= 0 &&
              std::isfinite(t.at) && std::isfinite(t.heading.value_or(0)),
          fmt::format(
              "--throw of {} kg at {} m/s at {} s; expected 0.001 to 1000 kg, a positive speed "
              "of at most 100 m/s and a time from 0",
              t.mass, t.speed, t.at));
  }
}

const Drive& FindDrive(const std::string& name) {
  std::vector<std::string> names;
  for (const Drive& drive : Drives()) {
    if (drive.name == name) return drive;
    names.push_back(drive.name);
  }
  throw InputError(fmt::format("there is no controller '{}'; expected one of: {}", name,
                               fmt::join(names, ", ")));
}

void AddLoads(const std::vector<Load>& loads, Character* character) {
  for (const Load& load : loads) {
    int body = FindBody(*character, load.body);
    if (const Role role = RoleFromName(load.body); body < 0 && role != Role::kCount) {
      body = character->BodyOf(role);
    }
    if (body < 0) {
      std::vector<std::string> names;
      for (const Body& each : character->bodies) names.push_back(each.name);
      throw InputError(fmt::format("--load: '{}' has no body '{}'; expected one of: {}",
                                   character->name, load.body, fmt::join(names, ", ")));
    }
    AddLoad(character, body, load.mass, character->bodies[body].com);
  }
}

Character BallOf(const Throw& t) {
  return MakeBall(std::cbrt(3 * t.mass / (4 * std::numbers::pi * kBallDensity)), t.mass);
}

// Out of the way until it is thrown, on the ground far to the side.
State ParkedBall(const Character& ball, const Terrain& terrain, int index) {
  State state = RestState(ball);
  state.q[1] = 30 + 3 * index;
  state.q[2] += SurfaceAt(terrain, state.q[0], state.q[1]).height;
  return state;
}

// On its way to `target`, aimed with what gravity will take from it.
State ThrownBall(const Character& ball, const Throw& t, const Vec3d& target, double heading,
                 double gravity) {
  const Vec3d along{std::cos(heading), std::sin(heading), 0};
  const double flight = kThrowDistance / t.speed;
  const Vec3d from = target - along * kThrowDistance;
  const Vec3d velocity = along * t.speed + Vec3d{0, 0, 0.5 * gravity * flight};
  State state = RestState(ball);
  state.q = {from.x, from.y, from.z, 1, 0, 0, 0};
  state.v = {velocity.x, velocity.y, velocity.z, 0, 0, 0};
  return state;
}

Vec3d RootPosition(const Character& character, const State& state) {
  if (character.bodies[0].joint.kind != JointKind::kFree) return character.bodies[0].offset;
  return {state.q[0], state.q[1], state.q[2]};
}

// What acts on the world from outside, step by step.
class Events {
 public:
  Events(const SimulateOptions& options, const World& world)
      : options_(options),
        world_(world),
        pushed_(PushedBody(world.actors[0])),
        disturbance_{.amplitude = options.disturbance, .seed = options.seed},
        thrown_(options.throws.size(), false) {}

  // Sums all pushes into one force: an engine may take only one for each body.
  ExternalForce ForceAt(double time) {
    Vec3d force = PushAt(options_.pushes, time);
    if (disturbance_.amplitude > 0) {
      const int interval = static_cast<int>((time + 1e-9) / disturbance_.interval);
      force += DisturbanceAt(disturbance_, interval);
    }
    return {.body = pushed_, .force = force, .point = world_.actors[0].bodies[pushed_].com};
  }

  void Throw(double time, Engine* engine) {
    for (std::size_t k = 0; k < thrown_.size(); ++k) {
      const struct Throw& t = options_.throws[k];
      if (thrown_[k] || time + 1e-9 < t.at) continue;
      thrown_[k] = true;
      const BodyFrames frames = FramesAt(world_.actors[0], engine->GetState(0).q);
      const Vec3d target = frames.position[pushed_] +
                           Rotate(frames.rotation[pushed_], world_.actors[0].bodies[pushed_].com);
      Random random(options_.seed, 0, static_cast<std::uint32_t>(k));
      const double heading = t.heading.value_or(random.Uniform(0, 2 * std::numbers::pi));
      engine->SetState(static_cast<int>(k) + 1,
                       ThrownBall(world_.actors[k + 1], t, target, heading, world_.gravity));
    }
  }

 private:
  const SimulateOptions& options_;
  const World& world_;
  int pushed_;
  Disturbance disturbance_;
  std::vector<bool> thrown_;
};

}  // namespace

const std::vector<Drive>& Drives() {
  static const std::vector<Drive> drives = {
      {"hold", "servos hold the rest pose with the character's own gains; no balance feedback",
       [](const Character& character, const std::vector<double>& q) {
         return HoldPose(character, q);
       }},
      {"passive", "no servo, no torque: a rag doll",
       [](const Character& character, const std::vector<double>&) { return Passive(character); }},
  };
  return drives;
}

SimulateResult Simulate(const SimulateOptions& options) {
  CheckOptions(options);
  const Drive& drive = FindDrive(options.controller);
  FindEngine(options.engine);  // before the character's file is read
  SimulateResult result;
  World world = options.world;
  world.actors = {LoadCharacter(options.character, &result.warnings)};
  AddLoads(options.loads, &world.actors[0]);
  for (const Throw& t : options.throws) world.actors.push_back(BallOf(t));
  const Character& character = world.actors[0];

  const std::unique_ptr<Engine> engine = MakeEngine(options.engine, world);
  const State start = StandOn(character, world.terrain);
  engine->SetState(0, start);
  std::vector<Actuation> actuations = {drive.make(character, start.q)};
  for (std::size_t k = 1; k < world.actors.size(); ++k) {
    engine->SetState(static_cast<int>(k),
                     ParkedBall(world.actors[k], world.terrain, static_cast<int>(k)));
    actuations.push_back(Passive(world.actors[k]));
  }
  const FallDetector fall(character, world.terrain, start);
  Events events(options, world);

  const Vec3d from = RootPosition(character, start);
  Vec3d until = from;
  const double h = world.time_step;
  const long steps = std::max(1L, std::lround(options.seconds / h));
  long done = 0;
  const auto clock_start = std::chrono::steady_clock::now();
  while (done < steps && !result.failed) {
    const double time = static_cast<double>(done) * h;
    events.Throw(time, engine.get());
    const ExternalForce push = events.ForceAt(time);
    engine->Step(actuations, {&push, 1});
    result.failed = engine->Failed(0);
    if (result.failed) break;
    ++done;
    for (const Contact& contact : engine->Contacts()) {
      if (contact.actor == 0)
        result.max_penetration = std::max(result.max_penetration, contact.depth);
    }
    if (result.fell) continue;
    const State& state = engine->GetState(0);
    until = RootPosition(character, state);
    result.seconds = static_cast<double>(done) * h;
    if (fall.Fallen(state)) {
      result.fell = true;
      result.fell_at = result.seconds;
    }
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - clock_start;

  result.character = character.name;
  result.engine = options.engine;
  result.controller = options.controller;
  result.seed = options.seed;
  result.mass = TotalMass(character);
  result.dof = LayoutOf(character).nv;
  result.simulated_seconds = static_cast<double>(done) * h;
  result.wall_seconds = wall.count();
  result.realtime_factor = wall.count() > 0 ? result.simulated_seconds / wall.count() : 0;
  result.distance = std::hypot(until.x - from.x, until.y - from.y);
  result.speed = result.seconds > 0 ? result.distance / result.seconds : 0;
  result.final_root = RootPosition(character, engine->GetState(0));
  result.settings = ConfigToJson(world);
  return result;
}

nlohmann::ordered_json ToJson(const SimulateResult& r) {
  nlohmann::ordered_json json = {{"fell", r.fell}};
  json["fell_at"] = r.fell_at ? nlohmann::ordered_json(*r.fell_at) : nullptr;
  json.update(
      nlohmann::ordered_json{{"failed", r.failed},
                             {"seconds", r.seconds},
                             {"simulated_seconds", r.simulated_seconds},
                             {"engine", r.engine},
                             {"character", r.character},
                             {"controller", r.controller},
                             {"seed", r.seed},
                             {"realtime_factor", r.realtime_factor},
                             {"wall_seconds", r.wall_seconds},
                             {"distance", r.distance},
                             {"speed", r.speed},
                             {"max_penetration", r.max_penetration},
                             {"final_root", {r.final_root.x, r.final_root.y, r.final_root.z}},
                             {"mass", r.mass},
                             {"dof", r.dof},
                             {"settings", r.settings},
                             {"warnings", r.warnings}});
  return json;
}

}  // namespace stride
