#include <algorithm>
#include <cmath>
#include <numbers>
#include <type_traits>
#include <variant>

#include <fmt/format.h>

#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/core/json_text.h"
#include "stride/core/nearest.h"
#include "stride/scenario/ground.h"
#include "stride/scenario/scenario.h"
#include "stride/sim/world_config.h"

// Scenarios as JSON (docs/scenarios.md). Angles are radians ("heading"); a file may give them in
// degrees ("heading_deg").
namespace stride {

template <class Visitor>
void VisitConfig(Push& p, Visitor& visit) {
  visit("force", p.force, {-1e6, 1e6, "N"}, "size");
  visit("heading", p.heading, {-1e6, 1e6, "rad"}, "where it pushes to");
  visit("at", p.at, {0, 1e6, "s"}, "when it begins");
  visit("duration", p.duration, {1e-6, 1e6, "s"}, "how long it acts");
  visit("body", p.body, {}, "what is pushed");
  visit("repeats", p.repeats, {1, 1e6}, "how many in all");
  visit("every", p.every, {0, 1e6, "s"}, "between the beginnings of two");
  visit("actor", p.actor, {0, 1000}, "who is pushed");
}
template <class Visitor>
void VisitConfig(RandomPushes& p, Visitor& visit) {
  visit("duration", p.duration, {1e-6, 1e6, "s"}, "how long each acts");
  visit("every", p.every, {1e-3, 1e6, "s"}, "between the beginnings of two");
  visit("sigma", p.sigma, {0, 1e6, "N"}, "standard deviation of the size at the start");
  visit("sigma_growth", p.sigma_growth, {0, 1e6, "N/s"}, "and its growth");
  visit("jitter", p.jitter, {0, 1e6, "s"}, "that each may begin later");
  visit("sideways", p.sideways, {0, 1}, "share that goes straight to the left or right");
}
template <class Visitor>
void VisitConfig(Throw& t, Visitor& visit) {
  visit("mass", t.mass, {1e-3, 1e3, "kg"}, "of the ball");
  visit("speed", t.speed, {1e-3, 100, "m/s"}, "when it leaves the hand");
  visit("at", t.at, {0, 1e6, "s"}, "when");
  visit("actor", t.actor, {0, 1000}, "at whom");
}
template <class Visitor>
void VisitConfig(Load& l, Visitor& visit) {
  visit("body", l.body, {}, "what carries it");
  visit("mass", l.mass, {1e-6, 1e9, "kg"}, "");
}
template <class Visitor>
void VisitConfig(BodyChange& c, Visitor& visit) {
  visit("body", c.body, {}, "what changes");
  visit("length", c.length, {0.01, 100}, "factor");
  visit("mass", c.mass, {0.001, 1000}, "factor");
}
template <class Visitor>
void VisitConfig(TimedCommand& c, Visitor& visit) {
  visit("at", c.at, {0, 1e6, "s"}, "from when on");
  visit("actor", c.actor, {0, 1000}, "who is told");
}

namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr double kDegree = std::numbers::pi / 180;
constexpr double kMaxSeconds = 86400;

std::string Shown(const Json& json) {
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() > 60 ? text.substr(0, 57) + "..." : text;
}

[[noreturn]] void Refuse(const std::string& where, const std::string& key, const Json& found,
                         const std::string& expected) {
  throw InputError(where, 0, fmt::format("{} is {}; expected {}", key, Shown(found), expected));
}

// The keys of an object, taken one after the other; what is left was not known.
class Keys {
 public:
  Keys(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
    if (!json_.is_object()) {
      throw InputError(where_, 0, fmt::format("is {}; expected an object {{…}}", Shown(json_)));
    }
  }
  const std::string& where() const { return where_; }

