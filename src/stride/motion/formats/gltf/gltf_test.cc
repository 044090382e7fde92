#include "stride/motion/formats/gltf/gltf.h"

#include <cstring>
#include <filesystem>
#include <limits>
#include <numbers>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/math/rotation.h"
#include "stride/motion/formats/bvh/bvh.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr float kHalf = 0.70710678f;

// A binary file from JSON and float data.
std::string Glb(const json& document, const std::vector<float>& data) {
  std::string text = document.dump();
  text.resize((text.size() + 3) / 4 * 4, ' ');
  std::string bytes = "glTF";
  const auto word = [&](std::uint32_t w) { bytes.append(reinterpret_cast<const char*>(&w), 4); };
  word(2);
  word(static_cast<std::uint32_t>(28 + text.size() + data.size() * 4));
  word(static_cast<std::uint32_t>(text.size()));
  bytes += "JSON" + text;
  word(static_cast<std::uint32_t>(data.size() * 4));
  bytes.append("BIN\0", 4);
  bytes.append(reinterpret_cast<const char*>(data.data()), data.size() * 4);
  return bytes;
}

// As Mixamo exports: an armature scaled to centimetres, hips 90 high, a spine with a tip. Keys at
// 0, 0.5 and 1 s: the hips turn (linear) and move (step), the spine turns (cubic).
struct Sample {
  std::vector<float> data = {
      0,  0.5, 1,                                       // times
      0,  0,   0, 1, 0,  kHalf, 0,  kHalf, 0, 0, 0, 1,  // hips: a quarter turn about y and back
      0,  90,  0, 0, 95, 0,     10, 90,    0,           // hips
      0,  0,   0, 0, 0,  0,     0,  1,     1, 0, 0, 0,  // spine: tangent in, value, tangent out
      -1, 0,   0, 0, 0,  0,     0,  1,     0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0};
  json document = json::parse(R"({
    "asset": {"version": "2.0"},
    "nodes": [
      {"name": "Armature", "scale": [0.01, 0.01, 0.01], "translation": [1, 0, 0], "children": [1]},
      {"name": "mixamorig:Hips", "translation": [0, 90, 0], "children": [2]},
      {"name": "mixamorig:Spine", "translation": [0, 10, 0], "children": [3]},
      {"name": "tip", "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 20, 0, 1]}],
    "skins": [{"joints": [1, 2]}],
    "buffers": [{"byteLength": 240}],
    "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 12},
                    {"buffer": 0, "byteOffset": 12, "byteLength": 48},
                    {"buffer": 0, "byteOffset": 60, "byteLength": 36},
                    {"buffer": 0, "byteOffset": 96, "byteLength": 144}],
    "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "SCALAR"},
                  {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC4"},
                  {"bufferView": 2, "componentType": 5126, "count": 3, "type": "VEC3"},
                  {"bufferView": 3, "componentType": 5126, "count": 9, "type": "VEC4"}],
    "animations": [{
      "samplers": [{"input": 0, "output": 1}, {"input": 0, "output": 2, "interpolation": "STEP"},
                   {"input": 0, "output": 3, "interpolation": "CUBICSPLINE"}],
      "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}},
                   {"sampler": 1, "target": {"node": 1, "path": "translation"}},
                   {"sampler": 2, "target": {"node": 2, "path": "rotation"}}]}]})");

  SkeletonClip Read(const GltfReadOptions& options = {}) const {
    return ReadGltf(Glb(document, data), "a.glb", options);
  }
};

std::string ErrorOf(const std::string& bytes) {
  return InputErrorOf([&] { ReadGltf(bytes, "a.glb"); });
}

void ExpectNear(const Vec3d& a, const Vec3d& b, double tolerance = 1e-6) {
  EXPECT_LT(Norm(a - b), tolerance) << a.x << ' ' << a.y << ' ' << a.z;
}
void ExpectSame(const Quatd& a, const Quatd& b) { EXPECT_LT(Norm(Log(Conjugate(a) * b)), 1e-6); }

TEST(GltfTest, ReadsASkinWithItsNamesAndFoldsWhatIsAbove) {
  const SkeletonClip clip = Sample().Read();
  ASSERT_EQ(clip.JointCount(), 2);
  EXPECT_EQ(clip.joints[0].name, "mixamorig:Hips");
  EXPECT_EQ(clip.joints[1].name, "mixamorig:Spine");
  EXPECT_EQ(clip.metres_per_unit, 1);
  EXPECT_EQ(clip.fps, 30);
  EXPECT_EQ(clip.FrameCount(), 31);
  // Armature: 1 to the left (+X there, +Y here), centimetres.
  ExpectNear(clip.joints[0].offset, {0, 1, 0.9});
  ExpectNear(clip.joints[1].offset, {0, 0, 0.1});
  ASSERT_EQ(clip.joints[1].end_sites.size(), 1u);
  ExpectNear(clip.joints[1].end_sites[0], {0, 0, 0.2});
  EXPECT_TRUE(clip.warnings.empty());
}

