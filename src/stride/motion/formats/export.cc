#include "stride/motion/formats/export.h"

#include "stride/core/error.h"
#include "stride/math/rotation.h"
#include "stride/motion/kinematics.h"

namespace stride {
namespace {

// Points of a shape that may be a segment's end: the middles of a box's sides, a capsule's poles,
// what of a sphere is farthest from the body's origin.
std::vector<Vec3d> EndsOf(const Shape& shape) {
  const Vec3d& s = shape.size;
  std::vector<Vec3d> ends;
  const auto add = [&](const Vec3d& half) {
    ends.push_back(shape.center + Rotate(shape.rotation, half));
    ends.push_back(shape.center - Rotate(shape.rotation, half));
  };
  switch (shape.kind) {
    case ShapeKind::kSphere: {
      const double distance = Norm(shape.center);
      const Vec3d out = distance > 1e-9 ? shape.center * (1 / distance) : Vec3d{0, 0, 1};
      ends.push_back(shape.center + out * s.x);
      break;
    }
    case ShapeKind::kCapsule: add({0, 0, s.x + s.y}); break;
    case ShapeKind::kBox:
      add({s.x, 0, 0});
      add({0, s.y, 0});
      add({0, 0, s.z});
      break;
  }
  return ends;
}

// The tip of a body on which nothing hangs: of its shapes' ends the one farthest from the joint,
// without shapes as far beyond the centre of mass as the joint is before it.
Vec3d TipOf(const Body& body) {
  Vec3d tip = body.com * 2;
  double farthest = 0;
  for (const Shape& shape : body.shapes) {
    for (const Vec3d& end : EndsOf(shape)) {
      if (Norm(end) <= farthest) continue;
      farthest = Norm(end);
      tip = end;
    }
  }
  return tip;
}

// Which joint of the clip each body belongs to. A massless link goes with its only child where both
// turn about the same point.
struct JointBodies {
  std::vector<int> first, last;  // of each joint: the bodies from the one down to the other
  std::vector<int> joint_of;     // of each body
};
JointBodies Group(const Character& character) {
  const int count = character.BodyCount();
  std::vector<int> children(count, 0);
  for (const Body& body : character.bodies) {
    if (body.parent >= 0) ++children[body.parent];
  }
  JointBodies group;
  for (int i = 0; i < count; ++i) {
    const Body& body = character.bodies[i];
    const int parent = body.parent;
    if (parent > 0 && character.bodies[parent].mass == 0 && children[parent] == 1 &&
        Norm(body.offset) < 1e-9) {
      group.joint_of.push_back(group.joint_of[parent]);
      group.last[group.joint_of[i]] = i;
    } else {
      group.joint_of.push_back(static_cast<int>(group.first.size()));
      group.first.push_back(i);
      group.last.push_back(i);
    }
  }
  return group;
}

Quatd RotationOf(const Joint& joint, const std::vector<double>& q, int place) {
  switch (joint.kind) {
    case JointKind::kFree: return QuatAt(q, place + 3);
    case JointKind::kBall: return QuatAt(q, place);
    case JointKind::kHinge: return AxisAngle(joint.axis, q[place]);
    case JointKind::kSlide: break;  // of the root, in its position
  }
  return Quatd::Identity();
}

}  // namespace

SkeletonClip ClipFromMotion(const Motion& motion, const Character& character) {
  Validate(motion, character);
  const Layout layout = LayoutOf(character);
  const JointBodies group = Group(character);
  for (int i = RootBody(character) + 1; i < character.BodyCount(); ++i) {
    if (character.bodies[i].joint.kind != JointKind::kSlide) continue;
    throw InputError("the joint of '" + character.bodies[i].name + "' of '" + character.name +
                     "' slides, which no skeleton of bones does; expected hinges and balls "
                     "below the root");
  }

  SkeletonClip clip;
  clip.format = "motion";
  clip.source = motion.name;
  clip.fps = motion.fps;
  clip.frame_time = 1 / motion.fps;
  clip.metres_per_unit = 1;
  clip.loop = motion.loops;
  std::vector<bool> is_leaf(group.first.size(), true);
  for (std::size_t j = 0; j < group.first.size(); ++j) {
    const Body& first = character.bodies[group.first[j]];
    ClipJoint joint;
    joint.name = character.bodies[group.last[j]].name;
    joint.parent = first.parent < 0 ? -1 : group.joint_of[first.parent];
    joint.offset = first.offset;
    if (joint.parent >= 0) is_leaf[joint.parent] = false;
    clip.joints.push_back(std::move(joint));
  }
  for (std::size_t j = 0; j < group.first.size(); ++j) {
    if (!is_leaf[j]) continue;
    const Vec3d tip = TipOf(character.bodies[group.last[j]]);
    if (Norm(tip) > 0) clip.joints[j].end_sites.push_back(tip);
  }

  for (const std::vector<double>& q : motion.frames) {
    clip.root_positions.push_back(RootFrameAt(character, q).offset);
    for (std::size_t j = 0; j < group.first.size(); ++j) {
      Quatd rotation = Quatd::Identity();
      for (int b = group.first[j]; b <= group.last[j]; ++b) {  // links and child are neighbours
        rotation = rotation * RotationOf(character.bodies[b].joint, q, layout.q[b]);
      }
      clip.rotations.push_back(Normalized(rotation));
    }
  }
  MakeSignsContinuous(&clip);
  SetDefaultChannels(&clip);
  Validate(clip);
  return clip;
}

}  // namespace stride