  std::optional<Json> Take(const std::string& key) {
    known_.push_back(key);
    const auto found = json_.find(key);
    if (found == json_.end()) return std::nullopt;
    Json value = *found;
    json_.erase(found);
    return value;
  }
  std::optional<double> Number(const std::string& key, double min, double max) {
    const std::optional<Json> value = Take(key);
    if (!value) return std::nullopt;
    const double number = value->is_number() ? value->get<double>() : std::nan("");
    if (!(number >= min && number <= max)) {
      Refuse(where_, key, *value, fmt::format("a number from {} to {}", min, max));
    }
    return number;
  }
  // KEY in radians or KEY_deg in degrees.
  std::optional<double> Angle(const std::string& key) {
    const std::optional<double> radians = Number(key, -1e6, 1e6);
    const std::optional<double> degrees = Number(key + "_deg", -1e6, 1e6);
    if (radians && degrees) {
      throw InputError(where_, 0, fmt::format("has both {0} and {0}_deg; expected one", key));
    }
    return degrees ? *degrees * kDegree : radians;
  }
  // [x, y]
  std::optional<GroundPoint> Point(const std::string& key) {
    constexpr double kFarthest = 1e4;  // m
    const std::optional<Json> value = Take(key);
    if (!value) return std::nullopt;
    const auto number = [&](std::size_t i) {
      const bool there = value->is_array() && value->size() == 2 && (*value)[i].is_number();
      const double x = there ? (*value)[i].get<double>() : std::nan("");
      if (!(std::fabs(x) <= kFarthest)) {
        Refuse(where_, key, *value, fmt::format("[x, y] in metres within {}", kFarthest));
      }
      return x;
    };
    return GroundPoint{number(0), number(1)};
  }
  std::string Text(const std::string& key) {
    const std::optional<Json> value = Take(key);
    if (!value) return "";
    if (!value->is_string()) Refuse(where_, key, *value, "text");
    return value->get<std::string>();
  }
  // The rest of the object, as a config.
  template <class Config>
  void Rest(Config* config) const {
    for (const auto& [key, value] : json_.items()) CheckKnown(key, FieldsOf(config));
    ConfigFromJson(json_, where_, config);
  }
  void ExpectNone() const {
    for (const auto& [key, value] : json_.items()) CheckKnown(key, {});
  }

 private:
  void CheckKnown(const std::string& key, const ConfigFields& fields) const {
    std::vector<std::string> all = known_;
    for (const ConfigField& field : fields) all.push_back(field.key.substr(0, field.key.find('.')));
    if (std::find(all.begin(), all.end(), key) != all.end()) return;
    all.erase(std::unique(all.begin(), all.end()), all.end());
    throw InputError(where_, 0, NotAmong("key", key, all));
  }

