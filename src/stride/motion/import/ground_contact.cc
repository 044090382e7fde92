#include "stride/motion/import/ground_contact.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "stride/math/rotation.h"
#include "stride/motion/edit/leg_ik.h"
#include "stride/motion/import/contact_detection.h"

namespace stride {
namespace {

constexpr double kDegree = M_PI / 180;
constexpr double kShallow = 0.005;    // depth in the ground that does not matter, m
constexpr double kTouches = 0.02;     // height of what touches the ground, m
constexpr double kLongestArm = 0.08;  // that a captured arm may be longer than the character's, m

double SmoothStep(double t) {
  t = std::clamp(t, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

// At least `values` everywhere, and smooth: the largest value nearby, then its mean.
std::vector<double> Envelope(const std::vector<double>& values, int radius) {
  const int count = static_cast<int>(values.size());
  std::vector<double> top(count);
  for (int f = 0; f < count; ++f) {
    const int first = std::max(0, f - radius), last = std::min(count - 1, f + radius);
    top[f] = *std::max_element(values.begin() + first, values.begin() + last + 1);
  }
  // Three boxes of a third of the radius each reach no further than the maximum did.
  return Smoothed(top, {}, radius / 3.0 - 0.5 > 0 ? std::floor(radius / 3.0) : 0);
}

// How a foot is held in one frame.
struct FootPose {
  Vec3d position;  // of the ankle
  Quatd rotation;
  double toe = 0;  // rad, about +Y
};

// The paths of one foot: as captured, and corrected.
class FootPath {
 public:
  FootPath(const Character& character, const FootParts& parts, const LegIk& ik)
      : character_(character), parts_(parts), ik_(ik) {}

  void Add(const BodyFrames& frames) {
    captured_.push_back(
        {frames.position[parts_.foot], frames.rotation[parts_.foot], ik_.ToeAngle(frames)});
  }
  const FootPose& operator[](int f) const { return corrected_[f]; }

  void Correct(const std::vector<ContactSpan>& spans, double fps) {
    corrected_ = captured_;
    for (const ContactSpan& span : spans) CorrectContact(span);
    FadeBetween(spans, fps);
    for (std::size_t f = 0; f < corrected_.size(); ++f) KeepAbove(&corrected_[f]);
  }

 private:
  // Offsets of the sole's points from the ankle.
  void SolePoints(const FootPose& pose, std::vector<Vec3d>* points) const {
    points->clear();
    for (const ContactPoint& point : parts_.sole) {
      Vec3d local = point.position;
      if (point.body != parts_.foot) {
        // On the toes, or on something else below the foot: its joint's angle is the toes'.
        local =
            character_.bodies[point.body].offset + Rotate(AxisAngle({0, 1, 0}, pose.toe), local);
      }
      points->push_back(Rotate(pose.rotation, local) - Vec3d{0, 0, point.radius});
    }
  }
  double Lowest(const FootPose& pose) const {
    SolePoints(pose, &points_);
    double lowest = 1e9;
    for (const Vec3d& p : points_) lowest = std::min(lowest, p.z);
    return lowest;
  }
  // How far the toes' side is tilted down, rad.
  static double Pitch(const Quatd& rotation) {
    return -std::asin(std::clamp(Rotate(rotation, Vec3d{1, 0, 0}).z, -1.0, 1.0));
  }

  // Nearly flat becomes flat.
  static Quatd Flattened(const Quatd& rotation) {
    const Vec3d up = Rotate(rotation, Vec3d{0, 0, 1});
    const double tilt = std::atan2(std::hypot(up.x, up.y), up.z);
    if (tilt < 1e-9) return rotation;
    const double share =
        1 - SmoothStep((tilt / kDegree - 3) / 6);  // all up to 3 degrees, none from 9
    return Exp(Normalized(Cross(up, {0, 0, 1})) * (tilt * share)) * rotation;
  }

  void CorrectContact(const ContactSpan& span) {
    LockHeading(span);
    for (int f = span.first; f <= span.last; ++f) {
      FootPose& pose = corrected_[f];
      pose.rotation = Flattened(pose.rotation);
      LowerToes(&pose);
      if (Rotate(pose.rotation, Vec3d{0, 0, 1}).z > 0.2) pose.toe = PushingToe(pose);
      pose.position.z = -Lowest(pose);
    }
    Roll(span);
  }

  // The toes stay flat while the heel lifts. Where that would bring the ankle down, as with a foot
  // whose ball is nearer to the ankle than the captured one's, they are pointed as far as needed.
  double PushingToe(const FootPose& pose) const {
    const double flat = ik_.NearestToeAngle(-std::max(Pitch(pose.rotation), 0.0));
    FootPose trial = pose;
    const auto gap_at = [&](double toe) {
      trial.toe = toe;
      return pose.position.z + Lowest(trial);
    };
    if (flat > -2 * kDegree || gap_at(flat) <= 0) return flat;
    if (gap_at(0) >= 0) return 0;
    double bent = flat, straight = 0;
    for (int i = 0; i < 12; ++i) {
      const double middle = 0.5 * (bent + straight);
      (gap_at(middle) > 0 ? bent : straight) = middle;
    }
    return bent;
  }

  // Where the heel would go through the ground, a foot with a longer heel than the captured one,
  // the toes come down for the larger part; raising the ankle for all of it would bend the knee.
  void LowerToes(FootPose* pose) const {
    constexpr double kShare = 0.7;
    const double pitch = Pitch(pose->rotation), depth = -pose->position.z - Lowest(*pose);
    if (depth <= 0 || pitch >= 0 || Rotate(pose->rotation, Vec3d{0, 0, 1}).z < 0.2) return;
    const Quatd steep = pose->rotation;
    double little = 0, much = -pitch;
    for (int i = 0; i < 10; ++i) {
      const double turn = 0.5 * (little + much);
      pose->rotation = steep * AxisAngle({0, 1, 0}, turn);
      (-pose->position.z - Lowest(*pose) > (1 - kShare) * depth ? little : much) = turn;
    }
  }

  // A foot on the ground turns about the vertical only if it turns a lot.
  void LockHeading(const ContactSpan& span) {
    constexpr double kPivot = 45 * kDegree;
    std::vector<double> turns;  // against the middle frame
    const Quatd middle = captured_[(span.first + span.last) / 2].rotation;
    for (int f = span.first; f <= span.last; ++f) {
      turns.push_back(TwistAngle(captured_[f].rotation * Conjugate(middle), {0, 0, 1}));
    }
    const auto [low, high] = std::minmax_element(turns.begin(), turns.end());
    const double share = 1 - SmoothStep((*high - *low - kPivot) / (30 * kDegree));
    if (share == 0) return;
    std::vector<double> sorted = turns;
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<long>(sorted.size() / 2),
                     sorted.end());
    const double usual = sorted[sorted.size() / 2];
    for (int f = span.first; f <= span.last; ++f) {
      const double turn = share * (usual - turns[f - span.first]);
      corrected_[f].rotation = AxisAngle({0, 0, 1}, turn) * corrected_[f].rotation;
    }
  }

  // Moves the foot so that what touches stays where it is, from frame to frame, and the whole
  // contact as near as possible to where it was.
  void Roll(const ContactSpan& span) {
    std::vector<Vec3d> before, now;
    SolePoints(corrected_[span.first], &before);
    Vec3d error = captured_[span.first].position - corrected_[span.first].position;
    for (int f = span.first + 1; f <= span.last; ++f) {
      FootPose& pose = corrected_[f];
      SolePoints(pose, &now);
      const Vec3d way = TouchingWay(before, now);
      pose.position.x = corrected_[f - 1].position.x - way.x;
      pose.position.y = corrected_[f - 1].position.y - way.y;
      error += captured_[f].position - pose.position;
      std::swap(before, now);
    }
    const Vec3d shift = error * (1.0 / (span.last - span.first + 1));
    for (int f = span.first; f <= span.last; ++f) {
      corrected_[f].position.x += shift.x;
      corrected_[f].position.y += shift.y;
    }
  }

  struct Correction {
    Vec3d shift, turn;
    double toe = 0;
  };
  Correction CorrectionAt(int f) const {
    return {corrected_[f].position - captured_[f].position,
            Log(corrected_[f].rotation * Conjugate(captured_[f].rotation)),
            corrected_[f].toe - captured_[f].toe};
  }

  void FadeBetween(const std::vector<ContactSpan>& spans, double fps) {
    const double fade = 0.5 * fps;  // frames
    const int count = static_cast<int>(captured_.size());
    for (std::size_t s = 0; s <= spans.size(); ++s) {
      const int start = s == 0 ? -1 : spans[s - 1].last;
      const int end = s == spans.size() ? count : spans[s].first;
      const Correction from = start < 0 ? Correction{} : CorrectionAt(start);
      const Correction to = end >= count ? Correction{} : CorrectionAt(end);
      const double gap = end - start;
      const double length = start < 0 || end >= count ? fade : std::min(fade, gap);
      for (int f = start + 1; f < end; ++f) {
        const double a = start < 0 ? 0 : 1 - SmoothStep((f - start) / length);
        const double b = end >= count ? 0 : 1 - SmoothStep((end - f) / length);
        FootPose& pose = corrected_[f];
        pose.position += from.shift * a + to.shift * b;
        pose.rotation = Normalized(Exp(from.turn * a + to.turn * b) * pose.rotation);
        pose.toe = ik_.NearestToeAngle(pose.toe + from.toe * a + to.toe * b);
      }
    }
  }

  // First the toes give way, then the foot is lifted.
  void KeepAbove(FootPose* pose) const {
    if (pose->position.z + Lowest(*pose) >= 0) return;
    LowerToes(pose);
    const double flat = ik_.NearestToeAngle(-std::max(Pitch(pose->rotation), 0.0));
    if (flat < pose->toe && Rotate(pose->rotation, Vec3d{0, 0, 1}).z > 0.2) {
      FootPose bent = *pose;
      bent.toe = flat;
      // As far as needed and no further.
      const double straight = Lowest(*pose), lifted = Lowest(bent), needed = -pose->position.z;
      const double share =
          lifted > straight ? std::clamp((needed - straight) / (lifted - straight), 0.0, 1.0) : 0;
      pose->toe += share * (flat - pose->toe);
    }
    pose->position.z = std::max(pose->position.z, -Lowest(*pose));
  }

  const Character& character_;
  FootParts parts_;
  const LegIk& ik_;
  std::vector<FootPose> captured_, corrected_;
  mutable std::vector<Vec3d> points_;
};

// An arm holds its hand on the ground in contact, and gives way where the hand would go through it.
class Arm {
 public:
  Arm(const Kinematics& kinematics, int upper, int forearm, const ContactPoint& hand,
      std::uint8_t flag)
      : ik_(kinematics, kinematics.character().BodyOf(Role::kTrunk), upper, forearm, {0, -1, 0}),
        forearm_(forearm),
        hand_(hand),
        flag_(flag) {}

  // Where the hand goes: in contact it stays over the middle of where it was, on the ground; beside
  // a contact the correction fades.
  void Plan(const Kinematics& kinematics, const Motion& motion) {
    BodyFrames frames;
    std::vector<Vec3d> captured;
    for (const std::vector<double>& q : motion.frames) {
      kinematics.Frames(q, &frames);
      captured.push_back(PointAt(frames, hand_));
    }
    std::vector<Vec3d> shifts(captured.size());
    const double fade = 0.2 * motion.fps;
    for (const ContactSpan& span : ContactSpans(motion, flag_)) {
      Vec3d middle;
      for (int f = span.first; f <= span.last; ++f) middle += captured[f];
      middle = middle * (1.0 / (span.last - span.first + 1));
      const auto shift = [&](int f) {
        return Vec3d{middle.x - captured[f].x, middle.y - captured[f].y, -captured[f].z};
      };
      const int count = static_cast<int>(captured.size()), reach = static_cast<int>(fade);
      for (int f = std::max(0, span.first - reach); f < std::min(count, span.last + reach + 1);
           ++f) {
        const int outside = std::max({0, span.first - f, f - span.last});
        const Vec3d full = shift(std::clamp(f, span.first, span.last));
        if (outside == 0) {
          shifts[f] = full;
        } else if (!(motion.contacts[f] & flag_)) {
          shifts[f] += full * (1 - SmoothStep(outside / fade));
        }
      }
    }
    targets_.clear();
    for (std::size_t f = 0; f < captured.size(); ++f) {
      const bool held = Norm(shifts[f]) > 0;
      targets_.push_back(held ? std::optional(captured[f] + shifts[f]) : std::nullopt);
    }
  }

  // How far the root must come down for the hand in contact to be within reach, m.
  double Lack(const BodyFrames& frames, int f, std::uint8_t contacts) const {
    if (!(contacts & flag_)) return 0;
    const Vec3d way = ik_.UpperEnd(frames) - Target(frames, f);
    const double reach = ik_.Reach(End(frames)), level = way.x * way.x + way.y * way.y;
    return way.z - std::sqrt(std::max(reach * reach - level, 0.0));
  }

  // The hand itself keeps its angle to the forearm.
  void Solve(const BodyFrames& frames, int f, std::vector<double>* q) const {
    if (PointAt(frames, hand_).z >= 0 && !targets_[f]) return;
    ik_.Solve(frames, End(frames), Target(frames, f), 0, q);
  }

 private:
  Vec3d End(const BodyFrames& frames) const {
    const Vec3d centre = PointAt(frames, hand_) + Vec3d{0, 0, hand_.radius};
    return Rotate(Conjugate(frames.rotation[forearm_]), centre - frames.position[forearm_]);
  }
  // Of the hand's centre.
  Vec3d Target(const BodyFrames& frames, int f) const {
    Vec3d target = targets_[f].value_or(PointAt(frames, hand_));
    target.z = std::max(target.z, 0.0) + hand_.radius;
    // An arm that cannot be bent so far puts its hand down further out.
    const Vec3d shoulder = ik_.UpperEnd(frames);
    const double height = target.z - shoulder.z, nearest = 1.01 * ik_.Nearest(End(frames));
    const double level = std::hypot(target.x - shoulder.x, target.y - shoulder.y);
    const double needed = std::sqrt(std::max(nearest * nearest - height * height, 0.0));
    if (level < needed && level > 1e-6) {
      target.x = shoulder.x + (target.x - shoulder.x) * needed / level;
      target.y = shoulder.y + (target.y - shoulder.y) * needed / level;
    }
    return target;
  }

  LimbIk ik_;
  int forearm_;
  ContactPoint hand_;
  std::uint8_t flag_;
  std::vector<std::optional<Vec3d>> targets_;  // of its point, per frame; none: as captured
};

// The lowest point of each arm that has one.
std::vector<Arm> ArmsOf(const Kinematics& kinematics) {
  const Character& character = kinematics.character();
  BodyFrames zero;
  kinematics.Frames(ZeroState(character).q, &zero);
  std::vector<Arm> arms;
  for (const bool left : {true, false}) {
    const int upper = character.BodyOf(left ? Role::kLeftUpperArm : Role::kRightUpperArm);
    const int forearm = character.BodyOf(left ? Role::kLeftForearm : Role::kRightForearm);
    if (upper < 0 || forearm < 0 || kinematics.Path(upper, forearm).empty() ||
        kinematics.Path(character.BodyOf(Role::kTrunk), upper).empty()) {
      continue;
    }
    const ContactPoint* hand = nullptr;
    for (const ContactPoint& point : character.contact_points) {
      if (point.body != forearm && kinematics.Path(forearm, point.body).empty()) continue;
      if (!hand || PointAt(zero, point).z < PointAt(zero, *hand).z) hand = &point;
    }
    if (!hand) continue;
    const bool at_elbow = hand->body == forearm && Norm(hand->position) < 0.05;
    if (!at_elbow) {
      arms.emplace_back(kinematics, upper, forearm, *hand, left ? kLeftHandDown : kRightHandDown);
    }
  }
  return arms;
}

double LowestOf(const BodyFrames& frames, const std::vector<ContactPoint>& points) {
  double lowest = 1e9;
  for (const ContactPoint& point : points) lowest = std::min(lowest, PointAt(frames, point).z);
  return lowest;
}

// How far above the floor that part of trunk, head and knees hovers which carries the body, m.
std::vector<double> HeightOfCarrier(const GroundTracks& tracks, const std::vector<double>& floor,
                                    const Motion& motion) {
  std::vector<double> heights(floor.size(), 0);
  for (std::size_t f = 0; f < floor.size(); ++f) {
    double lowest = 1e9;
    for (const GroundTracks::Part& part : tracks.parts) {
      if (motion.contacts[f] & part.flag) lowest = std::min(lowest, part.track.height[f]);
    }
    if (lowest < 1e9) heights[f] = std::max(0.0, lowest - floor[f]);
  }
  return Smoothed(heights, {}, 0.04 * motion.fps);
}

// Of parts other than feet: contacts are those that touch in the end.
void KeepTrueLabels(const Kinematics& kinematics, Motion* motion) {
  const std::vector<ContactPart> parts = OtherParts(kinematics.character());
  BodyFrames frames;
  for (int f = 0; f < motion->FrameCount(); ++f) {
    if (motion->contacts[f] < kLeftHandDown) continue;
    kinematics.Frames(motion->frames[f], &frames);
    for (const ContactPart& part : parts) {
      const bool touches = std::any_of(
          part.points.begin(), part.points.end(),
          [&](const ContactPoint& point) { return PointAt(frames, point).z < kTouches; });
      if (!touches) motion->contacts[f] &= static_cast<std::uint8_t>(~part.flag);
    }
  }
}

}  // namespace

GroundReport PutFeetOnGround(const Character& character, const GroundOptions& options,
                             Motion* motion) {
  GroundReport report;
  const Kinematics kinematics(character);
  const std::array<FootParts, 2> feet = FeetOf(character);
  const std::array<LegIk, 2> legs = {LegIk(kinematics, feet[0]), LegIk(kinematics, feet[1])};
  std::vector<Arm> arms = ArmsOf(kinematics);
  std::vector<ContactPoint> others;  // of trunk, head and knees
  for (const ContactPart& part : OtherParts(character)) {
    if (part.flag == kLeftHandDown || part.flag == kRightHandDown) continue;
    others.insert(others.end(), part.points.begin(), part.points.end());
  }
  const int count = motion->FrameCount();
  const int nearby = static_cast<int>(std::ceil(0.12 * motion->fps));

  const GroundTracks tracks = TrackHeights(character, *motion);
  const std::vector<double> floor = FindFloor(tracks, legs[0].Reach(), motion->fps);
  motion->contacts = DetectContacts(tracks, floor, options, motion->fps);
  std::vector<double> sorted = floor;
  std::sort(sorted.begin(), sorted.end());
  report.ground_offset = sorted[count / 2];
  double low = sorted.back(), high = sorted.front();
  for (int f = 0; f < count; ++f) {
    if (!(motion->contacts[f] & (kLeftFootDown | kRightFootDown))) continue;
    low = std::min(low, floor[f]);
    high = std::max(high, floor[f]);
  }
  report.floor_range = std::max(0.0, high - low);

  // A part that carries the body brings it down to the ground; what would be in the ground lifts
  // it. Hands are left to the arms.
  const std::vector<double> drop = HeightOfCarrier(tracks, floor, *motion);
  std::vector<double> lift(count, 0);
  for (int f = 0; f < count && !tracks.body.height.empty(); ++f) {
    lift[f] = std::max(0.0, floor[f] - tracks.body.height[f] + drop[f] - kShallow);
  }
  lift = Envelope(lift, nearby);
  Motion raw = *motion;
  for (int f = 0; f < count; ++f) {
    raw.frames[f][2] -= report.ground_offset;
    motion->frames[f][2] += lift[f] - drop[f] - floor[f];
  }
  report.before = MeasureFeet(character, raw);
  if (!options.clean_up) {
    KeepTrueLabels(kinematics, motion);
    report.after = MeasureFeet(character, *motion);
    return report;
  }

  std::array<FootPath, 2> paths = {FootPath(character, feet[0], legs[0]),
                                   FootPath(character, feet[1], legs[1])};
  BodyFrames frames;
  for (int f = 0; f < count; ++f) {
    kinematics.Frames(motion->frames[f], &frames);
    for (FootPath& path : paths) path.Add(frames);
  }
  for (int side = 0; side < 2; ++side)
    paths[side].Correct(ContactSpans(*motion, feet[side].flag), motion->fps);

  for (Arm& arm : arms) arm.Plan(kinematics, *motion);

  // How far the root must come down for a foot or hand in contact to be within reach, and up where
  // a leg cannot be bent so far.
  std::vector<double> lower(count, 0), raise(count, 0);
  for (int f = 0; f < count; ++f) {
    kinematics.Frames(motion->frames[f], &frames);
    for (int side = 0; side < 2; ++side) {
      const Vec3d way = frames.position[feet[side].thigh] - paths[side][f].position;
      const double level = way.x * way.x + way.y * way.y;
      const auto height_at = [&](double distance) {
        return std::sqrt(std::max(distance * distance - level, 0.0));
      };
      if (Norm(way) < legs[side].Nearest())
        raise[f] = std::max(raise[f], height_at(legs[side].Nearest()) - way.z);
      if (!(motion->contacts[f] & feet[side].flag)) continue;
      lower[f] = std::max(lower[f], way.z - height_at(legs[side].Reach()));
    }
    // A body on its hands alone comes down to them, as far as nothing else touches.
    if (motion->contacts[f] & (kLeftFootDown | kRightFootDown)) continue;
    double space = LowestOf(frames, others);
    for (const HeightTrack& foot : tracks.feet) {
      space = std::min(space, foot.height[f] - floor[f]);
    }
    for (const Arm& arm : arms) {
      const double lack = std::min({kLongestArm, space, arm.Lack(frames, f, motion->contacts[f])});
      lower[f] = std::max(lower[f], lack);
    }
  }
  lower = Envelope(lower, nearby);
  raise = Envelope(raise, nearby);
  report.root_lowered = *std::max_element(lower.begin(), lower.end());
  std::vector<double> up(count, 0);
  for (int f = 0; f < count; ++f) up[f] = raise[f] - lower[f];
  // Again where a knee that gives way to its foot goes into the ground.
  for (int pass = 0; pass < 3; ++pass) {
    std::vector<double> depth(count, 0);
    for (int f = 0; f < count; ++f) {
      std::vector<double>& q = motion->frames[f];
      q[2] += up[f];
      kinematics.Frames(q, &frames);
      for (int side = 0; side < 2; ++side) {
        const FootPose& pose = paths[side][f];
        legs[side].Solve(frames, pose.position, pose.rotation, pose.toe, &q);
      }
      for (const Arm& arm : arms) arm.Solve(frames, f, &q);
      kinematics.Frames(q, &frames);
      depth[f] = std::max(0.0, -LowestOf(frames, others) - kShallow);
    }
    if (*std::max_element(depth.begin(), depth.end()) < 1e-3) break;
    up = Envelope(depth, nearby);
  }
  MakeSignsContinuous(kinematics, &motion->frames);
  KeepTrueLabels(kinematics, motion);
  report.after = MeasureFeet(character, *motion);
  if (report.floor_range > 0.1) {
    report.warnings.push_back(
        "the floor differs by " + std::to_string(static_cast<int>(100 * report.floor_range)) +
        " cm within the clip where feet stand: steps or a slope were flattened");
  }
  return report;
}

}  // namespace stride
