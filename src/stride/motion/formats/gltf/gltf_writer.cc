#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

#include <tiny_gltf.h>

#include "stride/core/error.h"
#include "stride/core/json_text.h"
#include "stride/math/rotation.h"
#include "stride/motion/formats/axes.h"
#include "stride/motion/formats/gltf/gltf.h"

namespace stride {
namespace {

struct Vertex {
  Vec3d position, normal;
  int joint;
};

class GlbWriter {
 public:
  explicit GlbWriter(const SkeletonClip& clip)
      : clip_(clip), scale_(clip.metres_per_unit > 0 ? clip.metres_per_unit : 1) {}

  std::string Write() {
    model_.asset.version = "2.0";
    model_.asset.generator = "stride " STRIDE_VERSION;
    model_.buffers.resize(1);
    AddNodes();
    AddMesh();
    AddSkin();
    AddAnimation();
    std::ostringstream out;
    if (!tinygltf::TinyGLTF().WriteGltfSceneToStream(&model_, out, false, true)) {
      throw InputError(clip_.source, 0, "cannot be written as glTF");
    }
    return std::move(out).str();
  }

 private:
  Vec3d Length(const Vec3d& v) const { return ToYUp(v) * scale_; }
  static std::vector<double> List(const Vec3d& v) { return {v.x, v.y, v.z}; }

  void AddNodes() {
    for (const ClipJoint& joint : clip_.joints) {
      tinygltf::Node node;
      node.name = ToUtf8(joint.name);
      node.translation = List(Length(joint.offset));
      const Quatd q = ToYUp(joint.rest_rotation);
      node.rotation = {q.x, q.y, q.z, q.w};
      model_.nodes.push_back(node);
    }
    for (int j = 0; j < clip_.JointCount(); ++j) {
      const ClipJoint& joint = clip_.joints[j];
      if (joint.parent >= 0) model_.nodes[joint.parent].children.push_back(j);
      for (std::size_t e = 0; e < joint.end_sites.size(); ++e) {
        tinygltf::Node end;
        end.name = ToUtf8(joint.name) + "_end" + (e > 0 ? std::to_string(e + 1) : "");
        end.translation = List(Length(joint.end_sites[e]));
        model_.nodes[j].children.push_back(static_cast<int>(model_.nodes.size()));
        model_.nodes.push_back(end);
      }
    }
    tinygltf::Scene scene;
    scene.nodes = {0, static_cast<int>(model_.nodes.size())};
    tinygltf::Node mesh;  // beside the joints: a skin's mesh ignores the nodes above it
    mesh.name = "bones";
    mesh.mesh = 0;
    mesh.skin = 0;
    model_.nodes.push_back(mesh);
    model_.scenes.push_back(scene);
    model_.defaultScene = 0;
  }

  // A long octahedron from `from` to `to`, widest near its start.
  void AddOctahedron(const Vec3d& from, const Vec3d& to, int joint) {
    const Vec3d along = to - from;
    const double width = 0.12 * Norm(along);
    const Quatd turn = RotationBetween(Vec3d{0, 0, 1}, along);
    const Vec3d belt = from + along * 0.2;
    Vec3d corners[4];
    const Vec3d square[4] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
    for (int c = 0; c < 4; ++c) corners[c] = belt + Rotate(turn, square[c]) * width;
    for (int c = 0; c < 4; ++c) {
      const Vec3d &a = corners[c], &b = corners[(c + 1) % 4];
      AddTriangle(to, a, b, joint);
      AddTriangle(from, b, a, joint);
    }
  }

  void AddTriangle(const Vec3d& a, const Vec3d& b, const Vec3d& c, int joint) {
    const Vec3d normal = Normalized(Cross(b - a, c - a));
    for (const Vec3d& p : {a, b, c}) vertices_.push_back({p, normal, joint});
  }