  Json json_;
  std::string where_;
  std::vector<std::string> known_;
};

Push PushFrom(Keys* keys) {
  Push push;
  push.heading = keys->Angle("heading").value_or(0);
  keys->Rest(&push);
  if (push.duration == 0) throw InputError(keys->where(), 0, "has no duration; expected seconds");
  if (push.repeats > 1 && push.every < push.duration) {
    throw InputError(keys->where(), 0,
                     fmt::format("repeats every {} s but lasts {} s; expected a larger 'every'",
                                 push.every, push.duration));
  }
  return push;
}
Throw ThrowFrom(Keys* keys) {
  Throw t;
  t.heading = keys->Angle("heading");
  keys->Rest(&t);
  if (t.mass == 0 || t.speed == 0) {
    throw InputError(keys->where(), 0, "expected a mass (kg) and a speed (m/s)");
  }
  return t;
}
Load LoadFrom(Keys* keys) {
  Load load;
  keys->Rest(&load);
  if (load.body.empty() || load.mass == 0) {
    throw InputError(keys->where(), 0, "expected a body and a mass (kg)");
  }
  return load;
}
BodyChange ChangeFrom(Keys* keys) {
  BodyChange change;
  keys->Rest(&change);
  if (change.body.empty()) throw InputError(keys->where(), 0, "expected a body");
  return change;
}
TimedCommand CommandFrom(Keys* keys) {
  TimedCommand command;
  command.speed = keys->Number("speed", -100, 100);
  command.heading = keys->Angle("heading");
  if (const std::optional<Json> style = keys->Take("style")) {
    const double number = style->is_number() ? style->get<double>() : std::nan("");
    if (style->is_string()) {
      command.style_name = style->get<std::string>();
    } else if (number >= 0 && number <= 1000 && number == std::floor(number)) {
      command.style = static_cast<int>(number);
    } else {
      Refuse(keys->where(), "style", *style, "a name, or a whole number from 0 to 1000");
    }
  }
  command.point = keys->Point("point");
  if (command.point && command.heading) {
    throw InputError(keys->where(), 0, "has both point and heading; expected one");
  }
  keys->Rest(&command);
  return command;
}

template <class Item>
std::vector<Item> ListFrom(Keys* keys, const std::string& key, Item (*read)(Keys*)) {
  std::vector<Item> items;
  const std::optional<Json> list = keys->Take(key);
  if (!list) return items;
  if (!list->is_array()) Refuse(keys->where(), key, *list, "a list […]");
  for (std::size_t i = 0; i < list->size(); ++i) {
    Keys item((*list)[i], fmt::format("{}: {}[{}]", keys->where(), key, i));
    items.push_back(read(&item));
  }
  return items;
}
template <class Item>
OrderedJson ListOf(const std::vector<Item>& items, OrderedJson (*write)(const Item&)) {
  OrderedJson list = OrderedJson::array();
  for (const Item& item : items) list.push_back(write(item));
  return list;
}

Terrain FieldFrom(Keys keys) {
  Terrain terrain;
  terrain.kind = Terrain::Kind::kHeightField;
  terrain.x0 = keys.Number("x0", -1e6, 1e6).value_or(0);
  terrain.y0 = keys.Number("y0", -1e6, 1e6).value_or(0);
  terrain.cell = keys.Number("cell", 1e-3, 1e3).value_or(terrain.cell);
  terrain.nx = static_cast<int>(keys.Number("nx", 2, 4096).value_or(0));
  terrain.ny = static_cast<int>(keys.Number("ny", 2, 4096).value_or(0));
  const Json heights = keys.Take("heights").value_or(Json());
  if (!heights.is_array()) Refuse(keys.where(), "heights", heights, "a list of nx * ny numbers");
  for (const Json& height : heights) {
    if (!height.is_number()) Refuse(keys.where(), "heights", height, "numbers only");
    terrain.heights.push_back(height.get<double>());
  }
  keys.ExpectNone();
  return terrain;
}

Terrain TerrainFrom(Keys* keys) {
  const std::optional<Json> json = keys->Take("terrain");
  Terrain terrain;
  try {
    if (json && json->is_string()) {
      terrain = ParseTerrain(json->get<std::string>(), "terrain");
    } else if (json) {
      terrain = FieldFrom(Keys(*json, keys->where() + ": terrain"));
    }
    const std::optional<double> slope = keys->Angle("slope");
    const std::optional<double> heading = keys->Angle("slope_heading");
    if ((slope || heading) && terrain.kind != Terrain::Kind::kPlane) {
      throw InputError("slope tilts a plane only; leave it out, or the terrain");
    }
    terrain.slope = slope.value_or(0);
    terrain.slope_heading = heading.value_or(0);
    Validate(terrain);
  } catch (const InputError& error) {
    const std::string what = error.what();
    throw InputError(what.starts_with(keys->where()) ? what : keys->where() + ": " + what);
  }
  return terrain;
}

void AddTerrain(const Terrain& t, OrderedJson* json) {
  switch (t.kind) {
    case Terrain::Kind::kPlane:
      (*json)["terrain"] = "plane";
      (*json)["slope"] = t.slope;
      (*json)["slope_heading"] = t.slope_heading;
      return;
    case Terrain::Kind::kSteps:
      (*json)["terrain"] =
          fmt::format("steps:{},{},{},{}", t.step_rise, t.step_depth, t.step_count, t.step_start);
      return;
    case Terrain::Kind::kHeightField:
      (*json)["terrain"] = {{"x0", t.x0}, {"y0", t.y0}, {"cell", t.cell},
                            {"nx", t.nx}, {"ny", t.ny}, {"heights", t.heights}};
      return;
  }
}

// "contact.stiffness" as a place in JSON.
std::string PointerText(std::string key) {
  std::replace(key.begin(), key.end(), '.', '/');
  return "/" + key;
}
Json::json_pointer PointerTo(const std::string& key) {
  return Json::json_pointer(PointerText(key));
}
OrderedJson::json_pointer OrderedPointerTo(const std::string& key) {
  return OrderedJson::json_pointer(PointerText(key));
}

}  // namespace

std::vector<TimedCommand> CommandsFromJson(const Json& list, const std::string& source) {
  Keys keys({{"commands", list}}, source);
  const std::vector<TimedCommand> commands = ListFrom(&keys, "commands", CommandFrom);
  for (std::size_t i = 1; i < commands.size(); ++i) {
    if (commands[i].at < commands[i - 1].at) {
      throw InputError(source, 0,
                       fmt::format("commands[{}] begins before the one above it; expected them in "
                                   "the order of time",
                                   i));
    }
  }
  return commands;
}

OrderedJson ToJson(const std::vector<TimedCommand>& commands) {
  return ListOf<TimedCommand>(commands, [](const TimedCommand& c) {
    OrderedJson each = ConfigToJson(c);
    if (c.speed) each["speed"] = *c.speed;
    if (c.heading) each["heading"] = *c.heading;
    if (c.style) each["style"] = *c.style;
    if (!c.style_name.empty()) each["style"] = c.style_name;
    if (c.point) each["point"] = {c.point->x, c.point->y};
    return each;
  });
}

std::vector<std::string> ChosenSettings(const Scenario& scenario) {
  World world = scenario.world, usual;
  const ConfigFields fields = FieldsOf(&world), usual_fields = FieldsOf(&usual);
  std::vector<std::string> keys;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    const bool differs = std::visit(
        [&](const auto* value) {
          return *value != *std::get<std::remove_const_t<std::remove_pointer_t<decltype(value)>>*>(
                               usual_fields[k].value);
        },
        fields[k].value);
    if (differs || std::find(scenario.chosen.begin(), scenario.chosen.end(), fields[k].key) !=
                       scenario.chosen.end()) {
      keys.push_back(fields[k].key);
    }
  }
  if (scenario.world.terrain != Terrain() ||
      std::find(scenario.chosen.begin(), scenario.chosen.end(), kChosenGround) !=
          scenario.chosen.end()) {
    keys.push_back(kChosenGround);
  }
  return keys;
}

