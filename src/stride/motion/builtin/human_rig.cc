#include "stride/motion/builtin/human_rig.h"

#include <algorithm>
#include <cmath>

#include "stride/character/rest_pose.h"
#include "stride/character/structure.h"
#include "stride/core/error.h"
#include "stride/math/rotation.h"

namespace stride {
namespace {

constexpr double kReferenceHipHeight = 0.92;  // m
constexpr double kLeastBend = 0.03;           // rad: no knee or elbow is quite straight
constexpr double kMostToeBend = 0.6;          // rad, of toes on the ground
constexpr Vec3d kY{0, 1, 0};

bool IsAbove(const Character& character, int ancestor, int body) {
  for (int i = body; i >= 0; i = character.bodies[i].parent) {
    if (i == ancestor) return true;
  }
  return false;
}

void PutQuat(const Quatd& r, double* q) {
  q[0] = r.w;
  q[1] = r.x;
  q[2] = r.y;
  q[3] = r.z;
}

// Axes of a limb: its direction, and as well as possible the axis about which it bends.
Mat3d LimbAxes(const Vec3d& direction, const Vec3d& bend_axis) {
  const Vec3d e1 = Normalized(direction);
  const Vec3d e2 = Normalized(bend_axis - e1 * Dot(e1, bend_axis));
  return Mat3d::FromColumns(e1, e2, Cross(e1, e2));
}

}  // namespace

HumanRig::HumanRig(const Character& character)
    : character_(&character), layout_(LayoutOf(character)) {
  if (!character.IsHuman()) {
    throw InputError("character \"" + character.name +
                     "\" is not a human, which built-in motions need: " + WhyNotHuman(character));
  }
  zero_ = FramesAt(character, ZeroState(character).q).position;
  const int pelvis = character.BodyOf(Role::kPelvis), trunk = character.BodyOf(Role::kTrunk);
  spine_ = ChainBetween(pelvis, trunk);
  if (const int head = character.BodyOf(Role::kHead); head >= 0) neck_ = ChainBetween(trunk, head);

  const Role thigh[] = {Role::kLeftThigh, Role::kRightThigh};
  const Role shank[] = {Role::kLeftShank, Role::kRightShank};
  const Role foot[] = {Role::kLeftFoot, Role::kRightFoot};
  const Role toe[] = {Role::kLeftToe, Role::kRightToe};
  const Role upper_arm[] = {Role::kLeftUpperArm, Role::kRightUpperArm};
  const Role forearm[] = {Role::kLeftForearm, Role::kRightForearm};
  const Role hand[] = {Role::kLeftHand, Role::kRightHand};
  has_arms_ = true;
  for (int side = 0; side < 2; ++side) {
    const int t = character.BodyOf(thigh[side]), s = character.BodyOf(shank[side]),
              f = character.BodyOf(foot[side]);
    hip_[side] = ChainBetween(pelvis, t);
    knee_[side] = ChainBetween(t, s);
    ankle_[side] = ChainBetween(s, f);
    toe_[side] = character.BodyOf(toe[side]);
    legs_[side] = MakeLimb(pelvis, t, s, zero_[f], 1);
    for (ContactPoint point : character.contact_points) {
      if (point.body != f && (toe_[side] < 0 || point.body != toe_[side])) continue;
      point.position += zero_[point.body] - zero_[f];
      (point.body == f ? foot_points_ : toe_points_)[side].push_back(point);
    }
    if (toe_[side] >= 0) {
      toe_joints_[side] = ChainBetween(f, toe_[side]);
      toe_offset_[side] = zero_[toe_[side]] - zero_[f];
    }
    const int u = character.BodyOf(upper_arm[side]), a = character.BodyOf(forearm[side]);
    if (u < 0 || a < 0) {
      has_arms_ = false;
      continue;
    }
    shoulder_[side] = ChainBetween(trunk, u);
    elbow_[side] = ChainBetween(u, a);
    // The hand's tip: its lowest contact point, or that of the forearm.
    Vec3d tip = zero_[a] + (zero_[a] - zero_[u]) * 0.9;
    double lowest = 1e30;
    const int h = character.BodyOf(hand[side]) >= 0 ? character.BodyOf(hand[side]) : a;
    for (const ContactPoint& point : character.contact_points) {
      const Vec3d p = zero_[point.body] + point.position;
      if (point.body != h || p.z - point.radius >= lowest) continue;
      lowest = p.z - point.radius;
      tip = p;
      hand_radius_[side] = point.radius;
    }
    arms_[side] = MakeLimb(trunk, u, a, tip, -1);
  }

  const Vec3d ankle = zero_[character.BodyOf(Role::kLeftFoot)];
  if (foot_points_[kLeftSide].empty() || foot_points_[kRightSide].empty()) {
    throw InputError("character \"" + character.name + "\" has no contact points at its feet");
  }
  double sole = 1e30, front = -1e30, heel = 1e30;
  for (const ContactPoint& point : foot_points_[kLeftSide]) {
    sole = std::min(sole, ankle.z + point.position.z - point.radius);
    front = std::max(front, point.position.x);
    heel = std::min(heel, point.position.x);
  }
  heel_ = heel;
  ball_ = front;
  if (toe_[kLeftSide] >= 0) {
    ball_ = zero_[toe_[kLeftSide]].x - ankle.x;
    ball_height_ = std::max(0.0, zero_[toe_[kLeftSide]].z - sole);
    for (const ContactPoint& point : toe_points_[kLeftSide])
      tip_ = std::max(tip_, point.position.x);
  }
  ankle_height_ = ankle.z - sole;
  hip_height_ = zero_[character.BodyOf(Role::kLeftThigh)].z - sole;
  com_height_ = CenterOfMassAt(character, ZeroState(character).q).z - sole;
  scale_ = hip_height_ / kReferenceHipHeight;
}

HumanRig::Chain HumanRig::ChainBetween(int from, int to) const {
  Chain chain;
  chain.reversed = !IsAbove(*character_, from, to);
  const int top = chain.reversed ? to : from, bottom = chain.reversed ? from : to;
  for (int i = bottom; i != top && i >= 0; i = character_->bodies[i].parent) {
    chain.bodies.insert(chain.bodies.begin(), i);
  }
  return chain;
}

HumanRig::Limb HumanRig::MakeLimb(int base, int first, int second, const Vec3d& end,
                                  double sign) const {
  Limb limb;
  limb.root = zero_[first] - zero_[base];
  limb.upper = zero_[second] - zero_[first];
  limb.lower = end - zero_[second];
  limb.sign = sign;
  limb.bend_min = kLeastBend;
  // Bending is up to the hinge about Y, or a ball, between the two bones.
  for (const int body : ChainBetween(first, second).bodies) {
    const Joint& joint = character_->bodies[body].joint;
    if (!joint.limited) continue;
    if (joint.kind == JointKind::kBall) limb.bend_max = joint.upper;
    if (joint.kind == JointKind::kHinge && std::fabs(joint.axis.y) > 0.9) {
      limb.bend_max = joint.axis.y * sign > 0 ? joint.upper : -joint.lower;
    }
  }
  return limb;
}

void HumanRig::SetRotation(const Chain& chain, const Quatd& rotation,
                           std::vector<double>* q) const {
  const Quatd wanted = chain.reversed ? Conjugate(rotation) : rotation;
  std::vector<int> balls, hinges;
  for (const int i : chain.bodies) {
    const JointKind kind = character_->bodies[i].joint.kind;
    if (kind == JointKind::kBall) balls.push_back(i);
    if (kind == JointKind::kHinge) hinges.push_back(i);
  }
  if (!balls.empty()) {  // in equal shares
    Vec3d share = Log(wanted) * (1.0 / static_cast<double>(balls.size()));
    for (const int i : balls) {
      const Joint& joint = character_->bodies[i].joint;
      const double angle = Norm(share);
      const double most = joint.limited && angle > joint.upper ? joint.upper / angle : 1;
      PutQuat(Exp(share * most), &(*q)[layout_.q[i]]);
    }
    return;
  }
  // Each hinge in turn takes what is best while the others stay.
  const int count = static_cast<int>(hinges.size());
  std::vector<double> angles(count, 0.0);
  const auto turn = [&](int k) {
    return AxisAngle(character_->bodies[hinges[k]].joint.axis, angles[k]);
  };
  for (int sweep = 0; sweep < (count > 1 ? 20 : 1); ++sweep) {
    for (int k = 0; k < count; ++k) {
      Quatd before = Quatd::Identity(), after = Quatd::Identity();
      for (int i = 0; i < k; ++i) before = before * turn(i);
      for (int i = k + 1; i < count; ++i) after = after * turn(i);
      const Joint& joint = character_->bodies[hinges[k]].joint;
      angles[k] = TwistAngle(Conjugate(before) * wanted * Conjugate(after), joint.axis);
      if (joint.limited) angles[k] = std::clamp(angles[k], joint.lower, joint.upper);
    }
  }
  for (int k = 0; k < count; ++k) (*q)[layout_.q[hinges[k]]] = angles[k];
}

std::vector<double> HumanRig::Coordinates(const HumanPose& pose) const {
  std::vector<double> q = ZeroState(*character_).q;
  SetRotation(spine_, pose.spine, &q);
  SetRotation(neck_, pose.neck, &q);
  for (int side = 0; side < 2; ++side) {
    const LegPose& leg = pose.legs[side];
    SetRotation(hip_[side], leg.hip, &q);
    SetRotation(knee_[side], AxisAngle(kY, leg.knee), &q);
    SetRotation(ankle_[side], leg.ankle, &q);
    if (toe_[side] >= 0) SetRotation(toe_joints_[side], AxisAngle(kY, leg.toe), &q);
    if (!has_arms_) continue;
    SetRotation(shoulder_[side], pose.arms[side].shoulder, &q);
    SetRotation(elbow_[side], AxisAngle(kY, -pose.arms[side].elbow), &q);
  }
  const int pelvis = character_->BodyOf(Role::kPelvis);
  Vec3d position = pose.pelvis;
  Quatd rotation = pose.rotation;
  if (pelvis != 0) {  // the root follows from the pelvis
    q[0] = q[1] = q[2] = 0;
    const BodyFrames frames = FramesAt(*character_, q);
    rotation = pose.rotation * Conjugate(frames.rotation[pelvis]);
    position = pose.pelvis - Rotate(rotation, frames.position[pelvis]);
  }
  q[0] = position.x;
  q[1] = position.y;
  q[2] = position.z;
  PutQuat(rotation, &q[3]);
  return q;
}

void HumanRig::Reach(const Limb& limb, const Vec3d& target, const Quatd& pose, Quatd* first,
                     double* bend) {
  // |upper + R(bend) lower|^2 = |target|^2 is a cos(bend) + b sin(bend) + c = 0.
  const Vec3d& u = limb.upper;
  const Vec3d& l = limb.lower;
  const double a = 2 * (u.x * l.x + u.z * l.z), b = 2 * limb.sign * (u.x * l.z - u.z * l.x);
  const double c = SquaredNorm(u) + SquaredNorm(l) + 2 * u.y * l.y - SquaredNorm(target);
  const double size = std::hypot(a, b);
  const double reach = std::acos(std::clamp(-c / size, -1.0, 1.0));
  *bend = std::clamp(std::atan2(b, a) + reach, limb.bend_min, limb.bend_max);
  const Vec3d along = u + Rotate(AxisAngle(kY, limb.sign * *bend), l);
  if (SquaredNorm(target) < 1e-12) return;
  const Mat3d from = LimbAxes(along, kY), to = LimbAxes(target, Rotate(pose, kY));
  *first = FromMat3(to * Transpose(from));
}

void HumanRig::PlaceFoot(int side, const LimbEnd& foot, HumanPose* pose) const {
  LegPose& leg = pose->legs[side];
  const Vec3d target =
      Rotate(Conjugate(pose->rotation), foot.position - pose->pelvis) - legs_[side].root;
  // The knee stays over the toes: an ankle without a vertical axis could not turn the foot
  // otherwise.
  const Quatd foot_in_pelvis = Conjugate(pose->rotation) * foot.rotation;
  Reach(legs_[side], target, foot_in_pelvis, &leg.hip, &leg.knee);
  const Quatd shank = pose->rotation * leg.hip * AxisAngle(kY, leg.knee);
  leg.ankle = Conjugate(shank) * foot.rotation;
}

LimbEnd HumanRig::FootAt(int side, const HumanPose& pose) const {
  const Limb& limb = legs_[side];
  const Quatd thigh = pose.rotation * pose.legs[side].hip;
  const Quatd shank = thigh * AxisAngle(kY, pose.legs[side].knee);
  return {pose.pelvis + Rotate(pose.rotation, limb.root) + Rotate(thigh, limb.upper) +
              Rotate(shank, limb.lower),
          shank * pose.legs[side].ankle};
}

LimbEnd HumanRig::TrunkAt(const HumanPose& pose) const {
  HumanPose bare;
  bare.pelvis = pose.pelvis;
  bare.rotation = pose.rotation;
  bare.spine = pose.spine;
  const BodyFrames frames = FramesAt(*character_, Coordinates(bare));
  const int trunk = character_->BodyOf(Role::kTrunk);
  return {frames.position[trunk], frames.rotation[trunk]};
}

void HumanRig::PlaceHand(int side, const Vec3d& tip, HumanPose* pose) const {
  const LimbEnd trunk = TrunkAt(*pose);
  const Vec3d target = Rotate(Conjugate(trunk.rotation), tip - trunk.position) - arms_[side].root;
  ArmPose& arm = pose->arms[side];
  Reach(arms_[side], target, arm.shoulder, &arm.shoulder, &arm.elbow);
}

Vec3d HumanRig::HandAt(int side, const HumanPose& pose) const {
  const LimbEnd trunk = TrunkAt(pose);
  const Limb& limb = arms_[side];
  const Quatd upper = trunk.rotation * pose.arms[side].shoulder;
  return trunk.position + Rotate(trunk.rotation, limb.root) + Rotate(upper, limb.upper) +
         Rotate(upper * AxisAngle(kY, -pose.arms[side].elbow), limb.lower);
}

double HumanRig::StandingToe(double pitch) const {
  return HasToes() ? std::max(std::min(0.0, pitch), -kMostToeBend) : 0;
}

LimbEnd HumanRig::StandingFoot(const Vec3d& ground, double heading, double pitch) const {
  const Quatd turned = AxisAngle({0, 0, 1}, heading), pitched = AxisAngle(kY, -pitch);
  Vec3d pivot = pitch > 0 ? Vec3d{heel_, 0, 0} : Vec3d{ball_, 0, ball_height_};
  const Vec3d ankle_from_pivot = Vec3d{0, 0, ankle_height_} - pivot;
  if (HasToes() && pitch < -kMostToeBend) {
    // The toes bend no more: they leave the ground too, over their tip.
    const Vec3d tip{tip_, 0, 0};
    pivot = tip + Rotate(AxisAngle(kY, -pitch - kMostToeBend), pivot - tip);
  }
  const Vec3d ankle = pivot + Rotate(pitched, ankle_from_pivot);
  return {ground + Rotate(turned, ankle), turned * pitched};
}

double HumanRig::LowestPoint(int side, const LimbEnd& foot, double toe) const {
  double lowest = 1e30;
  const auto add = [&](const Vec3d& from_ankle, double radius) {
    lowest = std::min(lowest, (foot.position + Rotate(foot.rotation, from_ankle)).z - radius);
  };
  for (const ContactPoint& point : foot_points_[side]) add(point.position, point.radius);
  for (const ContactPoint& point : toe_points_[side]) {
    add(toe_offset_[side] + Rotate(AxisAngle(kY, toe), point.position - toe_offset_[side]),
        point.radius);
  }
  return lowest;
}

Vec3d HumanRig::LimbRoot(int limb, const HumanPose& pose) const {
  if (limb < 2) return pose.pelvis + Rotate(pose.rotation, legs_[limb].root);
  const LimbEnd trunk = TrunkAt(pose);
  return trunk.position + Rotate(trunk.rotation, arms_[limb - 2].root);
}

double HumanRig::LimbReach(int limb) const {
  const Limb& l = limb < 2 ? legs_[limb] : arms_[limb - 2];
  return Norm(l.upper + Rotate(AxisAngle(kY, l.sign * l.bend_min), l.lower));
}

double HumanRig::LimbBent(int limb) const {
  const Limb& l = limb < 2 ? legs_[limb] : arms_[limb - 2];
  return Norm(l.upper + Rotate(AxisAngle(kY, l.sign * l.bend_max), l.lower));
}

double HumanRig::LegLength(int side, double knee) const {
  return Norm(legs_[side].upper + Rotate(AxisAngle(kY, knee), legs_[side].lower));
}

}  // namespace stride
