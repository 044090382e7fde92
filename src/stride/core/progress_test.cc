#include "stride/core/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace stride {
namespace {

// Where it is no terminal, as in a log.
TEST(Progress, SaysTheEndOnce) {
  testing::internal::CaptureStderr();
  {
    Progress progress;
    progress.Show(0, 10, "begins");
    for (int k = 0; k < 5; ++k) progress.Show(10, 10, "done\x1b[2J");
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "  0 %  begins\n100 %  done\\x1b[2J\n");
}

}  // namespace
}  // namespace stride
