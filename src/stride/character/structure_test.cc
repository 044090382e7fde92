#include "stride/character/structure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/character/library.h"

namespace stride {
namespace {

using testing::HasSubstr;

TEST(Structure, NamesMassesAndGainsDoNotCount) {
  const Character a = LoadCharacter("liu16");
  Character b = LoadCharacter("liu16-strong");
  for (Body& body : b.bodies) body.name += "_x", body.mass *= 2;
  EXPECT_EQ(StructureDifference(a, b), "");
  EXPECT_EQ(LengthDifference(a, b), 0);
  b.bodies[3].offset.z -= 0.17;
  EXPECT_EQ(StructureDifference(a, b), "");
  EXPECT_NEAR(LengthDifference(a, b), 0.17 / StandingHeight(a), 1e-12);
}

TEST(Structure, SaysWhatDiffers) {
  const Character a = LoadCharacter("biped");
  Character b = a;
  b.bodies[2].joint.kind = JointKind::kBall;
  EXPECT_THAT(StructureDifference(a, b), HasSubstr("'left_shank' and 'left_shank') has a hinge"));
  b = a;
  b.bodies[2].joint.axis = {0, -1, 0};
  EXPECT_THAT(StructureDifference(a, b), HasSubstr("another axis"));
  b = a;
  b.bodies[4].parent = 1;
  EXPECT_THAT(StructureDifference(a, b), HasSubstr("hangs on 'pelvis' in the one"));
  b = a;
  b.bodies.pop_back();
  EXPECT_THAT(StructureDifference(a, b), HasSubstr("7 bodies, the other 6"));
}

TEST(Structure, WhyItIsNotHuman) {
  EXPECT_EQ(WhyNotHuman(LoadCharacter("liu16")), "");
  EXPECT_THAT(WhyNotHuman(LoadCharacter("tripod")), HasSubstr("no left_foot, right_foot;"));
  Character c = LoadCharacter("liu16");
  c.bodies[0].joint.kind = JointKind::kBall;
  EXPECT_THAT(WhyNotHuman(c), HasSubstr("root is not free"));
}

}  // namespace
}  // namespace stride
