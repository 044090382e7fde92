#include "stride/controllers/control_graph/push_turns.h"

#include <cmath>

#include <gtest/gtest.h>

#include "stride/controllers/control_graph/clip_skill.h"

namespace stride {
namespace {

TEST(PushTurns, AWalkTurnsByTheActionsOfAGentlePush) {
  const ClipSkill walk = LoadClipSkill("walk");
  const ControlGraph graph = GraphOf(walk);
  const PushTurns turns = RecordPushTurns(graph, walk.policies, walk.start);
  EXPECT_GT(turns.rate, 0.05);
  ASSERT_EQ(static_cast<int>(turns.actions.size()), graph.Fragments());
  // A symmetric gait turns by symmetric means: half a cycle later the mirror image, to the other
  // side.
  const int half = graph.Fragments() / 2;
  double product = 0, first = 0, second = 0;
  for (int f = 0; f < half; ++f) {
    float mirrored[kActionCount];
    MirrorAction(turns.actions[f].data(), mirrored);
    for (int k = 0; k < kActionCount; ++k) {
      const double a = -mirrored[k], b = turns.actions[f + half][k];
      product += a * b, first += a * a, second += b * b;
    }
  }
  EXPECT_GT(product / std::sqrt(first * second), 0.7);
}

TEST(PushTurns, WhoFallsRecordsNothing) {
  const ClipSkill walk = LoadClipSkill("walk");
  const Policies none(walk.policies.size());
  EXPECT_EQ(RecordPushTurns(GraphOf(walk), none, walk.start).rate, 0);
}

}  // namespace
}  // namespace stride
