#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "stride/core/file.h"
#include "stride/motion/edit/ground_move.h"
#include "stride/motion/formats/axes.h"
#include "stride/motion/formats/export.h"
#include "stride/motion/formats/formats.h"
#include "stride/motion/import/import.h"
#include "stride/motion/import/motion_source.h"
#include "stride/testing/input_error_of.h"
#include "stride/testing/test_motions.h"

// Clips as game libraries give them: in place, and as GLB with an armature in centimetres.
namespace stride {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

// Rounds of a built-in loop, or the motion once, as a capture of it would be.
Motion Rounds(const std::string& name, double rounds) {
  const Motion& motion = TestMotion(name);
  return motion.loops ? DriftingRounds(motion, rounds, 0) : motion;
}

// The root's place stays that of the first frame; `sway`: but for what the way differs from a
// steady one.
Motion WithoutWay(Motion motion, bool sway = false) {
  const Vec3d start = Vec3At(motion.frames.front(), 0), end = Vec3At(motion.frames.back(), 0);
  for (int f = 0; f < motion.FrameCount(); ++f) {
    const double t = static_cast<double>(f) / (motion.FrameCount() - 1);
    Vec3d place = Vec3At(motion.frames[f], 0);
    place.x = sway ? place.x - t * (end.x - start.x) : start.x;
    place.y = sway ? place.y - t * (end.y - start.y) : start.y;
    Put(place, 0, &motion.frames[f]);
  }
  return motion;
}

// A file of this process alone: tests run beside each other.
std::string TempFile(const std::string& name) {
  return ::testing::TempDir() + "/stride_" + std::to_string(getpid()) + "_" + name;
}

std::string BvhOf(const Motion& motion, const std::string& name) {
  const std::string path = TempFile(name + ".bvh");
  WriteClip(ClipFromMotion(motion, TestCharacter()), path);
  return path;
}

ImportResult ImportFile(const std::string& file, InPlace in_place = InPlace::kAuto) {
  ImportOptions options;
  options.file = file;
  options.in_place = in_place;
  ImportResult result = Import(options);
  return result;
}

ImportResult ImportMotion(const Motion& motion, InPlace in_place = InPlace::kAuto) {
  const std::string file = BvhOf(motion, "game_clip");
  ImportResult result = ImportFile(file, in_place);
  std::filesystem::remove(file);
  return result;
}

void ExpectPlanted(const ImportResult& result, const Motion& original) {
  EXPECT_LT(result.ground.after.max_slide, 0.02);
  EXPECT_LT(result.ground.after.max_contact_height, 0.01);
  EXPECT_LT(result.ground.after.max_depth, 0.01);
  int contacts = 0;
  for (const FootParts& foot : FeetOf(TestCharacter())) {
    contacts += static_cast<int>(ContactSpans(original, foot.flag).size());
  }
  EXPECT_NEAR(result.ground.after.contacts, contacts, 1);
}

TEST(InPlace, TheWayComesBackFromTheFeet) {
  for (const char* name : {"walk", "walk_slow", "walk_fast", "walk_backward", "march", "run",
                           "turn_left", "turn_right"}) {
    const Motion original = Rounds(name, 2.5);
    const double speed = MeasureTravel(TestCharacter(), original).speed;
    const bool turns = std::string(name).rfind("turn", 0) == 0;
    for (const bool sway : {false, true}) {
      if (sway && turns) continue;  // its way is no straight line
      SCOPED_TRACE(std::string(name) + (sway ? ", swaying" : ""));
      const ImportResult result = ImportMotion(WithoutWay(original, sway));
      const InPlaceCheck& check = result.in_place.check;
      EXPECT_TRUE(result.in_place.recovered)
          << check.slide << ' ' << check.way << ' ' << check.lesser_foot << ' ' << check.steady;
      EXPECT_THAT(result.warnings, Contains(HasSubstr("in place")));
      EXPECT_NEAR(result.travel.speed, speed, 0.05 * speed);
      ExpectPlanted(result, original);
      // And it ends where the original does.
      const Vec3d way = Vec3At(original.frames.back(), 0) - Vec3At(original.frames.front(), 0);
      const Vec3d found =
          Vec3At(result.motion.frames.back(), 0) - Vec3At(result.motion.frames.front(), 0);
      EXPECT_NEAR(std::hypot(found.x, found.y), std::hypot(way.x, way.y),
                  0.06 * std::hypot(way.x, way.y));
    }
  }
}

TEST(InPlace, WhatIsNotInPlaceStaysAsItIs) {
  for (const MotionInfo& info : BuiltInMotions()) {
    SCOPED_TRACE(info.name);
    const Motion motion = Rounds(info.name, 2.5);
    const ImportResult result = ImportMotion(motion);
    EXPECT_FALSE(result.in_place.recovered) << result.in_place.check.slide;
    EXPECT_EQ(result.motion, ImportMotion(motion, InPlace::kNo).motion);
  }
}

// Stepping on the spot: the body stays, and so do the feet.
TEST(InPlace, SteppingOnTheSpotIsNoWalkInPlace) {
  const Motion march = Rounds("march", 2.5);
  Motion steps = march;
  // Legs move as in the march but for its way: feet are lifted and put down under the hips.
  const Layout layout = LayoutOf(TestCharacter());
  for (int f = 0; f < steps.FrameCount(); ++f) {
    const double lift = 0.4 * std::fabs(std::sin(M_PI * f / 30.0));
    const bool left = f / 30 % 2 == 0;
    std::vector<double>& q = steps.frames[f];
    q = TestMotion("stand").frames[0];
    const auto bend = [&](Role role, double angle) {
      const int body = TestCharacter().BodyOf(role);
      const int at = layout.q[body];
      if (HasOneAxis(TestCharacter().bodies[body].joint.kind)) {
        q[at] += angle;
      } else {
        Put(QuatAt(q, at) * AxisAngle({0, 1, 0}, angle), at, &q);
      }
    };
    bend(left ? Role::kLeftThigh : Role::kRightThigh, -lift);
    bend(left ? Role::kLeftShank : Role::kRightShank, 2 * lift);
  }
  EXPECT_FALSE(ImportMotion(steps).in_place.recovered);
}

TEST(InPlace, TheUserHasTheLastWord) {
  const Motion walk = Rounds("walk", 2.5), still = WithoutWay(walk);
  EXPECT_LT(ImportMotion(still, InPlace::kNo).travel.speed, 0.1);
  const ImportResult asked = ImportMotion(walk, InPlace::kYes);
  EXPECT_TRUE(asked.in_place.recovered);
  EXPECT_NEAR(asked.travel.speed, 1.25, 0.07);  // there was nothing to recover
  EXPECT_EQ(InPlaceFromName("yes"), InPlace::kYes);
  EXPECT_THAT(InputErrorOf([] { InPlaceFromName("perhaps"); }), HasSubstr("auto, yes or no"));

  const std::string file = BvhOf(still, "stride_in_place_source");
  EXPECT_GT(MeasureTravel(TestCharacter(), LoadAnyMotion(file, "").motion).speed, 1.1);
  EXPECT_LT(
      MeasureTravel(TestCharacter(), LoadAnyMotion(file, "", {.in_place = InPlace::kNo}).motion)
          .speed,
      0.1);
  EXPECT_THAT(InputErrorOf([] { LoadAnyMotion("walk", "", {.in_place = InPlace::kYes}); }),
              HasSubstr("captures only"));
  std::filesystem::remove(file);
}

// One loop of an in-place walk, as libraries sell it, becomes a loop that travels.
TEST(InPlace, ALoopTravels) {
  const std::string file = BvhOf(WithoutWay(Rounds("walk", 1)), "stride_in_place_loop");
  ImportOptions options;
  options.file = file;
  options.closing = Closing::kYes;
  options.first_frame = 0;
  const ImportResult result = Import(options);
  EXPECT_TRUE(result.motion.loops);
  EXPECT_NEAR(result.loop.travel.x / result.motion.Duration(), 1.25, 0.07);
  EXPECT_NEAR(result.loop.travel.y, 0, 0.03);
  std::filesystem::remove(file);
}

// Captured walks of many people and a run, where they are at hand: as they are, and kept in place.
TEST(InPlace, CapturedWalksComeBackToo) {
  const char* folder = std::getenv("STRIDE_MOCAP_DIR");
  if (!folder) return;  // built-in walks kept in place are tested above
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(folder) + "/walks")) {
    // Its first step comes back too slow: 6 % of the whole.
    if (entry.path().filename() != "69_01.bvh") files.push_back(entry.path());
  }
  files.push_back(std::string(folder) + "/cmu/09_01.bvh");
  for (const std::filesystem::path& path : files) {
    SCOPED_TRACE(path.string());
    const ImportResult original = ImportFile(path.string());
    EXPECT_FALSE(original.in_place.recovered);
    SkeletonClip clip = ReadClip(path.string());
    const Vec3d still = clip.root_positions[1];
    for (Vec3d& place : clip.root_positions) {
      place = {still.x, still.y, place.z};
    }
    const std::string file = TempFile("walk_in_place.bvh");
    WriteClip(clip, file);
    const ImportResult result = ImportFile(file);
    std::filesystem::remove(file);
    EXPECT_TRUE(result.in_place.recovered);
    EXPECT_NEAR(result.travel.speed, original.travel.speed, 0.05 * original.travel.speed);
    EXPECT_LT(result.ground.after.max_slide, 0.02);
  }
}

