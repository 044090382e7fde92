#include "stride/motion/formats/asf_amc/asf_amc.h"

#include <filesystem>
#include <numbers>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/math/rotation.h"
#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr double kDegree = std::numbers::pi / 180;

constexpr const char* kAsf = R"(# a leg and a head
:version 1.10
:name test
:units
  mass 1.0
  length 0.5
  angle deg
:documentation
   :hand-written, with a colon
:root
   order TX TY TZ RX RY RZ
   axis XYZ
   position 0 0 0
   orientation 0 0 0
:bonedata
  begin
     id 1
     name thigh
     direction 3 -4 0
     length 2
     axis 0 0 20  XYZ
     dof rx ry rz
     limits (-160.0 20.0)
            (-70.0 70.0)
            (-60.0 70.0)
  end
  begin
     id 2
     name shin
     direction 0 -1 0
     length 1
     axis 10 20 30 XYZ
     dof rx
     limits (-10.0 170.0)
  end
  begin
     id 3
     name head
     direction 0 1 0
     length 3
     axis 0 0 0 XYZ
  end
:hierarchy
  begin
    root head thigh
    thigh shin
  end
)";

constexpr const char* kAmc = R"(#!OML:ASF test
:FULLY-SPECIFIED
:DEGREES
1
root 1 2 3 10 20 30
thigh 40 50 60
shin 70
2
root 1 2 3.5 10 20 30
thigh 40 50 60
shin 71
)";

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

SkeletonClip Read(const std::string& asf, const std::string& amc) {
  return ReadAmc(amc, "a.amc", ReadAsf(asf, "a.asf"));
}

std::string ErrorOf(const std::string& asf, const std::string& amc) {
  return InputErrorOf([&] { Read(asf, amc); });
}

// Turns about the file's axes.
Quatd X(double degrees) { return AxisAngle({0, 1, 0}, degrees * kDegree); }
Quatd Y(double degrees) { return AxisAngle({0, 0, 1}, degrees * kDegree); }
Quatd Z(double degrees) { return AxisAngle({1, 0, 0}, degrees * kDegree); }

void ExpectSame(const Quatd& a, const Quatd& b) { EXPECT_LT(Norm(Log(Conjugate(a) * b)), 1e-12); }
void ExpectNear(const Vec3d& a, const Vec3d& b) {
  EXPECT_LT(Norm(a - b), 1e-12) << a.x << ' ' << a.y << ' ' << a.z;
}

TEST(AsfAmcTest, BonesBecomeJointsAtTheirStarts) {
  const SkeletonClip clip = Read(kAsf, kAmc);
  ASSERT_EQ(clip.JointCount(), 4);
  EXPECT_EQ(clip.joints[1].name, "head");  // depth-first, in the order of :hierarchy
  EXPECT_EQ(clip.joints[2].name, "thigh");
  EXPECT_EQ(clip.joints[3].name, "shin");
  EXPECT_EQ(clip.joints[3].parent, 2);
  // Lengths are divided by 0.5: the thigh is 4 long, along (0.6, -0.8, 0) in the file.
  ExpectNear(clip.joints[2].offset, {0, 0, 0});
  ExpectNear(clip.joints[3].offset, {0, 2.4, -3.2});
  ASSERT_EQ(clip.joints[3].end_sites.size(), 1u);
  ExpectNear(clip.joints[3].end_sites[0], {0, 0, -2});
  EXPECT_TRUE(clip.joints[2].end_sites.empty());
}

TEST(AsfAmcTest, RotationsAreInTheBonesAxes) {
  const SkeletonClip clip = Read(kAsf, kAmc);
  ASSERT_EQ(clip.FrameCount(), 2);
  ExpectSame(clip.rotations[0], Z(30) * Y(20) * X(10));
  ExpectSame(clip.rotations[1], Quatd::Identity());
  ExpectSame(clip.rotations[2], Z(20) * Z(60) * Y(50) * X(40) * Z(-20));
  const Quatd axis = Z(30) * Y(20) * X(10);
  ExpectSame(clip.rotations[3], axis * X(70) * Conjugate(axis));
  ExpectNear(clip.root_positions[1], {7, 2, 4});
}

TEST(AsfAmcTest, HonoursOrdersAndRadians) {
  const std::string asf = Replaced(kAsf, "order TX TY TZ RX RY RZ", "order RZ RY RX TZ TY TX");
  const SkeletonClip turned =
      Read(Replaced(asf, "dof rx ry rz", "dof rz rx"),
           Replaced(Replaced(kAmc, "40 50 60", "40 50"), "40 50 60", "40 50"));
  ExpectSame(turned.rotations[0], X(3) * Y(2) * Z(1));
  ExpectNear(turned.root_positions[0], {20, 60, 40});
  ExpectSame(turned.rotations[2], Z(20) * X(50) * Z(40) * Z(-20));

  const SkeletonClip radians = Read(kAsf, Replaced(kAmc, ":DEGREES", ":RADIANS"));
  ExpectSame(radians.rotations[0], Z(30 / kDegree) * Y(20 / kDegree) * X(10 / kDegree));
}

