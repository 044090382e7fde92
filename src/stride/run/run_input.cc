#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/run/run.h"

// Setups and inputs of runs as JSON: what a recording needs to run again.
namespace stride {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr double kMaxPlace = 1000;   // m
constexpr double kMaxHeading = 1e6;  // rad or degrees
constexpr const char* kKindNames[] = {"push", "throw", "command", "friction", "slope"};

const Json& Need(const Json& json, const char* key, const std::string& source) {
  if (!json.is_object()) throw InputError(source, 0, "expected an object");
  const auto found = json.find(key);
  if (found == json.end()) throw InputError(source, 0, fmt::format("'{}' is missing", key));
  return *found;
}

template <class Value>
Value Get(const Json& json, const char* key, const std::string& source) {
  try {
    return Need(json, key, source).get<Value>();
  } catch (const Json::exception&) {
    throw InputError(source, 0,
                     fmt::format("'{}' is {}, of the wrong type", key, json[key].dump()));
  }
}

Vec3d GetVec3(const Json& json, const char* key, const std::string& source) {
  const auto values = Get<std::vector<double>>(json, key, source);
  if (values.size() != 3) {
    throw InputError(source, 0, fmt::format("'{}' has {} numbers; expected 3", key, values.size()));
  }
  return {values[0], values[1], values[2]};
}

GroundPoint GetGroundPoint(const Json& json, const char* key, const std::string& source) {
  const auto values = Get<std::vector<double>>(json, key, source);
  if (values.size() != 2) {
    throw InputError(source, 0, fmt::format("{}: expected [x, y]", key));
  }
  return {values[0], values[1]};
}

std::optional<double> GetOptional(const Json& json, const char* key, const std::string& source) {
  if (Need(json, key, source).is_null()) return std::nullopt;
  return Get<double>(json, key, source);
}

CharacterSetup CharacterFromJson(const Json& json, const std::string& source) {
  constexpr const char* kKeys[] = {"character",         "controller", "skill", "motions",
                                   "controller_config", "x",          "y",     "heading",
                                   "heading_deg",       "commands"};
  if (!json.is_object()) throw InputError(source, 0, "expected a character: an object {…}");
  for (const auto& [key, value] : json.items()) {
    if (std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys)) continue;
    throw InputError(
        source, 0,
        fmt::format("there is no key '{}'; expected one of: {}", key, fmt::join(kKeys, ", ")));
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
  if (!setup.skill.empty()) setup.controller = "control_graph";
  read("controller", &setup.controller);
  read("motions", &setup.motions);
  if (json.contains("controller_config")) setup.controller_config = json["controller_config"];
  number("x", kMaxPlace, &setup.x);
  number("y", kMaxPlace, &setup.y);
  double degrees = 0;
  number("heading", kMaxHeading, &setup.heading);
  number("heading_deg", kMaxHeading, &degrees);
  if (json.contains("heading") && json.contains("heading_deg")) {
    throw InputError(source, 0, "has both heading and heading_deg; expected one");
  }
  setup.heading += degrees * std::numbers::pi / 180;
  if (json.contains("commands")) setup.commands = CommandsFromJson(json["commands"], source);
  return setup;
}

OrderedJson Nullable(const std::optional<double>& value) {
  return value ? OrderedJson(*value) : OrderedJson(nullptr);
}

}  // namespace

std::vector<CharacterSetup> CharactersFromJson(const Json& json, const std::string& source) {
  if (!json.is_array()) throw InputError(source, 0, "expected a list […] of characters");
  if (json.size() > kMaxOthers) {
    throw InputError(
        source, 0, fmt::format("has {} characters; expected at most {}", json.size(), kMaxOthers));
  }
  std::vector<CharacterSetup> characters;
  for (std::size_t i = 0; i < json.size(); ++i) {
    characters.push_back(CharacterFromJson(json[i], fmt::format("{}[{}]", source, i)));
  }
  return characters;
}

std::vector<CharacterSetup> ReadCharacters(const std::string& path) {
  Json json;
  try {
    json = Json::parse(ReadFile(path));
  } catch (const Json::exception& error) {
    throw InputError(
        path, 0,
        fmt::format("is no JSON ({}); docs/scenarios.md shows what is expected", error.what()));
  }
  return CharactersFromJson(json, path);
}

std::vector<CharacterSetup> CharactersOf(const RunSetup& setup) {
  std::vector<CharacterSetup> all = {{.character = setup.character,
                                      .controller = setup.controller,
                                      .skill = setup.skill,
                                      .motions = setup.motions,
                                      .controller_config = setup.controller_config,
                                      .commands = setup.scenario.commands}};
  all.insert(all.end(), setup.others.begin(), setup.others.end());
  return all;
}

