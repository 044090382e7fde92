#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/math/vec.h"

// The container, buffers, nodes and accessors of a glTF file, with every index, offset and size
// checked before use. Not read with tinygltf: it leaves the accessors' bounds to its caller, loads
// meshes and images that a motion does not need, and comes as a shared library that a fuzzer cannot
// see into.
namespace stride {

// Key times or values: `count` elements of `width` finite numbers, read on demand from the file's
// bytes, so that many accessors on the same bytes take no memory.
class GltfAccessor {
 public:
  int Count() const { return count_; }
  int Width() const { return width_; }
  double At(int element, int component) const;

 private:
  friend class GltfDocument;
  const unsigned char* data_ = nullptr;
  std::size_t stride_ = 0;
  int count_ = 0, width_ = 0, component_type_ = 0;
};

struct GltfNode {
  std::string name;
  int parent = -1;
  std::vector<int> children;
  Vec3d translation;
  Quatd rotation = Quatd::Identity();
  double scale = 1;
  bool has_uneven_scale = false;
  bool has_content = false;  // a mesh or a camera
};

class GltfDocument {
 public:
  // `bytes` must outlive the document. All functions throw InputError.
  GltfDocument(std::string_view bytes, const std::string& file, const std::string& folder);

  const std::vector<GltfNode>& Nodes() const { return nodes_; }
  const nlohmann::json& Json() const { return json_; }

  // The list at `key`, empty if there is none.
  const nlohmann::json& List(const nlohmann::json& object, const char* key) const;
  // A whole number 0 <= n < limit; `where` names the object in errors, as in "skins[2]".
  int Index(const nlohmann::json& object, const char* key, std::size_t limit,
            const std::string& where) const;
  // Checks type and bounds. Widths: 1 SCALAR, 3 VEC3, 4 VEC4.
  GltfAccessor Accessor(int index, int width) const;

  [[noreturn]] void Fail(const std::string& what) const;

 private:
  void Open(std::string_view bytes);
  void LoadBuffers();
  std::string LoadUri(const std::string& uri, const std::string& where) const;
  void LoadNodes();
  void LoadTransform(const nlohmann::json& json, const std::string& where, GltfNode* node) const;
  void CheckTree() const;
  std::uint64_t Size(const nlohmann::json& object, const char* key, std::uint64_t otherwise,
                     const std::string& where) const;
  std::vector<double> Numbers(const nlohmann::json& object, const char* key, std::size_t count,
                              const std::string& where) const;

  std::string file_, folder_;
  nlohmann::json json_;
  std::string_view binary_chunk_;
  bool has_binary_chunk_ = false;
  std::vector<std::string> loaded_;  // from URIs
  std::vector<std::string_view> buffers_;
  std::vector<GltfNode> nodes_;
};

}  // namespace stride