Scenario ScenarioFromJson(const Json& json, const std::string& source) {
  Keys keys(json, source);
  Scenario scenario;
  scenario.name = keys.Text("name");
  scenario.description = keys.Text("description");
  if (const std::string protocol = keys.Text("protocol"); !protocol.empty()) {
    try {
      ApplyPushProtocol(protocol, &scenario);
    } catch (const InputError& error) {
      throw InputError(source, 0, std::string("protocol: ") + error.what());
    }
  }
  scenario.seconds = keys.Number("seconds", 1e-6, kMaxSeconds).value_or(scenario.seconds);
  if (const std::optional<Json> stop = keys.Take("stop_at_fall")) {
    if (!stop->is_boolean()) Refuse(source, "stop_at_fall", *stop, "true or false");
    scenario.stop_at_fall = stop->get<bool>();
  }
  if (json.contains("terrain") || json.contains("slope") || json.contains("slope_deg")) {
    scenario.chosen.push_back(kChosenGround);
  }
  scenario.world.terrain = TerrainFrom(&keys);
  if (const std::optional<Json> world = keys.Take("world")) {
    ConfigFromJson(*world, source + ": world", &scenario.world);
    for (const ConfigField& field : FieldsOf(&scenario.world)) {
      if (world->contains(PointerTo(field.key))) scenario.chosen.push_back(field.key);
    }
  }
  const std::vector<Push> pushes = ListFrom(&keys, "pushes", PushFrom);
  scenario.pushes.insert(scenario.pushes.end(), pushes.begin(), pushes.end());
  if (const std::optional<Json> random = keys.Take("random_pushes")) {
    RandomPushes value = scenario.random_pushes.value_or(RandomPushes{});
    ConfigFromJson(*random, source + ": random_pushes", &value);
    scenario.random_pushes = value;
  }
  scenario.disturbance = keys.Number("disturbance", 0, 1e6).value_or(0);
  scenario.throws = ListFrom(&keys, "throws", ThrowFrom);
  scenario.loads = ListFrom(&keys, "loads", LoadFrom);
  scenario.changes = ListFrom(&keys, "changes", ChangeFrom);
  if (const std::optional<Json> commands = keys.Take("commands")) {
    scenario.commands = CommandsFromJson(*commands, source);
  }
  keys.ExpectNone();
  return scenario;
}

OrderedJson ToJson(const Scenario& s) {
  OrderedJson json = {{"name", s.name},
                      {"description", s.description},
                      {"seconds", s.seconds},
                      {"stop_at_fall", s.stop_at_fall}};
  const OrderedJson world = ConfigToJson(s.world);
  const std::vector<std::string> chosen = ChosenSettings(s);
  if (std::find(chosen.begin(), chosen.end(), kChosenGround) != chosen.end()) {
    AddTerrain(s.world.terrain, &json);
  }
  json["world"] = OrderedJson::object();
  for (const std::string& key : chosen) {
    if (key == kChosenGround) continue;
    json["world"][OrderedPointerTo(key)] = world[OrderedPointerTo(key)];
  }
  json["pushes"] = ListOf<Push>(s.pushes, [](const Push& p) { return ConfigToJson(p); });
  if (s.random_pushes) json["random_pushes"] = ConfigToJson(*s.random_pushes);
  json["disturbance"] = s.disturbance;
  json["throws"] = ListOf<Throw>(s.throws, [](const Throw& t) {
    OrderedJson each = ConfigToJson(t);
    if (t.heading) each["heading"] = *t.heading;
    return each;
  });
  json["loads"] = ListOf<Load>(s.loads, [](const Load& l) { return ConfigToJson(l); });
  json["changes"] =
      ListOf<BodyChange>(s.changes, [](const BodyChange& c) { return ConfigToJson(c); });
  json["commands"] = ToJson(s.commands);
  return json;
}

Scenario ReadScenario(const std::string& path) {
  return ScenarioFromJson(ParseJson(ReadFile(path), path), path);
}

void Validate(const Scenario& s) {
  // Not finite or out of range: what a file would be refused for.
  if (!(s.seconds > 0 && s.seconds <= kMaxSeconds)) {
    throw InputError(fmt::format("seconds (--seconds) is {}; expected more than 0 and at most {}",
                                 s.seconds, kMaxSeconds));
  }
  ScenarioFromJson(ToJson(s), "scenario");
}

}  // namespace stride