TEST(AsfAmcTest, SaysThatTheRateIsAssumed) {
  const SkeletonClip clip = Read(kAsf, kAmc);
  EXPECT_EQ(clip.fps, 120);
  EXPECT_EQ(clip.frame_time, 0);
  ASSERT_EQ(clip.warnings.size(), 1u);
  EXPECT_THAT(clip.warnings[0], HasSubstr("120 was assumed"));
}

TEST(AsfAmcTest, FindsTheSkeletonBesideTheMotion) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / "stride_asf_amc_test";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const std::string amc = (folder / "07_01.amc").string();
  WriteFileWhole(amc, kAmc);
  EXPECT_THROW(ReadAmcFile(amc), InputError);  // no skeleton
  WriteFileWhole((folder / "other.asf").string(), kAsf);
  EXPECT_EQ(ReadAmcFile(amc).JointCount(), 4);  // the only one
  WriteFileWhole((folder / "another.asf").string(), kAsf);
  EXPECT_THROW(ReadAmcFile(amc), InputError);  // which?
  WriteFileWhole((folder / "07.ASF").string(), kAsf);
  EXPECT_EQ(ReadAmcFile(amc).JointCount(), 4);  // the one of that name
  EXPECT_EQ(ReadAmcFile(amc, (folder / "other.asf").string(), 60).fps, 60);
  fs::remove_all(folder);
}

struct BadFile {
  const char *from, *to;
  const char* where;
  const char* message;
};

TEST(AsfAmcTest, ErrorsNameFileLineAndWhatWasExpected) {
  const BadFile kBadAsf[] = {
      {"length 0.5", "length 0", "a.asf:6:", "not positive"},
      {"angle deg", "angle grad", "a.asf:7:", "expected deg or rad"},
      {"order TX", "order TQ", "a.asf:11:", "found 'TQ'"},
      {"order TX TY", "order TX TX", "a.asf:11:", "at most once"},
      {"axis 0 0 20  XYZ", "axis 0 0 20  XYX", "a.asf:21:", "order of axes"},
      {"dof rx ry rz", "dof tx ry rz", "a.asf:16:", "moving start"},
      {"name shin", "name thigh", "a.asf:27:", "second bone is called 'thigh'"},
      {"root head thigh", "root head", "a.asf:48:", "'thigh' is not below the root"},
      {"thigh shin", "thigh thigh", "a.asf:46:", "second parent"},
      {"thigh shin", "thigh root", "a.asf:46:", "second parent"},
      {"thigh shin", "thigh foot", "a.asf:46:", "found 'foot'"},
      {":hierarchy", ":hierarchie", "a.asf:48:", "expected :bonedata and :hierarchy"},
      {"direction 3 -4 0", "direction 3 nan 0", "a.asf:19:", "found 'nan'"},
  };
  for (const BadFile& bad : kBadAsf) {
    SCOPED_TRACE(std::string(bad.from) + " -> " + bad.to);
    EXPECT_THAT(ErrorOf(Replaced(kAsf, bad.from, bad.to), kAmc),
                AllOf(StartsWith(bad.where), HasSubstr(bad.message)));
  }
  const BadFile kBadAmc[] = {
      {"shin 70", "shin", "a.amc:7:", "too few numbers"},
      {"shin 70", "shin 70 1", "a.amc:7:", "the end of the line after the 1 numbers"},
      {"shin 70", "shin inf", "a.amc:7:", "found 'inf'"},
      {"shin 70", "foot 70", "a.amc:7:", "name of a bone of a.asf"},
      {"shin 70\n", "", "a.amc:4:", "frame 1 has no line for bone 'shin'"},
      {"shin 70", "shin 70\nshin 70", "a.amc:8:", "a second line"},
      {"\n2\n", "\n3\n", "a.amc:8:", "frame 3 follows frame 1"},
      {"\n1\n", "\none\n", "a.amc:4:", "a frame number"},
  };
  for (const BadFile& bad : kBadAmc) {
    SCOPED_TRACE(std::string(bad.from) + " -> " + bad.to);
    EXPECT_THAT(ErrorOf(kAsf, Replaced(kAmc, bad.from, bad.to)),
                AllOf(StartsWith(bad.where), HasSubstr(bad.message)));
  }
  EXPECT_THAT(ErrorOf("", kAmc), StartsWith("a.asf:1: the file ends here"));
  EXPECT_THAT(ErrorOf(kAsf, ""), StartsWith("a.amc:1: the file ends here"));
  EXPECT_THAT(ErrorOf("\x01\x02 junk", kAmc), StartsWith("a.asf:1: found"));
}

TEST(AsfAmcTest, EveryTruncationIsAnError) {
  const std::string asf = kAsf, amc = kAmc;
  for (std::size_t size = 0; size < asf.find("    thigh shin\n  end") + 20 - 1; ++size) {
    EXPECT_NE(ErrorOf(asf.substr(0, size), kAmc), "") << size;
  }
  // The first frame alone is a clip, and its last number may lose digits unnoticed.
  const std::size_t first = amc.find("shin 70") + 6, second = amc.find("\n2\n");
  for (std::size_t size = 0; size + 2 < amc.size(); ++size) {
    if (size >= first && size <= second + 1) continue;
    EXPECT_NE(ErrorOf(kAsf, amc.substr(0, size)), "") << size;
  }
}

}  // namespace
}  // namespace stride
