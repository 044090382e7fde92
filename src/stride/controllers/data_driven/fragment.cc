#include "stride/controllers/data_driven/fragment.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stride/character/rest_pose.h"
#include "stride/core/error.h"
#include "stride/math/rotation.h"
#include "stride/motion/edit/edit.h"
#include "stride/motion/edit/leg_ik.h"
#include "stride/motion/feet.h"
#include "stride/motion/kinematics.h"

namespace stride {
namespace {

constexpr double kPi = M_PI;

double Wrapped(double angle) { return std::remainder(angle, 2 * kPi); }

// Heading of the way around a moment: over one stride. Who walks backward or to a side is taken by
// what it faces; a clip that starts and ends within the stride by what there is of it.
class WayHeading {
 public:
  WayHeading(const Character& character, const Motion& motion, double stride)
      : character_(character), motion_(motion), half_(0.5 * stride) {}

  double At(double t) const {
    double from = t - half_, to = t + half_;
    if (!motion_.loops) {
      from = std::max(from, 0.0), to = std::min(to, motion_.Duration());
    }
    const Stretch all = Over(from, to);
    if (std::fabs(all.turn) > kPi / 2) {  // spins: as much before as after, or it is ahead
      const double half = std::min(t - from, to - t);
      return Over(t - half, t + half).facing;
    }
    if (std::hypot(all.way.x, all.way.y) < 0.2 * (to - from)) return all.facing;  // stays about
    constexpr double kStraight = kPi / 6;
    const double along = std::atan2(all.way.y, all.way.x);
    if (std::fabs(Wrapped(along - all.facing)) < kStraight) return along;
    if (std::fabs(Wrapped(along + kPi - all.facing)) < kStraight) return Wrapped(along + kPi);
    return all.facing;
  }

 private:
  struct Stretch {
    double facing = 0, turn = 0;  // the pelvis's mean heading, and how far it turns, rad
    Vec3d way;
  };
  Stretch Over(double from, double to) const {
    constexpr int kSamples = 16;
    Stretch stretch;
    Vec3d start;
    double first = 0;
    for (int k = 0; k <= kSamples; ++k) {
      const std::vector<double> q =
          SampleMotion(motion_, character_, from + (to - from) * k / kSamples);
      const double heading = NearestHeading(QuatAt(q, 3));
      if (k == 0) start = Vec3At(q, 0), first = heading;
      stretch.turn += Wrapped(heading - first - stretch.turn);
      stretch.facing += (first + stretch.turn) / (kSamples + 1);
      stretch.way = Vec3At(q, 0) - start;
    }
    return stretch;
  }

