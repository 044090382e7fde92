#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stride/motion/skeleton_clip.h"

// The motion formats: one folder a format, one line in formats.def.
namespace stride {

struct FormatInfo {
  std::string name;
  std::string description;
  std::vector<std::string> read_extensions, write_extensions;  // ".bvh"
  // Null if the format is not read: tells by the first bytes if the file is of this format.
  bool (*recognise)(std::string_view bytes) = nullptr;
  SkeletonClip (*read)(std::string_view bytes, const std::string& path) = nullptr;
  // Null if the format is not written.
  std::string (*write)(const SkeletonClip& clip) = nullptr;
};

// All formats, in the order of formats.def.
const std::vector<FormatInfo>& Formats();

// By content, else by extension. Throws InputError.
SkeletonClip ReadClip(const std::string& path);
// By extension; the file appears whole or not at all. Throws InputError.
void WriteClip(const SkeletonClip& clip, const std::string& path);

}  // namespace stride
