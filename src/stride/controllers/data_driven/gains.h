#pragma once

#include <iterator>
#include <string>
#include <vector>

#include "stride/core/config.h"

// Feedback gains of one motion: Figure 5 of lee10, the letters as there.
namespace stride {

// "behind": the body is further back over its stance foot than the reference (d_d > d), the "+" of
// the figure; "ahead" is its "-". Sagittal is along the reference's way, coronal across it.
struct FeedbackGains {
  double c0 = 1;  // stance hip, eq. 2; the paper: 1
  // Swing hip, eq. 3.
  double c1_sagittal_behind = 0.05, c1_sagittal_ahead = 0.05, c1_coronal = 0.2;  // rad s/m
  double c2_sagittal_behind = 0.2, c2_sagittal_ahead = 0.05, c2_coronal = 0.2;   // rad/m
  // Stance ankle, eq. 4.
  double c3_sagittal = 0.1, c3_coronal = 0.1;  // rad s/m
  double c4_sagittal = 0.1, c4_coronal = 0.1;  // rad/m; the paper: 0.1
  // Height of the swing foot, eq. 5.
  double c5 = 0.5, c6 = 0.02;  // 1, s; the paper: these
  // In the authors' program, not in the paper: the swing foot is lifted in the middle of its swing.
  double lift = 0;  // m
  // How far the standing foot is laid flat on the ground instead of rolling as in the reference:
  // the paper's discussion, 10 to 20 N of pushes for it.
  double flat = 0;
  // Ours. Pelvis and all above it lean by so much more than in the reference, rad.
  double lean = 0;
  // The trailing foot pushes off: its ankle is stretched by so much more in the first part of its
  // swing, rad; and, as in the authors' tests with other bodies, for each metre that the body is
  // behind when the other foot lands, rad/m.
  double push_off = 0, push_off_behind = 0;
  // And its leg is stretched by so much in that time, m; likewise for each metre behind.
  double extend = 0, extend_behind = 0;
  // While it stands in the reference it is kept on the ground: share of its height over the ground
  // by which the leg is stretched.
  double press = 0;
  // How far the swing foot keeps its orientation in the world while the hip is turned by eq. 3.
  double level = 0;
  // By which share of the step the feedback on stance hip and swing hip is all there; the paper: 1.
  double stance_by = 1, swing_by = 1;
  // Who is about to fall steps sooner: how much faster a step goes for each metre that the body,
  // and where it is going to be (kAhead), is off the reference.
  double haste = 0;  // 1/m
  // What stays wrong over many steps (a load, a slope, a limp) is met by what the last steps were
  // off on average: lean, swing hip, push-off and stance ankle by the speed that is missing, the
  // swing hip across the way by how far the body was off over the foot that stands.
  double slow_lean = 0, slow_swing = 0, slow_push_off = 0, slow_ankle = 0;  // rad s/m
  double slow_coronal = 0;                                                  // rad/m
  // On a slope the pelvis goes lower, so that legs reach: for each metre that it rises by the
  // metre.
  double crouch = 0.1;  // m