TEST(GltfTest, InterpolatesAsTheSamplersSay) {
  GltfReadOptions options;
  options.fps = 8;
  const SkeletonClip clip = Sample().Read(options);
  ASSERT_EQ(clip.FrameCount(), 9);
  // Linear: an eighth turn about the vertical half way to the key.
  ExpectSame(clip.rotations[2 * 2], AxisAngle({0, 0, 1}, std::numbers::pi / 4));
  ExpectSame(clip.rotations[4 * 2], AxisAngle({0, 0, 1}, std::numbers::pi / 2));
  // Step: holds until the next key.
  ExpectNear(clip.root_positions[3], {0, 1, 0.9});
  ExpectNear(clip.root_positions[4], {0, 1, 0.95});
  ExpectNear(clip.root_positions[8], {0, 1.1, 0.9});
  // Cubic: at the middle of 0.5 s, tangents 1 and -1 add 0.5 (1/8 + 1/8) to x, which is our y.
  ExpectSame(clip.rotations[2 * 2 + 1], Normalized(Quatd{1, 0, 0.125, 0}));
  ExpectSame(clip.rotations[6 * 2 + 1], Quatd::Identity());
}

TEST(GltfTest, TurnedAndMirroredArmatures) {
  Sample sample;
  // Z up inside, as from Blender: a quarter turn back about x.
  sample.document["nodes"][0]["rotation"] = {-kHalf, 0, 0, kHalf};
  const SkeletonClip clip = sample.Read();
  // Its y (90) becomes -z of the file, our -x.
  ExpectNear(clip.joints[0].offset, {-0.9, 1, 0});
  ExpectNear(Positions(clip, 0).positions[1], {-1.0, 1, 0});
  sample.document["nodes"][0]["scale"] = {-1, 1, 1};
  EXPECT_THAT(ErrorOf(Glb(sample.document, sample.data)), HasSubstr("zero or mirrors"));
}

TEST(GltfTest, MovedAncestorsAreJoints) {
  Sample sample;
  sample.document["animations"][0]["channels"][1]["target"]["node"] = 0;
  const SkeletonClip clip = sample.Read();
  ASSERT_EQ(clip.JointCount(), 3);
  EXPECT_EQ(clip.joints[0].name, "Armature");
  ExpectNear(clip.joints[1].offset, {0, 0, 0.9});
}

TEST(GltfTest, WithoutSkinTheMovedNodesAreTheJoints) {
  Sample sample;
  sample.document.erase("skins");
  EXPECT_EQ(sample.Read().joints, Sample().Read().joints);
}

TEST(GltfTest, TranslationsThatStayAtTheOffsetDoNotMove) {
  Sample sample;
  json& channels = sample.document["animations"][0]["channels"];
  channels.push_back({{"sampler", 1}, {"target", {{"node", 2}, {"path", "translation"}}}});
  EXPECT_EQ(sample.Read().moving, std::vector<int>{1});
  for (int key = 0; key < 3; ++key) {
    for (int i = 0; i < 3; ++i) sample.data[15 + 3 * key + i] = i == 1 ? 10.f : 0.f;
  }
  EXPECT_TRUE(sample.Read().moving.empty());
}

TEST(GltfTest, NormalisedShortsAreRotations) {
  Sample sample;
  const std::int16_t shorts[12] = {0, 0, 0, 32767, 0, 23170, 0, 23170, 0, 0, 0, 32767};
  std::memcpy(&sample.data[3], shorts, sizeof shorts);
  sample.document["accessors"][1]["componentType"] = 5122;
  sample.document["accessors"][1]["normalized"] = true;
  const SkeletonClip clip = sample.Read();
  EXPECT_LT(Norm(Log(Conjugate(clip.rotations[30]) * AxisAngle({0, 0, 1}, std::numbers::pi / 2))),
            1e-4);
  sample.document["accessors"][1].erase("normalized");
  EXPECT_THAT(ErrorOf(Glb(sample.document, sample.data)), HasSubstr("componentType"));
}

TEST(GltfTest, WarnsOfWhatItLeavesOut) {
  Sample sample;
  json& animations = sample.document["animations"];
  animations.push_back(animations[0]);
  animations[0]["channels"].push_back(
      {{"sampler", 1}, {"target", {{"node", 2}, {"path", "scale"}}}});
  sample.document["nodes"][2]["scale"] = {1, 2, 1};
  EXPECT_THAT(sample.Read().warnings,
              testing::UnorderedElementsAre(HasSubstr("2 animations"), HasSubstr("animates scale"),
                                            HasSubstr("uneven scale")));
}