  void BuildBones() {
    const ClipPose rest = RestPositions(clip_);
    double longest = 0;
    std::vector<std::pair<Vec3d, Vec3d>> bones;
    std::vector<int> owners;
    std::vector<bool> has_bone(clip_.joints.size());
    const auto add = [&](int joint, const Vec3d& to) {
      const Vec3d from = Length(rest.positions[joint]);
      bones.emplace_back(from, Length(to));
      owners.push_back(joint);
      longest = std::max(longest, Norm(bones.back().second - from));
    };
    for (int j = 0; j < clip_.JointCount(); ++j) {
      const ClipJoint& joint = clip_.joints[j];
      if (joint.parent >= 0) add(joint.parent, rest.positions[j]);
      for (const Vec3d& end : joint.end_sites) {
        add(j, rest.positions[j] + Rotate(rest.rotations[j], end));
      }
    }
    for (std::size_t b = 0; b < bones.size(); ++b) {
      const Vec3d& from = bones[b].first;
      if (Norm(bones[b].second - from) < 1e-3 * longest || longest == 0) continue;
      AddOctahedron(from, bones[b].second, owners[b]);
      has_bone[owners[b]] = true;
    }
    // A joint without a bone shows as a small one, upwards.
    const double small = longest > 0 ? 0.1 * longest : 0.1;
    for (int j = 0; j < clip_.JointCount(); ++j) {
      if (has_bone[j]) continue;
      const Vec3d from = Length(rest.positions[j]);
      AddOctahedron(from, from + Vec3d{0, small, 0}, j);
    }
  }

  void AddMesh() {
    BuildBones();
    std::vector<float> positions, normals, weights;
    std::vector<std::uint16_t> joints;
    for (const Vertex& v : vertices_) {
      for (double x : List(v.position)) positions.push_back(static_cast<float>(x));
      for (double x : List(v.normal)) normals.push_back(static_cast<float>(x));
      weights.insert(weights.end(), {1, 0, 0, 0});
      joints.insert(joints.end(), {static_cast<std::uint16_t>(v.joint), 0, 0, 0});
    }
    tinygltf::Primitive primitive;
    primitive.mode = TINYGLTF_MODE_TRIANGLES;
    primitive.material = 0;
    primitive.attributes["POSITION"] =
        AddAccessor(positions, 3, TINYGLTF_TARGET_ARRAY_BUFFER, true);
    primitive.attributes["NORMAL"] = AddAccessor(normals, 3, TINYGLTF_TARGET_ARRAY_BUFFER);
    primitive.attributes["WEIGHTS_0"] = AddAccessor(weights, 4, TINYGLTF_TARGET_ARRAY_BUFFER);
    primitive.attributes["JOINTS_0"] = AddAccessor(joints, 4, TINYGLTF_TARGET_ARRAY_BUFFER);
    tinygltf::Mesh mesh;
    mesh.name = "bones";
    mesh.primitives.push_back(primitive);
    model_.meshes.push_back(mesh);
    tinygltf::Material material;
    material.name = "bone";
    material.pbrMetallicRoughness.baseColorFactor = {0.8, 0.75, 0.65, 1};
    material.pbrMetallicRoughness.metallicFactor = 0;
    material.pbrMetallicRoughness.roughnessFactor = 0.7;
    model_.materials.push_back(material);
  }

  void AddSkin() {
    const ClipPose rest = RestPositions(clip_);
    std::vector<float> inverse;  // 4x4, column after column
    tinygltf::Skin skin;
    skin.name = "skeleton";
    skin.skeleton = 0;
    for (int j = 0; j < clip_.JointCount(); ++j) {
      skin.joints.push_back(j);
      const Quatd back = Conjugate(ToYUp(rest.rotations[j]));
      const Mat3d m = ToMat3(back);
      const Vec3d t = -Rotate(back, Length(rest.positions[j]));
      for (double x : {m.xx, m.yx, m.zx, 0.0, m.xy, m.yy, m.zy, 0.0, m.xz, m.yz, m.zz, 0.0, t.x,
                       t.y, t.z, 1.0}) {
        inverse.push_back(static_cast<float>(x));
      }
    }
    skin.inverseBindMatrices = AddAccessor(inverse, 16, 0);
    model_.skins.push_back(skin);
  }

