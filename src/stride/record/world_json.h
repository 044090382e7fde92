#pragma once

#include <nlohmann/json.hpp>

#include "stride/character/character_json.h"
#include "stride/sim/world.h"

// Worlds as JSON (docs/recordings.md), as character_json.h does it for characters.
namespace stride {

nlohmann::ordered_json ToJson(const Terrain& terrain);
Terrain TerrainFromJson(const JsonNode& node);

nlohmann::ordered_json ToJson(const World& world);
World WorldFromJson(const JsonNode& node);

}  // namespace stride
