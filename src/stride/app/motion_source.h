#pragma once

#include <string>
#include <vector>

#include "stride/character/character.h"
#include "stride/motion/motion.h"

// A motion for those verbs that take any: built in, from a file of ours, or from motion capture.
namespace stride {

inline constexpr const char* kDefaultHuman = "liu16";

struct MotionSource {
  Motion motion;
  Character character;
  std::string format;  // "built-in", "motion", "keys", or that of the capture: "bvh"
  std::vector<std::string> warnings;
};

// Whether a name is a built-in motion's, or a path has another ending than a character's.
bool NamesMotion(const std::string& name_or_path);

// A built-in motion's name; a motion file; key poses; or a motion-capture file, imported as `stride
// import` does without options. `character` is a name or an MJCF file; empty: the motion file's
// own, else kDefaultHuman. Throws InputError.
MotionSource LoadAnyMotion(const std::string& name_or_path, const std::string& character);

}  // namespace stride
