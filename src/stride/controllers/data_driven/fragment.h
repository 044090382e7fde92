#pragma once

#include <span>
#include <string>
#include <vector>

#include "stride/motion/edit/segment.h"
#include "stride/motion/motion.h"

// Pieces of motions between changes of contact: what the reference queue of lee10 is made of
// (Section 3). A fragment is half a cycle of locomotion, from the landing of one foot to that of
// the other, or a stop.
namespace stride {

inline constexpr double kControlRate = 30;  // Hz; the paper: 30

struct StepFragment {
  GaitPhase phase = GaitPhase::kStop;
  double seconds = 0;
  // Layout of State::q, equally far apart from its start to its end. The root starts over x = y = 0
  // and goes along +X, facing the way it does in the clip.
  std::vector<std::vector<double>> frames;
  double turn = 0;   // of the way's heading from start to end, rad
  double speed = 0;  // over ground, m/s
  double both = 0;   // share in which the foot that swings still stands
  int first = 0;     // frame of the clip that it starts with

  int Swing() const {  // side of the foot that swings; -1: none or both
    return phase == GaitPhase::kLeftSwing ? 0 : phase == GaitPhase::kRightSwing ? 1 : -1;
  }
};

// A motion cut where its contact labels change. Of a loop one round, beginning with a landing.
// Throws InputError where there is no usable step: no step at all, one foot that steps twice, or
// labels that contradict the motion (a foot that stands in the air).
std::vector<StepFragment> CutAtContacts(const Character& character, const Motion& motion);

// How far the pelvis turns in it, all turns counted, rad.
double TurnOfPelvis(const StepFragment& fragment);

// Who has one leg shorter than the other bends the longer one: its ankle comes as near to the hip
// as the shorter leg's would. With the clip's angles the shorter one lands late, step after step.
void EvenLegs(const Character& character, std::vector<StepFragment>* fragments);

// A clip's joint angles on a body of other proportions than it was made for let the standing foot
// slide and hover. The root's way then becomes that which keeps the standing feet in place, and its
// height that which puts them on the ground. Clean clips stay as they are. Returns the factor.
double FitWayToLegs(const Character& character, std::vector<StepFragment>* fragments);

// A fragment and its share in a blend.
struct BlendPart {
  const StepFragment* fragment = nullptr;
  double weight = 0;  // all add up to one
};
// The pose at phase 0 to 1; the root's position relative to where the fragment starts. `q` keeps
// its size.
void SampleBlend(const Character& character, std::span<const BlendPart> parts, double phase,
                 std::vector<double>* q);

// The fragment as a body strides that goes `share` times as far with each step, with the same
// timing: feet and root move less or more along the way, the legs are solved.
StepFragment WithStride(const Character& character, const StepFragment& fragment, double share);

}  // namespace stride