  friend bool operator==(const FeedbackGains&, const FeedbackGains&) = default;
};

template <class Visitor>
void VisitConfig(FeedbackGains& g, Visitor& visit) {
  visit("c0", g.c0, {0, 2}, "stance hip: how far the thigh's own orientation counts");
  visit("c1_sagittal_behind", g.c1_sagittal_behind, {-1, 3, "rad s/m"},
        "swing hip by velocity, along the way, where the body is behind its reference");
  visit("c1_sagittal_ahead", g.c1_sagittal_ahead, {-1, 3, "rad s/m"}, "the same, ahead of it");
  visit("c1_coronal", g.c1_coronal, {-1, 3, "rad s/m"}, "the same, across the way");
  visit("c2_sagittal_behind", g.c2_sagittal_behind, {-2, 5, "rad/m"},
        "swing hip by position, along the way, where the body is behind its reference");
  visit("c2_sagittal_ahead", g.c2_sagittal_ahead, {-2, 5, "rad/m"}, "the same, ahead of it");
  visit("c2_coronal", g.c2_coronal, {-2, 5, "rad/m"}, "the same, across the way");
  visit("c3_sagittal", g.c3_sagittal, {-1, 3, "rad s/m"}, "stance ankle by velocity");
  visit("c3_coronal", g.c3_coronal, {-1, 3, "rad s/m"}, "the same, across the way");
  visit("c4_sagittal", g.c4_sagittal, {-2, 5, "rad/m"}, "stance ankle by position");
  visit("c4_coronal", g.c4_coronal, {-2, 5, "rad/m"}, "the same, across the way");
  visit("c5", g.c5, {0, 2}, "height of the swing foot");
  visit("c6", g.c6, {0, 1, "s"}, "the same, by its rate");
  visit("lift", g.lift, {0, 0.2, "m"}, "how much higher the foot swings than in the reference");
  visit("flat", g.flat, {0, 1}, "how far the standing foot is laid flat on the ground");
  visit("lean", g.lean, {-0.5, 0.5, "rad"}, "how much further it leans forward than the reference");
  visit("push_off", g.push_off, {-1, 1, "rad"}, "how much further the trailing ankle is stretched");
  visit("push_off_behind", g.push_off_behind, {0, 5, "rad/m"},
        "the same for each metre that the body is behind when the other foot lands");
  visit("extend", g.extend, {-0.1, 0.2, "m"}, "how much further the trailing leg is stretched");
  visit("extend_behind", g.extend_behind, {0, 2},
        "the same for each metre that the body is behind when the other foot lands");
  visit("press", g.press, {0, 2},
        "how far the trailing foot is kept on the ground as long as it stands in the reference");
  visit("level", g.level, {0, 1}, "how far the swing foot keeps level while its hip is turned");
  visit("stance_by", g.stance_by, {0.2, 1}, "share of a step after which c0 is all there");
  visit("swing_by", g.swing_by, {0.2, 1}, "share of a step after which c1 and c2 are all there");
  visit("haste", g.haste, {0, 20, "1/m"}, "how much faster a step goes for who is off balance");
  visit("slow_lean", g.slow_lean, {-1, 1, "rad s/m"},
        "how much further it leans forward for the speed that the last steps lacked");
  visit("slow_swing", g.slow_swing, {-2, 2, "rad s/m"},
        "how much less far the foot swings forward for it");
  visit("slow_push_off", g.slow_push_off, {-2, 2, "rad s/m"},
        "how much further the trailing ankle is stretched for it");
  visit("slow_ankle", g.slow_ankle, {-2, 2, "rad s/m"},
        "how much the stance toes are lifted for it");
  visit("slow_coronal", g.slow_coronal, {-3, 3, "rad/m"},
        "swing hip across the way by how far the last steps on that foot were off");
  visit("crouch", g.crouch, {0, 0.5, "m"}, "how much lower it goes on a slope of 45 degrees");
}

// All of them, in the order above: for blending, and as the parameters that learning looks for.
inline constexpr double FeedbackGains::*kGainMembers[] = {
    &FeedbackGains::c0,
    &FeedbackGains::c1_sagittal_behind,
    &FeedbackGains::c1_sagittal_ahead,
    &FeedbackGains::c1_coronal,
    &FeedbackGains::c2_sagittal_behind,
    &FeedbackGains::c2_sagittal_ahead,
    &FeedbackGains::c2_coronal,
    &FeedbackGains::c3_sagittal,
    &FeedbackGains::c3_coronal,
    &FeedbackGains::c4_sagittal,
    &FeedbackGains::c4_coronal,
    &FeedbackGains::c5,
    &FeedbackGains::c6,
    &FeedbackGains::lift,
    &FeedbackGains::flat,
    &FeedbackGains::lean,
    &FeedbackGains::push_off,
    &FeedbackGains::push_off_behind,
    &FeedbackGains::extend,
    &FeedbackGains::extend_behind,
    &FeedbackGains::press,
    &FeedbackGains::level,
    &FeedbackGains::stance_by,
    &FeedbackGains::swing_by,
    &FeedbackGains::haste,
    &FeedbackGains::slow_lean,
    &FeedbackGains::slow_swing,
    &FeedbackGains::slow_push_off,
    &FeedbackGains::slow_ankle,
    &FeedbackGains::slow_coronal,
    &FeedbackGains::crouch,
};
inline constexpr int kGainCount = std::size(kGainMembers);

// Adds a share of `b`: gains are blended at the ratio at which their motions are.
inline void AddShare(const FeedbackGains& b, double share, FeedbackGains* sum) {
  for (double FeedbackGains::*member : kGainMembers) sum->*member += share * b.*member;
}
// All zero: to add shares to.
inline FeedbackGains NoGains() {
  FeedbackGains gains;
  for (double FeedbackGains::*member : kGainMembers) gains.*member = 0;
  return gains;
}

// Gains are those of a body with legs like lee10's; what they are for legs `ratio` times as long,
// whose steps are as much longer and, as of a pendulum, slower by the square root.
FeedbackGains ForLegs(const FeedbackGains& gains, double ratio);

// Rows of gains. Those of the paper's Figure 5: "normal", "slow", "fast", "gentle", "wide_swing",
// "brisk", "march", "backward", "left_45", "left_90", "u_turn", "spin", "pushes", and
// "stop_to_walk", "walk", "turn_90", "turn_135", "turn_180", "fast_walk", "style_1", "style_2" of
// the interactive example. And some found here by `stride learn gains`, named "tuned_" and the
// clip.
struct GainRow {
  const char* name;
  FeedbackGains gains;
};
const std::vector<GainRow>& PublishedGains();
const std::vector<GainRow>& TunedGains();
// Throws InputError with the names there are.
const FeedbackGains& RowOfGains(const std::string& name);

}  // namespace stride
