#include "stride/motion/formats/formats.h"

#include <algorithm>

#include "stride/core/error.h"
#include "stride/core/file.h"

namespace stride {

#define STRIDE_FORMAT(format) \
  namespace format##_format { \
    FormatInfo Describe();    \
  }
#include "stride/motion/formats/formats.def"
#undef STRIDE_FORMAT

namespace {

bool Contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

std::string AllExtensions(std::vector<std::string> FormatInfo::*extensions) {
  std::string all;
  for (const FormatInfo& format : Formats()) {
    for (const std::string& extension : format.*extensions)
      all += (all.empty() ? "" : ", ") + extension;
  }
  return all;
}

}  // namespace

const std::vector<FormatInfo>& Formats() {
  static const std::vector<FormatInfo> formats = {
#define STRIDE_FORMAT(format) format##_format::Describe(),
#include "stride/motion/formats/formats.def"
#undef STRIDE_FORMAT
  };
  return formats;
}

SkeletonClip ReadClip(const std::string& path) {
  const std::string bytes = ReadFile(path);
  if (bytes.empty()) throw InputError(path, 1, "is empty; expected a motion");
  for (const FormatInfo& format : Formats()) {
    if (format.read && format.recognise(bytes)) return format.read(bytes, path);
  }
  const std::string extension = FileExtension(path);
  for (const FormatInfo& format : Formats()) {
    if (format.read && Contains(format.read_extensions, extension)) return format.read(bytes, path);
  }
  throw InputError(path, 1,
                   "is of no known motion format; expected one of " +
                       AllExtensions(&FormatInfo::read_extensions));
}

void WriteClip(const SkeletonClip& clip, const std::string& path) {
  const std::string extension = FileExtension(path);
  for (const FormatInfo& format : Formats()) {
    if (format.write && Contains(format.write_extensions, extension)) {
      WriteFileWhole(path, format.write(clip));
      return;
    }
  }
  throw InputError(path, 0,
                   "has no extension of a format that can be written; expected one of " +
                       AllExtensions(&FormatInfo::write_extensions));
}

}  // namespace stride