OrderedJson ToJson(const RunSetup& setup) {
  OrderedJson json = {
      {"character", setup.character},       {"engine", setup.engine},
      {"controller", setup.controller},     {"skill", setup.skill},
      {"motions", setup.motions},           {"controller_config", setup.controller_config},
      {"scenario", ToJson(setup.scenario)}, {"seed", setup.seed}};
  if (setup.others.empty()) return json;
  json["others"] = OrderedJson::array();
  for (const CharacterSetup& other : setup.others) {
    json["others"].push_back({{"character", other.character},
                              {"controller", other.controller},
                              {"skill", other.skill},
                              {"motions", other.motions},
                              {"controller_config", other.controller_config},
                              {"x", other.x},
                              {"y", other.y},
                              {"heading", other.heading},
                              {"commands", ToJson(other.commands)}});
  }
  return json;
}

RunSetup RunSetupFromJson(const Json& json, const std::string& source) {
  RunSetup setup;
  setup.character = Get<std::string>(json, "character", source);
  setup.engine = Get<std::string>(json, "engine", source);
  setup.controller = Get<std::string>(json, "controller", source);
  // Recordings made before there were skills have none.
  if (json.contains("skill")) setup.skill = Get<std::string>(json, "skill", source);
  setup.motions = Get<std::vector<std::string>>(json, "motions", source);
  setup.controller_config = Need(json, "controller_config", source);
  setup.scenario = ScenarioFromJson(Need(json, "scenario", source), source + ": scenario");
  setup.seed = Get<std::uint64_t>(json, "seed", source);
  if (json.contains("others")) {
    setup.others = CharactersFromJson(json["others"], source + ": others");
  }
  return setup;
}

OrderedJson ToJson(const RunInput& input) {
  const auto vector = [](const Vec3d& v) { return OrderedJson{v.x, v.y, v.z}; };
  OrderedJson json = {{"kind", kKindNames[static_cast<int>(input.kind)]}};
  switch (input.kind) {
    case RunInput::Kind::kPush:
      json["actor"] = input.actor;
      json["body"] = input.body;
      json["point"] = vector(input.point);
      json["force"] = vector(input.vector);
      json["duration"] = input.duration;
      break;
    case RunInput::Kind::kThrow:
      json["from"] = vector(input.point);
      json["velocity"] = vector(input.vector);
      json["mass"] = input.mass;
      break;
    case RunInput::Kind::kCommand:
      json["actor"] = input.actor;
      json["speed"] = Nullable(input.command.speed);
      json["heading"] = Nullable(input.command.heading);
      json["style"] = input.command.style;
      if (const auto& to = input.command.point) json["point"] = {to->x, to->y};
      break;
    case RunInput::Kind::kFriction:
    case RunInput::Kind::kSlope: json["value"] = input.value; break;
  }
  return json;
}

RunInput RunInputFromJson(const Json& json) {
  const std::string source = "input";
  const std::string kind = Get<std::string>(json, "kind", source);
  RunInput input;
  if (kind == "push") {
    input.kind = RunInput::Kind::kPush;
    input.actor = Get<int>(json, "actor", source);
    input.body = Get<int>(json, "body", source);
    input.point = GetVec3(json, "point", source);
    input.vector = GetVec3(json, "force", source);
    input.duration = Get<double>(json, "duration", source);
  } else if (kind == "throw") {
    input.kind = RunInput::Kind::kThrow;
    input.point = GetVec3(json, "from", source);
    input.vector = GetVec3(json, "velocity", source);
    input.mass = Get<double>(json, "mass", source);
  } else if (kind == "command") {
    input.kind = RunInput::Kind::kCommand;
    // Recordings made before there were several characters name none.
    if (json.contains("actor")) input.actor = Get<int>(json, "actor", source);
    input.command.speed = GetOptional(json, "speed", source);
    input.command.heading = GetOptional(json, "heading", source);
    input.command.style = Get<int>(json, "style", source);
    if (json.contains("point")) input.command.point = GetGroundPoint(json, "point", source);
  } else if (kind == "friction" || kind == "slope") {
    input.kind = kind == "slope" ? RunInput::Kind::kSlope : RunInput::Kind::kFriction;
    input.value = Get<double>(json, "value", source);
  } else {
    throw InputError(
        source, 0,
        fmt::format("kind is '{}'; expected one of: {}, {}, {}, {}, {}", kind, kKindNames[0],
                    kKindNames[1], kKindNames[2], kKindNames[3], kKindNames[4]));
  }
  return input;
}

}  // namespace stride
