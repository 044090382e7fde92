#pragma once

#include <cstdint>
#include <vector>

#include "stride/motion/motion.h"

// Gait segments as lee10 cuts them: half cycles from landing to landing, stops and flights.
namespace stride {

enum class GaitPhase { kStop, kLeftSwing, kRightSwing, kFlight };
char PhaseLetter(GaitPhase phase);  // S, L, R, F

// Neighbouring segments share their border frame; the first starts at 0, the last ends with the
// motion.
struct GaitSegment {
  GaitPhase phase = GaitPhase::kStop;
  int first = 0, last = 0;
  friend bool operator==(const GaitSegment&, const GaitSegment&) = default;
};

// Foot labels for cutting: a foot is down while its ankle is lower than 0.1 m (from the sole's
// height at rest: for an ankle 0.05 m above the sole) and slower than 0.4 m/s. That is earlier up
// and later down than the contacts of a Motion, which last from the heel's strike to the toes'
// leaving.
std::vector<std::uint8_t> AnkleLabels(const Character& character, const Motion& motion);

// Both feet down is a stop, one a swing of the other, none a flight. Stops and flights shorter than
// half a second are merged: a stop into the swing after it, so that a swing begins when the new
// stance foot lands; a flight into the swing before it. At the ends of the motion a stop stays.
std::vector<GaitSegment> SegmentGait(const std::vector<std::uint8_t>& foot_labels, double fps);

}  // namespace stride
