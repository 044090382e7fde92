#pragma once

#include "stride/dynamics/step.h"

// Rigid-body dynamics generic over the scalar, in memory given by the caller (rigid_body.h has the
// same with the memory of a Model):
//     M(q) v' + c(q, v) = tau + J^T f
// v' and tau are in the layout of State::v (a free root: force in world axes, moment in body axes).
// c holds gravity. Armature is part of M; servos, limits, passive springs, dampers and contact are
// not. Matrices are row-major.
//
// All of it works on `art`: its motion must agree with its joints (SetState), its articulated
// bodies are scratch, its contacts are not used. Nothing allocates.
namespace stride {

namespace dynamics_internal {

template <class S>
Environment<S> GravityOnly(const S& gravity) {
  return {gravity, S(0), S(0), S(0), S(0), S(0), false, 1};
}

// Accelerations of all bodies (alpha, linear) from joint accelerations v'; null: all zero.
template <class S, class Real>
void SpreadAccelerations(const Tree<Real>& tree, const S* vdot, Articulation<S>* art) {
  for (int i = 0; i < static_cast<int>(tree.bodies.size()); ++i) {
    const TreeBody<Real>& body = tree.bodies[i];
    const BodyMotion<S>& m = art->motion[i];
    ArticulatedBody<S>& ab = art->articulated[i];
    const S* a = vdot ? vdot + body.v : nullptr;
    if (body.kind == JointKind::kFree) {
      ab.linear = a ? Vec3<S>{a[0], a[1], a[2]} : Vec3<S>{};
      ab.alpha = a ? m.r * Vec3<S>{a[3], a[4], a[5]} : Vec3<S>{};
      continue;
    }
    ab.alpha = ab.coriolis_angular;
    ab.linear = ab.coriolis_linear;
    if (body.parent >= 0) {
      const ArticulatedBody<S>& parent = art->articulated[body.parent];
      ab.alpha += parent.alpha;
      ab.linear += parent.linear + Cross(parent.alpha, m.arm);
    }
    if (!a) continue;
    if (body.kind == JointKind::kSlide) {
      ab.linear += HingeAxisInWorld(body, m.r) * a[0];
      continue;
    }
    ab.alpha += body.kind == JointKind::kBall ? m.r * Vec3<S>{a[0], a[1], a[2]}
                                              : HingeAxisInWorld(body, m.r) * a[0];
  }
}

// Forces and moments of the bodies at their accelerations, gathered towards the root; tau from
// them.
template <class S, class Real>
void GatherTorques(const Tree<Real>& tree, const S* vdot, Articulation<S>* art, S* tau) {
  for (int i = static_cast<int>(tree.bodies.size()) - 1; i >= 0; --i) {
    const TreeBody<Real>& body = tree.bodies[i];
    const BodyMotion<S>& m = art->motion[i];
    ArticulatedBody<S>& ab = art->articulated[i];
    // pn and pf already hold what the children handed down.
    const Vec3<S> moment = ab.pn + ab.a * ab.alpha + ab.b * ab.linear;
    const Vec3<S> force = ab.pf + TransposeMul(ab.b, ab.alpha) + ab.c * ab.linear;
    if (body.parent >= 0) {
      ArticulatedBody<S>& parent = art->articulated[body.parent];
      parent.pf += force;
      parent.pn += moment + Cross(m.arm, force);
    }
    S* t = tau + body.v;
    if (HasOneAxis(body.kind)) {
      t[0] = Dot(HingeAxisInWorld(body, m.r), body.kind == JointKind::kSlide ? force : moment) +
             S(body.armature) * vdot[body.v];
      continue;
    }
    const Vec3<S> local = TransposeMul(m.r, moment);
    if (body.kind == JointKind::kFree) {
      *t++ = force.x, *t++ = force.y, *t++ = force.z;
      t[0] = local.x, t[1] = local.y, t[2] = local.z;
      continue;
    }
    const S* a = vdot + body.v;
    t[0] = local.x + S(body.armature) * a[0];
    t[1] = local.y + S(body.armature) * a[1];
    t[2] = local.z + S(body.armature) * a[2];
  }
}

// Moment of force about, and force at, each of a body's coordinates: calls use(column, axis,
// is_linear) with the world axis of each coordinate of body i.
template <class S, class Real, class Use>
void ForEachAxis(const TreeBody<Real>& body, const BodyMotion<S>& m, Use use) {
  int v = body.v;
  if (HasOneAxis(body.kind)) {
    use(v, HingeAxisInWorld(body, m.r), body.kind == JointKind::kSlide);
    return;
  }
  if (body.kind == JointKind::kFree) {
    use(v++, Vec3<S>{S(1), S(0), S(0)}, true);
    use(v++, Vec3<S>{S(0), S(1), S(0)}, true);
    use(v++, Vec3<S>{S(0), S(0), S(1)}, true);
  }
  use(v++, m.r.Col0(), false);
  use(v++, m.r.Col1(), false);
  use(v++, m.r.Col2(), false);
}

// Composite inertias: articulated[i].{a,b,c} become those of body i and all below it, as one rigid
// body.
template <class S, class Real>
void Composite(const Tree<Real>& tree, Articulation<S>* art) {
  InitBodies<S, Real>(tree, GravityOnly(S(0)), nullptr, 0, false, art);
  for (int i = static_cast<int>(tree.bodies.size()) - 1; i > 0; --i) {
    const ArticulatedBody<S>& ab = art->articulated[i];
    AddShifted<S>(ab.a, ab.b, ab.c, Vec3<S>{}, Vec3<S>{}, art->motion[i].arm,
                  &art->articulated[tree.bodies[i].parent]);
  }
}

// Accelerations of all bodies when v' = 0, and their own inertias and biases without gravity.
template <class S, class Real>
void AccelerationsAtRest(const Tree<Real>& tree, Articulation<S>* art) {
  InitBodies<S, Real>(tree, GravityOnly(S(0)), nullptr, 0, false, art);
  SpreadAccelerations<S, Real>(tree, nullptr, art);
}

// Of a matrix with 6 rows: three numbers above three.
template <class S>
void SetColumn(int nv, int column, const Vec3<S>& upper, const Vec3<S>& lower, S* matrix) {
  S* at = matrix + column;
  for (const S& value : {upper.x, upper.y, upper.z, lower.x, lower.y, lower.z}) {
    *at = value;
    at += nv;
  }
}

}  // namespace dynamics_internal

// q and v in the layout of State; the bodies' motion follows.
template <class S, class Real>
void SetState(const Tree<Real>& tree, const S* q, const S* v, Articulation<S>* art) {
  for (int i = 0; i < static_cast<int>(tree.bodies.size()); ++i) {
    const TreeBody<Real>& body = tree.bodies[i];
    JointState<S>& joint = art->joints[i];
    const S* qi = q + body.q;
    const S* vi = v + body.v;
    if (HasOneAxis(body.kind)) {
      joint.angle = qi[0];
      joint.w = {vi[0], S(0), S(0)};
      continue;
    }
    if (body.kind == JointKind::kFree) {
      *art->root = {{qi[0], qi[1], qi[2]}, {vi[0], vi[1], vi[2]}};
      qi += 3;
      vi += 3;
    }
    joint.rot = {qi[0], qi[1], qi[2], qi[3]};
    joint.w = {vi[0], vi[1], vi[2]};
  }
  UpdateMotion(tree, art);
}

// Accelerations of the bodies when v' = 0 (articulated[i].alpha, linear), and the force (pf) and
// the moment about its joint (pn) that each body would need, besides gravity and `forces`, for
// them: the bias of a solver that sees the bodies one by one.
template <class S, class Real>
void BodyBiases(const Tree<Real>& tree, const S& gravity, const BodyForce<S>* forces,
                int force_count, Articulation<S>* art) {
  InitBodies(tree, dynamics_internal::GravityOnly(gravity), forces, force_count, false, art);
  dynamics_internal::SpreadAccelerations<S, Real>(tree, nullptr, art);
  for (int i = 0; i < static_cast<int>(tree.bodies.size()); ++i) {
    ArticulatedBody<S>& ab = art->articulated[i];
    ab.pn += ab.a * ab.alpha + ab.b * ab.linear;
    ab.pf += TransposeMul(ab.b, ab.alpha) + ab.c * ab.linear;
  }
}

// tau that gives v' (recursive Newton-Euler). With v' = 0: the bias c(q, v).
template <class S, class Real>
void InverseDynamics(const Tree<Real>& tree, const S& gravity, const S* vdot,
                     const BodyForce<S>* forces, int force_count, Articulation<S>* art, S* tau) {
  InitBodies(tree, dynamics_internal::GravityOnly(gravity), forces, force_count, false, art);
  dynamics_internal::SpreadAccelerations(tree, vdot, art);
  dynamics_internal::GatherTorques(tree, vdot, art, tau);
}

// v' from tau (articulated bodies). `bare`: WithoutServos(); `drives`: scratch, one a body.
template <class S, class Real>
void ForwardDynamics(const Tree<Real>& bare, const S& gravity, const S* tau,
                     const BodyForce<S>* forces, int force_count, JointDrive<S>* drives,
                     Articulation<S>* art, S* vdot) {
  const int n = static_cast<int>(bare.bodies.size());
  for (int i = 0; i < n; ++i) {
    const TreeBody<Real>& body = bare.bodies[i];
    drives[i] = {};
    drives[i].target = HasOneAxis(body.kind) ? Quat<S>{} : Quat<S>::Identity();
    if (HasOneAxis(body.kind)) drives[i].torque.x = tau[body.v];
    if (body.kind == JointKind::kBall) {
      drives[i].torque = {tau[body.v], tau[body.v + 1], tau[body.v + 2]};
    }
    art->articulated[i].loaded = false;
  }
  art->contact_count = 0;
  Eliminate(bare, dynamics_internal::GravityOnly(gravity), drives, forces, force_count, false, art);
  if (bare.free_root) {
    ArticulatedBody<S>& root = art->articulated[0];
    root.pf -= Vec3<S>{tau[0], tau[1], tau[2]};
    root.pn -= art->motion[0].r * Vec3<S>{tau[3], tau[4], tau[5]};
  }
  Accelerate(bare, false, art);
  for (int i = 0; i < n; ++i) {
    const TreeBody<Real>& body = bare.bodies[i];
    const Vec3<S> a = JointAcceleration(body, *art, i);
    S* out = vdot + body.v;
    if (HasOneAxis(body.kind)) {
      out[0] = a.x;
      continue;
    }
    if (body.kind == JointKind::kFree) {
      const Vec3<S>& linear = art->articulated[0].linear;
      *out++ = linear.x, *out++ = linear.y, *out++ = linear.z;
    }
    out[0] = a.x, out[1] = a.y, out[2] = a.z;
  }
}

// Given accelerations at the actuated joints and external forces: solves the free root's
// acceleration and the torques. `vdot`: in, the joints' part; out, the root's six numbers.
// tau[0..5] come out zero.
template <class S, class Real>
void HybridDynamics(const Tree<Real>& tree, const S& gravity, const BodyForce<S>* forces,
                    int force_count, Articulation<S>* art, S* vdot, S* tau) {
  if (tree.free_root) {
    for (int k = 0; k < 6; ++k) vdot[k] = S(0);
    InverseDynamics(tree, gravity, vdot, forces, force_count, art, tau);
    // The root's acceleration must cancel the force and moment left there; the whole moves as one
    // body.
    dynamics_internal::Composite(tree, art);
    const BodyMotion<S>& m = art->motion[0];
    ArticulatedBody<S>& root = art->articulated[0];
    root.pf = {tau[0], tau[1], tau[2]};
    root.pn = m.r * Vec3<S>{tau[3], tau[4], tau[5]};
    SolveRoot(&root);
    const Vec3<S> alpha = TransposeMul(m.r, root.alpha);
    vdot[0] = root.linear.x, vdot[1] = root.linear.y, vdot[2] = root.linear.z;
    vdot[3] = alpha.x, vdot[4] = alpha.y, vdot[5] = alpha.z;
  }
  InverseDynamics(tree, gravity, vdot, forces, force_count, art, tau);
  if (tree.free_root) {
    for (int k = 0; k < 6; ++k) tau[k] = S(0);  // rounding
  }
}

// M(q), nv x nv (composite bodies).
template <class S, class Real>
void MassMatrix(const Tree<Real>& tree, Articulation<S>* art, S* mass) {
  using dynamics_internal::ForEachAxis;
  const int nv = tree.nv;
  for (int k = 0; k < nv * nv; ++k) mass[k] = S(0);
  dynamics_internal::Composite(tree, art);
  for (int i = 0; i < static_cast<int>(tree.bodies.size()); ++i) {
    const ArticulatedBody<S>& ab = art->articulated[i];
    ForEachAxis(tree.bodies[i], art->motion[i], [&](int column, const Vec3<S>& axis, bool linear) {
      Vec3<S> moment = linear ? ab.b * axis : ab.a * axis;
      const Vec3<S> force = linear ? ab.c * axis : TransposeMul(ab.b, axis);
      for (int j = i; j >= 0; j = tree.bodies[j].parent) {
        ForEachAxis(tree.bodies[j], art->motion[j],
                    [&](int row, const Vec3<S>& other, bool other_linear) {
                      const S value = Dot(other, other_linear ? force : moment);
                      mass[row * nv + column] = value;
                      mass[column * nv + row] = value;
                    });
        moment += Cross(art->motion[j].arm, force);
      }
    });
    for (int k = 0; k < DofCount(tree.bodies[i].kind); ++k) {
      mass[(tree.bodies[i].v + k) * (nv + 1)] += S(tree.bodies[i].armature);
    }
  }
}

// 6 x nv: angular (rows 0-2) and linear (rows 3-5) velocity of a point fixed to a body, in world
// axes, per unit of v.
template <class S, class Real>
void PointJacobian(const Tree<Real>& tree, const BodyMotion<S>* motion, int body,
                   const Vec3<S>& point, S* jacobian) {
  for (int k = 0; k < 6 * tree.nv; ++k) jacobian[k] = S(0);
  const Vec3<S> at = motion[body].o + motion[body].r * point;
  for (int i = body; i >= 0; i = tree.bodies[i].parent) {
    const BodyMotion<S>& m = motion[i];
    dynamics_internal::ForEachAxis(
        tree.bodies[i], m, [&](int column, const Vec3<S>& axis, bool linear) {
          const Vec3<S> velocity = linear ? axis : Cross(axis, at - m.o);
          const Vec3<S> turn = linear ? Vec3<S>{} : axis;
          dynamics_internal::SetColumn(tree.nv, column, turn, velocity, jacobian);
        });
  }
}

// dJ/dt v of the same point: its angular and linear acceleration when v' = 0.
template <class S, class Real>
void PointBias(const Tree<Real>& tree, int body, const Vec3<S>& point, Articulation<S>* art,
               Vec3<S>* angular, Vec3<S>* linear) {
  dynamics_internal::AccelerationsAtRest(tree, art);
  const BodyMotion<S>& m = art->motion[body];
  const Vec3<S> arm = m.r * point;
  *angular = art->articulated[body].alpha;
  *linear = art->articulated[body].linear + Cross(*angular, arm) + Cross(m.w, Cross(m.w, arm));
}

// Centroidal momentum matrix A (6 x nv; rows 0-2 angular about the centre of mass, 3-5 linear), so
// that momentum = A v, and its bias A' v (Orin, Goswami, Lee 2013).
template <class S, class Real>
void CentroidalMomentum(const Tree<Real>& tree, Articulation<S>* art, S* matrix,
                        Vec3<S>* angular_bias, Vec3<S>* linear_bias) {
  const int n = static_cast<int>(tree.bodies.size());
  const Vec3<S> com = MeasureMomentum(tree, *art).com;
  dynamics_internal::Composite(tree, art);
  for (int i = 0; i < n; ++i) {
    const ArticulatedBody<S>& ab = art->articulated[i];
    const BodyMotion<S>& m = art->motion[i];
    dynamics_internal::ForEachAxis(
        tree.bodies[i], m, [&](int column, const Vec3<S>& axis, bool linear) {
          const Vec3<S> force = linear ? ab.c * axis : TransposeMul(ab.b, axis);
          const Vec3<S> moment = (linear ? ab.b * axis : ab.a * axis) + Cross(m.o - com, force);
          dynamics_internal::SetColumn(tree.nv, column, moment, force, matrix);
        });
  }
  // The rate of the momentum when v' = 0 is the sum of the bodies' inertial forces.
  BodyBiases<S, Real>(tree, S(0), nullptr, 0, art);
  *angular_bias = *linear_bias = Vec3<S>{};
  for (int i = 0; i < n; ++i) {
    const ArticulatedBody<S>& ab = art->articulated[i];
    *linear_bias += ab.pf;
    *angular_bias += ab.pn + Cross(art->motion[i].o - com, ab.pf);
  }
}

// J, of the joints' armature too.
template <class S, class Real>
S KineticEnergy(const Tree<Real>& tree, const Articulation<S>& art) {
  S energy(0);
  for (int i = 0; i < static_cast<int>(tree.bodies.size()); ++i) {
    const TreeBody<Real>& body = tree.bodies[i];
    const BodyMotion<S>& m = art.motion[i];
    const Real* in = body.inertia;
    const Sym3<S> inertia =
        Rotate(m.r, Sym3<S>{S(in[0]), S(in[1]), S(in[2]), S(in[3]), S(in[4]), S(in[5])});
    const Vec3<S> mc = m.r * Broadcast<S>(body.mass_com);
    energy += S(0.5) * (S(body.mass) * Dot(m.v, m.v) + Dot(m.w, inertia * m.w)) +
              Dot(m.v, Cross(m.w, mc));
    const Vec3<S> rate = art.joints[i].w;
    if (body.kind != JointKind::kFree) energy += S(0.5 * body.armature) * Dot(rate, rate);
  }
  return energy;
}

}  // namespace stride
