#include "stride/core/log.h"

#include <gtest/gtest.h>

namespace stride {
namespace {

TEST(Printable, LeavesNothingThatATerminalObeys) {
  EXPECT_EQ(Printable("walk\tof\nJürgen's 脚"), "walk\tof\nJürgen's 脚");
  EXPECT_EQ(Printable("\x1b[2J\x07\r\x7f"), "\\x1b[2J\\x07\\x0d\\x7f");
  EXPECT_EQ(Printable("\xc2\x9b"
                      "31m\xc2\xa9"),
            "\\x9b31m\xc2\xa9");
  EXPECT_EQ(Printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(Printable("\xc2"), "\xc2");
}

}  // namespace
}  // namespace stride
