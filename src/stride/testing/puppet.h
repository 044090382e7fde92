#pragma once

#include <string>
#include <vector>

#include "stride/math/rotation.h"
#include "stride/motion/kinematics.h"
#include "stride/motion/motion.h"
#include "stride/motion/skeleton_clip.h"

// For tests: a clip whose skeleton is a character's own, so that what retargeting must give is
// known.
namespace stride {

// Joints are the bodies; names too, unless given. Lengths are multiplied by `units`.
inline SkeletonClip PuppetClip(const Character& character, const Motion& motion, double units = 1,
                               const std::vector<std::string>& names = {}) {
  const Kinematics kinematics(character);
  SkeletonClip clip;
  clip.fps = motion.fps;
  clip.source = "puppet.bvh";
  clip.format = "bvh";
  for (int i = 0; i < character.BodyCount(); ++i) {
    ClipJoint joint;
    joint.name = names.empty() ? character.bodies[i].name : names[i];
    joint.parent = character.bodies[i].parent;
    joint.offset = character.bodies[i].offset * units;
    clip.joints.push_back(joint);
  }
  // Tips of feet, toes and hands: the last contact points, in the middle of the sole.
  for (const ContactPoint& point : character.contact_points) {
    const Vec3d tip{point.position.x, 0, point.position.z};
    clip.joints[point.body].end_sites.insert(clip.joints[point.body].end_sites.begin(),
                                             tip * units);
  }
  for (const std::vector<double>& q : motion.frames) {
    clip.root_positions.push_back(Vec3At(q, 0) * units);
    for (int i = 0; i < character.BodyCount(); ++i) {
      const Joint& joint = character.bodies[i].joint;
      const int at = kinematics.layout().q[i];
      clip.rotations.push_back(joint.kind == JointKind::kHinge  ? AxisAngle(joint.axis, q[at])
                               : joint.kind == JointKind::kFree ? QuatAt(q, at + 3)
                                                                : QuatAt(q, at));
    }
  }
  SetDefaultChannels(&clip);
  return clip;
}

// Marching on the spot with swinging arms, some travel and turn, `seconds` long. The stance leg is
// nearly straight.
inline Motion MarchingMotion(const Character& character, double seconds, double fps) {
  const Kinematics kinematics(character);
  Motion motion;
  motion.character = character.name;
  motion.fps = fps;
  const auto set = [&](Role role, const Vec3d& turn, std::vector<double>* q) {
    const int body = character.BodyOf(role);
    if (body < 0) return;
    const int at = kinematics.layout().q[body];
    const Joint& joint = character.bodies[body].joint;
    if (joint.kind == JointKind::kHinge) {
      (*q)[at] = Dot(turn, joint.axis);
    } else {
      Put(Exp(turn), at, q);
    }
  };
  for (int f = 0; f < seconds * fps; ++f) {
    const double t = f / fps, phase = 2 * M_PI * t;
    const double left = std::max(0.0, std::sin(phase)), right = std::max(0.0, -std::sin(phase));
    std::vector<double> q = ZeroState(character).q;
    Put(AxisAngle({0, 0, 1}, 0.1 * std::sin(phase)), 3, &q);
    set(Role::kLeftThigh, {0, -0.9 * left - 0.05, 0}, &q);
    set(Role::kLeftShank, {0, 1.3 * left + 0.1, 0}, &q);
    set(Role::kLeftFoot, {0, -0.4 * left - 0.05, 0}, &q);
    set(Role::kRightThigh, {0, -0.9 * right - 0.05, 0}, &q);
    set(Role::kRightShank, {0, 1.3 * right + 0.1, 0}, &q);
    set(Role::kRightFoot, {0, -0.4 * right - 0.05, 0}, &q);
    set(Role::kLeftUpperArm, {0.3, 0.4 * std::sin(phase), 0}, &q);
    set(Role::kLeftForearm, {0, -0.6 - 0.3 * right, 0}, &q);
    set(Role::kRightUpperArm, {-0.3, -0.4 * std::sin(phase), 0}, &q);
    set(Role::kRightForearm, {0, -0.6 - 0.3 * left, 0}, &q);
    set(Role::kHead, {0, 0.1 * std::sin(2 * phase), 0.2}, &q);
    PutOnGround(character, &q);
    motion.frames.push_back(q);
    motion.contacts.push_back(0);
  }
  return motion;
}

}  // namespace stride
