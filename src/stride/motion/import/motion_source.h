#pragma once

#include <string>
#include <vector>

#include "stride/character/character.h"
#include "stride/motion/import/in_place.h"
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

// What to take of a motion-capture file.
struct CaptureOptions {
  int first_frame = -1, last_frame = -1;  // of the file; -1: from its start, to its end
  double fps = 0;                         // its true rate, frames/s; 0: what the file says
  bool loop = false;                      // close it to a loop as `stride import --loop` does
  InPlace in_place = InPlace::kAuto;      // whether it lost its way, as game libraries' clips do
  bool clean_up = true;  // bend legs to keep the feet on the ground; says nothing of other motions
  friend bool operator==(const CaptureOptions&, const CaptureOptions&) = default;
};

// Whether a name is a built-in motion's, or a path has another ending than a character's.
bool NamesMotion(const std::string& name_or_path);
// Whether the bytes are of our own format, by its first key; what a file is called does not matter.
bool IsMotionFile(const std::string& bytes);

// A built-in motion's name; a motion file; key poses; or a motion-capture file, imported as `stride
// import` does. A capture that says it wraps and is taken whole becomes a loop without being asked.
// `character` is a name or an MJCF file; empty: the motion file's own, else kDefaultHuman. Throws
// InputError, also for capture options with anything but a capture.
MotionSource LoadAnyMotion(const std::string& name_or_path, const std::string& character,
                           const CaptureOptions& capture = {});

}  // namespace stride