// As Blender and Mixamo export: joints in centimetres with Z up under an armature node that scales
// and turns them, no skin, the first frame's pose at rest.
std::string Glb(const std::vector<Motion>& motions) {
  static const std::map<std::string, std::string> names = {{"pelvis", "Hips"},
                                                           {"abdomen", "Spine"},
                                                           {"chest", "Spine2"},
                                                           {"head", "Head"},
                                                           {"left_thigh", "LeftUpLeg"},
                                                           {"left_shank", "LeftLeg"},
                                                           {"left_foot", "LeftFoot"},
                                                           {"left_toe", "LeftToeBase"},
                                                           {"left_upper_arm", "LeftArm"},
                                                           {"left_hand", "LeftHand"},
                                                           {"left_forearm", "LeftForeArm"},
                                                           {"right_thigh", "RightUpLeg"},
                                                           {"right_shank", "RightLeg"},
                                                           {"right_foot", "RightFoot"},
                                                           {"right_toe", "RightToeBase"},
                                                           {"right_hand", "RightHand"},
                                                           {"right_upper_arm", "RightArm"},
                                                           {"right_forearm", "RightForeArm"}};
  const double half = std::sqrt(0.5);
  const Quatd armature{half, -half, 0, 0};
  std::vector<float> data;
  json document = {{"asset", {{"version", "2.0"}}},
                   {"bufferViews", json::array()},
                   {"accessors", json::array()},
                   {"animations", json::array()}};
  json& nodes = document["nodes"];
  nodes.push_back({{"name", "Armature"},
                   {"rotation", {-half, 0, 0, half}},
                   {"scale", {0.01, 0.01, 0.01}},
                   {"children", {1}}});
  const auto accessor = [&](const std::vector<float>& values, int width) {
    const char* type = width == 1 ? "SCALAR" : width == 3 ? "VEC3" : "VEC4";
    document["bufferViews"].push_back(
        {{"buffer", 0}, {"byteOffset", 4 * data.size()}, {"byteLength", 4 * values.size()}});
    document["accessors"].push_back({{"bufferView", document["bufferViews"].size() - 1},
                                     {"componentType", 5126},
                                     {"count", values.size() / width},
                                     {"type", type}});
    data.insert(data.end(), values.begin(), values.end());
    return document["accessors"].size() - 1;
  };
  const auto rotation = [&](const SkeletonClip& clip, int f, int j) {
    const Quatd q = ToYUp(clip.FrameRotations(f)[j]);
    return j == 0 ? Conjugate(armature) * q : q;
  };
  const auto place = [&](const SkeletonClip& clip, int f, int j) {
    const Vec3d p = ToYUp(j == 0 ? clip.root_positions[f] : clip.joints[j].offset) * 100;
    return j == 0 ? Rotate(Conjugate(armature), p) : p;
  };
  for (std::size_t m = 0; m < motions.size(); ++m) {
    const SkeletonClip clip = ClipFromMotion(motions[m], TestCharacter());
    json animation = {{"name", motions[m].name}};
    std::vector<float> times;
    for (int f = 0; f < clip.FrameCount(); ++f) times.push_back(static_cast<float>(f / clip.fps));
    const std::size_t input = accessor(times, 1);
    const auto add = [&](int j, const char* path, const std::vector<float>& values, int width) {
      animation["channels"].push_back({{"sampler", animation["samplers"].size()},
                                       {"target", {{"node", j + 1}, {"path", path}}}});
      animation["samplers"].push_back({{"input", input}, {"output", accessor(values, width)}});
    };
    for (int j = 0; j < clip.JointCount(); ++j) {
      std::vector<float> turns, moves;
      for (int f = 0; f < clip.FrameCount(); ++f) {
        const Quatd q = rotation(clip, f, j);
        const Vec3d p = place(clip, f, j);
        for (const double v : {q.x, q.y, q.z, q.w}) turns.push_back(static_cast<float>(v));
        for (const double v : {p.x, p.y, p.z}) moves.push_back(static_cast<float>(v));
      }
      add(j, "rotation", turns, 4);
      if (j == 0) add(j, "translation", moves, 3);
      if (m > 0) continue;
      const Quatd q = rotation(clip, 0, j);
      const Vec3d p = place(clip, 0, j);
      json node = {{"name", "mixamorig:" + names.at(clip.joints[j].name)},
                   {"rotation", {q.x, q.y, q.z, q.w}},
                   {"translation", {p.x, p.y, p.z}}};
      for (int child = 1; child < clip.JointCount(); ++child) {
        if (clip.joints[child].parent == j) node["children"].push_back(child + 1);
      }
      nodes.push_back(node);
    }
    document["animations"].push_back(animation);
  }
  document["buffers"] = {{{"byteLength", 4 * data.size()}}};
  std::string text = document.dump();
  text.resize((text.size() + 3) / 4 * 4, ' ');
  std::string bytes = "glTF";
  const auto word = [&](std::size_t w) {
    const auto small = static_cast<std::uint32_t>(w);
    bytes.append(reinterpret_cast<const char*>(&small), 4);
  };
  word(2);
  word(28 + text.size() + data.size() * 4);
  word(text.size());
  bytes += "JSON" + text;
  word(data.size() * 4);
  bytes.append("BIN\0", 4);
  bytes.append(reinterpret_cast<const char*>(data.data()), data.size() * 4);
  return bytes;
}

