#include "stride/core/json_text.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/testing/input_error_of.h"

namespace stride {
namespace {

using ::testing::HasSubstr;

std::string Nested(int depth) { return std::string(depth, '[') + "1" + std::string(depth, ']'); }

TEST(JsonText, IsNotNestedDeeperThanTheLimit) {
  EXPECT_EQ(ParseJson(Nested(kMaxJsonDepth), "a.json").dump(), Nested(kMaxJsonDepth));
  EXPECT_EQ(ParseBoundedJson(Nested(kMaxJsonDepth), "a.json").dump(), Nested(kMaxJsonDepth));
  for (const int depth : {kMaxJsonDepth + 1, 100000}) {
    EXPECT_THAT(InputErrorOf([&] { ParseJson(Nested(depth), "a.json"); }),
                HasSubstr("a.json: holds JSON nested deeper than 64"));
    EXPECT_THAT(InputErrorOf([&] { ParseBoundedJson(Nested(depth), "b.json"); }),
                HasSubstr("b.json: holds JSON nested deeper than 64"));
  }
  // Nothing closes: as deep all the same.
  EXPECT_THAT(InputErrorOf([] { ParseJson(std::string(100000, '['), "c.json"); }),
              HasSubstr("deeper"));
  std::string objects;
  for (int k = 0; k < 100000; ++k) objects += "{\"a\":";
  EXPECT_THAT(InputErrorOf([&] { ParseJson(objects, "d.json"); }), HasSubstr("deeper"));
  // Quotes in comments hide nothing.
  EXPECT_THAT(InputErrorOf([&] { ParseJson("// \"\n" + Nested(100), "e.json", true); }),
              HasSubstr("deeper"));
}

TEST(JsonText, SaysWhereItIsNoJson) {
  EXPECT_EQ(ParseJson("// why\n[1]", "a.json", true).dump(), "[1]");
  EXPECT_THAT(InputErrorOf([] { ParseJson("// why\n[1]", "a.json"); }), HasSubstr("a.json:1:"));
  EXPECT_THAT(InputErrorOf([] { ParseJson("[1,\n2,\nx]", "a.json"); }), HasSubstr("a.json:3:"));
  EXPECT_THAT(InputErrorOf([] { ParseBoundedJson("[1", "a.json"); }), HasSubstr("a.json"));
}

}  // namespace
}  // namespace stride
