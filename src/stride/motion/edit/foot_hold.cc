#include "stride/motion/edit/foot_hold.h"

#include <algorithm>
#include <cmath>

#include "stride/math/rotation.h"
#include "stride/motion/edit/displacement.h"
#include "stride/motion/edit/leg_ik.h"
#include "stride/motion/kinematics.h"

namespace stride {
namespace {

std::vector<Vec3d> SolePoints(const BodyFrames& frames, const FootParts& foot) {
  std::vector<Vec3d> points;
  for (const ContactPoint& point : foot.sole) points.push_back(PointAt(frames, point));
  return points;
}

double Lowest(const std::vector<Vec3d>& points) {
  double lowest = points[0].z;
  for (const Vec3d& p : points) lowest = std::min(lowest, p.z);
  return lowest;
}

Vec3d Level(const Vec3d& v) { return {v.x, v.y, 0}; }

// At least `values` everywhere, rising and falling gently within `radius` frames.
std::vector<double> SpreadOut(const std::vector<double>& values, double radius, bool loops) {
  const int count = static_cast<int>(values.size()), period = count - 1;
  const int reach = std::min(count - 1, static_cast<int>(radius));
  std::vector<double> spread = values;
  for (int k = 0; k < count; ++k) {
    if (values[k] <= 0) continue;
    for (int d = -reach; d <= reach; ++d) {
      int f = k + d;
      if (loops && period > 0) f = (f + period) % period;
      if (f < 0 || f >= count) continue;
      spread[f] = std::max(spread[f], values[k] * BackwardTransition(std::abs(d), 0, radius));
    }
  }
  if (loops && count > 1) spread[0] = spread[period] = std::max(spread[0], spread[period]);
  return spread;
}

// Plans where one foot of a motion goes. In a loop time goes round, and frame `period` is frame 0
// of the next round.
class FootPlan {
 public:
  FootPlan(const Kinematics& kinematics, const FootParts& foot, const std::vector<FootPose>& wanted,
           const Motion& motion, bool hold)
      : kinematics_(kinematics),
        foot_(foot),
        leg_(kinematics, foot),
        wanted_(wanted),
        motion_(motion) {
    count_ = motion.FrameCount();
    period_ = motion.loops && count_ > 1 ? count_ - 1 : 0;
    if (period_ > 0)
      round_ = MoveBetween(kinematics.character(), motion.frames.front(), motion.frames.back());
    for (int f = 0; f < count_; ++f) soles_.push_back(WantedSole(f));
    correction_.assign(count_, {});
    if (hold) {
      const std::vector<ContactSpan> spans = Spans();
      for (const ContactSpan& span : spans) CorrectContact(span);
      FadeBetween(spans);
    }
    for (int f = 0; f < count_; ++f) {
      if (!hold || !Down(f)) KeepAbove(f);
    }
  }

  // How far the root must come down for a foot on the ground to be in reach.
  double NeededLowering(int f, const BodyFrames& frames) const {
    if (!Down(f)) return 0;
    const Vec3d way = Target(f) - frames.position[foot_.thigh];
    // A millimetre that the straight leg is short of is better than a body that bobs.
    const double level = std::hypot(way.x, way.y), reach = leg_.Reach() + 0.0015;
    if (Norm(way) <= reach || level >= reach || IsThere(f, frames)) return 0;
    return std::max(0.0, -way.z - std::sqrt(reach * reach - level * level));
  }

  // `frames` are those of q.
  void Solve(int f, const BodyFrames& frames, std::vector<double>* q) const {
    if (!IsThere(f, frames))
      leg_.Solve(frames, Target(f), wanted_[f].rotation, leg_.ToeAngle(frames), q);
  }

 private:
  Vec3d Target(int f) const { return wanted_[f].position + correction_[f]; }
  bool IsThere(int f, const BodyFrames& frames) const {
    const double off = Norm(Target(f) - frames.position[foot_.foot]);
    return off < 1e-9 &&
           Norm(Log(Conjugate(frames.rotation[foot_.foot]) * wanted_[f].rotation)) < 1e-9;
  }

