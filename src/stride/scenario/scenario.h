#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/scenario/push.h"
#include "stride/sim/world.h"

// What a controller is tested against, as a plain value: ground, pushes, throws, loads, changed
// bodies and commands over time. Says nothing of who runs it: any character, controller and engine
// can. JSON in docs/scenarios.md.
namespace stride {

// Mass fixed to a body at its centre of mass.
struct Load {
  std::string body;  // a body's name, or a role such as "left_hand"
  double mass = 0;   // kg
  friend bool operator==(const Load&, const Load&) = default;
};

// A body made longer (along the way to its children, with its shapes) or heavier.
struct BodyChange {
  std::string body;  // a body's name, a role, or a group: "legs", "left_leg", "right_leg",
                     // "arms" (without feet and hands), "all"
  double length = 1, mass = 1;  // factors
  friend bool operator==(const BodyChange&, const BodyChange&) = default;
};

// A ball thrown at the trunk.
struct Throw {
  double mass = 0;                // kg
  double speed = 0;               // m/s, when it leaves the hand 2 m away
  double at = 0;                  // s
  std::optional<double> heading;  // where it flies to, rad; random if there is none
  int actor = 0;                  // at whom
  friend bool operator==(const Throw&, const Throw&) = default;
};

// From `at` on, until the next one. An absent value keeps what was commanded before.
struct TimedCommand {
  double at = 0;                  // s
  std::optional<double> speed;    // m/s
  std::optional<double> heading;  // rad
  std::optional<int> style;
  std::string style_name = {};            // instead of its number
  std::optional<GroundPoint> point = {};  // where to go; a heading ends it, and the other way round
  int actor = 0;                          // of a scenario: who is told; a character's own: 0
  friend bool operator==(const TimedCommand&, const TimedCommand&) = default;
};

// In Scenario::chosen: the terrain, its slope or both were given.
inline constexpr const char* kChosenGround = "terrain";

// Where several characters run, what names no actor is about the first of them: random pushes, the
// disturbance, loads, changes and the end at a fall always are.
struct Scenario {
  std::string name, description;
  double seconds = 10;
  bool stop_at_fall = false;  // of the first; or go on until `seconds`
  // Ground and settings; the actors are filled in when it is run. The text of the ground, as on the
  // command line ("steps:0.1,0.3,5"), stands in `terrain` of the JSON.
  World world;
  // Keys of the world's settings that the user gave ("time_step"), or kChosenGround, even where
  // they are what they would have been: a controller's own wishes give way to these
  // (control/world_wishes.h).
  std::vector<std::string> chosen;
  std::vector<Push> pushes;
  std::optional<RandomPushes> random_pushes;
  double disturbance = 0;  // N; a random push without end (push.h)
  std::vector<Throw> throws;
  std::vector<Load> loads;
  std::vector<BodyChange> changes;
  std::vector<TimedCommand> commands;
  friend bool operator==(const Scenario&, const Scenario&) = default;
};

// The keys that were chosen, or whose values are not the usual ones.
std::vector<std::string> ChosenSettings(const Scenario& scenario);

// Throws InputError with `source` (a file's name), the key, and what was expected. In JSON the
// world's settings that are there are chosen.
Scenario ScenarioFromJson(const nlohmann::json& json, const std::string& source);
nlohmann::ordered_json ToJson(const Scenario& scenario);
// The list `commands` of a scenario or of a character, in the order of time.
std::vector<TimedCommand> CommandsFromJson(const nlohmann::json& list, const std::string& source);
nlohmann::ordered_json ToJson(const std::vector<TimedCommand>& commands);
Scenario ReadScenario(const std::string& path);
void Validate(const Scenario& scenario);

// The papers' push protocols by name: "lee10-front" … "wang09-1,1" … "liu16". Each takes a size in
// newtons where the paper has one for each direction.
struct PushProtocol {
  std::string name, description;
  double paper_force;                               // N; 0 where sizes are drawn
  void (*apply)(double force, Scenario* scenario);  // sets pushes and seconds
};
const std::vector<PushProtocol>& PushProtocols();
// "NAME" or "NAME:FORCE". Throws InputError with the names there are.
void ApplyPushProtocol(const std::string& text, Scenario* scenario);

// The body of that name or role. Throws InputError that begins with `what`, with the names there
// are.
int ScenarioBody(const Character& character, const std::string& name, const std::string& what);

// The character as the scenario changes it: bodies first, then loads.
void ApplyChanges(const Scenario& scenario, Character* character);

}  // namespace stride