  const Character& character_;
  const Motion& motion_;
  double half_;
};

// Labels of the motion, of a loop three rounds.
std::vector<std::uint8_t> UnrolledLabels(const Motion& motion) {
  std::vector<std::uint8_t> labels(motion.contacts.begin(), motion.contacts.end());
  constexpr std::uint8_t kFeet = kLeftFootDown | kRightFootDown;
  for (std::uint8_t& label : labels) label &= kFeet;
  if (!motion.loops) return labels;
  labels.pop_back();  // is the first again
  std::vector<std::uint8_t> unrolled;
  for (int k = 0; k < 3; ++k) unrolled.insert(unrolled.end(), labels.begin(), labels.end());
  unrolled.push_back(labels[0]);
  return unrolled;
}

// A foot that is labelled as standing must be about as low as anything of the body, in the middle
// of its contact.
void CheckLabels(const Character& character, const Motion& motion) {
  const Kinematics kinematics(character);
  BodyFrames frames;
  for (const FootParts& foot : FeetOf(character)) {
    for (const ContactSpan& span : ContactSpans(motion, foot.flag)) {
      const int middle = (span.first + span.last) / 2;
      kinematics.Frames(motion.frames[middle], &frames);
      double sole = HUGE_VAL, lowest = HUGE_VAL;
      for (const ContactPoint& point : foot.sole) sole = std::min(sole, PointAt(frames, point).z);
      for (const ContactPoint& point : character.contact_points) {
        lowest = std::min(lowest, PointAt(frames, point).z);
      }
      if (sole - lowest < 0.2) continue;
      throw InputError(fmt::format(
          "motion '{}' says that the {} foot stands in frame {}, where it is {:.2f} m higher than "
          "the lowest part of the body; correct the contacts of the motion",
          motion.name, foot.flag == kLeftFootDown ? "left" : "right", middle, sole - lowest));
    }
  }
}

}  // namespace

std::vector<StepFragment> CutAtContacts(const Character& character, const Motion& motion) {
  CheckLabels(character, motion);
  const std::vector<std::uint8_t> labels = UnrolledLabels(motion);
  std::vector<GaitSegment> segments = SegmentGait(labels, motion.fps);
  const int round = motion.loops ? motion.FrameCount() - 1 : 0;
  const auto swings = [](const GaitSegment& s) {
    return s.phase == GaitPhase::kLeftSwing || s.phase == GaitPhase::kRightSwing;
  };
  if (motion.loops) {
    // The round that begins with the first swing of the middle one.
    const auto first = std::find_if(segments.begin(), segments.end(), [&](const GaitSegment& s) {
      return s.first >= round && swings(s);
    });
    std::vector<GaitSegment> one;
    for (auto s = first; s != segments.end() && s->first < first->first + round; ++s)
      one.push_back(*s);
    segments = one;
  }
  int steps = 0;
  for (const GaitSegment& s : segments) steps += swings(s) ? 1 : 0;
  if (steps < (motion.loops ? 2 : 1)) {
    throw InputError(fmt::format(
        "motion '{}' has no usable step: {} of its {} frames have a foot on the ground, and no "
        "foot "
        "is lifted and put down again; expected a walk with contact labels for both feet",
        motion.name, std::count_if(labels.begin(), labels.end(), [](std::uint8_t l) { return l; }),
        labels.size()));
  }
  for (std::size_t k = 1; k < segments.size() + (motion.loops ? 1 : 0); ++k) {
    const GaitSegment &a = segments[k - 1], &b = segments[k % segments.size()];
    if (!swings(a) || a.phase != b.phase) continue;
    throw InputError(fmt::format(
        "motion '{}': the {} foot swings twice in a row around frame {}, without the other in "
        "between; correct the contacts of the motion, or cut it there",
        motion.name, a.phase == GaitPhase::kLeftSwing ? "left" : "right",
        round > 0 ? b.first % round : b.first));
  }
  double stride = motion.Duration();
  if (!motion.loops) {
    double in_steps = 0;
    for (const GaitSegment& s : segments) in_steps += swings(s) ? s.last - s.first : 0;
    stride = 2 * in_steps / (steps * motion.fps);
  }
  const WayHeading way(character, motion, stride);
  std::vector<StepFragment> fragments;
  for (const GaitSegment& s : segments) {
    StepFragment fragment;
    fragment.phase = s.phase;
    fragment.first = round > 0 ? s.first % round : s.first;
    const double from = s.first / motion.fps, to = s.last / motion.fps;
    fragment.seconds = to - from;
    if (fragment.seconds < 1.5 / kControlRate) continue;
    if (fragment.Swing() >= 0) {
      const std::uint8_t flag = fragment.Swing() == 0 ? kLeftFootDown : kRightFootDown;
      int stands = 0;
      while (s.first + stands < s.last && (labels[s.first + stands] & flag)) ++stands;
      fragment.both = static_cast<double>(stands) / (s.last - s.first);
    }
    const double heading = way.At(from);
    fragment.turn = Wrapped(way.At(to) - heading);
    const int count = std::max(2, static_cast<int>(std::lround(fragment.seconds * kControlRate)));
    Vec3d start;
    double way_length = 0;
    for (int f = 0; f <= count; ++f) {
      std::vector<double> q = SampleSmooth(motion, character, from + (to - from) * f / count);
      if (f == 0) start = Vec3At(q, 0);
      MovePose(character, 0, {-start.x, -start.y, 0}, &q);
      MovePose(character, -heading, {}, &q);
      if (f > 0) {
        const Vec3d step = Vec3At(q, 0) - Vec3At(fragment.frames.back(), 0);
        way_length += std::hypot(step.x, step.y);
      }
      fragment.frames.push_back(std::move(q));
    }
    fragment.speed = way_length / fragment.seconds;
    // Of one that spins the way's heading may turn by more than half a turn in a step.
    fragment.turn += 2 * kPi * std::round((TurnOfPelvis(fragment) - fragment.turn) / (2 * kPi));
    fragments.push_back(std::move(fragment));
  }
  const Kinematics kinematics(character);
  for (StepFragment& fragment : fragments) MakeSignsContinuous(kinematics, &fragment.frames);
  return fragments;
}

double TurnOfPelvis(const StepFragment& fragment) {
  double turn = 0;
  for (std::size_t f = 1; f < fragment.frames.size(); ++f) {
    turn += Wrapped(NearestHeading(QuatAt(fragment.frames[f], 3)) -
                    NearestHeading(QuatAt(fragment.frames[f - 1], 3)));
  }
  return turn;
}

void EvenLegs(const Character& character, std::vector<StepFragment>* fragments) {
  const Kinematics kinematics(character);
  const std::array<FootParts, 2> feet = FeetOf(character);
  const LegIk legs[2] = {LegIk(kinematics, feet[0]), LegIk(kinematics, feet[1])};
  const int longer = legs[0].Reach() > legs[1].Reach() ? 0 : 1;
  const double ratio = legs[1 - longer].Reach() / legs[longer].Reach();
  constexpr double kEven = 0.999;
  if (ratio > kEven) return;
  const FootParts& foot = feet[longer];
  BodyFrames frames;
  for (StepFragment& fragment : *fragments) {
    for (std::vector<double>& q : fragment.frames) {
      kinematics.Frames(q, &frames);
      const Vec3d hip = frames.position[foot.thigh];
      legs[longer].Solve(frames, hip + (frames.position[foot.foot] - hip) * ratio,
                         frames.rotation[foot.foot], legs[longer].ToeAngle(frames), &q);
    }
    MakeSignsContinuous(kinematics, &fragment.frames);
  }
}

double FitWayToLegs(const Character& character, std::vector<StepFragment>* fragments) {
  const Kinematics kinematics(character);
  const std::array<FootParts, 2> feet = FeetOf(character);
  BodyFrames frames;
  double root = 0, slide = 0, height = 0;
  int count = 0;
  for (const StepFragment& fragment : *fragments) {
    if (fragment.Swing() < 0) continue;
    const FootParts& foot = feet[1 - fragment.Swing()];
    std::vector<Vec3d> before(foot.sole.size()), now(foot.sole.size());
    for (std::size_t f = 0; f < fragment.frames.size(); ++f) {
      kinematics.Frames(fragment.frames[f], &frames);
      double lowest = HUGE_VAL;
      for (std::size_t k = 0; k < foot.sole.size(); ++k) {
        now[k] = PointAt(frames, foot.sole[k]);
        lowest = std::min(lowest, now[k].z);
      }
      height += std::fabs(lowest), ++count;
      if (f > 0) {
        root += fragment.frames[f][0] - fragment.frames[f - 1][0];
        slide += TouchingWay(before, now).x;
      }
      before = now;
    }
  }
  constexpr double kClean = 0.08, kHovers = 0.03;  // share of the way; m
  const double factor = std::fabs(root) > 0.1 ? std::clamp(1 - slide / root, 0.2, 3.0) : 1;
  const bool slides = std::fabs(factor - 1) > kClean;
  if (!slides && height < kHovers * count) return 1;
  for (StepFragment& fragment : *fragments) {
    for (std::vector<double>& q : fragment.frames) {
      if (slides) q[0] *= factor, q[1] *= factor;
      PutOnGround(character, &q);
    }
    if (slides) fragment.speed *= factor;
  }
  return slides ? factor : 1;
}

void SampleBlend(const Character& character, std::span<const BlendPart> parts, double phase,
                 std::vector<double>* q) {
  std::fill(q->begin(), q->end(), 0.0);
  const std::vector<double>* like = nullptr;  // whose half the quaternions are added in
  for (const BlendPart& part : parts) {
    const int last = static_cast<int>(part.fragment->frames.size()) - 1;
    const double at = std::clamp(phase, 0.0, 1.0) * last;
    const int f = std::min(static_cast<int>(at), last - 1);
    for (int k = 0; k < 2; ++k) {
      const std::vector<double>& frame = part.fragment->frames[f + k];
      const double weight = part.weight * (k == 0 ? 1 - (at - f) : at - f);
      if (!like) like = &frame;
      std::size_t i = 0;
      for (const Body& body : character.bodies) {
        if (body.joint.kind == JointKind::kHinge) {
          (*q)[i] += weight * frame[i];
          ++i;
          continue;
        }
        if (body.joint.kind == JointKind::kFree) {
          for (int c = 0; c < 3; ++c, ++i) (*q)[i] += weight * frame[i];
        }
        double dot = 0;
        for (int c = 0; c < 4; ++c) dot += frame[i + c] * (*like)[i + c];
        const double signed_weight = dot < 0 ? -weight : weight;
        for (int c = 0; c < 4; ++c, ++i) (*q)[i] += signed_weight * frame[i];
      }
    }
  }
  std::size_t i = 0;
  for (const Body& body : character.bodies) {
    if (body.joint.kind == JointKind::kHinge) {
      ++i;
      continue;
    }
    if (body.joint.kind == JointKind::kFree) i += 3;
    const int at = static_cast<int>(i);
    Put(Normalized(QuatAt(*q, at)), at, q);
    i += 4;
  }
}

StepFragment WithStride(const Character& character, const StepFragment& fragment, double share) {
  const Kinematics kinematics(character);
  const std::array<FootParts, 2> feet = FeetOf(character);
  const LegIk legs[2] = {LegIk(kinematics, feet[0]), LegIk(kinematics, feet[1])};
  StepFragment result = fragment;
  BodyFrames frames;
  for (std::vector<double>& q : result.frames) {
    kinematics.Frames(q, &frames);
    const Vec3d root = Vec3At(q, 0);
    q[0] *= share, q[1] *= share;
    const Vec3d shift = Vec3At(q, 0) - root;
    BodyFrames moved = frames;
    for (Vec3d& position : moved.position) position += shift;
    for (int side = 0; side < 2; ++side) {
      // Along the way only: a walk on the spot is as wide.
      Vec3d ankle = frames.position[feet[side].foot];
      ankle.x = q[0] + share * (ankle.x - root.x);
      ankle.y += shift.y;
      legs[side].Solve(moved, ankle, frames.rotation[feet[side].foot], legs[side].ToeAngle(frames),
                       &q);
    }
  }
  MakeSignsContinuous(kinematics, &result.frames);
  result.speed *= share;
  return result;
}

}  // namespace stride
