#include "stride/app/live/live_queue.h"

#include <gtest/gtest.h>

namespace stride {
namespace {

using Clock = LiveQueue::Clock;

template <class T>
T MessageOf(const std::optional<LiveRequest>& request) {
  return std::get<T>(std::get<LiveMessage>(request.value().what));
}

LiveMessage Slope(double value) {
  RunInput input;
  input.kind = RunInput::Kind::kSlope;
  input.value = value;
  return input;
}
LiveMessage Curve(int curve, double value) {
  RunInput input;
  input.kind = RunInput::Kind::kCurve;
  input.edit = {curve, "cycle", {{0}, {value}}};
  return input;
}

TEST(LiveQueue, ClientsTakeTurnsAndEachKeepsItsOrder) {
  LiveQueue queue;
  const Clock::time_point now = Clock::now();
  for (int k = 0; k < 3; ++k) queue.Add({1, PauseMessage{k % 2 == 0}});
  queue.Add({2, StepMessage{}});
  EXPECT_EQ(queue.Next(now, true)->client, 1);
  EXPECT_EQ(queue.Next(now, true)->client, 2);
  EXPECT_FALSE(MessageOf<PauseMessage>(queue.Next(now, true)).on);
  EXPECT_TRUE(MessageOf<PauseMessage>(queue.Next(now, true)).on);
  EXPECT_FALSE(queue.Next(now, true));
}

TEST(LiveQueue, TheNewestReplacesWhatWasSetBefore) {
  LiveQueue queue;
  const Clock::time_point now = Clock::now();
  for (int k = 0; k < 1000; ++k) {
    ASSERT_TRUE(queue.Add({1, Slope(k)}));
    ASSERT_TRUE(queue.Add({1, Curve(0, k)}));  // a curve and its mirror image
    ASSERT_TRUE(queue.Add({1, Curve(1, -k)}));
  }
  EXPECT_EQ(MessageOf<RunInput>(queue.Next(now, true)).value, 999);
  EXPECT_EQ(MessageOf<RunInput>(queue.Next(now, true)).edit.points.values[0], 999);
  EXPECT_EQ(MessageOf<RunInput>(queue.Next(now, true)).edit.points.values[0], -999);
  EXPECT_FALSE(queue.Next(now, true));
  // Not across what happens in between: a push at another slope is another push.
  queue.Add({1, Slope(1)});
  queue.Add({1, RunInput{}});
  queue.Add({1, Slope(2)});
  EXPECT_EQ(MessageOf<RunInput>(queue.Next(now, true)).value, 1);
}

TEST(LiveQueue, SetupsAreJoinedAndRestartsAreOne) {
  LiveQueue queue;
  const Clock::time_point now = Clock::now();
  for (int k = 0; k < 200; ++k) {
    queue.Add({1, SetupMessage{.engine = "mujoco"}});
    queue.Add({1, SetupMessage{.character = k < 199 ? "liu16" : "biped"}});
    queue.Add({1, RestartMessage{}});
  }
  const auto setup = MessageOf<SetupMessage>(queue.Next(now, true));
  EXPECT_EQ(setup.engine, "mujoco");
  EXPECT_EQ(setup.character, "biped");
  EXPECT_EQ(setup.skill, std::nullopt);
  EXPECT_FALSE(queue.Next(now, true));
}

TEST(LiveQueue, IsBoundedForEachClientAndForgetsWhoLeft) {
  LiveQueue queue;
  std::size_t taken = 0;
  while (taken < 1000 && queue.Add({1, StepMessage{}})) ++taken;
  EXPECT_EQ(taken, LiveQueue::kMostWaiting);
  EXPECT_TRUE(queue.Add({2, StepMessage{}}));
  queue.Drop(1);
  EXPECT_EQ(queue.Next(Clock::now(), true)->client, 2);
  EXPECT_FALSE(queue.Next(Clock::now(), true));
}

TEST(LiveQueue, WhoAskedForMuchWaitsAndOthersDoNot) {
  LiveQueue queue;
  const Clock::time_point now = Clock::now();
  queue.Add({1, RestartMessage{}});
  const LiveRequest first = queue.Next(now, true).value();
  queue.Took(first, 0.5, now);
  queue.Add({1, SetupMessage{}});
  queue.Add({2, RestartMessage{}});
  queue.Add({3, PauseMessage{}});
  EXPECT_EQ(queue.Next(now, true)->client, 3) << "what takes no time is done at once";
  EXPECT_FALSE(queue.Next(now, true));
  const auto after = [&](double seconds) {
    return now + std::chrono::milliseconds(static_cast<int>(1000 * seconds));
  };
  EXPECT_FALSE(queue.Next(after(0.51), false)) << "one run a tick";
  EXPECT_EQ(queue.Next(after(0.51), true)->client, 2) << "somebody else's run, after a pause";
  EXPECT_FALSE(queue.Next(after(1.9), true));
  EXPECT_EQ(queue.Next(after(2.1), true)->client, 1);
}

}  // namespace
}  // namespace stride