  void AddAnimation() {
    std::vector<float> times;
    for (int f = 0; f < clip_.FrameCount(); ++f) times.push_back(static_cast<float>(f / clip_.fps));
    const int input = AddAccessor(times, 1, 0, true);
    tinygltf::Animation animation;
    animation.name = "motion";
    const auto add = [&](int node, const char* path, const std::vector<float>& values, int width) {
      tinygltf::AnimationSampler sampler;
      sampler.input = input;
      sampler.output = AddAccessor(values, width, 0);
      sampler.interpolation = "LINEAR";
      tinygltf::AnimationChannel channel;
      channel.sampler = static_cast<int>(animation.samplers.size());
      channel.target_node = node;
      channel.target_path = path;
      animation.samplers.push_back(sampler);
      animation.channels.push_back(channel);
    };
    std::vector<float> values;
    const auto push = [&](const Vec3d& v) {
      for (double x : List(Length(v))) values.push_back(static_cast<float>(x));
    };
    for (const Vec3d& p : clip_.root_positions) push(p);
    add(0, "translation", values, 3);
    for (std::size_t m = 0; m < clip_.moving.size(); ++m) {
      values.clear();
      for (int f = 0; f < clip_.FrameCount(); ++f) push(clip_.FrameTranslations(f)[m]);
      add(clip_.moving[m], "translation", values, 3);
    }
    for (int j = 0; j < clip_.JointCount(); ++j) {
      values.clear();
      for (int f = 0; f < clip_.FrameCount(); ++f) {
        const Quatd q = ToYUp(clip_.FrameRotations(f)[j]);
        for (double x : {q.x, q.y, q.z, q.w}) values.push_back(static_cast<float>(x));
      }
      add(j, "rotation", values, 4);
    }
    model_.animations.push_back(animation);
  }

  // Appends the data to the buffer, with a view and an accessor of its own.
  template <class T>
  int AddAccessor(const std::vector<T>& data, int width, int target, bool with_bounds = false) {
    std::vector<unsigned char>& bytes = model_.buffers[0].data;
    bytes.resize((bytes.size() + 3) / 4 * 4);
    tinygltf::BufferView view;
    view.buffer = 0;
    view.byteOffset = bytes.size();
    view.byteLength = data.size() * sizeof(T);
    view.target = target;
    bytes.resize(bytes.size() + view.byteLength);
    std::memcpy(bytes.data() + view.byteOffset, data.data(), view.byteLength);
    tinygltf::Accessor accessor;
    accessor.bufferView = static_cast<int>(model_.bufferViews.size());
    accessor.componentType =
        sizeof(T) == 4 ? TINYGLTF_COMPONENT_TYPE_FLOAT : TINYGLTF_COMPONENT_TYPE_UNSIGNED_SHORT;
    accessor.count = data.size() / width;
    accessor.type = width == 1   ? TINYGLTF_TYPE_SCALAR
                    : width == 3 ? TINYGLTF_TYPE_VEC3
                    : width == 4 ? TINYGLTF_TYPE_VEC4
                                 : TINYGLTF_TYPE_MAT4;
    for (int i = 0; with_bounds && i < width; ++i) {
      T low = data[i], high = data[i];
      for (std::size_t n = i; n < data.size(); n += width) {
        low = std::min(low, data[n]);
        high = std::max(high, data[n]);
      }
      accessor.minValues.push_back(low);
      accessor.maxValues.push_back(high);
    }
    model_.bufferViews.push_back(view);
    model_.accessors.push_back(accessor);
    return static_cast<int>(model_.accessors.size()) - 1;
  }

  const SkeletonClip& clip_;
  const double scale_;  // metres per unit
  tinygltf::Model model_;
  std::vector<Vertex> vertices_;
};

}  // namespace

std::string WriteGlb(const SkeletonClip& clip) {
  Validate(clip);
  return GlbWriter(clip).Write();
}

}  // namespace stride
