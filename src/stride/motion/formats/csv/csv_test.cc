#include "stride/motion/formats/csv/csv.h"

#include <gtest/gtest.h>

namespace stride {
namespace {

SkeletonClip TwoFrames() {
  SkeletonClip clip;
  clip.fps = 4;
  clip.joints = {{"hips", -1, {}}, {"a,\"b", 0, {0, 0, 1}}};
  clip.joints[1].end_sites = {{0, 0.5, 0}};
  clip.root_positions = {{0, 0, 0}, {1, 2, 3}};
  clip.rotations.assign(4, Quatd::Identity());
  return clip;
}

TEST(CsvTest, HasAHeaderWithUnitsAndARowForEachFrame) {
  EXPECT_EQ(WriteCsv(TwoFrames()),
            "frame,time_s,hips.x_units,hips.y_units,hips.z_units,hips.qw,hips.qx,hips.qy,hips.qz,"
            "\"a,\"\"b.x_units\",\"a,\"\"b.y_units\",\"a,\"\"b.z_units\","
            "\"a,\"\"b.qw\",\"a,\"\"b.qx\",\"a,\"\"b.qy\",\"a,\"\"b.qz\","
            "\"a,\"\"b.end1.x_units\",\"a,\"\"b.end1.y_units\",\"a,\"\"b.end1.z_units\"\n"
            "0,0,0,0,0,1,0,0,0,0,0,1,1,0,0,0,0,0.5,1\n"
            "1,0.25,1,2,3,1,0,0,0,1,2,4,1,0,0,0,1,2.5,4\n");
}

TEST(CsvTest, ConvertsToMetresWhereTheUnitIsKnown) {
  SkeletonClip clip = TwoFrames();
  clip.joints[1].name = "chest";
  clip.metres_per_unit = 0.01;
  const std::string text = WriteCsv(clip);
  EXPECT_NE(text.find("hips.x_m,"), std::string::npos);
  EXPECT_NE(text.find("\n1,0.25,0.01,0.02,0.03,"), std::string::npos);
}

}  // namespace
}  // namespace stride
