#include "stride/motion/library.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stride/character/library.h"
#include "stride/character/structure.h"
#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/core/json_text.h"
#include "stride/core/nearest.h"
#include "stride/motion/builtin/gait.h"
#include "stride/motion/builtin/key_clip.h"
#include "stride/motion/builtin/key_file.h"
#include "stride/motion/builtin/motion_files.h"

namespace stride {
namespace {

const MotionFile* FindFile(const std::string& name) {
  const MotionFile* end = kMotionFiles + kMotionFileCount;
  const MotionFile* file =
      std::find_if(kMotionFiles, end, [&](const MotionFile& f) { return f.name == name; });
  return file == end ? nullptr : file;
}

std::vector<MotionInfo> ListMotions() {
  std::vector<MotionInfo> list;
  for (std::size_t i = 0; i < kMotionFileCount; ++i) {
    const MotionFile& file = kMotionFiles[i];
    nlohmann::json storage;
    const KeyObject object =
        KeyObject::Parse(file.text, std::string(file.name) + ".json", &storage);
    list.push_back({file.name, object.Text("about"),
                    object.Text("kind") == "gait" || object.Flag("loops", false)});
  }
  return list;
}

}  // namespace

const std::vector<MotionInfo>& BuiltInMotions() {
  static const std::vector<MotionInfo> list = ListMotions();
  return list;
}

Motion MakeMotion(const std::string& text, const std::string& file_name,
                  const Character& character) {
  nlohmann::json storage;
  const KeyObject file = KeyObject::Parse(text, file_name, &storage);
  const std::string kind = file.Text("kind");
  const HumanRig rig(character);
  Motion motion;
  if (kind == "gait") {
    motion = MakeGait(file, rig);
  } else if (kind == "keys") {
    motion = MakeKeyClip(file, rig);
  } else {
    file.Fail("kind", fmt::format("\"{}\"; expected \"gait\" or \"keys\"", kind));
  }
  motion.character = character.name;
  Validate(motion, character);
  return motion;
}

Motion LoadMotion(const std::string& name_or_path, const Character& character) {
  if (const MotionFile* file = FindFile(name_or_path)) {
    Motion motion = MakeMotion(file->text, std::string(file->name) + ".json", character);
    motion.name = file->name;
    motion.source = "built-in";
    return motion;
  }
  if (FileExtension(name_or_path).empty() && !std::filesystem::exists(name_or_path)) {
    std::vector<std::string> names;
    for (const MotionInfo& motion : BuiltInMotions()) names.push_back(motion.name);
    throw InputError(
        fmt::format("there is no motion '{}', nor a file of that name; built in are: {}{}",
                    name_or_path, fmt::join(names, ", "), DidYouMean(name_or_path, names)));
  }
  const std::string text = ReadFile(name_or_path);
  if (const std::size_t first = text.find_first_not_of(" \t\r\n");
      first == std::string::npos || (text[first] != '{' && text[first] != '/')) {
    throw InputError(
        name_or_path, 0,
        "is no motion; expected a motion file or key poses of stride (JSON), or motion "
        "capture (BVH, AMC, DeepMimic, glTF)");
  }
  // Key poses name their kind; a motion file has frames.
  nlohmann::json probe;
  try {
    probe = ParseJson(text, name_or_path, true);
  } catch (const InputError&) {
    // Whoever reads it as a motion file says why.
  }
  if (probe.is_object() && probe.contains("kind")) {
    Motion motion = MakeMotion(text, name_or_path, character);
    motion.name = name_or_path;
    motion.source = name_or_path;
    return motion;
  }
  Motion motion = ParseMotion(text, name_or_path);
  RequireSameStructure(motion, character);
  Validate(motion, character);
  return motion;
}

void RequireSameStructure(const Motion& motion, const Character& character) {
  if (motion.character == character.name) return;
  Character own;
  try {
    own = LoadCharacter(motion.character);
  } catch (const InputError&) {
    return;  // not there: only the coordinates can be checked, which Validate() does
  }
  const std::string difference = StructureDifference(own, character);
  if (difference.empty()) return;
  throw InputError(fmt::format(
      "the motion '{}' is of '{}', which is another body than '{}': {}; convert it to .bvh, and "
      "`stride import` brings that to any human",
      motion.name, motion.character, character.name, difference));
}

}  // namespace stride
