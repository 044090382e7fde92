#include "stride/character/library.h"

#include <filesystem>
#include <functional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stride/character/human.h"
#include "stride/character/mjcf.h"
#include "stride/character/paper_bodies.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/core/nearest.h"

namespace stride {
namespace {

struct Entry {
  const char* name;
  std::function<Character()> make;
};

const std::vector<Entry>& Entries() {
  static const std::vector<Entry> entries = {
      {"human", [] { return MakeHuman(); }},
      {"lee10", [] { return MakeLee10(false); }},
      {"lee10-round", [] { return MakeLee10(true); }},
      {"lee10-heavy", MakeLee10Heavy},
      {"liu16", [] { return MakeLiu16(false); }},
      {"liu16-strong", [] { return MakeLiu16(true); }},
      {"kwon17", MakeKwon17},
      {"wang09-short", [] { return MakeWang09(Wang09Body::kShort); }},
      {"wang09-tall", [] { return MakeWang09(Wang09Body::kTall); }},
      {"wang09-stocky", [] { return MakeWang09(Wang09Body::kStocky); }},
      {"wang09-overweight", [] { return MakeWang09(Wang09Body::kOverweight); }},
      {"wang09-thin", [] { return MakeWang09(Wang09Body::kThin); }},
      {"wang09-longarm", [] { return MakeWang09(Wang09Body::kLongArm); }},
      {"biped", [] { return MakeBiped(); }},
      {"biped-longtorso",
       [] {
         return MakeBiped(
             {"biped-longtorso", "Boeing 2008: biped, torso twice as long", 0.4, 18, 0.35, 500});
       }},
      {"biped-longlegs",
       [] {
         return MakeBiped({"biped-longlegs", "Boeing 2008: biped, legs longer by a third", 0.2, 10,
                           0.35 * 4 / 3, 500});
       }},
      {"android", MakeAndroid},
      {"tripod", MakeTripod},
      {"snake", [] { return MakeSnake(); }},
      {"quadruped", MakeQuadruped},
      {"hexapod", MakeHexapod},
      {"hopper", MakeHopper},
  };
  return entries;
}

bool LooksLikePath(const std::string& text) {
  std::error_code ignored;
  return text.find('/') != std::string::npos || !FileExtension(text).empty() ||
         std::filesystem::exists(text, ignored);
}

}  // namespace

const std::vector<CharacterInfo>& BuiltInCharacters() {
  static const std::vector<CharacterInfo> infos = [] {
    std::vector<CharacterInfo> result;
    for (const Entry& entry : Entries()) result.push_back({entry.name, entry.make().description});
    return result;
  }();
  return infos;
}

Character LoadCharacter(const std::string& name_or_path, std::vector<std::string>* warnings) {
  for (const Entry& entry : Entries()) {
    if (entry.name == name_or_path) return entry.make();
  }
  if (!LooksLikePath(name_or_path)) {
    std::vector<std::string> names;
    for (const Entry& entry : Entries()) names.emplace_back(entry.name);
    throw InputError(
        fmt::format("there is no character '{}'; expected the path of an MJCF or URDF file or one "
                    "of: {}{}",
                    name_or_path, fmt::join(names, ", "), DidYouMean(name_or_path, names)));
  }
  MjcfFile file = ReadMjcf(name_or_path);
  if (warnings) *warnings = std::move(file.warnings);
  return std::move(file.character);
}

}  // namespace stride
