#include "access.h"

#include <gtest/gtest.h>

namespace stride {
namespace {

TEST(Access, TargetIsSplitAndNotDecoded) {
  EXPECT_EQ(ParseTarget("/ws").path, "/ws");
  const auto token = [](const char* target) { return Parameter(ParseTarget(target), "token"); };
  EXPECT_EQ(token("/ws"), "");
  EXPECT_EQ(ParseTarget("/?token=abc").path, "/");
  EXPECT_EQ(token("/?token=abc"), "abc");
  EXPECT_EQ(token("/?a=1&token=abc&b"), "abc");
  EXPECT_EQ(token("/?atoken=abc"), "");
  EXPECT_EQ(token("/?token"), "");
  EXPECT_EQ(token("/?tokens=abc"), "");
  EXPECT_EQ(ParseTarget("/%2e%2e/x?").path, "/%2e%2e/x");
  EXPECT_EQ(ParseTarget("").path, "");
}

TEST(Access, HostIsLoopbackWithThePort) {
  for (const char* host : {"127.0.0.1:8700", "localhost:8700", "LOCALHOST:8700", "[::1]:8700"}) {
    EXPECT_TRUE(IsLoopbackHost(host, 8700)) << host;
  }
  for (const char* host : {"", "127.0.0.1", "127.0.0.1:8701", "evil.example:8700", "localhost",
                           "localhost.evil.example:8700", "127.0.0.1:8700.evil.example"}) {
    EXPECT_FALSE(IsLoopbackHost(host, 8700)) << host;
  }
  EXPECT_TRUE(IsLoopbackHost("localhost", 80));
}

TEST(Access, PlainHostHasNothingThatCouldLeaveAHeader) {
  EXPECT_TRUE(IsPlainHost("machine-1.example:8700"));
  EXPECT_TRUE(IsPlainHost("[fe80::1]:8700"));
  for (const char* host : {"", "a;b", "a b", "a\"", "a/b", "user@a", "a,b"}) {
    EXPECT_FALSE(IsPlainHost(host)) << host;
  }
}

TEST(Access, OriginIsThePageItself) {
  EXPECT_TRUE(IsSameOrigin("", "127.0.0.1:8700"));
  EXPECT_TRUE(IsSameOrigin("http://127.0.0.1:8700", "127.0.0.1:8700"));
  for (const char* origin : {"null", "http://evil.example", "https://127.0.0.1:8700",
                             "http://127.0.0.1:8701", "http://127.0.0.1:8700.evil.example"}) {
    EXPECT_FALSE(IsSameOrigin(origin, "127.0.0.1:8700")) << origin;
  }
}

TEST(Access, Tokens) {
  EXPECT_TRUE(SameToken("abcdef", "abcdef"));
  EXPECT_FALSE(SameToken("abcdef", "abcdeg"));
  EXPECT_FALSE(SameToken("abcdef", "abcde"));
  EXPECT_FALSE(SameToken("", "abcdef"));
  const std::string token = RandomToken();
  EXPECT_TRUE(IsGoodToken(token));
  EXPECT_NE(token, RandomToken());
  EXPECT_FALSE(IsGoodToken("short"));
  EXPECT_FALSE(IsGoodToken("sixteen or more&?"));
  EXPECT_FALSE(IsGoodToken(std::string(129, 'a')));
}

}  // namespace
}  // namespace stride
