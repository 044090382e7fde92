#include "stride/run/run_setup.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "stride/character/library.h"
#include "stride/controllers/registry.h"
#include "stride/controllers/skill_library.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/core/json_text.h"
#include "stride/core/nearest.h"
#include "stride/run/json_keys.h"
#include "stride/run/run_input.h"

namespace stride {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr double kMaxPlace = 1000;   // m
constexpr double kMaxHeading = 1e6;  // rad or degrees

CharacterSetup CharacterFromJson(const Json& json, const std::string& source) {
  constexpr const char* kKeys[] = {"character",         "controller", "skill", "motions", "graph",
                                   "controller_config", "x",          "y",     "z",       "heading",
                                   "heading_deg",       "commands",   "curves"};
  if (!json.is_object()) throw InputError(source, 0, "expected a character: an object {…}");
  for (const auto& [key, value] : json.items()) {
    if (std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys)) continue;
    throw InputError(source, 0, NotAmong("key", key, {std::begin(kKeys), std::end(kKeys)}));
  }
  CharacterSetup setup;
  const auto read = [&]<class Value>(const char* key, Value* value) {
    if (json.contains(key)) *value = Get<Value>(json, key, source);
  };
  const auto number = [&](const char* key, double most, double* value) {
    read(key, value);
    if (std::fabs(*value) <= most) return;
    throw InputError(source, 0,
                     fmt::format("{} is {}; expected {} to {}", key, *value, -most, most));
  };
  read("character", &setup.character);
  read("skill", &setup.skill);
  if (json.contains("controller")) {
    read("controller", &setup.controller);
  } else if (!setup.skill.empty()) {
    setup.controller = ControllerOfSkill(setup.skill);
  }
  read("motions", &setup.motions);
  read("graph", &setup.graph);
  if (json.contains("controller_config")) setup.controller_config = json["controller_config"];
  number("x", kMaxPlace, &setup.x);
  number("y", kMaxPlace, &setup.y);
  number("z", kMaxPlace, &setup.z);
  double degrees = 0;
  number("heading", kMaxHeading, &setup.heading);
  number("heading_deg", kMaxHeading, &degrees);
  if (json.contains("heading") && json.contains("heading_deg")) {
    throw InputError(source, 0, "has both heading and heading_deg; expected one");
  }
  setup.heading += degrees * std::numbers::pi / 180;
  if (json.contains("commands")) setup.commands = CommandsFromJson(json["commands"], source);
  if (json.contains("curves")) {
    if (!json["curves"].is_array()) throw InputError(source, 0, "'curves' is no list of edits");
    for (const Json& edit : json["curves"]) {
      setup.curves.push_back(CurveEditFromJson(edit, source + ": curves"));
    }
  }
  for (const TimedCommand& command : setup.commands) {
    if (command.actor == 0) continue;
    throw InputError(source, 0,
                     fmt::format("commands name actor {}; expected none: they are this one's own",
                                 command.actor));
  }
  return setup;
}

OrderedJson ToJson(const CharacterSetup& setup) {
  OrderedJson json = {{"character", setup.character},
                      {"controller", setup.controller},
                      {"skill", setup.skill},
                      {"motions", setup.motions},
                      {"graph", setup.graph},
                      {"controller_config", setup.controller_config},
                      {"x", setup.x},
                      {"y", setup.y},
                      {"z", setup.z},
                      {"heading", setup.heading},
                      {"commands", ToJson(setup.commands)}};
  for (const CurveEdit& edit : setup.curves) json["curves"].push_back(ToJson(edit));
  return json;
}

OrderedJson ToJson(const std::vector<CharacterSetup>& characters) {
  OrderedJson list = OrderedJson::array();
  for (const CharacterSetup& each : characters) list.push_back(ToJson(each));
  return list;
}

// The first character's keys in the setup itself, the rest in "others".
std::vector<CharacterSetup> CharactersBefore(const Json& json, const std::string& source) {
  CharacterSetup first;
  first.character = Get<std::string>(json, "character", source);
  first.controller = Get<std::string>(json, "controller", source);
  // Recordings made before there were skills have none.
  if (json.contains("skill")) first.skill = Get<std::string>(json, "skill", source);
  first.motions = Get<std::vector<std::string>>(json, "motions", source);
  first.controller_config = Need(json, "controller_config", source);
  std::vector<CharacterSetup> characters = {std::move(first)};
  if (json.contains("others")) {
    for (CharacterSetup& other : CharactersFromJson(json["others"], source + ": others")) {
      characters.push_back(std::move(other));
    }
  }
  return characters;
}

void CheckActor(const char* what, std::size_t index, int actor, std::size_t characters) {
  if (actor >= 0 && static_cast<std::size_t>(actor) < characters) return;
  throw InputError(fmt::format("scenario: {}[{}]: there is no actor {}; expected 0 to {}", what,
                               index, actor, characters - 1));
}

}  // namespace