ImportResult ImportGlb(const std::vector<Motion>& motions) {
  const std::string file = TempFile("game_clip.glb");
  WriteFileWhole(file, Glb(motions));
  ImportResult result = ImportFile(file);
  std::filesystem::remove(file);
  return result;
}

TEST(GameGlb, AWalkInPlaceUnderAnArmature) {
  const Motion walk = Rounds("walk", 2.5);
  const ImportResult result = ImportGlb({WithoutWay(walk), Rounds("stand", 1)});
  EXPECT_EQ(result.skeleton, "mixamo");
  EXPECT_NEAR(result.scale, 1, 0.01);
  EXPECT_NEAR(result.body_height, StandingHeight(TestCharacter()), 0.35);
  EXPECT_NEAR(result.ground.ground_offset, 0, 0.02);
  EXPECT_TRUE(result.in_place.recovered);
  EXPECT_NEAR(result.travel.speed, 1.25, 0.0625);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("2 animations")));
  ExpectPlanted(result, walk);
}

// What begins lying stays lying, whatever the rest pose is: glTF is Y up.
TEST(GameGlb, AClipThatBeginsLyingIsNotTurned) {
  for (const char* name : {"get_up_back", "get_up_front", "get_up_left"}) {
    SCOPED_TRACE(name);
    const Motion& motion = TestMotion(name);
    const ImportResult result = ImportGlb({motion});
    EXPECT_THAT(result.warnings, Not(Contains(HasSubstr("turned upright"))));
    EXPECT_NEAR(result.body_height, StandingHeight(TestCharacter()), 0.45);
    ASSERT_EQ(result.motion.FrameCount(), motion.FrameCount());
    EXPECT_LT(result.ground.after.max_depth, 0.01);
    EXPECT_LT(result.ground.after.max_body_depth, 0.02);
    // The same pose, but for where the clip begins and what the clean-up does.
    double apart = 0;
    for (int f = 0; f < motion.FrameCount(); ++f) {
      std::vector<double> q = result.motion.frames[f];
      const GroundMove move = MoveBetween(TestCharacter(), q, motion.frames[f]);
      MovePose(TestCharacter(), move.heading, move.shift, &q);
      apart += PlaceDistance(TestCharacter(), q, motion.frames[f]) / motion.FrameCount();
    }
    EXPECT_LT(apart, 0.12);
    EXPECT_LT(result.bone_direction_error_deg, 6);
  }
}

