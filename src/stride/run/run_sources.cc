#include "stride/run/run_sources.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "stride/character/character_json.h"
#include "stride/character/library.h"
#include "stride/controllers/registry.h"
#include "stride/controllers/skill_library.h"
#include "stride/core/error.h"
#include "stride/motion/import/motion_source.h"

namespace stride {
namespace {

constexpr const char* kSkill = "skill";
constexpr const char* kCharacter = "character";
constexpr const char* kMotion = "motion";
constexpr const char* kGraph = "graph";
constexpr const char* kClip = "clip";

const RecordedSource* Find(const std::vector<RecordedSource>& sources, const std::string& kind,
                           const std::string& name, const std::string& of = "") {
  const auto found =
      std::find_if(sources.begin(), sources.end(), [&](const RecordedSource& source) {
        return source.kind == kind && source.name == name && source.of == of;
      });
  return found == sources.end() ? nullptr : &*found;
}

// For errors about it.
std::string Called(const RecordedSource& source) {
  return fmt::format("{} '{}' in the recording", source.kind, source.name);
}

Character CharacterFrom(const RecordedSource& source) {
  const nlohmann::ordered_json json = ParseBoundedJson(source.text, Called(source));
  return CharacterFromJson(JsonNode(json, Called(source)));
}

MotionGraph GraphFrom(const RecordedSource& source, const std::vector<RecordedSource>& all,
                      const Character& character) {
  return ParseMotionGraph(source.text, Called(source), character, [&](const std::string& clip) {
    const RecordedSource* found = Find(all, kClip, clip, source.name);
    if (!found) throw InputError("it is not in the recording");
    return ParseMotion(found->text, Called(*found));
  });
}

}  // namespace

LoadedCharacter Load(const RunSetup& all, std::size_t index, std::vector<std::string>* warnings) {
  static const std::vector<RecordedSource> kNone;
  const std::vector<RecordedSource>& sources = all.sources ? *all.sources : kNone;
  const CharacterSetup& setup = all.characters.at(index);
  LoadedCharacter loaded;
  if (!setup.skill.empty()) {
    const RecordedSource* known = Find(sources, kSkill, setup.skill);
    loaded.skill = std::make_shared<const Skill>(known ? ParseSkill(known->text, Called(*known))
                                                       : LoadSkill(setup.skill));
    loaded.character = loaded.skill->character;
  } else {
    const RecordedSource* known = Find(sources, kCharacter, setup.character);
    loaded.character = known ? CharacterFrom(*known) : LoadCharacter(setup.character, warnings);
  }
  for (const std::string& name : setup.motions) {
    if (const RecordedSource* known = Find(sources, kMotion, name, setup.character)) {
      loaded.motions.push_back(ParseMotion(known->text, Called(*known)));
      continue;
    }
    MotionSource source = LoadAnyMotion(name, setup.character);
    source.motion.character = loaded.character.name;
    loaded.motions.push_back(std::move(source.motion));
    warnings->insert(warnings->end(), source.warnings.begin(), source.warnings.end());
  }
  if (!setup.graph.empty()) {
    const RecordedSource* known = Find(sources, kGraph, setup.graph);
    loaded.graph =
        std::make_shared<const MotionGraph>(known ? GraphFrom(*known, sources, loaded.character)
                                                  : ReadMotionGraph(setup.graph, loaded.character));
  }
  return loaded;
}

std::vector<RecordedSource> SourcesOf(const RunSetup& setup,
                                      const std::vector<LoadedCharacter>& loaded) {
  std::vector<RecordedSource> sources;
  const auto add = [&](const char* kind, const std::string& name, const std::string& of,
                       const auto& text) {
    if (!Find(sources, kind, name, of)) sources.push_back({kind, name, of, text()});
  };
  for (std::size_t k = 0; k < loaded.size(); ++k) {
    const CharacterSetup& names = setup.characters[k];
    const LoadedCharacter& each = loaded[k];
    if (each.skill) {
      add(kSkill, names.skill, "", [&] { return SkillText(*each.skill); });
    } else {
      add(kCharacter, names.character, "", [&] { return ToJson(each.character).dump(); });
    }
    for (std::size_t m = 0; m < each.motions.size(); ++m) {
      add(kMotion, names.motions[m], names.character, [&] { return MotionText(each.motions[m]); });
    }
    if (!each.graph) continue;
    add(kGraph, names.graph, "", [&] { return MotionGraphText(*each.graph); });
    for (const Motion& clip : each.graph->clips) {
      add(kClip, clip.name, names.graph, [&] { return MotionText(clip); });
    }
  }
  return sources;
}

}  // namespace stride
