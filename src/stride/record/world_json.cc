#include "stride/record/world_json.h"

#include <climits>

#include "stride/core/error.h"
#include "stride/sim/world_config.h"

namespace stride {
namespace {

using Json = nlohmann::ordered_json;

// In the order of the enumeration.
const std::vector<std::string>& TerrainKinds() {
  static const std::vector<std::string> names = {"plane", "height_field", "steps"};
  return names;
}

}  // namespace

Json ToJson(const Terrain& t) {
  return {{"kind", TerrainKinds()[static_cast<int>(t.kind)]},
          {"slope", t.slope},
          {"slope_heading", t.slope_heading},
          {"x0", t.x0},
          {"y0", t.y0},
          {"cell", t.cell},
          {"nx", t.nx},
          {"ny", t.ny},
          {"heights", t.heights},
          {"step_start", t.step_start},
          {"step_depth", t.step_depth},
          {"step_rise", t.step_rise},
          {"step_count", t.step_count}};
}

Terrain TerrainFromJson(const JsonNode& node) {
  Terrain t;
  t.kind = static_cast<Terrain::Kind>(node["kind"].Choice(TerrainKinds()));
  t.slope = node["slope"].Number();
  t.slope_heading = node["slope_heading"].Number();
  t.x0 = node["x0"].Number();
  t.y0 = node["y0"].Number();
  t.cell = node["cell"].Number();
  t.nx = node["nx"].Int(0, INT_MAX);
  t.ny = node["ny"].Int(0, INT_MAX);
  t.heights = node["heights"].Numbers();
  t.step_start = node["step_start"].Number();
  t.step_depth = node["step_depth"].Number();
  t.step_rise = node["step_rise"].Number();
  t.step_count = node["step_count"].Int(0, INT_MAX);
  try {
    Validate(t);
  } catch (const InputError& error) {
    throw InputError(node.source(), 0, error.what());
  }
  return t;
}

Json ToJson(const World& world) {
  Json json = ConfigToJson(world);  // friction, gravity, time_step, contacts, limits, contact
  json["terrain"] = ToJson(world.terrain);
  json["actors"] = Json::array();
  for (const Character& actor : world.actors) json["actors"].push_back(ToJson(actor));
  return json;
}

World WorldFromJson(const JsonNode& node) {
  World world;
  nlohmann::json settings = nlohmann::json::object();
  for (const char* key : {"friction", "gravity", "time_step", "contacts", "limits", "contact"}) {
    settings[key] = node[key].value();
  }
  ConfigFromJson(settings, node.source(), &world);
  world.terrain = TerrainFromJson(node["terrain"]);
  const JsonNode actors = node["actors"];
  for (std::size_t i = 0; i < actors.Size(); ++i) {
    world.actors.push_back(CharacterFromJson(actors.At(i)));
  }
  return world;
}

}  // namespace stride