TEST(GltfTest, TextFilesTakeTheirDataFromUrisInTheFolderOnly) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "stride_gltf_test";
  fs::create_directories(folder / "inside");
  Sample sample;
  const std::string data(reinterpret_cast<const char*>(sample.data.data()), sample.data.size() * 4);
  WriteFileWhole((folder / "inside" / "the data.bin").string(), data);
  WriteFileWhole((folder / "out.bin").string(), data);
  const auto read = [&](const std::string& uri, const std::string& in) {
    sample.document["buffers"][0]["uri"] = uri;
    GltfReadOptions options;
    options.folder = in;
    return ReadGltf(sample.document.dump(), "a.gltf", options).FrameCount();
  };
  EXPECT_EQ(read("inside/the%20data.bin", folder.string()), 31);
  EXPECT_EQ(read("the data.bin", (folder / "inside").string()), 31);
  const std::string in = (folder / "inside").string();
  EXPECT_THROW(read("../out.bin", in), InputError);
  EXPECT_THROW(read("%2e%2e/out.bin", in), InputError);
  EXPECT_THROW(read("..\\out.bin", in), InputError);
  EXPECT_THROW(read((folder / "out.bin").string(), in), InputError);
  EXPECT_THROW(read("file:///etc/passwd", in), InputError);
  EXPECT_THROW(read("the data.bin", ""), InputError);
  EXPECT_THROW(read("missing.bin", in), InputError);
  EXPECT_THROW(read("data:;base64,AAAA", in), InputError);  // too short
  EXPECT_THROW(read("data:;base64,*", in), InputError);
  fs::remove_all(folder);
}

TEST(GltfTest, TheHandWrittenCorpusReadsAlikeAsTextAndBinary) {
  const std::string folder = STRIDE_SOURCE_DIR "/tests/fuzz/corpus/gltf/";
  SkeletonClip text = ReadGltf(ReadFile(folder + "arm.gltf"), "arm");
  EXPECT_EQ(text, ReadGltf(ReadFile(folder + "arm.glb"), "arm"));
  EXPECT_EQ(text.FrameCount(), 31);
}

struct BadFile {
  const char* pointer;  // into the document
  const char* value;    // JSON
  const char* message;
};

TEST(GltfTest, HostileIndicesAndSizesAreErrors) {
  const BadFile kBad[] = {
      {"/asset/version", "\"1.0\"", "expected glTF 2.0"},
      {"/nodes", "7", "nodes is not a list"},
      {"/nodes/0", "7", "nodes[0] is not an object"},
      {"/nodes/2/children/0", "0", "its own ancestor"},
      {"/nodes/2/children/0", "1", "two parents"},
      {"/nodes/2/children/0", "99", "number of a node"},
      {"/nodes/2/children/0", "-1", "number of a node"},
      {"/nodes/2/translation", "[0, 1]", "list of 3 numbers"},
      {"/nodes/2/translation", "[0, 1e30, 0]", "list of 3 numbers"},
      {"/nodes/0/scale", "[0, 0, 0]", "zero or mirrors"},
      {"/nodes/2/rotation", "[0, 0, 0, 0]", "unit quaternion"},
      {"/nodes/3/matrix/0", "-1", "mirrors"},
      {"/nodes/3/matrix/0", "0", "flat"},
      {"/skins/0/joints/0", "99", "number of a node"},
      {"/buffers/0/byteLength", "4000000000", "cut short"},
      {"/bufferViews/1/buffer", "1", "out of range"},
      {"/bufferViews/1/byteOffset", "4294967295", "beyond its buffer"},
      {"/bufferViews/1/byteLength", "4294967295", "beyond its buffer"},
      {"/bufferViews/1/byteLength", "-1", "whole number"},
      {"/bufferViews/1/byteStride", "0", "byteStride"},
      {"/bufferViews/1/byteStride", "252", "beyond its buffer view"},
      {"/accessors/1/bufferView", "9", "out of range"},
      {"/accessors/1/byteOffset", "4", "beyond its buffer view"},
      {"/accessors/1/count", "4294967295", "beyond its buffer view"},
      {"/accessors/1/count", "0", "is empty"},
      {"/accessors/1/count", "2", "3 times and 2 values"},
      {"/accessors/1/componentType", "5125", "componentType"},
      {"/accessors/1/type", "\"VEC3\"", "not VEC4"},
      {"/accessors/1/sparse", "{}", "sparse"},
      {"/animations", "[]", "no animation"},
      {"/animations/0/channels", "[]", "moves no node"},
      {"/animations/0/channels/0/sampler", "3", "out of range"},
      {"/animations/0/channels/0/target/node", "4", "out of range"},
      {"/animations/0/channels/0/target", "7", "no target"},
      {"/animations/0/channels/2/target/node", "1", "another channel"},
      {"/animations/0/samplers/0/input", "1", "not SCALAR"},
      {"/animations/0/samplers/0/interpolation", "\"BEZIER\"", "unknown interpolation"},
      {"/animations/0/samplers/0/interpolation", "\"CUBICSPLINE\"", "3 times and 3 values"},
  };
  for (const BadFile& bad : kBad) {
    SCOPED_TRACE(std::string(bad.pointer) + " -> " + bad.value);
    Sample sample;
    sample.document[json::json_pointer(bad.pointer)] = json::parse(bad.value);
    EXPECT_THAT(ErrorOf(Glb(sample.document, sample.data)),
                AllOf(StartsWith("a.glb: "), HasSubstr(bad.message)));
  }
}

