#include "stride/motion/kinematics.h"

#include <algorithm>
#include <cmath>

#include "stride/core/error.h"
#include "stride/math/rotation.h"

namespace stride {
namespace {

double Clamped(const Joint& joint, double angle) {
  return joint.limited ? std::clamp(angle, joint.lower, joint.upper) : angle;
}

}  // namespace

Kinematics::Kinematics(const Character& character)
    : character_(&character), layout_(LayoutOf(character)) {}

void Kinematics::Frames(const std::vector<double>& q, BodyFrames* frames) const {
  const int count = character_->BodyCount();
  frames->position.resize(count);
  frames->rotation.resize(count);
  for (int i = 0; i < count; ++i) {
    const Body& body = character_->bodies[i];
    const auto [offset, turn] = PlaceOf(body, &q[layout_.q[i]]);
    if (body.parent < 0) {
      frames->position[i] = offset;
      frames->rotation[i] = turn;
    } else {
      const Quatd& parent = frames->rotation[body.parent];
      frames->position[i] = frames->position[body.parent] + Rotate(parent, offset);
      frames->rotation[i] = parent * turn;
    }
  }
}

std::vector<int> Kinematics::Path(int ancestor, int body) const {
  std::vector<int> path;
  for (int i = body; i != ancestor; i = character_->bodies[i].parent) {
    if (i < 0) return {};
    path.push_back(i);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

PartJoint::PartJoint(const Kinematics& kinematics, const std::vector<int>& path,
                     const Vec3d& weak_axis)
    : kinematics_(&kinematics), weak_axis_(weak_axis) {
  const std::vector<Body>& bodies = kinematics.character().bodies;
  for (const int i : path) {
    STRIDE_CHECK(bodies[i].joint.kind != JointKind::kFree);
    const bool hinge = bodies[i].joint.kind == JointKind::kHinge;
    const bool joins = hinge && !groups_.empty() && groups_.back().bodies.size() < 3 &&
                       bodies[groups_.back().bodies.back()].joint.kind == JointKind::kHinge &&
                       Norm(bodies[i].offset) < 1e-6;
    if (!joins) groups_.emplace_back();
    groups_.back().bodies.push_back(i);
  }
}

Quatd PartJoint::Set(const Quatd& wanted, std::vector<double>* q) const {
  if (groups_.size() == 1) return SetGroup(groups_[0], wanted, q);
  const Vec3d turn = Log(wanted);
  Quatd reached = Quatd::Identity();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const double share = static_cast<double>(g + 1) / static_cast<double>(groups_.size());
    const Quatd target = g + 1 < groups_.size() ? Exp(turn * share) : wanted;
    reached = reached * SetGroup(groups_[g], Conjugate(reached) * target, q);
  }
  return reached;
}

Quatd PartJoint::SetGroup(const Group& group, const Quatd& wanted, std::vector<double>* q) const {
  const int body = group.bodies[0], at = kinematics_->layout().q[body];
  const Joint& joint = kinematics_->character().bodies[body].joint;
  if (joint.kind == JointKind::kBall) {
    const Quatd unit = Normalized(wanted);
    Put(unit, at, q);
    return unit;
  }
  if (group.bodies.size() > 1) return SetHinges(group, wanted, q);
  // The angle that brings the weak axis, a bone, nearest to its wanted direction; if the hinge
  // turns about that very axis, the twist.
  const Vec3d& axis = joint.axis;
  const Vec3d bone = weak_axis_ - axis * Dot(weak_axis_, axis);
  double angle = TwistAngle(wanted, axis);
  if (SquaredNorm(bone) > 0.25) {
    const Vec3d direction = Rotate(wanted, weak_axis_);
    angle = std::atan2(Dot(axis, Cross(bone, direction)), Dot(bone, direction));
  }
  (*q)[at] = Clamped(joint, angle);
  return AxisAngle(axis, (*q)[at]);
}

// Gauss-Newton on the rotation vector of the error, a turn about the weak axis counting for little.
Quatd PartJoint::SetHinges(const Group& group, const Quatd& wanted, std::vector<double>* q) const {
  constexpr double kWeak = 0.02;     // weight of the weak axis
  constexpr double kDamping = 1e-4;  // keeps parallel axes solvable
  constexpr int kIterations = 8;
  const std::vector<Body>& bodies = kinematics_->character().bodies;
  const int count = static_cast<int>(group.bodies.size());
  Quatd reached = Quatd::Identity();
  for (int iteration = 0;; ++iteration) {
    reached = Quatd::Identity();
    for (const int body : group.bodies) {
      reached = reached * AxisAngle(bodies[body].joint.axis, (*q)[kinematics_->layout().q[body]]);
    }
    if (iteration == kIterations) return reached;
    const Vec3d error = Log(Conjugate(reached) * wanted);
    if (SquaredNorm(error) < 1e-16) return reached;
    Vec3d axes[3];  // in the part's frame
    Quatd below = Quatd::Identity();
    for (int k = count - 1; k >= 0; --k) {
      const Joint& joint = bodies[group.bodies[k]].joint;
      axes[k] = Rotate(Conjugate(below), joint.axis);
      below = AxisAngle(joint.axis, (*q)[kinematics_->layout().q[group.bodies[k]]]) * below;
    }
    const auto weigh = [&](const Vec3d& a, const Vec3d& b) {
      return Dot(a, b) - (1 - kWeak) * Dot(a, weak_axis_) * Dot(b, weak_axis_);
    };
    Sym3d m{1, 0, 0, 1, 0, 1};
    Vec3d right;
    const auto diagonal = [&](int k) { return weigh(axes[k], axes[k]) + kDamping; };
    m.xx = diagonal(0);
    right.x = weigh(axes[0], error);
    if (count > 1) {
      m.yy = diagonal(1);
      m.xy = weigh(axes[0], axes[1]);
      right.y = weigh(axes[1], error);
    }
    if (count > 2) {
      m.zz = diagonal(2);
      m.xz = weigh(axes[0], axes[2]);
      m.yz = weigh(axes[1], axes[2]);
      right.z = weigh(axes[2], error);
    }
    const Vec3d step = Inverse(m) * right;
    const double steps[3] = {step.x, step.y, step.z};
    for (int k = 0; k < count; ++k) {
      const int body = group.bodies[k];
      double& angle = (*q)[kinematics_->layout().q[body]];
      angle = Clamped(bodies[body].joint, angle + steps[k]);
    }
  }
}

void MakeSignsContinuous(const Kinematics& kinematics, std::vector<std::vector<double>>* frames) {
  const Character& character = kinematics.character();
  for (std::size_t f = 1; f < frames->size(); ++f) {
    for (int i = 0; i < character.BodyCount(); ++i) {
      const JointKind kind = character.bodies[i].joint.kind;
      if (HasOneAxis(kind)) continue;
      const int at = kinematics.layout().q[i] + (kind == JointKind::kFree ? 3 : 0);
      const Quatd before = QuatAt((*frames)[f - 1], at), now = QuatAt((*frames)[f], at);
      if (Dot(before, now) < 0) Put(Quatd{-now.w, -now.x, -now.y, -now.z}, at, &(*frames)[f]);
    }
  }
}

double NearestHeading(const Quatd& rotation) {
  const Mat3d m = ToMat3(rotation);
  return std::atan2(m.yx - m.xy, m.xx + m.yy);
}

}  // namespace stride
