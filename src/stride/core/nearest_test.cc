#include "stride/core/nearest.h"

#include <gtest/gtest.h>

namespace stride {
namespace {

TEST(Nearest, FindsWhatATypingErrorWasMeantFor) {
  const std::vector<std::string> names = {"simulate", "skill", "list", "--slope", "--seed"};
  EXPECT_EQ(Nearest("simulat", names), "simulate");
  EXPECT_EQ(Nearest("skil", names), "skill");
  EXPECT_EQ(Nearest("lsit", names), "list");
  EXPECT_EQ(Nearest("--slop", names), "--slope");
  EXPECT_EQ(Nearest("--sede", names), "--seed");
  EXPECT_EQ(Nearest("walk", names), "");
  EXPECT_EQ(Nearest("", names), "");
  EXPECT_EQ(Nearest("list", {}), "");
  EXPECT_EQ(Nearest(std::string(100000, 'x'), names), "");
  EXPECT_EQ(DidYouMean("skil", names), "; did you mean 'skill'?");
  EXPECT_EQ(DidYouMean("walk", names), "");
  EXPECT_EQ(NotAmong("verb", "skil", {"skill", "list"}),
            "there is no verb 'skil'; expected one of: skill, list; did you mean 'skill'?");
}

}  // namespace
}  // namespace stride