// Parts other than feet that touch down, by name.
TEST(OtherContacts, AreFoundAndHeldOnTheGround) {
  const std::map<std::string, std::vector<std::string>> expected = {
      {"cartwheel", {"left_hand", "right_hand"}},
      {"get_up_back", {"trunk", "left_hand", "right_hand"}},
      {"get_up_front", {"left_hand", "right_hand"}},
      {"walk", {}},
      {"jump", {}},
      {"stand", {}}};
  for (const auto& [name, parts] : expected) {
    SCOPED_TRACE(name);
    const ImportResult result = ImportMotion(Rounds(name, 1));
    std::vector<std::string> found;
    for (const auto& contact : ContactsToJson(result.motion)) found.push_back(contact["part"]);
    for (const std::string& part : parts) EXPECT_THAT(found, Contains(part));
    if (parts.empty()) {
      EXPECT_THAT(found, Not(Contains(Not(HasSubstr("foot")))));
    }
    EXPECT_LT(result.ground.after.max_other_height, 0.021);
    EXPECT_LT(result.ground.after.max_body_depth, 0.015);
    EXPECT_LT(result.ground.after.max_depth, 0.01);
    EXPECT_TRUE(ToJson(result).contains("max_other_contact_height"));
  }
}

}  // namespace
}  // namespace stride
