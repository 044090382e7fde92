#pragma once

#include <string>
#include <vector>

#include "stride/character/character.h"
#include "stride/motion/motion.h"

namespace stride {

struct MotionInfo {
  std::string name;
  std::string description;
  bool loops = false;
};

// The motions there are without a file, made for any human character from key poses (data/motions).
const std::vector<MotionInfo>& BuiltInMotions();

// A built-in motion by its name, or else one from a file: stride's own motion format, or key poses
// as in data/motions (docs/motions.md). Throws InputError with the names there are, or where the
// file is wrong, or if the character is not the one the motion belongs to.
Motion LoadMotion(const std::string& name_or_path, const Character& character);

// A motion belongs to a body, not to a name: throws InputError, saying what differs, if the
// character that it names can be loaded and has another structure (character/structure.h).
void RequireSameStructure(const Motion& motion, const Character& character);

// A motion from the text of a file of key poses, on a human character.
Motion MakeMotion(const std::string& text, const std::string& file_name,
                  const Character& character);

}  // namespace stride
