#pragma once

#include "stride/dynamics/tree.h"
#include "stride/math/vec.h"

// What the step of an articulated body works on: plain structs, generic over the scalar. See
// articulated.h.
namespace stride {

template <class S>
struct JointState {
  Quat<S> rot;  // free: orientation in the world; ball: child to parent
  Vec3<S> w;  // free, ball: angular velocity in the body's own axes; hinge, slide: w.x is the rate
  S angle;    // hinge; slide: the way, m
};

template <class S>
struct RootState {
  Vec3<S> position, velocity;  // of the root's frame, world
};

// Servo and torque of one joint; hinge, slide: target.w is the angle or way, and target_v.x,
// torque.x are its numbers.
template <class S>
struct JointDrive {
  Quat<S> target;
  Vec3<S> target_v;
  Vec3<S> torque;  // child axes
  S kp, kd;
};

template <class S>
struct BodyForce {
  int body;
  Vec3<S> force, torque;  // world axes
  Vec3<S> point;          // body frame
};

template <class S>
struct Environment {
  S gravity, friction;
  S stiffness, damping, stick;  // see ContactModel
  S h;                          // time step
  bool limits;
  int contact_passes;
};

// Ground that is one plane (for each lane its own): normal . x = distance.
template <class S>
struct PlaneGround {
  static constexpr bool kPlane = true;
  Vec3<S> normal;
  S distance;
};

// Where the bodies are and how they move; kept up to date with the joint states.
template <class S>
struct BodyMotion {
  Mat3<S> r;         // body to world
  Vec3<S> o;         // frame's origin relative to the root's origin: small numbers keep float exact
  Vec3<S> w, v;      // angular velocity, velocity of the origin; world
  Vec3<S> arm;       // origin relative to the parent's origin
  Vec3<S> relative;  // angular velocity relative to the parent
};

// Inertia and bias at one point: see articulated.h.
template <class S>
struct SpatialInertia {
  Sym3<S> a;
  Mat3<S> b;
  Sym3<S> c;
  Vec3<S> pn, pf;

  STRIDE_INLINE void operator+=(const SpatialInertia& other) {
    a += other.a;
    b = b + other.b;
    c += other.c;
    pf += other.pf;
    pn += other.pn;
  }
};

// Articulated inertia and bias. Once a body is eliminated its blocks hold what the outward pass
// needs:
//   ball   a = A D^-1, b = D^-1 B, c = D^-1, pn = D^-1 u (then the joint's acceleration)
//   hinge  pn = A s / d, pf = B^T s / d, c.xx = 1 / d, u = u / d (then the joint's acceleration)
//   slide  pn = B s / d, pf = C s / d, and so on
template <class S>
struct ArticulatedBody : SpatialInertia<S> {
  SpatialInertia<S> handed;  // to its parent, at the parent's joint; see Eliminate()
  Vec3<S> coriolis_angular, coriolis_linear;
  S u;
  Vec3<S> alpha, linear;  // result
  bool loaded;            // the ground acts on it or on a body beyond it
};

template <class S>
struct PointContact {
  int point, body;
  Mask<S> active;
  Vec3<S> normal, arm;        // arm: from the body's origin to the point
  Vec3<S> position;           // world, at the start of the step
  Vec3<S> slip, centripetal;  // tangential velocity; acceleration of the point at alpha = a = 0
  Vec3<S> drag;  // friction at its bound, of a contact found to slide; instead of slip_gain
  S depth, normal_force;     // normal_force: explicit part
  S normal_gain, slip_gain;  // N s/m; their product with h is the added inertia
  Vec3<S> force;             // result, on the body
};

// All arrays are sized by the caller: bodies, or contact points.
template <class S>
struct Articulation {
  JointState<S>* joints;
  RootState<S>* root;
  BodyMotion<S>* motion;
  ArticulatedBody<S>* articulated;
  PointContact<S>* contacts;
  int contact_count = 0;
};

template <class S, class Real>
STRIDE_INLINE Vec3<S> Broadcast(const Real* a) {
  return {S(a[0]), S(a[1]), S(a[2])};
}

template <class S, class Real>
STRIDE_INLINE Vec3<S> HingeAxisInWorld(const TreeBody<Real>& body, const Mat3<S>& r) {
  switch (body.hinge) {
    case HingeAxis::kX: return r.Col0() * S(body.axis[0]);
    case HingeAxis::kY: return r.Col1() * S(body.axis[1]);
    case HingeAxis::kZ: return r.Col2() * S(body.axis[2]);
    case HingeAxis::kGeneral: break;
  }
  return r * Broadcast<S>(body.axis);
}

}  // namespace stride
