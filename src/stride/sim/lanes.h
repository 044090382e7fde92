#pragma once

#include "stride/dynamics/step.h"
#include "stride/sim/lane_dispatch.h"
#include "stride/sim/world.h"

// The lanes of a Batch by name: what a kernel (*_lanes.cc) sees of all of them at once, and the
// same for one character in double. Nothing outside sim/ knows in which order numbers lie.
namespace stride {

// Arrays of [slot][lane] floats, aligned to 64 bytes. Opaque to all but sim/: see LaneView.
struct BatchMemory {
  float* root;    // 6 slots: position, velocity
  float* joints;  // 8 a body: quaternion, angular velocity (hinge: rate first), hinge angle
  float* drives;  // 12 a body: target quaternion (hinge: angle first), target_v, torque, kp, kd
  float* environment;  // 5: gravity, friction, stiffness, damping, stick
  float* ground;       // 4: normal, distance
  float* forces;       // 9 a body: force, torque, point
  float* failed;       // 1: not zero once a lane has failed
  float* contacts;     // 10 a contact point: force, depth, normal, position (of the last step)
  void* scratch;       // the bodies' motion, then what a step works in
  const int* contact_bodies;  // of each contact point
  const int* forced_bodies;   // bodies with a force on some lane
  int forced_count;
  const Terrain* terrain;  // null: the plane of `ground`
  const double* origin;    // 3 a lane: where the lane's x = y = z = 0 is in the world
  float time_step;
  bool contacts_on, limits_on;
  int contact_passes;
};
constexpr int kRootSlots = 6, kJointSlots = 8, kDriveSlots = 12, kEnvironmentSlots = 5,
              kGroundSlots = 4, kForceSlots = 9, kContactSlots = 10;

// Distance of a point of a lane to a ground that is not a plane; out: distance, normal.
void ProbeGround(const Terrain& terrain, const double* lane_origin, const float* point, float* out);

// A character as its controller's step sees it: one in double, or all lanes at once. Positions are
// relative to `origin`, which may move between two steps: keep places as origin + position.
template <class S, class Real>
struct LaneView {
  const Tree<Real>& tree;
  Articulation<S> art;  // joints, root and bodies' motion, up to date
  JointDrive<S>* drives;
  Vec3<S> origin;         // in the world
  S ground_height;        // under the root
  Vec3<S> ground_normal;  // there
  S time_step;            // s
  const S* contacts;      // kContactSlots each
  const int* contact_bodies;
  int contact_count;

  STRIDE_INLINE int Bodies() const { return static_cast<int>(tree.bodies.size()); }
  STRIDE_INLINE const JointState<S>& Joint(int body) const { return art.joints[body]; }
  STRIDE_INLINE const BodyMotion<S>& Motion(int body) const { return art.motion[body]; }
  STRIDE_INLINE const RootState<S>& Root() const { return *art.root; }
  // Position of a point of a body, given in its frame, relative to `origin`.
  STRIDE_INLINE Vec3<S> Position(int body, const Vec3<S>& point) const {
    return art.root->position + art.motion[body].o + art.motion[body].r * point;
  }
  // On a body from the ground and from others, during the last step, N, world axes.
  STRIDE_INLINE Vec3<S> ContactForce(int body) const {
    Vec3<S> force{};
    for (int k = 0; k < contact_count; ++k) {
      if (contact_bodies[k] != body) continue;
      const S* slot = contacts + kContactSlots * k;
      force += Vec3<S>{slot[0], slot[1], slot[2]};
    }
    return force;
  }
};

// Torque of a joint's servo in the step that led to this state, in the child's axes (a hinge or
// slide: x): the implicit servo (sim/servo.h) looks at the state at the end of the step. The drives
// must still be those of that step.
template <class S, class Real>
STRIDE_INLINE Vec3<S> ServoTorque(const LaneView<S, Real>& view, int body) {
  const TreeBody<Real>& b = view.tree.bodies[body];
  const JointState<S>& joint = view.Joint(body);
  const JointDrive<S>& drive = view.drives[body];
  Vec3<S> error;
  if (HasOneAxis(b.kind)) {
    error = {drive.target.w - joint.angle, S(0), S(0)};
  } else {
    error = RotationVector(Conjugate(joint.rot) * drive.target);
  }
  Vec3<S> torque = drive.torque + error * drive.kp + (drive.target_v - joint.w) * drive.kd;
  if (b.max_torque > 0) {
    const S most(b.max_torque);
    torque = torque * (most / Max(most, Norm(torque)));
  }
  return torque;
}

// What a kernel that only aims servos needs of it.
template <class S>
STRIDE_INLINE JointDrive<S>* DrivesOf(const BatchMemory& memory) {
  return reinterpret_cast<JointDrive<S>*>(memory.drives);
}

// All lanes of a batch. S: the lanes of the instruction set that this is compiled for.
template <class S>
STRIDE_INLINE LaneView<S, float> ViewOf(const Tree<float>& tree, const BatchMemory& memory) {
  constexpr int kCount = static_cast<int>(sizeof(S) / sizeof(float));
  Articulation<S> art{};
  art.joints = reinterpret_cast<JointState<S>*>(memory.joints);
  art.root = reinterpret_cast<RootState<S>*>(memory.root);
  art.motion = static_cast<BodyMotion<S>*>(memory.scratch);
  Vec3<S> origin, normal;
  for (int lane = 0; lane < kCount; ++lane) {
    origin.x.v[lane] = static_cast<float>(memory.origin[3 * lane]);
    origin.y.v[lane] = static_cast<float>(memory.origin[3 * lane + 1]);
    origin.z.v[lane] = static_cast<float>(memory.origin[3 * lane + 2]);
  }
  const Vec3<S>& root = art.root->position;
  S height;
  if (memory.terrain) {
    for (int lane = 0; lane < kCount; ++lane) {
      const float point[3] = {root.x.v[lane], root.y.v[lane], root.z.v[lane]};
      float out[4];
      ProbeGround(*memory.terrain, memory.origin + 3 * lane, point, out);
      // Straight down, by the tangent plane below.
      height.v[lane] = point[2] - out[0] / out[3];
      normal.x.v[lane] = out[1], normal.y.v[lane] = out[2], normal.z.v[lane] = out[3];
    }
  } else {
    const S* g = reinterpret_cast<const S*>(memory.ground);
    normal = {g[0], g[1], g[2]};
    height = (g[3] - g[0] * root.x - g[1] * root.y) / g[2];
  }
  return {tree,
          art,
          DrivesOf<S>(memory),
          origin,
          height,
          normal,
          S(memory.time_step),
          reinterpret_cast<const S*>(memory.contacts),
          memory.contact_bodies,
          static_cast<int>(tree.points.size())};
}

}  // namespace stride
