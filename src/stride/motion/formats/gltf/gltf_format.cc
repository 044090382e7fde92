#include <filesystem>

#include "stride/motion/formats/formats.h"
#include "stride/motion/formats/gltf/gltf.h"

namespace stride::gltf_format {
namespace {

bool Recognise(std::string_view bytes) {
  if (bytes.substr(0, 4) == "glTF") return true;
  const std::size_t first = bytes.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && bytes[first] == '{' &&
         bytes.find("\"asset\"") != std::string_view::npos;
}

SkeletonClip Read(std::string_view bytes, const std::string& path) {
  GltfReadOptions options;
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  options.folder = parent.empty() ? "." : parent.string();
  return ReadGltf(bytes, path, options);
}

}  // namespace

FormatInfo Describe() {
  return {"gltf",  "glTF 2.0 skeletal animation", {".glb", ".gltf"}, {".glb"}, Recognise, Read,
          WriteGlb};
}

}  // namespace stride::gltf_format
