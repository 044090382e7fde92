#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/control/control_curve.h"
#include "stride/record/recording.h"
#include "stride/scenario/scenario.h"

// What a run is made from, as plain values: who runs, where and under what.
namespace stride {

// A controlled character and where it starts.
struct CharacterSetup {
  std::string character = "liu16";  // built-in name, MJCF or URDF file
  std::string controller = "hold";
  std::string skill;                 // built-in name or file; empty: none
  std::vector<std::string> motions;  // for the controller: names or files
  std::string graph;  // the same: a motion graph's file (docs/formats.md); empty: none
  nlohmann::json controller_config = nlohmann::json::object();
  double x = 0, y = 0;                 // m
  double z = 0;                        // m above where it stands on the ground: stacked boxes
  double heading = 0;                  // rad; 0 where the ground is no plane
  std::vector<TimedCommand> commands;  // besides those of the scenario
  std::vector<CurveEdit> curves;       // of the controller's, edited before it begins
};
inline constexpr std::size_t kMaxCharacters = 64;

// The controller that performs a skill (a built-in name or a file). Throws InputError if `asked` is
// another; empty: none is asked for.
std::string ControllerOfSkill(const std::string& skill, const std::string& asked = "");
// A skill is performed on its own body. Throws InputError if `character` (a built-in name or an
// MJCF file) is another.
void CheckBodyOfSkill(const std::string& skill, const std::string& character);

// A list of characters as JSON (docs/scenarios.md). Every key may be left out; with a skill the
// controller is that of the skill unless given. Throws InputError.
std::vector<CharacterSetup> CharactersFromJson(const nlohmann::json& json,
                                               const std::string& source);
std::vector<CharacterSetup> ReadCharacters(const std::string& path);

struct RunSetup {
  std::string engine = "native";
  // At least one: actors 0, 1, ... What of the scenario names no actor is about actor 0.
  std::vector<CharacterSetup> characters = std::vector<CharacterSetup>(1);
  Scenario scenario;
  std::uint64_t seed = 0;
  // What its names stand for where they were not to be looked up: those of a recording. Null: none.
  std::shared_ptr<const std::vector<RecordedSource>> sources;
};
// Controllers that draw random numbers do so by the run's seed, each of its own, where no setting
// (controller.seed) says otherwise.
void SeedControllers(RunSetup* setup);
// What a character is told: the scenario's commands to this actor and its own, in the order of
// time.
std::vector<TimedCommand> CommandsOf(const RunSetup& setup, int actor);

nlohmann::ordered_json ToJson(const RunSetup& setup);
// Also as recordings had it where the first character's keys stood in the setup itself and the
// rest in "others". Throws InputError.
RunSetup RunSetupFromJson(const nlohmann::json& json, const std::string& source);
// That of a recording, with what its names stood for. Throws InputError, also where it is of no
// simulation.
RunSetup SetupOf(const Recording& recording);
// Throws InputError: characters or actors that cannot be.
void Validate(const RunSetup& setup);

}  // namespace stride
