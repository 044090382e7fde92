#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stride/control/controller.h"
#include "stride/controllers/data_driven/fragment.h"
#include "stride/controllers/data_driven/gains.h"
#include "stride/motion/graph/motion_graph.h"

// The animation engine of lee10 (Section 3): what stands in front of the reference queue. It knows
// the clips and their gains, blends them on the fly, and says which fragment comes next for what
// the user wants. Constant; who walks keeps an AnimationState.
namespace stride {

struct AnimationConfig {
  std::string group = "auto";
  double turn_per_step = 15;    // degrees
  double speed_per_step = 0.1;  // m/s
  double most_stride = 1.2;
  double turn_speed = 10, style_turn = 1;
  double style_steps = 3;
};
template <class Visitor>
void VisitConfig(AnimationConfig& c, Visitor& visit) {
  visit("group", c.group, {"auto", "all", "none"},
        "which loops are one style at several speeds: those whose names begin alike up to the "
        "first underscore, all, or none");
  visit("turn_per_step", c.turn_per_step, {0, 90, "degrees"},
        "sharpest turn of a step by steering");
  visit("speed_per_step", c.speed_per_step, {0.01, 5, "m/s"}, "largest change of speed in a step");
  visit("turn_speed", c.turn_speed, {0.1, 10},
        "fastest in a turn of more than a step, of the style's own speed");
  visit("style_turn", c.style_turn, {0.1, 1},
        "how sharply and how fast other styles than the first turn, of the first");
  visit("style_steps", c.style_steps, {1, 20}, "in which one style goes over into another");
  visit("most_stride", c.most_stride, {1, 2}, "longest stride, of the fastest clip's");
}

// A clip in fragments.
struct AnimationClip {
  std::string name;
  FeedbackGains gains;
  std::vector<StepFragment> fragments;
  double speed = 0;       // along what it faces, m/s: negative backward
  double turn = 0;        // mean turn of a step, rad
  double whole_turn = 0;  // of the pelvis from its first frame to its last, rad
  bool loops = false;
  std::vector<int> next;  // of a graph: clips that may follow
};

// Where it is. A plain value.
struct AnimationState {
  int style = 0, before = 0;  // and the one that it came from
  double mix = 1;             // how far the one has taken the other's place
  double speed = 0;           // last planned, m/s
  bool speed_known = false;
  int clip = -1;                      // that is played through: an act, or a node of a graph
  int position = 0;                   // fragment of that clip
  std::array<int, 2> round = {0, 0};  // fragments of a loop that has several steps a round
};

// The next fragment: a blend of some.
struct PlannedFragment {
  static constexpr int kMostParts = 5;  // two loops each of two styles, and one that turns
  std::array<BlendPart, kMostParts> parts;
  int part_count = 0;
  GaitPhase phase = GaitPhase::kStop;
  double seconds = 0;
  double both = 0;     // as StepFragment's
  double turn = 0;     // of the blend itself, rad
  double bend = 0;     // by which it is bent besides, rad
  bool leads = false;  // played as it is: where its turn leads is the new course
  double speed = 0;    // m/s
  FeedbackGains gains;

  std::span<const BlendPart> Parts() const {
    return {parts.data(), static_cast<std::size_t>(part_count)};
  }
  int Swing() const {
    return phase == GaitPhase::kLeftSwing ? 0 : phase == GaitPhase::kRightSwing ? 1 : -1;
  }
};

class Animation {
 public:
  struct Clip {
    Motion motion;
    FeedbackGains gains;
  };
  // Loops become gaits, other clips are performed once when they are asked for. Throws InputError.
  Animation(const Character& character, const std::vector<Clip>& clips,
            const AnimationConfig& config);
  // Nodes of a motion graph, one after the other along its edges. Throws InputError: a node without
  // a step, one that nothing follows.
  Animation(const Character& character, const MotionGraph& graph,
            const std::vector<FeedbackGains>& gains, const AnimationConfig& config);

  // What comes after a fragment in which `swung` swung (-1: it begins). `heading`: of the way where
  // the next one starts, rad. No allocation.
  void Next(int swung, double heading, const Command& command, AnimationState* state,
            PlannedFragment* next) const;
  // On the spot, to stay up: with this foot.
  void StepInPlace(int swing, AnimationState* state, PlannedFragment* next) const;

  const std::vector<std::string>& Styles() const { return style_names_; }
  SpeedRange Speeds() const;
  bool IsGraph() const { return is_graph_; }
  // Length of the legs, of lee10's.
  double Legs() const { return legs_; }
  const std::vector<AnimationClip>& Clips() const { return clips_; }
  // Both feet on the ground, at rest.
  void Stand(AnimationState* state, PlannedFragment* next) const;

 private:
  struct Style {
    std::vector<int> clips;  // straight loops by speed
    int own = 0;             // the one that it walks unless told a speed: index into clips
  };
  void FitToWalk(const Character& character, AnimationClip* act) const;
  void AddStandIn(const Character& character, Style* style);
  void PlanGait(int swing, double heading, const Command& command, AnimationState* state,
                PlannedFragment* next) const;
  void AddStyle(const Style& style, int swing, double weight, const AnimationState& state,
                PlannedFragment* next) const;
  void PlanClip(AnimationState* state, PlannedFragment* next) const;
  const StepFragment& FragmentOf(int clip, int swing, const AnimationState& state) const;

  AnimationConfig config_;
  double legs_ = 1;
  std::vector<AnimationClip> clips_;
  std::vector<Style> styles_;  // of gaits
  std::vector<int>
      style_clip_;  // of each named style: -1: gait styles_[index]; else the clip performed
  std::vector<std::string> style_names_;
  int turn_left_ = -1, turn_right_ = -1;  // loops that turn
  StepFragment stand_;
  FeedbackGains stand_gains_;
  bool is_graph_ = false;
};

}  // namespace stride
