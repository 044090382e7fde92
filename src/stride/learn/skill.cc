#include "stride/learn/skill.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "stride/character/character_json.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/sim/world_config.h"

namespace stride {
namespace {

using Json = nlohmann::ordered_json;

State StartFrom(const JsonNode& node, const Layout& layout) {
  State start{node["q"].Numbers(), node["v"].Numbers()};
  const auto check = [&](const char* key, const std::vector<double>& values, int count) {
    if (values.empty()) return;
    if (static_cast<int>(values.size()) != count) node[key].Fail(fmt::format("{} numbers", count));
    for (const double x : values) {
      if (!(std::fabs(x) < 1e3)) node[key].Fail("numbers below 1000");
    }
  };
  check("q", start.q, layout.nq);
  check("v", start.v, layout.nv);
  if (start.q.empty() != start.v.empty()) node.Fail("both q and v, or neither");
  return start;
}

Json ToJson(const WorldWishes& wishes) {
  Json json = Json::object();
  if (wishes.time_step) json["time_step"] = *wishes.time_step;
  if (wishes.contact) json["contact"] = ConfigToJson(*wishes.contact);
  if (wishes.friction) json["friction"] = *wishes.friction;
  if (wishes.slope) json["slope"] = *wishes.slope;
  return json;
}

// With the ranges of a world's settings.
WorldWishes WishesFrom(const JsonNode& node) {
  if (!node.value().is_object()) {
    node.Fail("an object with time_step, contact, friction and slope, or none of them");
  }
  World world;
  WorldWishes wishes;
  nlohmann::json settings = nlohmann::json::parse(node.value().dump());
  if (settings.contains("slope")) {
    wishes.slope = node["slope"].Number();
    if (!(std::fabs(*wishes.slope) < 1)) node["slope"].Fail("a slope between -1 and 1 rad");
    settings.erase("slope");
  }
  ConfigFromJson(settings, node.source() + ": world", &world);
  if (node.value().contains("time_step")) wishes.time_step = world.time_step;
  if (node.value().contains("contact")) wishes.contact = world.contact;
  if (node.value().contains("friction")) wishes.friction = world.friction;
  return wishes;
}

}  // namespace

double RobustnessOf(const Json& robustness, const std::string& part) {
  const auto found = robustness.find(part);
  return found != robustness.end() && found->is_number() ? found->get<double>() : -1;
}

std::string SkillText(const Skill& skill) {
  return Json{{"stride_skill", kSkillVersion},
              {"name", skill.name},
              {"controller", skill.controller},
              {"description", skill.description},
              {"world", ToJson(skill.wishes)},
              {"provenance", skill.provenance},
              {"metrics", skill.metrics},
              {"robustness", skill.robustness},
              {"character", ToJson(skill.character)},
              {"start", {{"q", skill.start.q}, {"v", skill.start.v}}},
              {"payload", skill.payload}}
             .dump() +
         "\n";
}

void WriteSkill(const Skill& skill, const std::string& path) {
  WriteFileWhole(path, SkillText(skill));
}

Skill ParseEnvelope(const std::string& text, const std::string& file_name,
                    const SkillUpgrade& upgrade) {
  Json json = ParseBoundedJson(text, file_name);
  if (!json.is_object() || !json.contains("stride_skill")) {
    throw InputError(
        fmt::format("{}: no skill of stride; expected a file made by 'stride learn'", file_name));
  }
  const int version = JsonNode(json, file_name)["stride_skill"].Int(1, 1 << 20);
  if (version > kSkillVersion) {
    throw InputError(fmt::format("{}: a skill of version {}; this stride reads up to {}: update it",
                                 file_name, version, kSkillVersion));
  }
  if (version < kSkillVersion && !upgrade(version, &json)) {
    throw InputError(fmt::format("{}: a skill of version {}, of no controller that is known here",
                                 file_name, version));
  }
  const JsonNode node(json, file_name);
  Skill skill;
  skill.name = node["name"].Text();
  skill.controller = node["controller"].Text();
  skill.description = node["description"].Text();
  skill.wishes = WishesFrom(node["world"]);
  skill.provenance = node["provenance"].value();
  skill.metrics = node["metrics"].value();
  if (!node["robustness"].value().is_object()) node["robustness"].Fail("an object");
  skill.robustness = node["robustness"].value();
  skill.character = CharacterFromJson(node["character"]);
  skill.start = StartFrom(node["start"], LayoutOf(skill.character));
  node["payload"];  // must be there
  skill.payload = std::move(json["payload"]);
  return skill;
}

}  // namespace stride
