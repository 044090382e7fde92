#include "stride/app/character_roles.h"

#include <fmt/format.h>

#include "stride/character/library.h"
#include "stride/character/mjcf.h"
#include "stride/character/structure.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/core/nearest.h"

namespace stride {
namespace {

void Assign(const std::string& text, Character* character) {
  const std::size_t at = text.find('=');
  if (at == std::string::npos) {
    throw InputError(fmt::format("--role {}; expected ROLE=BODY", text));
  }
  const std::string name = text.substr(0, at), body = text.substr(at + 1);
  const Role role = RoleFromName(name);
  if (role == Role::kCount) {
    std::vector<std::string> names;
    for (int i = 0; i < static_cast<int>(Role::kCount); ++i) {
      names.emplace_back(RoleName(static_cast<Role>(i)));
    }
    throw InputError(fmt::format("--role {}: {}", text, NotAmong("role", name, names)));
  }
  const int index = FindBody(*character, body);
  if (index < 0) {
    std::string names;
    for (const Body& each : character->bodies) {
      if (each.mass > 0) names += (names.empty() ? "" : ", ") + each.name;
    }
    throw InputError(fmt::format("--role {}: '{}' has no body '{}'; expected one of {}", text,
                                 character->name, body, names));
  }
  character->roles[static_cast<int>(role)] = index;
}

}  // namespace

RolesResult AssignRoles(const RolesOptions& options) {
  RolesResult result{.source = options.source, .output = options.output};
  result.character = LoadCharacter(options.source, &result.warnings);
  for (const std::string& role : options.roles) Assign(role, &result.character);
  result.why_not_human = WhyNotHuman(result.character);
  result.custom = "<custom>\n";
  for (int i = 0; i < static_cast<int>(Role::kCount); ++i) {
    const int body = result.character.roles[i];
    if (body < 0) continue;
    result.custom +=
        fmt::format("  <text name=\"stride:role:{}\" data=\"{}\"/>\n",
                    RoleName(static_cast<Role>(i)), result.character.bodies[body].name);
  }
  result.custom += "</custom>\n";
  if (!options.output.empty()) {
    const std::string ending = FileExtension(options.output);
    if (ending != ".xml" && ending != ".mjcf") {
      throw InputError(options.output, 0,
                       fmt::format("has the ending '{}'; expected .xml or .mjcf (MJCF)", ending));
    }
    WriteFileWhole(options.output, WriteMjcf(result.character));
  }
  return result;
}

nlohmann::ordered_json ToJson(const RolesResult& r) {
  using Json = nlohmann::ordered_json;
  Json roles;
  for (int i = 0; i < static_cast<int>(Role::kCount); ++i) {
    const int body = r.character.roles[i];
    roles[RoleName(static_cast<Role>(i))] =
        body < 0 ? Json(nullptr) : Json(r.character.bodies[body].name);
  }
  const bool human = r.why_not_human.empty();
  Json json = {{"source", r.source},
               {"name", r.character.name},
               {"roles", roles},
               {"human", human},
               {"custom", r.custom}};
  json["why_not_human"] = human ? Json(nullptr) : Json(r.why_not_human);
  json["output"] = r.output.empty() ? Json(nullptr) : Json(r.output);
  json["warnings"] = r.warnings;
  return json;
}

}  // namespace stride
