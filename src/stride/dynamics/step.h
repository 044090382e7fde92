#pragma once

#include "stride/dynamics/articulated.h"

// A whole time step: contact detection, accelerations, integration, and the momentum that flight
// keeps.
namespace stride {

// Momentum of the whole, and its inertia as if all joints were locked.
template <class S>
struct Momentum {
  Vec3<S> linear;   // kg m/s
  Vec3<S> angular;  // about the centre of mass, kg m^2/s
  Vec3<S> com;      // relative to the root's origin, m
  Sym3<S> locked;   // inertia about the centre of mass, kg m^2
};

template <class S, class Real>
STRIDE_INLINE Momentum<S> MeasureMomentum(const Tree<Real>& tree, const Articulation<S>& art) {
  Vec3<S> linear, angular, moment;  // about the root's origin first
  Sym3<S> inertia;
  const int n = static_cast<int>(tree.bodies.size());
  for (int i = 0; i < n; ++i) {
    const TreeBody<Real>& body = tree.bodies[i];
    if (body.massless) continue;
    const BodyMotion<S>& m = art.motion[i];
    const Real* in = body.inertia;
    const Sym3<S> own =
        Rotate(m.r, Sym3<S>{S(in[0]), S(in[1]), S(in[2]), S(in[3]), S(in[4]), S(in[5])});
    const Vec3<S> mc = m.r * Broadcast<S>(body.mass_com);
    const S mass = S(body.mass);
    const Vec3<S> p = m.v * mass + Cross(m.w, mc);
    linear += p;
    angular += own * m.w + Cross(mc, m.v) + Cross(m.o, p);
    moment += m.o * mass + mc;
    // Parallel axes from the body's origin to the root's: 2 o.mc 1 - o mc^T - mc o^T + mass (o.o 1
    // - o o^T).
    const Vec3<S> g = m.o * (S(0.5) * mass) + mc;
    const S d = S(2) * Dot(m.o, g);
    inertia += own + Sym3<S>{d - S(2) * m.o.x * g.x,       -(m.o.x * g.y + g.x * m.o.y),
                             -(m.o.x * g.z + g.x * m.o.z), d - S(2) * m.o.y * g.y,
                             -(m.o.y * g.z + g.y * m.o.z), d - S(2) * m.o.z * g.z};
  }
  const S mass = S(tree.mass);
  Momentum<S> result;
  result.linear = linear;
  result.com = moment * (S(1) / mass);
  result.angular = angular - Cross(result.com, linear);
  result.locked = inertia - PointInertia(result.com) * mass;
  return result;
}

// Velocities by the accelerations, then positions by the new velocities (symplectic Euler). A lane
// whose velocities would leave the finite range keeps its state and is reported, as is one that had
// failed.
template <class S, class Real>
STRIDE_INLINE Mask<S> IntegrateState(const Tree<Real>& tree, const S& h, const Mask<S>& failed,
                                     Articulation<S>* art) {
  const int n = static_cast<int>(tree.bodies.size());
  S size(0);
  for (int i = 0; i < n; ++i) {
    const TreeBody<Real>& body = tree.bodies[i];
    ArticulatedBody<S>& ab = art->articulated[i];
    const Vec3<S> rate = art->joints[i].w + JointAcceleration(body, *art, i) * h;
    ab.coriolis_angular = rate;  // free to hold the new rate now
    size += SquaredNorm(rate);
  }
  const bool free_root = tree.bodies[0].kind == JointKind::kFree;
  const Vec3<S> velocity =
      art->root->velocity + (free_root ? art->articulated[0].linear * h : Vec3<S>{});
  size += SquaredNorm(velocity);
  // 1e4 m/s or rad/s in all: far beyond any character, and false for what is not a number.
  const Mask<S> good = (size < S(1e8)) & !failed;
  const auto keep = [&](const Vec3<S>& now, const Vec3<S>& before) {
    return Vec3<S>{Select(good, now.x, before.x), Select(good, now.y, before.y),
                   Select(good, now.z, before.z)};
  };
  const S step = Select(good, h, S(0));
  art->root->velocity = keep(velocity, art->root->velocity);
  art->root->position = keep(art->root->position + art->root->velocity * step, art->root->position);
  for (int i = 0; i < n; ++i) {
    JointState<S>& joint = art->joints[i];
    joint.w = keep(art->articulated[i].coriolis_angular, joint.w);
    if (HasOneAxis(tree.bodies[i].kind)) {
      joint.angle = Select(good, joint.angle + joint.w.x * step, joint.angle);
    } else {
      const Quat<S> turned = Integrate(joint.rot, joint.w, step);
      joint.rot = {Select(good, turned.w, joint.rot.w), Select(good, turned.x, joint.rot.x),
                   Select(good, turned.y, joint.rot.y), Select(good, turned.z, joint.rot.z)};
    }
  }
  return !good;
}

// Restores the momentum that a body in flight must have: the integrator keeps it only to the order
// of the step. `expected` is the momentum at the end of the step; lanes outside `flight` are left
// alone. The correction is a rigid motion of the whole, so no joint notices it.
template <class S, class Real>
STRIDE_INLINE void RestoreMomentum(const Tree<Real>& tree, const Mask<S>& flight,
                                   const Vec3<S>& linear, const Vec3<S>& angular,
                                   Articulation<S>* art) {
  const Momentum<S> now = MeasureMomentum(tree, *art);
  const auto masked = [&](const Vec3<S>& a) {
    return Vec3<S>{Select(flight, a.x, S(0)), Select(flight, a.y, S(0)), Select(flight, a.z, S(0))};
  };
  const Vec3<S> spin = masked(Inverse(now.locked) * (angular - now.angular));
  const Vec3<S> push = masked((linear - now.linear) * (S(1) / S(tree.mass)));
  const int n = static_cast<int>(tree.bodies.size());
  for (int i = 0; i < n; ++i) {
    BodyMotion<S>& m = art->motion[i];
    m.w += spin;
    m.v += push + Cross(spin, m.o - now.com);
  }
  BodyMotion<S>& root = art->motion[0];
  root.relative = root.w;
  art->root->velocity = root.v;
  // A lane outside flight must keep its bits, whatever its neighbours do.
  const Vec3<S> w = TransposeMul(root.r, root.w), old = art->joints[0].w;
  art->joints[0].w = {Select(flight, w.x, old.x), Select(flight, w.y, old.y),
                      Select(flight, w.z, old.z)};
}

// First half of a step: contacts with the ground and accelerations. On entry art->motion agrees
// with the joint states. `frozen`: lanes that failed before.
template <class S, class Real, class Ground>
STRIDE_INLINE void SolveStep(const Tree<Real>& tree, const Environment<S>& env,
                             const Ground& ground, bool contacts, const JointDrive<S>* drives,
                             const BodyForce<S>* forces, int force_count, const Mask<S>& frozen,
                             Articulation<S>* art) {
  art->contact_count = 0;
  if (contacts) DetectContacts(tree, env, ground, frozen, art);
  Solve(tree, env, drives, forces, force_count, art);
}

// Second half: velocities, positions, and art->motion to match. `touched`: something other than the
// ground and `forces` acted on the body. Returns the lanes that have failed now.
template <class S, class Real>
STRIDE_INLINE Mask<S> FinishStep(const Tree<Real>& tree, const Environment<S>& env,
                                 const BodyForce<S>* forces, int force_count, bool touched,
                                 const Mask<S>& frozen, Articulation<S>* art) {
  auto flight = !frozen;
  for (int k = 0; k < art->contact_count; ++k) flight = flight & !art->contacts[k].active;
  const bool restore = tree.free_root && !touched && Any(flight);
  Vec3<S> linear, angular;
  if (restore) {
    const Momentum<S> before = MeasureMomentum(tree, *art);
    linear = before.linear;
    angular = before.angular;
    linear.z -= S(tree.mass) * env.gravity * env.h;
    for (int k = 0; k < force_count; ++k) {
      const BodyForce<S>& f = forces[k];
      const BodyMotion<S>& m = art->motion[f.body];
      linear += f.force * env.h;
      angular += (f.torque + Cross(m.o + m.r * f.point - before.com, f.force)) * env.h;
    }
  }
  const Mask<S> failed = IntegrateState(tree, env.h, frozen, art);
  UpdateMotion(tree, art);
  if (restore) RestoreMomentum(tree, flight & !failed, linear, angular, art);
  return failed;
}

// Advances by env.h.
template <class S, class Real, class Ground>
STRIDE_INLINE Mask<S> Step(const Tree<Real>& tree, const Environment<S>& env, const Ground& ground,
                           bool contacts, const JointDrive<S>* drives, const BodyForce<S>* forces,
                           int force_count, const Mask<S>& frozen, Articulation<S>* art) {
  SolveStep(tree, env, ground, contacts, drives, forces, force_count, frozen, art);
  return FinishStep(tree, env, forces, force_count, false, frozen, art);
}

}  // namespace stride
