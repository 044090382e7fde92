#include "stride/motion/import/source_clip.h"

#include <algorithm>
#include <cmath>

#include "stride/core/error.h"
#include "stride/math/rotation.h"

namespace stride {
namespace {

constexpr double kDegree = M_PI / 180;

// The next part along the limb.
Role NextRole(Role role) {
  switch (role) {
    case Role::kLeftThigh: return Role::kLeftShank;
    case Role::kLeftShank: return Role::kLeftFoot;
    case Role::kLeftFoot: return Role::kLeftToe;
    case Role::kRightThigh: return Role::kRightShank;
    case Role::kRightShank: return Role::kRightFoot;
    case Role::kRightFoot: return Role::kRightToe;
    case Role::kLeftUpperArm: return Role::kLeftForearm;
    case Role::kLeftForearm: return Role::kLeftHand;
    case Role::kRightUpperArm: return Role::kRightForearm;
    case Role::kRightForearm: return Role::kRightHand;
    default: return Role::kCount;
  }
}

double AngleBetween(const Vec3d& a, const Vec3d& b) {
  return std::atan2(Norm(Cross(a, b)), Dot(a, b));
}

}  // namespace

SourceClip::SourceClip(SkeletonClip clip, const SkeletonMap& map, int first, int last,
                       std::vector<std::string>* warnings)
    : clip_(std::move(clip)), map_(map) {
  const int count = clip_.FrameCount();
  if (last < 0) last = count - 1;
  if (first < 0 || first > last || last >= count) {
    throw InputError(clip_.source, 0,
                     "frames " + std::to_string(first) + " to " + std::to_string(last) +
                         " were asked for; expected a range within 0 to " +
                         std::to_string(count - 1));
  }
  RepairCmuOffsets(warnings);
  for (int r = 0; r < static_cast<int>(Role::kCount); ++r) {
    const Role role = static_cast<Role>(r), next = NextRole(role);
    const int joint = map_.JointOf(role);
    if (joint < 0) continue;
    Tip& tip = tips_[r];
    if (next != Role::kCount) tip.joint = map_.JointOf(next);
    if (tip.joint >= 0) continue;
    if (!clip_.joints[joint].end_sites.empty()) tip.end = clip_.joints[joint].end_sites[0];
    for (int j = joint + 1; j < clip_.JointCount() && tip.joint < 0; ++j) {
      if (clip_.joints[j].parent == joint && Norm(clip_.joints[j].offset) > 0) tip.joint = j;
    }
  }
  TurnUpright(warnings);
  rest_ = StandingRest(warnings);
  reference_ = rest_;

  int start = 0;
  if (count > 2 && IsTPose(Positions(clip_, 0)) && IsJump(0, 1) && !IsJump(1, 2)) {
    reference_ = Positions(clip_, 0);
    start = 1;
    if (first == 0)
      warnings->push_back("frame 0 is an artificial T-pose: used as reference, not as motion");
  }
  int empty = 0;
  for (int f = std::max(first, start); f <= last; ++f) {
    if (IsEmpty(f)) {
      ++empty;
    } else {
      frames_.push_back(f);
    }
  }
  if (empty > 0)
    warnings->push_back(std::to_string(empty) + " frames without data (all zero) were dropped");
  if (frames_.empty()) throw InputError(clip_.source, 0, "no frame is left in the range asked for");
}

// Where a bone has several children, a common conversion of the CMU database lost its length: there
// the thorax is as long as the upper back, and the wrist half as long as the forearm.
void SourceClip::RepairCmuOffsets(std::vector<std::string>* warnings) {
  if (map_.skeleton != "cmu") return;
  const auto offset_of = [&](const std::string& name) -> Vec3d {
    const int joint = FindJoint(clip_, name);
    return joint < 0 ? Vec3d{} : clip_.joints[joint].offset;
  };
  int repaired = 0;
  const auto repair = [&](const std::string& name, const Vec3d& offset) {
    const int joint = FindJoint(clip_, name);
    if (joint < 0 || Norm(clip_.joints[joint].offset) > 0) return;
    clip_.joints[joint].offset = offset;
    ++repaired;
  };
  const Vec3d thorax{0, 0, Norm(offset_of("Spine1"))};
  for (const char* name : {"Neck", "LeftShoulder", "RightShoulder"}) repair(name, thorax);
  for (const std::string side : {"Left", "Right"}) {
    const Vec3d wrist = offset_of(side + "Hand") * 0.5;
    repair(side + "FingerBase", wrist);
    repair(side.substr(0, 1) + "Thumb", wrist);
  }
  if (repaired > 0) {
    warnings->push_back(std::to_string(repaired) +
                        " bones of zero length (thorax, wrists) were repaired");
  }
}

Vec3d SourceClip::Up(const ClipPose& pose) const {
  const int trunk = JointOf(Role::kTrunk);
  const Vec3d hips = MidHip(pose);
  if (trunk >= 0 && Norm(pose.positions[trunk] - hips) > 0) return pose.positions[trunk] - hips;
  return hips -
         (pose.positions[JointOf(Role::kLeftFoot)] + pose.positions[JointOf(Role::kRightFoot)]) *
             0.5;
}

// Some files are written with another axis up than their format has: the rest pose then lies, and
// so does the body from beginning to end. glTF says which axis is up.
void SourceClip::TurnUpright(std::vector<std::string>* warnings) {
  if (clip_.format == "gltf") return;
  const ClipPose rest = RestPositions(clip_);
  const Vec3d feet =
      (rest.positions[JointOf(Role::kLeftFoot)] + rest.positions[JointOf(Role::kRightFoot)]) * 0.5;
  const Vec3d up = MidHip(rest) - feet;
  if (Norm(up) == 0 || up.z > Norm(up) * std::cos(50 * kDegree)) return;
  Vec3d axis{};
  if (std::fabs(up.x) > std::max(std::fabs(up.y), std::fabs(up.z))) {
    axis.x = up.x > 0 ? 1 : -1;
  } else if (std::fabs(up.y) > std::fabs(up.z)) {
    axis.y = up.y > 0 ? 1 : -1;
  } else {
    axis.z = -1;
  }
  Vec3d sum;
  int used = 0;
  for (int f = 0; f < clip_.FrameCount(); f += std::max(1, clip_.FrameCount() / 200)) {
    const Vec3d body = Up(Positions(clip_, f));
    if (Norm(body) > 0) sum += Normalized(body);
    ++used;
  }
  if (Dot(sum, axis) < 0.7 * used) return;
  const Quatd turn = RotationBetween(axis, {0, 0, 1});
  const std::size_t joints = clip_.joints.size();
  for (int f = 0; f < clip_.FrameCount(); ++f) {
    clip_.root_positions[f] = Rotate(turn, clip_.root_positions[f]);
    Quatd& root = clip_.rotations[static_cast<std::size_t>(f) * joints];
    root = turn * root;
  }
  clip_.joints[0].offset = Rotate(turn, clip_.joints[0].offset);
  clip_.joints[0].rest_rotation = turn * clip_.joints[0].rest_rotation;
  warnings->push_back(
      "the skeleton lies, at rest and in the clip: taken as written with another axis up, and "
      "turned upright");
}

// A rest pose that lies or leans tells how the joints' axes lie in the body, once it stands.
ClipPose SourceClip::StandingRest(std::vector<std::string>* warnings) const {
  ClipPose rest = RestPositions(clip_);
  const Vec3d up = Up(rest);
  // Rest poses made to be such hardly lean; a frame of the motion in their place may.
  const double most = (clip_.format == "gltf" ? 20 : 50) * kDegree;
  if (Norm(up) == 0 || up.z > Norm(up) * std::cos(most)) return rest;
  const Vec3d left =
      rest.positions[JointOf(Role::kLeftThigh)] - rest.positions[JointOf(Role::kRightThigh)];
  const Vec3d forward = Cross(left, up);
  if (Norm(forward) == 0) return rest;
  const Vec3d z = Normalized(up), x = Normalized(forward);
  const Quatd turn = Conjugate(FromMat3(Mat3d::FromColumns(x, Cross(z, x), z)));
  for (Vec3d& position : rest.positions) position = Rotate(turn, position);
  for (Quatd& rotation : rest.rotations) rotation = turn * rotation;
  warnings->push_back(
      "the file's rest pose does not stand: joints' axes were taken from it, which way is up was "
      "not");
  return rest;
}

void SourceClip::Move(const std::vector<Vec3d>& shifts) {
  for (int f = 0; f < FrameCount(); ++f) clip_.root_positions[frames_[f]] += shifts[f];
}

Vec3d SourceClip::Bone(Role role, const ClipPose& pose) const {
  const int joint = JointOf(role);
  if (joint < 0) return {};
  const Tip& tip = tips_[static_cast<int>(role)];
  if (tip.joint >= 0) return pose.positions[tip.joint] - pose.positions[joint];
  return Rotate(pose.rotations[joint], tip.end);
}

Vec3d SourceClip::MidHip(const ClipPose& pose) const {
  return (pose.positions[JointOf(Role::kLeftThigh)] + pose.positions[JointOf(Role::kRightThigh)]) *
         0.5;
}

double SourceClip::Facing(const ClipPose& pose) const {
  const Vec3d left =
      pose.positions[JointOf(Role::kLeftThigh)] - pose.positions[JointOf(Role::kRightThigh)];
  return std::atan2(-left.x, left.y);
}

double SourceClip::LegLength() const {
  return 0.5 * (Norm(Bone(Role::kLeftThigh, rest_)) + Norm(Bone(Role::kLeftShank, rest_)) +
                Norm(Bone(Role::kRightThigh, rest_)) + Norm(Bone(Role::kRightShank, rest_)));
}

double SourceClip::Height() const {
  double low = reference_.positions[0].z, high = low;
  const auto include = [&](double z) {
    low = std::min(low, z);
    high = std::max(high, z);
  };
  for (int j = 0; j < clip_.JointCount(); ++j) {
    include(reference_.positions[j].z);
    for (const Vec3d& end : clip_.joints[j].end_sites) {
      include((reference_.positions[j] + Rotate(reference_.rotations[j], end)).z);
    }
  }
  return high - low;
}

// Legs down, arms out to their sides.
bool SourceClip::IsTPose(const ClipPose& pose) const {
  const Quatd facing = AxisAngle({0, 0, 1}, Facing(pose));
  const auto is_along = [&](Role role, const Vec3d& direction) {
    return AngleBetween(Bone(role, pose), Rotate(facing, direction)) < 25 * kDegree;
  };
  for (const Role role :
       {Role::kLeftThigh, Role::kLeftShank, Role::kRightThigh, Role::kRightShank}) {
    if (!is_along(role, {0, 0, -1})) return false;
  }
  if (JointOf(Role::kLeftForearm) < 0 || JointOf(Role::kRightForearm) < 0) return false;
  return is_along(Role::kLeftUpperArm, {0, 1, 0}) && is_along(Role::kLeftForearm, {0, 1, 0}) &&
         is_along(Role::kRightUpperArm, {0, -1, 0}) && is_along(Role::kRightForearm, {0, -1, 0});
}

// No body turns all its joints by this much within a frame.
bool SourceClip::IsJump(int frame_a, int frame_b) const {
  const auto a = clip_.FrameRotations(frame_a), b = clip_.FrameRotations(frame_b);
  double sum = 0;
  for (const Role role : {Role::kPelvis, Role::kLeftThigh, Role::kRightThigh, Role::kLeftUpperArm,
                          Role::kRightUpperArm}) {
    const int joint = JointOf(role);
    if (joint >= 0) sum += Norm(Log(Conjugate(a[joint]) * b[joint]));
  }
  return sum > 60 * kDegree;
}

bool SourceClip::IsEmpty(int frame) const {
  if (Norm(clip_.root_positions[frame]) > 0) return false;
  for (const Quatd& q : clip_.FrameRotations(frame)) {
    if (std::fabs(q.w) < 1 - 1e-12) return false;
  }
  return clip_.FrameCount() > 1;
}

}  // namespace stride
