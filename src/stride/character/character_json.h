#pragma once

#include <nlohmann/json.hpp>

#include "stride/character/character.h"
#include "stride/core/json_node.h"

namespace stride {

// A whole character as JSON (docs/recordings.md): what recordings and skills hold and the viewer
// draws. Numbers come back bit for bit. Keys that are not known are left alone; what is read is
// valid, or InputError names the place.
nlohmann::ordered_json ToJson(const Character& character);
Character CharacterFromJson(const JsonNode& node);

}  // namespace stride
