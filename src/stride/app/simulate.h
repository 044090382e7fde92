#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/scenario/push.h"
#include "stride/sim/engine.h"

// One run of one character: behind `stride simulate`.
namespace stride {

// Mass fixed to a body at its centre of mass.
struct Load {
  std::string body;  // a body's name, or a role such as "left_hand"
  double mass = 0;   // kg
  friend bool operator==(const Load&, const Load&) = default;
};

// A ball thrown at the trunk.
struct Throw {
  double mass = 0;                // kg
  double speed = 0;               // m/s, when it leaves the hand 2 m away
  double at = 0;                  // s
  std::optional<double> heading;  // where it flies to, rad; random if there is none
  friend bool operator==(const Throw&, const Throw&) = default;
};

struct SimulateOptions {
  std::string character = "liu16";  // built-in name or MJCF file
  std::string engine = "native";
  std::string controller = "hold";  // one of Drives()
  double seconds = 10;
  std::uint64_t seed = 0;  // of the disturbance and of random throws
  World world;             // terrain and settings; the actors are filled in
  std::vector<Push> pushes;
  double disturbance = 0;  // N; a random push without end (scenario/push.h)
  std::vector<Load> loads;
  std::vector<Throw> throws;
};

struct SimulateResult {
  std::string character, engine, controller;
  std::uint64_t seed = 0;
  double mass = 0;  // kg, with loads
  int dof = 0;
  bool fell = false;              // scenario/fall.h says what a fall is
  bool failed = false;            // the engine lost the character's numbers; the run ended there
  std::optional<double> fell_at;  // s
  double seconds = 0;             // until it fell or failed, or the run's end
  double simulated_seconds = 0;   // the run goes on after a fall
  double wall_seconds = 0, realtime_factor = 0;
  double distance = 0;                // of the root over ground, from start until `seconds`, m
  double speed = 0;                   // distance / seconds, m/s
  double max_penetration = 0;         // deepest contact of the character, m
  Vec3d final_root;                   // position of the root's frame at the end of the run, m
  nlohmann::ordered_json settings;    // of the world
  std::vector<std::string> warnings;  // of the character's reader
};

// Ways to drive a character without a controller.
struct Drive {
  std::string name, description;
  Actuation (*make)(const Character& character, const std::vector<double>& stand_q);
};
const std::vector<Drive>& Drives();

// Throws InputError for what does not exist or does not fit; a fall is a result.
SimulateResult Simulate(const SimulateOptions& options);
nlohmann::ordered_json ToJson(const SimulateResult& result);

}  // namespace stride
