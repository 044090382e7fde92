#pragma once

#include <string>
#include <vector>

#include "stride/character/character.h"

namespace stride {

struct CharacterInfo {
  std::string name;
  std::string description;
};

// The characters there are without a file.
const std::vector<CharacterInfo>& BuiltInCharacters();

// A built-in character by its name, or else one from an MJCF or URDF file; `warnings`, if given,
// receives what the reader ignored or changed. Throws InputError with the names there are.
Character LoadCharacter(const std::string& name_or_path,
                        std::vector<std::string>* warnings = nullptr);

}  // namespace stride