// Skills of one method are all there are; its controller is the one they were learned with.
std::string ControllerOfSkill(const std::string& skill, const std::string& asked) {
  const std::string controller = EnvelopeOf(skill).controller;
  if (asked.empty() || asked == controller) return controller;
  throw InputError(
      fmt::format("'{}' is a skill of the controller '{}', not of '{}': leave --controller out",
                  skill, controller, asked));
}

void CheckBodyOfSkill(const std::string& skill, const std::string& character) {
  const Skill envelope = EnvelopeOf(skill);
  std::vector<std::string> warnings;
  const std::string asked = LoadCharacter(character, &warnings).name;
  if (asked == envelope.character.name) return;
  throw InputError(fmt::format(
      "'{}' is a skill of the body '{}', not of '{}': leave --character out, or learn it "
      "for that body (`stride learn`)",
      skill, envelope.character.name, asked));
}

std::vector<CharacterSetup> CharactersFromJson(const Json& json, const std::string& source) {
  if (!json.is_array()) throw InputError(source, 0, "expected a list […] of characters");
  if (json.size() > kMaxCharacters) {
    throw InputError(
        source, 0,
        fmt::format("has {} characters; expected at most {}", json.size(), kMaxCharacters));
  }
  std::vector<CharacterSetup> characters;
  for (std::size_t i = 0; i < json.size(); ++i) {
    characters.push_back(CharacterFromJson(json[i], fmt::format("{}[{}]", source, i)));
  }
  return characters;
}

std::vector<CharacterSetup> ReadCharacters(const std::string& path) {
  return CharactersFromJson(ParseJson(ReadFile(path), path), path);
}

void SeedControllers(RunSetup* setup) {
  constexpr const char* kSeed = "seed";
  constexpr std::uint64_t kSeeds = 1 << 30;
  for (std::size_t k = 0; k < setup->characters.size(); ++k) {
    CharacterSetup& each = setup->characters[k];
    const ControllerInfo& info = FindController(each.controller);
    if (!info.schema || !info.schema().contains(kSeed)) continue;
    if (each.controller_config.contains(kSeed)) continue;
    each.controller_config[kSeed] = (setup->seed + k) % kSeeds;
  }
}

std::vector<TimedCommand> CommandsOf(const RunSetup& setup, int actor) {
  std::vector<TimedCommand> commands;
  for (const TimedCommand& command : setup.scenario.commands) {
    if (command.actor == actor) commands.push_back(command);
  }
  const std::vector<TimedCommand>& own = setup.characters.at(actor).commands;
  commands.insert(commands.end(), own.begin(), own.end());
  std::stable_sort(commands.begin(), commands.end(),
                   [](const TimedCommand& a, const TimedCommand& b) { return a.at < b.at; });
  return commands;
}

OrderedJson ToJson(const RunSetup& setup) {
  return {{"engine", setup.engine},
          {"characters", ToJson(setup.characters)},
          {"scenario", ToJson(setup.scenario)},
          {"seed", setup.seed}};
}

RunSetup RunSetupFromJson(const Json& json, const std::string& source) {
  RunSetup setup;
  setup.engine = Get<std::string>(json, "engine", source);
  setup.characters = json.contains("characters")
                         ? CharactersFromJson(json["characters"], source + ": characters")
                         : CharactersBefore(json, source);
  if (setup.characters.empty()) throw InputError(source, 0, "has no character; expected one");
  setup.scenario = ScenarioFromJson(Need(json, "scenario", source), source + ": scenario");
  setup.seed = Get<std::uint64_t>(json, "seed", source);
  return setup;
}

RunSetup SetupOf(const Recording& recording) {
  const RecordingHeader& header = recording.header;
  if (header.setup.is_null()) {
    throw InputError("the recording is of no simulation: there is nothing to run again");
  }
  RunSetup setup = RunSetupFromJson(header.setup, "setup of the recording");
  setup.sources = std::make_shared<const std::vector<RecordedSource>>(header.sources);
  return setup;
}

void Validate(const RunSetup& setup) {
  const std::size_t count = setup.characters.size();
  if (count < 1 || count > kMaxCharacters) {
    throw InputError(
        fmt::format("a run has {} characters; expected 1 to {}", count, kMaxCharacters));
  }
  const Scenario& scenario = setup.scenario;
  Validate(scenario);
  CharactersFromJson(ToJson(setup.characters), "characters");  // checks them
  const auto check = [&](const char* what, const auto& items) {
    for (std::size_t i = 0; i < items.size(); ++i) CheckActor(what, i, items[i].actor, count);
  };
  check("pushes", scenario.pushes);
  check("throws", scenario.throws);
  check("commands", scenario.commands);
}

}  // namespace stride
