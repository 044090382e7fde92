#include "stride/motion/formats/text_scanner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stride/core/error.h"

namespace stride {
namespace {

using ::testing::HasSubstr;

double NumberIn(const std::string& text) { return TextScanner(text, "a").Number("it"); }

TEST(TextScannerTest, ReadsNumbersAsToolsWriteThem) {
  EXPECT_EQ(NumberIn("\t .0083333\r\n"), 0.0083333);
  EXPECT_EQ(NumberIn("5.05e-005 "), 5.05e-5);
  EXPECT_EQ(NumberIn("+1.5E+002"), 150);
  EXPECT_EQ(NumberIn("-3."), -3);
  EXPECT_EQ(NumberIn("1e-400"), 0);
}

TEST(TextScannerTest, RejectsWhatIsNotANumberOfSensibleSize) {
  for (const char* text : {"", "x", "1x", "1,5", "nan", "inf", "-inf", "1e400", "1e10", "--1",
                           "+-1", "1.#QNAN", "0x10"}) {
    EXPECT_THROW(NumberIn(text), InputError) << text;
  }
}

TEST(TextScannerTest, ErrorsNameTheLineAndCleanTheWord) {
  TextScanner scan("one\ntwo\n\n\x01\x02-three", "f");
  scan.Word();
  scan.Word();
  try {
    scan.FailExpected("four");
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "f:4: found '?\?-three'; expected four");
  }
}

TEST(TextScannerTest, TellsLinesAndSkipsComments) {
  TextScanner scan("a b # c\n d", "f");
  scan.SkipComments();
  EXPECT_EQ(scan.Word(), "a");
  EXPECT_FALSE(scan.OnNewLine());
  EXPECT_EQ(scan.Word(), "b");
  EXPECT_TRUE(scan.OnNewLine());
  EXPECT_TRUE(scan.Accept("D"));
  EXPECT_TRUE(scan.AtEnd());
}

}  // namespace
}  // namespace stride
