#include "stride/motion/edit/segment.h"

#include <algorithm>
#include <cmath>

#include "stride/motion/feet.h"
#include "stride/motion/kinematics.h"

namespace stride {
namespace {

GaitPhase PhaseOf(std::uint8_t labels) {
  const bool left = labels & kLeftFootDown, right = labels & kRightFootDown;
  if (left && right) return GaitPhase::kStop;
  if (left) return GaitPhase::kRightSwing;
  return right ? GaitPhase::kLeftSwing : GaitPhase::kFlight;
}

// A run of frames first..end-1.
struct Run {
  GaitPhase phase;
  int first, end;
};

void JoinEqual(std::vector<Run>* runs) {
  std::vector<Run> joined;
  for (const Run& run : *runs) {
    if (!joined.empty() && joined.back().phase == run.phase) {
      joined.back().end = run.end;
    } else {
      joined.push_back(run);
    }
  }
  *runs = std::move(joined);
}

}  // namespace

char PhaseLetter(GaitPhase phase) { return "SLRF"[static_cast<int>(phase)]; }

std::vector<std::uint8_t> AnkleLabels(const Character& character, const Motion& motion) {
  constexpr double kHeight =
      0.05;                       // above where the ankle is when the sole is flat on the ground, m
  constexpr double kSpeed = 0.4;  // m/s
  const Kinematics kinematics(character);
  const int count = motion.FrameCount();
  std::vector<std::uint8_t> labels(count, 0);
  BodyFrames frames;
  for (const FootParts& foot : FeetOf(character)) {
    double flat = 0;
    kinematics.Frames(ZeroState(character).q, &frames);
    for (const ContactPoint& point : foot.sole) {
      flat = std::max(flat, frames.position[foot.foot].z - PointAt(frames, point).z);
    }
    std::vector<Vec3d> ankle(count);
    for (int f = 0; f < count; ++f) {
      kinematics.Frames(motion.frames[f], &frames);
      ankle[f] = frames.position[foot.foot];
    }
    for (int f = 0; f < count; ++f) {
      const int a = std::max(0, f - 1), b = std::min(count - 1, f + 1);
      const double speed = b > a ? Norm(ankle[b] - ankle[a]) * motion.fps / (b - a) : 0;
      if (ankle[f].z < flat + kHeight && speed < kSpeed) labels[f] |= foot.flag;
    }
  }
  return labels;
}

std::vector<GaitSegment> SegmentGait(const std::vector<std::uint8_t>& foot_labels, double fps) {
  const int count = static_cast<int>(foot_labels.size());
  std::vector<Run> runs;
  for (int f = 0; f < count; ++f) {
    const GaitPhase phase = PhaseOf(foot_labels[f]);
    if (runs.empty() || runs.back().phase != phase) runs.push_back({phase, f, f});
    runs.back().end = f + 1;
  }
  const double shortest = 0.5 * fps;  // frames
  // A frame or two of noise is no swing.
  const double shortest_swing = 0.1 * fps;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool swing =
        runs[i].phase == GaitPhase::kLeftSwing || runs[i].phase == GaitPhase::kRightSwing;
    if (swing && i > 0 && i + 1 < runs.size() && runs[i].end - runs[i].first < shortest_swing) {
      runs[i].phase = runs[i - 1].phase;
    }
  }
  JoinEqual(&runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const double length = runs[i].end - runs[i].first;
    if (length >= shortest) continue;
    if (runs[i].phase == GaitPhase::kStop && i > 0 && i + 1 < runs.size()) {
      runs[i].phase =
          runs[i + 1].phase == GaitPhase::kFlight ? runs[i - 1].phase : runs[i + 1].phase;
    } else if (runs[i].phase == GaitPhase::kFlight && runs.size() > 1) {
      runs[i].phase = i > 0 ? runs[i - 1].phase : runs[i + 1].phase;
    }
  }
  JoinEqual(&runs);
  std::vector<GaitSegment> segments;
  for (const Run& run : runs)
    segments.push_back({run.phase, run.first, std::min(run.end, count - 1)});
  return segments;
}

}  // namespace stride
