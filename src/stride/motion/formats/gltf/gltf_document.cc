#include "stride/motion/formats/gltf/gltf_document.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/core/json_text.h"
#include "stride/math/rotation.h"
#include "stride/motion/formats/text_scanner.h"

namespace stride {
namespace {

using nlohmann::json;

constexpr std::uint32_t kJsonChunk = 0x4E4F534A, kBinChunk = 0x004E4942;
constexpr std::size_t kMaxLoaded = std::size_t{512} << 20;
enum ComponentType { kByte = 5120, kUnsignedByte, kShort, kUnsignedShort, kFloat = 5126 };

template <class T>
T Load(const unsigned char* bytes) {  // glTF and every machine we build for are little-endian
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

std::size_t ComponentSize(int type) {
  switch (type) {
    case kByte:
    case kUnsignedByte: return 1;
    case kShort:
    case kUnsignedShort: return 2;
    case kFloat: return 4;
    default: return 0;
  }
}

std::string At(const char* list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

// False if the text is not base64.
bool DecodeBase64(std::string_view text, std::string* bytes) {
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  std::uint32_t bits = 0;
  int have = 0;
  for (char c : text) {
    int value = 0;
    if (c >= 'A' && c <= 'Z') {
      value = c - 'A';
    } else if (c >= 'a' && c <= 'z') {
      value = c - 'a' + 26;
    } else if (c >= '0' && c <= '9') {
      value = c - '0' + 52;
    } else if (c == '+' || c == '/') {
      value = c == '+' ? 62 : 63;
    } else {
      return false;
    }
    bits = (bits << 6 | static_cast<std::uint32_t>(value)) & 0xFFFFFF;
    have += 6;
    if (have >= 8) bytes->push_back(static_cast<char>(bits >> (have -= 8) & 0xFF));
  }
  return true;
}

std::string DecodePercent(const std::string& uri) {
  std::string text;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    if (uri[i] == '%' && i + 2 < uri.size() &&
        std::isxdigit(static_cast<unsigned char>(uri[i + 1])) &&
        std::isxdigit(static_cast<unsigned char>(uri[i + 2]))) {
      text += static_cast<char>(std::stoi(uri.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      text += uri[i];
    }
  }
  return text;
}

bool StaysInFolder(const std::string& path) {
  if (path.empty() || path.find_first_of(std::string("\\:\0", 3)) != std::string::npos)
    return false;
  const std::filesystem::path relative(path);
  return relative.is_relative() && std::none_of(relative.begin(), relative.end(),
                                                [](const auto& part) { return part == ".."; });
}

}  // namespace

double GltfAccessor::At(int element, int component) const {
  const unsigned char* at = data_ + static_cast<std::size_t>(element) * stride_ +
                            static_cast<std::size_t>(component) * ComponentSize(component_type_);
  switch (component_type_) {  // whole numbers are normalised: the formats' maximum is 1
    case kByte: return std::max(Load<std::int8_t>(at) / 127.0, -1.0);
    case kUnsignedByte: return Load<std::uint8_t>(at) / 255.0;
    case kShort: return std::max(Load<std::int16_t>(at) / 32767.0, -1.0);
    case kUnsignedShort: return Load<std::uint16_t>(at) / 65535.0;
    default: return static_cast<double>(Load<float>(at));
  }
}

GltfDocument::GltfDocument(std::string_view bytes, const std::string& file,
                           const std::string& folder)
    : file_(file), folder_(folder) {
  Open(bytes);
  if (!json_.is_object()) Fail("is not a JSON object; expected glTF 2.0");
  const auto asset = json_.find("asset");
  if (asset == json_.end() || !asset->is_object() || !asset->contains("version") ||
      !(*asset)["version"].is_string() ||
      (*asset)["version"].get<std::string>().rfind("2.", 0) != 0) {
    Fail("does not say asset.version \"2.x\"; expected glTF 2.0");
  }
  LoadBuffers();
  LoadNodes();
}

void GltfDocument::Fail(const std::string& what) const { throw InputError(file_, 0, what); }

void GltfDocument::Open(std::string_view bytes) {
  if (bytes.substr(0, 4) != "glTF") {
    json_ = ParseJson(bytes, file_);
    return;
  }
  const auto word = [&](std::size_t at) {
    return Load<std::uint32_t>(reinterpret_cast<const unsigned char*>(bytes.data()) + at);
  };
  if (bytes.size() < 20) Fail("ends inside the header; is it cut short?");
  if (word(4) != 2) Fail("is binary glTF version " + std::to_string(word(4)) + "; expected 2");
  if (word(8) != bytes.size()) {
    Fail("has " + std::to_string(bytes.size()) + " bytes, but its header says " +
         std::to_string(word(8)) + "; is it cut short?");
  }
  std::string_view text;
  for (std::size_t at = 12; at < bytes.size();) {
    if (bytes.size() - at < 8 || word(at) > bytes.size() - at - 8) Fail("ends inside a chunk");
    const std::string_view chunk = bytes.substr(at + 8, word(at));
    const std::uint32_t type = word(at + 4);
    if (at == 12 && type != kJsonChunk) Fail("does not begin with a JSON chunk");
    if (at == 12) text = chunk;
    if (type == kBinChunk && !has_binary_chunk_) {
      binary_chunk_ = chunk;
      has_binary_chunk_ = true;
    }
    at += 8 + chunk.size();
  }
  json_ = ParseJson(text, file_);
}

const json& GltfDocument::List(const json& object, const char* key) const {
  static const json empty = json::array();
  const auto found = object.find(key);
  if (found == object.end()) return empty;
  if (!found->is_array()) Fail(std::string(key) + " is not a list");
  return *found;
}

int GltfDocument::Index(const json& object, const char* key, std::size_t limit,
                        const std::string& where) const {
  const std::uint64_t index = Size(object, key, limit, where);
  if (index >= limit) {
    Fail(where + "." + key + " is missing or out of range; expected a number below " +
         std::to_string(limit));
  }
  return static_cast<int>(index);
}

std::uint64_t GltfDocument::Size(const json& object, const char* key, std::uint64_t otherwise,
                                 const std::string& where) const {
  if (!object.is_object()) Fail(where + " is not an object");
  const auto found = object.find(key);
  if (found == object.end()) return otherwise;
  if (!found->is_number_unsigned() || found->get<std::uint64_t>() > 0xFFFFFFFF) {
    Fail(where + "." + key + " is not a whole number from 0 to 4294967295");
  }
  return found->get<std::uint64_t>();
}

std::vector<double> GltfDocument::Numbers(const json& object, const char* key, std::size_t count,
                                          const std::string& where) const {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  std::vector<double> numbers;
  if (found->is_array() && found->size() == count) {
    for (const json& n : *found) {
      if (n.is_number() && std::fabs(n.get<double>()) <= 1e9) numbers.push_back(n.get<double>());
    }
  }
  if (numbers.size() != count) {
    Fail(where + "." + key + " is not a list of " + std::to_string(count) +
         " numbers of at most 1e9");
  }
  return numbers;
}

void GltfDocument::LoadBuffers() {
  const json& list = List(json_, "buffers");
  loaded_.reserve(list.size());  // buffers_ holds views of these
  std::size_t loaded_size = 0;   // many buffers may name the same file
  for (std::size_t b = 0; b < list.size(); ++b) {
    const std::string where = At("buffers", b);
    const std::uint64_t size = Size(list[b], "byteLength", 0, where);
    const auto uri = list[b].find("uri");
    std::string_view data;
    if (uri == list[b].end()) {
      if (b != 0 || !has_binary_chunk_)
        Fail(where + " has no uri; expected one, or a binary chunk");
      data = binary_chunk_;
    } else {
      if (!uri->is_string()) Fail(where + ".uri is not text");
      data = loaded_.emplace_back(LoadUri(uri->get<std::string>(), where));
      loaded_size += data.size();
      if (loaded_size > kMaxLoaded) Fail("has buffers of more than 512 MB together");
    }
    if (data.size() < size) {
      Fail(where + " has " + std::to_string(data.size()) + " bytes, but byteLength is " +
           std::to_string(size) + "; is it cut short?");
    }
    buffers_.push_back(data.substr(0, size));
  }
}

std::string GltfDocument::LoadUri(const std::string& uri, const std::string& where) const {
  if (uri.rfind("data:", 0) == 0) {
    const std::size_t comma = uri.find(',');
    std::string bytes;
    if (comma == std::string::npos || uri.substr(0, comma).find(";base64") == std::string::npos ||
        !DecodeBase64(std::string_view(uri).substr(comma + 1), &bytes)) {
      Fail(where + ".uri is not valid base64 data");
    }
    return bytes;
  }
  const std::string path = DecodePercent(uri);
  if (folder_.empty() || !StaysInFolder(path)) {
    Fail(where + ".uri is " + Quoted(uri) + "; expected data, or a file in the folder of the glTF");
  }
  return ReadFile((std::filesystem::path(folder_) / path).string());
}

void GltfDocument::LoadNodes() {
  const json& list = List(json_, "nodes");
  nodes_.resize(list.size());
  for (std::size_t n = 0; n < list.size(); ++n) {
    const std::string where = At("nodes", n);
    const json& node = list[n];
    if (!node.is_object()) Fail(where + " is not an object");
    const auto name = node.find("name");
    nodes_[n].name = name != node.end() && name->is_string() ? name->get<std::string>() : "";
    if (nodes_[n].name.empty()) nodes_[n].name = "node" + std::to_string(n);
    nodes_[n].has_content = node.contains("mesh") || node.contains("camera");
    LoadTransform(node, where, &nodes_[n]);
    for (const json& child : List(node, "children")) {
      if (!child.is_number_unsigned() || child.get<std::uint64_t>() >= list.size()) {
        Fail(where + ".children holds something else than the number of a node");
      }
      const int c = child.get<int>();
      if (nodes_[c].parent >= 0) Fail(At("nodes", c) + " has two parents");
      nodes_[c].parent = static_cast<int>(n);
      nodes_[n].children.push_back(c);
    }
  }
  CheckTree();
}

void GltfDocument::LoadTransform(const json& object, const std::string& where,
                                 GltfNode* node) const {
  const std::vector<double> m = Numbers(object, "matrix", 16, where);
  Vec3d scale{1, 1, 1};
  if (!m.empty()) {  // column after column
    const Vec3d x{m[0], m[1], m[2]}, y{m[4], m[5], m[6]}, z{m[8], m[9], m[10]};
    scale = {Norm(x), Norm(y), Norm(z)};
    if (!(Dot(Cross(x, y), z) > 1e-9 * scale.x * scale.y * scale.z)) {
      Fail(where + ".matrix is flat or mirrors; expected rotation, scale and translation");
    }
    const Vec3d u = Normalized(x), w = Normalized(Cross(u, y));
    node->rotation = FromMat3(Mat3d::FromColumns(u, Cross(w, u), w));
    node->translation = {m[12], m[13], m[14]};
  } else {
    if (const auto t = Numbers(object, "translation", 3, where); !t.empty()) {
      node->translation = {t[0], t[1], t[2]};
    }
    if (const auto r = Numbers(object, "rotation", 4, where); !r.empty()) {
      const Quatd q{r[3], r[0], r[1], r[2]};
      if (!(std::fabs(Dot(q, q) - 1) < 0.1)) Fail(where + ".rotation is not a unit quaternion");
      node->rotation = Normalized(q);
    }
    if (const auto s = Numbers(object, "scale", 3, where); !s.empty()) scale = {s[0], s[1], s[2]};
  }
  const double lowest = std::min({scale.x, scale.y, scale.z});
  if (!(lowest > 1e-9))
    Fail(where + " has a scale that is zero or mirrors; expected positive numbers");
  node->scale = std::cbrt(scale.x * scale.y * scale.z);
  node->has_uneven_scale = std::max({scale.x, scale.y, scale.z}) > 1.01 * lowest;
}

// Every node has one parent at most, so what is not reached from the roots lies on a ring.
void GltfDocument::CheckTree() const {
  std::vector<int> stack;
  std::size_t reached = 0;
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    if (nodes_[n].parent < 0) stack.push_back(static_cast<int>(n));
  }
  while (!stack.empty()) {
    const int n = stack.back();
    stack.pop_back();
    ++reached;
    stack.insert(stack.end(), nodes_[n].children.begin(), nodes_[n].children.end());
  }
  if (reached != nodes_.size())
    Fail("has a node that is its own ancestor; expected a tree of nodes");
}

GltfAccessor GltfDocument::Accessor(int index, int width) const {
  const std::string where = At("accessors", index);
  const json& accessor = List(json_, "accessors")[index];
  const json& views = List(json_, "bufferViews");
  if (accessor.is_object() && accessor.contains("sparse"))
    Fail(where + " is sparse, which is not supported here");
  const int v = Index(accessor, "bufferView", views.size(), where);
  const std::string view_where = At("bufferViews", v);
  const json& view = views[v];
  const std::string_view buffer = buffers_[Index(view, "buffer", buffers_.size(), view_where)];

  GltfAccessor result;
  result.width_ = width;
  result.component_type_ = static_cast<int>(Size(accessor, "componentType", 0, where));
  const char* expected = width == 1 ? "SCALAR" : width == 3 ? "VEC3" : "VEC4";
  const auto type = accessor.find("type");
  if (type == accessor.end() || *type != expected) Fail(where + ".type is not " + expected);
  const std::size_t component = ComponentSize(result.component_type_);
  const auto normalized = accessor.find("normalized");
  if (component == 0 || (result.component_type_ != kFloat &&
                         (width != 4 || normalized == accessor.end() || *normalized != true))) {
    Fail(where + ".componentType is not float (or a normalized whole number, for rotations)");
  }

  // All sizes are below 2^32, so that nothing overflows in 64 bits.
  const std::uint64_t element = component * static_cast<std::uint64_t>(width);
  const std::uint64_t view_offset = Size(view, "byteOffset", 0, view_where);
  const std::uint64_t view_size = Size(view, "byteLength", 0, view_where);
  const std::uint64_t stride = Size(view, "byteStride", element, view_where);
  const std::uint64_t offset = Size(accessor, "byteOffset", 0, where);
  const std::uint64_t count = Size(accessor, "count", 0, where);
  if (view_offset + view_size > buffer.size()) Fail(view_where + " reaches beyond its buffer");
  if (stride < element || stride > 252 + element)
    Fail(view_where + ".byteStride does not fit its elements");
  if (count == 0 || offset + (count - 1) * stride + element > view_size) {
    Fail(where + " is empty or reaches beyond its buffer view");
  }
  result.data_ = reinterpret_cast<const unsigned char*>(buffer.data()) + view_offset + offset;
  result.stride_ = stride;
  result.count_ = static_cast<int>(count);
  return result;
}

}  // namespace stride
