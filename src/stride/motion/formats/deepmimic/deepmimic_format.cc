#include "stride/motion/formats/deepmimic/deepmimic.h"
#include "stride/motion/formats/formats.h"

namespace stride::deepmimic_format {
namespace {

bool Recognise(std::string_view bytes) {
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && bytes[first] == '{' &&
         bytes.find("\"Frames\"") != std::string_view::npos;
}

}  // namespace

FormatInfo Describe() {
  return {
      "deepmimic", "DeepMimic's humanoid motions (JSON)", {".txt"}, {}, Recognise, ReadDeepMimic,
      nullptr};
}

}  // namespace stride::deepmimic_format