TEST(GltfTest, HostileNumbersAreErrors) {
  const auto error_with = [](std::size_t index, float value) {
    Sample sample;
    sample.data[index] = value;
    return ErrorOf(Glb(sample.document, sample.data));
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(error_with(0, nan), HasSubstr("key time"));
  EXPECT_THAT(error_with(1, 7), HasSubstr("do not ascend"));
  EXPECT_THAT(error_with(2, 9e5f), HasSubstr("too long to sample"));
  EXPECT_THAT(error_with(6, 0), HasSubstr("zero length"));
  EXPECT_THAT(error_with(6, nan), HasSubstr("not a number"));
  EXPECT_THAT(error_with(16, 1e30f), HasSubstr("not a number"));
}

TEST(GltfTest, EveryTruncationIsAnError) {
  const Sample sample;
  const std::string whole = Glb(sample.document, sample.data);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(ErrorOf(whole.substr(0, size)), "") << size;
  }
  const std::string text = sample.document.dump();
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_NE(ErrorOf(text.substr(0, size)), "");
  EXPECT_THAT(ErrorOf("[" + std::string(100000, '[')), HasSubstr("nested deeper"));
}

TEST(GltfTest, ABvhGoesThroughGlbAndBack) {
  const std::string path = "/usr/share/assimp/models/BVH/Boxing_Toes.bvh";
  SkeletonClip clip = ReadBvh(ReadFile(path), path);
  clip.root_positions.resize(300);
  clip.rotations.resize(300 * clip.joints.size());
  const SkeletonClip again = ReadGltf(WriteGlb(clip), "again.glb");
  ASSERT_EQ(again.JointCount(), clip.JointCount());
  ASSERT_EQ(again.FrameCount(), clip.FrameCount());
  EXPECT_EQ(again.fps, clip.fps);
  for (int j = 0; j < clip.JointCount(); ++j) {
    EXPECT_EQ(again.joints[j].name, clip.joints[j].name);
    EXPECT_EQ(again.joints[j].parent, clip.joints[j].parent);
    ASSERT_EQ(again.joints[j].end_sites.size(), clip.joints[j].end_sites.size());
  }
  for (int f = 0; f < clip.FrameCount(); ++f) {
    const ClipPose a = Positions(clip, f), b = Positions(again, f);
    for (int j = 0; j < clip.JointCount(); ++j)
      ExpectNear(a.positions[j], b.positions[j], 1e-4);  // cm
  }
}

TEST(GltfTest, WritesMetresMovingJointsAndAnyName) {
  SkeletonClip clip = Sample().Read();
  clip.metres_per_unit = 0.5;
  clip.joints[1].name = "caf\xe9";  // Latin-1, which JSON cannot hold
  clip.moving = {1};
  for (int f = 0; f < clip.FrameCount(); ++f) clip.translations.push_back({0.01 * f, 0, 0.1});
  const SkeletonClip again = ReadGltf(WriteGlb(clip), "again.glb");
  ASSERT_EQ(again.moving, std::vector<int>{1});
  ExpectNear(again.root_positions[0], clip.root_positions[0] * 0.5);
  ExpectNear(again.translations[30], clip.translations[30] * 0.5);
}

TEST(GltfTest, AlignsBufferViewsAndGivesBounds) {
  const std::string bytes = WriteGlb(Sample().Read());
  std::uint32_t size = 0;
  std::memcpy(&size, bytes.data() + 12, 4);
  const json document = json::parse(bytes.substr(20, size));
  for (const json& view : document["bufferViews"]) EXPECT_EQ(view.value("byteOffset", 0) % 4, 0);
  const json& attributes = document["meshes"][0]["primitives"][0]["attributes"];
  EXPECT_TRUE(document["accessors"][attributes["POSITION"].get<int>()].contains("min"));
  const int input = document["animations"][0]["samplers"][0]["input"];
  EXPECT_NEAR(document["accessors"][input]["max"][0].get<double>(), 1, 1e-6);
  EXPECT_EQ(document["skins"][0]["joints"].size(), 2u);
}

}  // namespace
}  // namespace stride
