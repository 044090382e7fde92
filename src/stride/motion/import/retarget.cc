#include "stride/motion/import/retarget.h"

#include <algorithm>
#include <cmath>

#include "stride/character/structure.h"
#include "stride/core/error.h"
#include "stride/math/rotation.h"
#include "stride/motion/edit/filter.h"
#include "stride/motion/kinematics.h"

namespace stride {
namespace {

constexpr int kRoles = static_cast<int>(Role::kCount);
constexpr double kDegree = M_PI / 180;

int Index(Role role) { return static_cast<int>(role); }
bool IsFoot(Role role) {
  return role == Role::kLeftFoot || role == Role::kRightFoot || role == Role::kLeftToe ||
         role == Role::kRightToe;
}
bool IsLimb(Role role) { return role > Role::kHead && !IsFoot(role); }

double SmoothStep(double low, double high, double x) {
  const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

// Upper and lower part of a limb, and the direction its joint bends about in the character's zero
// pose.
struct LimbPair {
  Role upper, lower;
  Vec3d bend_axis;
};
constexpr LimbPair kLimbPairs[] = {{Role::kLeftThigh, Role::kLeftShank, {0, 1, 0}},
                                   {Role::kRightThigh, Role::kRightShank, {0, 1, 0}},
                                   {Role::kLeftUpperArm, Role::kLeftForearm, {0, -1, 0}},
                                   {Role::kRightUpperArm, Role::kRightForearm, {0, -1, 0}}};

// The part's rotation whose bone points along `direction`, by the shortest turn from `rotation`.
Quatd Swung(const Quatd& rotation, const Vec3d& bone, const Vec3d& direction) {
  return RotationBetween(Rotate(rotation, bone), direction) * rotation;
}

class Retargeter {
 public:
  Retargeter(const SourceClip& source, const Character& character, bool watch_feet)
      : source_(source), kinematics_(character), character_(character) {
    MeasureCharacter();
    MeasureSource();
    CalibrateFromReference();
    CalibrateBends();
    if (watch_feet) CalibrateFeet();
    MakeJoints();
    FindHinges();
  }

  double scale() const { return scale_; }

  // Coordinates of frame f of the source; `q` holds those of the frame before.
  void SetPose(int f, std::vector<double>* q, LimbDirections* directions) {
    const ClipPose pose = source_.Pose(f);
    std::array<Quatd, kRoles> wanted;
    for (int r = 0; r < kRoles; ++r) {
      if (!mapped_[r]) continue;
      const Role role = static_cast<Role>(r);
      wanted[r] = pose.rotations[source_.JointOf(role)] * correction_[r];
      const Vec3d bone = source_.Bone(role, pose);
      if (IsLimb(role) && SquaredNorm(bone) > 0) wanted[r] = Swung(wanted[r], bones_[r], bone);
    }
    for (const LimbPair& pair : kLimbPairs) TwistTowardsHinge(pair, pose, &wanted);

    Put(wanted[root_role_], 3, q);
    std::array<Quatd, kRoles> reached;
    reached[root_role_] = wanted[root_role_];
    for (const Part& part : parts_) {
      const Quatd& above = reached[part.above];
      reached[part.role] = above * part.joint.Set(Conjugate(above) * wanted[part.role], q);
    }
    Put(Vec3d{}, 0, q);
    kinematics_.Frames(*q, &frames_);
    const Vec3d hips = (frames_.position[character_.BodyOf(Role::kLeftThigh)] +
                        frames_.position[character_.BodyOf(Role::kRightThigh)]) *
                       0.5;
    Put(source_.MidHip(pose) * scale_ - hips, 0, q);

    for (std::size_t b = 0; b < kLimbBones.size(); ++b) {
      const Vec3d bone = source_.Bone(kLimbBones[b], pose);
      const bool known = mapped_[Index(kLimbBones[b])] && SquaredNorm(bone) > 0;
      (*directions)[b] = known ? Normalized(bone) : Vec3d{};
    }
  }

 private:
  // A part of the character, after all parts above it.
  struct Part {
    int role, above;  // roles
    PartJoint joint;
  };

  void MeasureCharacter() {
    if (!character_.IsHuman()) {
      throw InputError("character '" + character_.name +
                       "' is no human: " + WhyNotHuman(character_));
    }
    for (const auto& [upper, lower] : {std::pair{Role::kPelvis, Role::kLeftThigh},
                                       {Role::kLeftThigh, Role::kLeftShank},
                                       {Role::kLeftShank, Role::kLeftFoot},
                                       {Role::kPelvis, Role::kRightThigh},
                                       {Role::kRightThigh, Role::kRightShank},
                                       {Role::kRightShank, Role::kRightFoot}}) {
      if (!kinematics_.Path(character_.BodyOf(upper), character_.BodyOf(lower)).empty()) continue;
      throw InputError("character '" + character_.name + "': " + RoleName(lower) +
                       " does not hang on " + RoleName(upper) + "; expected the legs of a human");
    }
    kinematics_.Frames(ZeroState(character_).q, &frames_);
    const auto between = [&](Role a, Role b) {
      const int from = character_.BodyOf(a), to = character_.BodyOf(b);
      return from < 0 || to < 0 ? Vec3d{} : frames_.position[to] - frames_.position[from];
    };
    for (int r = 0; r < kRoles; ++r)
      bones_[r] = IsLimb(static_cast<Role>(r)) ? Vec3d{0, 0, -1} : Vec3d{0, 0, 1};
    double leg = 0;
    for (const LimbPair& pair : kLimbPairs) {
      const Vec3d upper = between(pair.upper, pair.lower);
      if (Norm(upper) > 0) bones_[Index(pair.upper)] = Normalized(upper);
      const Role end = static_cast<Role>(Index(pair.lower) + 1);  // foot or hand
      const Vec3d lower = between(pair.lower, end);
      if (Norm(lower) > 0) bones_[Index(pair.lower)] = Normalized(lower);
      if (Index(pair.upper) < Index(Role::kLeftUpperArm)) leg += 0.5 * (Norm(upper) + Norm(lower));
    }
    leg_ = leg;
  }

  void MeasureSource() {
    const double leg = source_.LegLength();
    if (!(leg > 0))
      throw InputError(source_.clip().source, 0, "the skeleton's legs have no length");
    scale_ = leg_ / leg;
    for (int r = 0; r < kRoles; ++r) {
      mapped_[r] = source_.JointOf(static_cast<Role>(r)) >= 0 && character_.roles[r] >= 0;
    }
  }

  void CalibrateFromReference() {
    const ClipPose& rest = source_.RestPose();
    const ClipPose& reference = source_.ReferencePose();
    const Quatd rest_facing = AxisAngle({0, 0, 1}, source_.Facing(rest));
    const Quatd facing = AxisAngle({0, 0, 1}, source_.Facing(reference));
    for (int r = 0; r < kRoles; ++r) {
      const Role role = static_cast<Role>(r);
      const int joint = source_.JointOf(role);
      if (joint < 0) continue;
      if (!IsLimb(role) && !IsFoot(role)) {
        correction_[r] = Conjugate(rest.rotations[joint]) * rest_facing;
        continue;
      }
      // Parts follow those above them: a forearm at rest is twisted as its upper arm is. Feet are
      // level.
      const Vec3d bone = source_.Bone(role, reference);
      Quatd turn = facing;
      if (IsFoot(role)) {
        if (std::hypot(bone.x, bone.y) > 0.2 * Norm(bone))
          turn = AxisAngle({0, 0, 1}, std::atan2(bone.y, bone.x));
      } else {
        const bool lower = role != Role::kLeftThigh && role != Role::kRightThigh &&
                           role != Role::kLeftUpperArm && role != Role::kRightUpperArm;
        if (lower && source_.JointOf(static_cast<Role>(r - 1)) >= 0) {
          turn =
              reference.rotations[source_.JointOf(static_cast<Role>(r - 1))] * correction_[r - 1];
        }
        if (SquaredNorm(bone) > 0) turn = Swung(turn, bones_[r], bone);
      }
      correction_[r] = Conjugate(reference.rotations[joint]) * turn;
    }
  }

  // About which axis of its own does the source bend knees and elbows? Where the clip shows it
  // clearly, the character's parts are twisted to bend about their own axes just then.
  void CalibrateBends() {
    for (const LimbPair& pair : kLimbPairs) {
      const int upper = source_.JointOf(pair.upper), lower = source_.JointOf(pair.lower);
      if (upper < 0 || lower < 0) continue;
      Vec3d in_upper, in_lower;
      double total = 0;
      int used = 0;
      for (int f = 0; f < source_.FrameCount(); f += CalibrationStep()) {
        const ClipPose pose = source_.Pose(f);
        const Vec3d a = source_.Bone(pair.upper, pose), b = source_.Bone(pair.lower, pose);
        if (SquaredNorm(a) == 0 || SquaredNorm(b) == 0) break;
        const Vec3d axis = Cross(Normalized(a), Normalized(b));
        in_upper += Rotate(Conjugate(pose.rotations[upper]), axis);
        in_lower += Rotate(Conjugate(pose.rotations[lower]), axis);
        total += Norm(axis);
        ++used;
      }
      const bool clear =
          used > 0 && total > std::sin(12 * kDegree) * used && Norm(in_upper) > 0.8 * total;
      if (!clear) continue;
      const Quatd before = correction_[Index(pair.lower)];
      TwistCorrection(pair.upper, pair.bend_axis, in_upper);
      TwistCorrection(pair.lower, pair.bend_axis, in_lower);
      // The hand is held as the forearm is.
      const Role hand = static_cast<Role>(Index(pair.lower) + 1);
      if (IsFoot(hand) || source_.JointOf(hand) < 0) continue;
      const Quatd forearm = source_.ReferencePose().rotations[lower];
      const Quatd moved = forearm * correction_[Index(pair.lower)] * Conjugate(forearm * before);
      const Quatd at_rest = source_.ReferencePose().rotations[source_.JointOf(hand)];
      const Vec3d bone = source_.Bone(hand, source_.ReferencePose());
      Quatd turn = moved * at_rest * correction_[Index(hand)];
      if (SquaredNorm(bone) > 0) turn = Swung(turn, bones_[Index(hand)], bone);
      correction_[Index(hand)] = Conjugate(at_rest) * turn;
    }
  }

  // Twists the part about its bone until its `axis` lies along `seen`, both as seen from the
  // source's joint.
  void TwistCorrection(Role role, const Vec3d& axis, const Vec3d& seen) {
    Quatd& correction = correction_[Index(role)];
    const Vec3d bone = Rotate(correction, bones_[Index(role)]), now = Rotate(correction, axis);
    const double angle =
        std::atan2(Dot(bone, Cross(now, seen)), Dot(now, seen) - Dot(now, bone) * Dot(seen, bone));
    correction = AxisAngle(bone, angle) * correction;
  }

  // The direction of the vertical in a foot that stands flat: the middle of those seen while the
  // body is upright and the foot rests. Without such frames, the reference pose counts as flat.
  void CalibrateFeet() {
    for (const Role role : {Role::kLeftFoot, Role::kRightFoot}) {
      const int foot = source_.JointOf(role),
                toe = source_.JointOf(static_cast<Role>(Index(role) + 1));
      std::vector<std::pair<double, ClipPose>> resting;  // height of the ankle
      const double step_seconds = CalibrationStep() / source_.clip().fps;
      ClipPose before;
      for (int f = 0; f < source_.FrameCount(); f += CalibrationStep()) {
        const ClipPose pose = source_.Pose(f);
        if (!before.positions.empty()) {
          const Vec3d tip = pose.positions[foot] + source_.Bone(role, pose);
          const Vec3d tip_before = before.positions[foot] + source_.Bone(role, before);
          const double speed =
              scale_ / step_seconds *
              std::max(Norm(pose.positions[foot] - before.positions[foot]), Norm(tip - tip_before));
          const double height = (source_.MidHip(pose).z - pose.positions[foot].z) * scale_;
          if (speed < 0.25 && height > 0.8 * leg_)
            resting.emplace_back(pose.positions[foot].z, pose);
        }
        before = pose;
      }
      if (resting.size() * step_seconds < 0.04) continue;
      // The lower half: in the upper one a heel may be raised.
      std::nth_element(resting.begin(), resting.begin() + static_cast<long>(resting.size() / 2),
                       resting.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      resting.resize(resting.size() / 2 + 1);
      for (const auto& [part, joint] :
           {std::pair{role, foot}, std::pair{static_cast<Role>(Index(role) + 1), toe}}) {
        if (joint < 0) continue;
        Vec3d up, forward;
        for (const auto& [height, pose] : resting) {
          up += Rotate(Conjugate(pose.rotations[joint]), Vec3d{0, 0, 1});
          // Toes point where the foot does.
          forward += Rotate(Conjugate(pose.rotations[joint]), source_.Bone(role, pose));
        }
        if (Norm(up) == 0) continue;
        const Vec3d z = Normalized(up);
        const Vec3d across = Cross(z, forward);
        if (Norm(across) <= 0.2 * Norm(forward)) continue;
        const Vec3d y = Normalized(across);
        correction_[Index(part)] = FromMat3(Mat3d::FromColumns(Cross(y, z), y, z));
      }
    }
  }

  // About 2000 frames tell as much as all of them.
  int CalibrationStep() const { return std::max(1, source_.FrameCount() / 2000); }

  void MakeJoints() {
    std::vector<int> roles;
    for (int r = 0; r < kRoles; ++r) {
      if (mapped_[r]) roles.push_back(r);
    }
    std::sort(roles.begin(), roles.end(),
              [&](int a, int b) { return character_.roles[a] < character_.roles[b]; });
    root_role_ = Index(Role::kPelvis);
    if (character_.roles[roles[0]] == 0) root_role_ = roles[0];
    for (const int role : roles) {
      if (role == root_role_) continue;
      // The nearest mapped part above.
      int above = root_role_;
      for (int body = character_.bodies[character_.roles[role]].parent; body > 0;
           body = character_.bodies[body].parent) {
        const auto found = std::find_if(roles.begin(), roles.end(),
                                        [&](int r) { return character_.roles[r] == body; });
        if (found == roles.end()) continue;
        above = *found;
        break;
      }
      const std::vector<int> path =
          kinematics_.Path(character_.roles[above], character_.roles[role]);
      if (!path.empty())
        parts_.push_back({role, above, PartJoint(kinematics_, path, bones_[role])});
    }
  }

  // The axis of a hinge between the parts of a limb, its sign such that flexion is positive.
  void FindHinges() {
    for (const LimbPair& pair : kLimbPairs) {
      const int upper = character_.BodyOf(pair.upper), lower = character_.BodyOf(pair.lower);
      if (upper < 0 || lower < 0) continue;
      const std::vector<int> path = kinematics_.Path(upper, lower);
      if (path.empty() || character_.bodies[path[0]].joint.kind != JointKind::kHinge) continue;
      const Vec3d& axis = character_.bodies[path[0]].joint.axis;
      hinge_axes_[Index(pair.lower)] = Dot(axis, pair.bend_axis) < 0 ? -axis : axis;
    }
  }

  // Turns the upper part about its bone so that the hinge below it stands across the limb's plane.
  // A limb that is nearly straight has no plane: there the calibrated twist stays.
  void TwistTowardsHinge(const LimbPair& pair, const ClipPose& pose,
                         std::array<Quatd, kRoles>* wanted) const {
    const int upper = Index(pair.upper), lower = Index(pair.lower);
    if (!mapped_[upper] || !mapped_[lower]) return;
    const Vec3d& axis = hinge_axes_[lower];
    if (SquaredNorm(axis) == 0) return;
    const Vec3d a = source_.Bone(pair.upper, pose), b = source_.Bone(pair.lower, pose);
    if (SquaredNorm(a) == 0 || SquaredNorm(b) == 0) return;
    const Vec3d bone = Normalized(a), plane = Cross(bone, Normalized(b));
    const Vec3d now = Rotate((*wanted)[upper], axis);
    const double angle = std::atan2(Dot(bone, Cross(now, plane)), Dot(now, plane));
    const double weight = SmoothStep(std::sin(4 * kDegree), std::sin(15 * kDegree), Norm(plane)) *
                          (1 - SmoothStep(80 * kDegree, 130 * kDegree, std::fabs(angle)));
    (*wanted)[upper] = AxisAngle(bone, weight * angle) * (*wanted)[upper];
  }

  const SourceClip& source_;
  Kinematics kinematics_;
  const Character& character_;
  double leg_ = 0, scale_ = 1;
  std::array<Vec3d, kRoles> bones_;  // unit, in the part's frame: a limb's bone, else the vertical
  std::array<bool, kRoles> mapped_{};
  std::array<Vec3d, kRoles> hinge_axes_{};  // of lower limb parts; zero: no hinge
  // From the part's axes to those of the source's joint: part rotation = joint rotation *
  // correction.
  std::array<Quatd, kRoles> correction_;
  int root_role_ = 0;
  std::vector<Part> parts_;
  BodyFrames frames_;
};

// Facing at the start; where the body goes straight on from there, the direction it travels in.
double StartHeading(const Motion& motion, const Character& character,
                    const Kinematics& kinematics) {
  BodyFrames frames;
  const int pelvis = character.BodyOf(Role::kPelvis);
  const auto pelvis_at = [&](double t) {
    kinematics.Frames(SampleMotion(motion, character, t), &frames);
    return std::pair{frames.position[pelvis], NearestHeading(frames.rotation[pelvis])};
  };
  double c = 0, s = 0;
  for (int k = 0; k <= 4; ++k) {
    const double heading = pelvis_at(0.025 * k).second;
    c += std::cos(heading);
    s += std::sin(heading);
  }
  const double facing = std::atan2(s, c);
  const double window = std::min(1.0, motion.Duration());
  const auto [start, heading_start] = pelvis_at(0);
  const auto [end, heading_end] = pelvis_at(window);
  const Vec3d way = end - start;
  if (std::hypot(way.x, way.y) < 0.3) return facing;
  const double travel = std::atan2(way.y, way.x);
  const auto apart = [](double a, double b) { return std::fabs(std::remainder(a - b, 2 * M_PI)); };
  const bool straight =
      apart(travel, facing) < 30 * kDegree && apart(heading_end, facing) < 30 * kDegree;
  return straight ? travel : facing;
}

// Returns how far the motion was turned, rad.
double AlignHeading(const Character& character, const Kinematics& kinematics, Motion* motion,
                    std::vector<LimbDirections>* directions) {
  const double heading = StartHeading(*motion, character, kinematics);
  const Quatd turn = AxisAngle({0, 0, 1}, -heading);
  const Vec3d start = Rotate(turn, Vec3At(motion->frames[0], 0));
  for (std::vector<double>& q : motion->frames)
    MovePose(character, -heading, {-start.x, -start.y, 0}, &q);
  for (LimbDirections& frame : *directions) {
    for (Vec3d& direction : frame) direction = Rotate(turn, direction);
  }
  return -heading;
}

// A joint is mapped if a part or a part below it follows it.
void ListJoints(const SourceClip& source, const Character& character, Retargeted* result) {
  const SkeletonClip& clip = source.clip();
  std::vector<bool> used(clip.joints.size(), false);
  for (int r = 0; r < kRoles; ++r) {
    int joint = source.JointOf(static_cast<Role>(r));
    if (character.roles[r] < 0) continue;
    for (; joint >= 0; joint = clip.joints[joint].parent) used[joint] = true;
  }
  for (int j = 0; j < clip.JointCount(); ++j) {
    (used[j] ? result->mapped : result->unmapped).push_back(clip.joints[j].name);
  }
}

}  // namespace

Retargeted Retarget(const SourceClip& source, const Character& character,
                    const RetargetOptions& options) {
  Retargeter retargeter(source, character, options.watch_feet);
  const Kinematics kinematics(character);
  Retargeted result;
  result.scale = retargeter.scale();
  result.source_height = source.Height() * result.scale;
  ListJoints(source, character, &result);

  Motion& motion = result.motion;
  motion.character = character.name;
  motion.source = source.clip().source;
  motion.fps = options.source_fps > 0 ? options.source_fps : source.clip().fps;
  motion.loops = source.clip().loop && source.FrameCount() == source.clip().FrameCount();
  std::vector<double> q = ZeroState(character).q;
  result.directions.resize(source.FrameCount());
  motion.frames.reserve(source.FrameCount());
  for (int f = 0; f < source.FrameCount(); ++f) {
    retargeter.SetPose(f, &q, &result.directions[f]);
    motion.frames.push_back(q);
  }
  motion.contacts.assign(motion.frames.size(), 0);
  if (options.cutoff > 0) LowPass(kinematics, options.cutoff, motion.fps, &motion.frames);
  if (options.fps > 0 && options.fps != motion.fps) {
    std::vector<LimbDirections> directions;
    const double ratio = motion.fps / options.fps;
    motion = Resampled(motion, character, options.fps);
    for (int f = 0; f < motion.FrameCount(); ++f) {
      const auto nearest = static_cast<std::size_t>(std::lround(f * ratio));
      directions.push_back(result.directions[std::min(nearest, result.directions.size() - 1)]);
    }
    result.directions = std::move(directions);
  }
  result.turn = AlignHeading(character, kinematics, &motion, &result.directions);
  MakeSignsContinuous(kinematics, &motion.frames);
  Validate(motion, character);  // sizes near the largest double overflow
  return result;
}

double BoneDirectionError(const Character& character, const Motion& motion,
                          const std::vector<LimbDirections>& directions) {
  const Kinematics kinematics(character);
  BodyFrames frames;
  kinematics.Frames(ZeroState(character).q, &frames);
  std::array<Vec3d, kLimbBones.size()> bones{};  // zero: the character does not have it
  for (std::size_t b = 0; b < bones.size(); ++b) {
    const int from = character.BodyOf(kLimbBones[b]);
    const int to = character.BodyOf(static_cast<Role>(Index(kLimbBones[b]) + 1));
    if (from >= 0 && to >= 0) bones[b] = frames.position[to] - frames.position[from];
  }
  double sum = 0;
  int count = 0;
  for (int f = 0; f < motion.FrameCount(); ++f) {
    kinematics.Frames(motion.frames[f], &frames);
    for (std::size_t b = 0; b < bones.size(); ++b) {
      const Vec3d& wanted = directions[f][b];
      if (SquaredNorm(bones[b]) == 0 || SquaredNorm(wanted) == 0) continue;
      const Vec3d bone = Rotate(frames.rotation[character.BodyOf(kLimbBones[b])], bones[b]);
      sum += std::atan2(Norm(Cross(bone, wanted)), Dot(bone, wanted));
      ++count;
    }
  }
  return count > 0 ? sum / count / kDegree : 0;
}

}  // namespace stride