  // The sole, toes as they are, with the foot where it is wanted.
  std::vector<Vec3d> WantedSole(int f) {
    kinematics_.Frames(motion_.frames[f], &frames_);
    const Quatd turn = wanted_[f].rotation * Conjugate(frames_.rotation[foot_.foot]);
    std::vector<Vec3d> points;
    for (const ContactPoint& point : foot_.sole) {
      const Vec3d centre = PointAt(frames_, point) + Vec3d{0, 0, point.radius};
      points.push_back(wanted_[f].position + Rotate(turn, centre - frames_.position[foot_.foot]) -
                       Vec3d{0, 0, point.radius});
    }
    return points;
  }

  bool Down(int f) const { return motion_.contacts[f] & foot_.flag; }
  // Frames beyond the loop's end are those of the next round.
  int Wrapped(int f) const { return period_ > 0 && f >= count_ ? f - period_ : f; }
  Vec3d ToRound(int f, const Vec3d& point) const {
    return period_ > 0 && f >= count_ ? Apply(round_, point) : point;
  }
  Vec3d TurnToRound(int f, const Vec3d& v) const {
    return period_ > 0 && f >= count_ ? Rotate(Turn(round_), v) : v;
  }

  // A contact over a loop's end becomes one span that ends beyond it.
  std::vector<ContactSpan> Spans() const {
    std::vector<ContactSpan> spans = ContactSpans(motion_, foot_.flag);
    if (period_ > 0 && spans.size() > 1 && spans.front().first == 0 &&
        spans.back().last == count_ - 1) {
      spans.back().last = period_ + spans.front().last;
      spans.erase(spans.begin());
    }
    return spans;
  }

  void Set(int f, const Vec3d& correction) {
    if (period_ == 0) {
      correction_[f] = correction;
      return;
    }
    // The first frame of a loop is its last one, too.
    const Vec3d local = f >= count_ ? Rotate(Conjugate(Turn(round_)), correction) : correction;
    const int at = Wrapped(f);
    correction_[at] = local;
    if (at == 0) correction_[period_] = Rotate(Turn(round_), local);
    if (at == period_) correction_[0] = Rotate(Conjugate(Turn(round_)), local);
  }

  void CorrectContact(const ContactSpan& span) {
    const int length = span.last - span.first;
    std::vector<Vec3d> correction(length + 1);
    std::vector<Vec3d> before, now;
    Vec3d mean;
    for (int k = 0; k <= length; ++k) {
      const int f = span.first + k;
      now.clear();
      for (const Vec3d& p : soles_[Wrapped(f)]) now.push_back(ToRound(f, p));
      if (k > 0) {
        const Vec3d slide = TouchingWay(before, now) - TurnToRound(f, wanted_[Wrapped(f)].slip);
        correction[k] = correction[k - 1] - Level(slide);
      }
      mean += correction[k] * (1.0 / (length + 1));
      std::swap(before, now);
    }
    // A foot that is never lifted must come out of a loop as it went in.
    const bool closed = period_ > 0 && length == period_;
    const Vec3d rest = closed ? correction[length] : Vec3d{};
    for (int k = 0; k <= length; ++k) {
      const int f = span.first + k;
      const FootPose& wanted = wanted_[Wrapped(f)];
      Vec3d c =
          closed ? correction[k] - rest * (static_cast<double>(k) / length) : correction[k] - mean;
      if (wanted.down) c.z = wanted.height - Lowest(soles_[Wrapped(f)]);
      Set(f, c);
    }
  }

  void FadeBetween(const std::vector<ContactSpan>& spans) {
    if (spans.empty()) return;
    const double fade = 0.5 * motion_.fps;  // frames, where there is no next contact
    for (std::size_t s = 0; s + 1 < spans.size(); ++s) FadeGap(spans[s].last, spans[s + 1].first);
    if (period_ > 0) {
      const int end = spans.back().last, start = spans.front().first + period_;
      if (end - spans.front().first < period_) FadeGap(end, start);
      return;
    }
    const Vec3d first = correction_[spans.front().first], last = correction_[spans.back().last];
    for (int f = 0; f < spans.front().first; ++f) {
      correction_[f] = first * BackwardTransition(spans.front().first - f, 0, fade);
    }
    for (int f = spans.back().last + 1; f < count_; ++f) {
      correction_[f] = last * BackwardTransition(f - spans.back().last, 0, fade);
    }
  }

