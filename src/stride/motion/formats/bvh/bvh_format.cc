#include "stride/motion/formats/bvh/bvh.h"
#include "stride/motion/formats/formats.h"
#include "stride/motion/formats/text_scanner.h"

namespace stride::bvh_format {

FormatInfo Describe() {
  return {"bvh",
          "Biovision hierarchy: any skeleton, any channels",
          {".bvh", ".temp"},
          {".bvh"},
          [](std::string_view bytes) {
            return TextScanner(bytes.substr(0, 4096), "").Accept("HIERARCHY");
          },
          ReadBvh,
          [](const SkeletonClip& clip) { return WriteBvh(clip); }};
}

}  // namespace stride::bvh_format
