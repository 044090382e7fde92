#include "stride/controllers/control_graph/graph_choice.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "stride/controllers/control_graph/clip_skill.h"

namespace stride {
namespace {

class GraphChoiceTest : public testing::Test {
 protected:
  GraphChoiceTest()
      : skill_(LoadClipSkill("locomotion")),
        graph_(std::make_shared<const ControlGraph>(GraphOf(skill_))),
        choice_(graph_, skill_.plan, 1) {}

  int Style(const std::string& node) const {
    const std::vector<std::string> styles = choice_.Styles();
    return static_cast<int>(std::find(styles.begin(), styles.end(), node) - styles.begin());
  }
  // In a clip, not in a transition to it.
  std::string ClipAt(int fragment) const {
    const int clip = graph_->segments[graph_->fragments[fragment].segment].clip;
    return clip >= 0 ? skill_.plan.clips[clip].name : "";
  }
  // The clips that are performed, in turn.
  std::vector<std::string> Perform(const Command& command, int fragments, double heading_error) {
    std::vector<std::string> clips;
    for (int k = 0; k < fragments; ++k) {
      fragment_ = choice_.Next(fragment_, command, heading_error);
      const std::string clip = ClipAt(fragment_);
      if (!clip.empty() && (clips.empty() || clips.back() != clip)) clips.push_back(clip);
    }
    return clips;
  }

  ClipSkill skill_;
  std::shared_ptr<const ControlGraph> graph_;
  GraphChoice choice_;
  int fragment_ = 0;
};

TEST_F(GraphChoiceTest, TheSpeedChoosesTheGait) {
  const auto speed = [&](const std::string& node) {
    for (const GraphClip& clip : skill_.plan.clips) {
      if (clip.name == node) return clip.motion.frames.back()[0] / clip.motion.Duration();
    }
    return 0.0;
  };
  EXPECT_EQ(Perform({.speed = speed("walk")}, 100, 0).back(), "walk");
  EXPECT_EQ(Perform({.speed = speed("run")}, 100, 0).back(), "run");
  EXPECT_EQ(Perform({.speed = speed("walk_slow")}, 100, 0).back(), "walk_slow");
  EXPECT_EQ(Perform({.speed = 0}, 100, 0).back(), "stand");
}

TEST_F(GraphChoiceTest, AHeadingFarAroundTakesTheClipThatTurnsThere) {
  Perform({.speed = 1.25}, 100, 0);
  const auto turns = [&](double error) {
    const std::vector<std::string> clips = Perform({.speed = 1.25, .heading = 0}, 20, error);
    const bool left = std::count(clips.begin(), clips.end(), "turn_left") > 0;
    const bool right = std::count(clips.begin(), clips.end(), "turn_right") > 0;
    Perform({.speed = 1.25, .heading = 0}, 40, 0);  // there
    return left - right;
  };
  EXPECT_EQ(turns(1), 1);
  EXPECT_EQ(turns(-1), -1);
  EXPECT_EQ(turns(0.2), 0);
}

// No clip turns as fast as it runs: the loop itself is steered.
TEST_F(GraphChoiceTest, WhoRunsIsNotSentToAClipThatTurns) {
  Perform({.speed = 3}, 100, 0);
  EXPECT_EQ(Perform({.speed = 3, .heading = 0}, 30, 1.5), std::vector<std::string>{"run"});
  EXPECT_FALSE(choice_.GoesToTurn());
  Perform({.speed = 1.25}, 100, 0);
  choice_.Next(fragment_, {.speed = 1.25, .heading = 0}, 1.5);
  EXPECT_TRUE(choice_.GoesToTurn());
}

TEST_F(GraphChoiceTest, AStuntIsPerformedOnceEachTimeItIsAskedFor) {
  const auto kicks = [&] {
    const std::vector<std::string> clips = Perform({.style = Style("kick")}, 200, 0);
    EXPECT_EQ(clips.back(), "stand");
    return std::count(clips.begin(), clips.end(), "kick");
  };
  EXPECT_EQ(kicks(), 1);
  EXPECT_EQ(kicks(), 0);
  Perform({}, 5, 0);
  EXPECT_EQ(kicks(), 1);
}

TEST_F(GraphChoiceTest, ARandomWalkVisitsAllThatDoesNotRiseEvenly) {
  std::vector<int> visits(skill_.plan.clips.size(), 0);
  for (int k = 0; k < 10000; ++k) {
    const int before = graph_->fragments[fragment_].segment;
    fragment_ = choice_.Next(fragment_, {.style = kRandomStyle}, 0);
    const int now = graph_->fragments[fragment_].segment;
    if (now != before && graph_->segments[now].clip >= 0) ++visits[graph_->segments[now].clip];
  }
  for (std::size_t k = 0; k < visits.size(); ++k) {
    const GraphClip& clip = skill_.plan.clips[k];
    if (clip.rises) {
      EXPECT_EQ(visits[k], 0) << clip.name;
    } else {
      EXPECT_GT(visits[k], 1) << clip.name;
    }
  }
  // Whatever begins where standing ends is chosen as often as the others.
  std::vector<int> stunts;
  for (std::size_t k = 0; k < visits.size(); ++k) {
    const GraphClip& clip = skill_.plan.clips[k];
    if (!clip.rises && !clip.motion.loops) stunts.push_back(visits[k]);
  }
  ASSERT_EQ(stunts.size(), 4u);
  EXPECT_LE(*std::max_element(stunts.begin(), stunts.end()),
            *std::min_element(stunts.begin(), stunts.end()) + 2);
}

}  // namespace
}  // namespace stride