  // The foot is no deeper than what it was made from, if that was in the ground at all.
  void KeepAbove(int f) {
    const double bound = std::min(0.0, wanted_[f].height);
    correction_[f].z = std::max(correction_[f].z, bound - Lowest(soles_[f]));
  }

  void FadeGap(int end, int start) {
    const Vec3d from = TurnToRound(end, correction_[Wrapped(end)]);
    const Vec3d to = TurnToRound(start, correction_[Wrapped(start)]);
    for (int f = end + 1; f < start; ++f) {
      Set(f, from + (to - from) * ForwardTransition(f, end, start));
    }
  }

  const Kinematics& kinematics_;
  const FootParts& foot_;
  LegIk leg_;
  const std::vector<FootPose>& wanted_;
  const Motion& motion_;
  int count_ = 0, period_ = 0;
  GroundMove round_;
  std::vector<std::vector<Vec3d>> soles_;
  std::vector<Vec3d> correction_;
  BodyFrames frames_;
};

void MoveLegs(const Character& character, const FootPaths& wanted, bool hold, Motion* motion) {
  if (!character.IsHuman()) return;
  const Kinematics kinematics(character);
  const std::array<FootParts, 2> feet = FeetOf(character);
  const std::array<FootPlan, 2> plans = {FootPlan(kinematics, feet[0], wanted[0], *motion, hold),
                                         FootPlan(kinematics, feet[1], wanted[1], *motion, hold)};
  const int count = motion->FrameCount();
  std::vector<double> lowering(count, 0.0);
  BodyFrames frames;
  for (int f = 0; f < count; ++f) {
    kinematics.Frames(motion->frames[f], &frames);
    for (const FootPlan& plan : plans)
      lowering[f] = std::max(lowering[f], plan.NeededLowering(f, frames));
  }
  lowering = SpreadOut(lowering, 0.15 * motion->fps, motion->loops);
  for (int f = 0; f < count; ++f) {
    std::vector<double>& q = motion->frames[f];
    q[2] -= lowering[f];
    kinematics.Frames(q, &frames);
    for (const FootPlan& plan : plans) plan.Solve(f, frames, &q);
  }
  MakeSignsContinuous(kinematics, &motion->frames);
}

}  // namespace

FootPaths TrackFeet(const Character& character, const Motion& motion) {
  FootPaths paths;
  if (!character.IsHuman()) return paths;
  const Kinematics kinematics(character);
  const std::array<FootParts, 2> feet = FeetOf(character);
  std::array<std::vector<Vec3d>, 2> before;
  BodyFrames frames;
  for (int f = 0; f < motion.FrameCount(); ++f) {
    kinematics.Frames(motion.frames[f], &frames);
    for (int side = 0; side < 2; ++side) {
      const FootParts& foot = feet[side];
      std::vector<Vec3d> sole = SolePoints(frames, foot);
      FootPose pose{frames.position[foot.foot], frames.rotation[foot.foot]};
      pose.height = Lowest(sole);
      pose.down = motion.contacts[f] & foot.flag;
      if (pose.down && f > 0 && motion.contacts[f - 1] & foot.flag) {
        pose.slip = Level(TouchingWay(before[side], sole));
      }
      paths[side].push_back(pose);
      before[side] = std::move(sole);
    }
  }
  return paths;
}

void MoveFeet(const GroundMove& move, FootPaths* paths) {
  for (std::vector<FootPose>& path : *paths) {
    for (FootPose& pose : path) {
      pose.position = Apply(move, pose.position);
      pose.rotation = Turn(move) * pose.rotation;
      pose.slip = Rotate(Turn(move), pose.slip);
    }
  }
}

void BringFeet(const Character& character, const FootPaths& wanted, Motion* motion) {
  MoveLegs(character, wanted, false, motion);
}

void HoldFeet(const Character& character, const FootPaths& wanted, Motion* motion) {
  MoveLegs(character, wanted, true, motion);
}

}  // namespace stride
