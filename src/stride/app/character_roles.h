#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/character/character.h"

// Which body of a character plays which part, and a file that says so.
namespace stride {

struct RolesOptions {
  std::string source;              // a built-in name, an MJCF or URDF file
  std::vector<std::string> roles;  // "ROLE=BODY", over what the file says or was guessed
  std::string output;              // MJCF file to write; empty: none
};

struct RolesResult {
  std::string source;
  Character character;
  std::string why_not_human;  // empty for a human
  std::string custom;         // the <custom> section that gives an MJCF file these roles
  std::string output;
  std::vector<std::string> warnings;
};

// Throws InputError: no such role or body.
RolesResult AssignRoles(const RolesOptions& options);

nlohmann::ordered_json ToJson(const RolesResult& result);

}  // namespace stride
