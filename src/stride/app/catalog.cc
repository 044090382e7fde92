#include "stride/app/catalog.h"

#include "stride/app/experiments/experiment.h"
#include "stride/character/library.h"
#include "stride/controllers/registry.h"
#include "stride/controllers/skill_library.h"
#include "stride/core/error.h"
#include "stride/core/nearest.h"
#include "stride/motion/library.h"
#include "stride/sim/engine.h"

namespace stride {
namespace {

using Entries = std::vector<CatalogEntry>;

Entries AllControllers() {
  Entries entries;
  for (const ControllerInfo& info : Controllers()) {
    entries.push_back({info.name, info.description, {}});
  }
  return entries;
}
Entries Characters() {
  Entries entries;
  for (const CharacterInfo& info : BuiltInCharacters()) {
    entries.push_back({info.name, info.description, {}});
  }
  return entries;
}
Entries AllEngines() {
  Entries entries;
  for (const EngineInfo& info : Engines()) {
    entries.push_back({info.name, info.description, info.limitations});
  }
  return entries;
}
Entries Motions() {
  Entries entries;
  for (const MotionInfo& info : BuiltInMotions()) {
    entries.push_back({info.name, info.description, {}});
  }
  return entries;
}
Entries AllExperiments() {
  Entries entries;
  for (const Experiment& experiment : Experiments()) {
    entries.push_back({experiment.FullName(), experiment.description, {}});
  }
  return entries;
}
Entries Skills() {
  Entries entries;
  for (const SkillInfo& info : BuiltInSkills())
    entries.push_back({info.name, info.description, {}});
  return entries;
}

struct Kind {
  std::string name;
  Entries (*list)();
};
const std::vector<Kind>& Kinds() {
  static const std::vector<Kind> kinds = {{"controllers", AllControllers},
                                          {"characters", Characters},
                                          {"motions", Motions},
                                          {"skills", Skills},
                                          {"engines", AllEngines},
                                          {"experiments", AllExperiments}};
  return kinds;
}

}  // namespace

const std::vector<std::string>& CatalogKinds() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Kind& kind : Kinds()) all.push_back(kind.name);
    return all;
  }();
  return names;
}

std::vector<CatalogSection> ListCatalog(const std::string& kind) {
  std::vector<CatalogSection> sections;
  for (const Kind& each : Kinds()) {
    if (kind.empty() || kind == each.name) sections.push_back({each.name, each.list()});
  }
  if (sections.empty()) {
    throw InputError(NotAmong("list of", kind, CatalogKinds()));
  }
  return sections;
}

nlohmann::ordered_json ToJson(const std::vector<CatalogSection>& sections) {
  nlohmann::ordered_json json;
  for (const CatalogSection& section : sections) {
    auto& list = json[section.kind] = nlohmann::ordered_json::array();
    for (const CatalogEntry& entry : section.entries) {
      list.push_back({{"name", entry.name}, {"description", entry.description}});
      if (!entry.notes.empty()) list.back()["limitations"] = entry.notes;
    }
  }
  return json;
}

}  // namespace stride
