#pragma once

#include "stride/dynamics/articulated_body.h"
#include "stride/dynamics/point_contact.h"

// One time step of an articulated body, generic over the scalar: the articulated-body algorithm
// (Featherstone 2008, chapter 7) with servos, joint limits and contact implicit in the step.
//
// World-aligned axes, each body's joint as its reference point. Then a ball joint's motion subspace
// is the identity, a child's inertia moves to its parent by a shift alone, and the spatial inertia
// is three 3x3 blocks A (symmetric), B, C (symmetric):
//     moment = A alpha + B a + pn        alpha: angular acceleration
//     force  = B^T alpha + C a + pf      a: acceleration of the body's point at its joint
// A term that is linear in the velocity at the END of the step, f = -k (v + h a), enters as an
// added inertia h k and an explicit part -k v: stiff springs and dampers stay stable, no system is
// solved. O(bodies), no allocation, no branch that depends on one lane alone.
namespace stride {

// Joint limits: one-sided springs. N m/rad, N m s/rad.
constexpr double kLimitStiffness = 2000;
constexpr double kLimitDamping = 50;
// Parent's orientation turned about the hinge.
template <class S, class Real>
STRIDE_INLINE Mat3<S> TurnHinge(const TreeBody<Real>& body, const Mat3<S>& r, const S& angle) {
  S s, c;
  const Vec3<S> x = r.Col0(), y = r.Col1(), z = r.Col2();
  switch (body.hinge) {
    case HingeAxis::kX:
      SinCos(angle * S(body.axis[0]), &s, &c);
      return Mat3<S>::FromColumns(x, y * c + z * s, z * c - y * s);
    case HingeAxis::kY:
      SinCos(angle * S(body.axis[1]), &s, &c);
      return Mat3<S>::FromColumns(x * c - z * s, y, z * c + x * s);
    case HingeAxis::kZ:
      SinCos(angle * S(body.axis[2]), &s, &c);
      return Mat3<S>::FromColumns(x * c + y * s, y * c - x * s, z);
    case HingeAxis::kGeneral: break;
  }
  SinCos(angle * S(0.5), &s, &c);
  return r * ToMat3(Quat<S>{c, S(body.axis[0]) * s, S(body.axis[1]) * s, S(body.axis[2]) * s});
}

// Joint states to body motion.
template <class S, class Real>
void UpdateMotion(const Tree<Real>& tree, Articulation<S>* art) {
  const int n = static_cast<int>(tree.bodies.size());
  // A root that is not free hangs from the world, which does not move.
  BodyMotion<S> world;
  world.r = Mat3<S>::Identity();
  for (int i = 0; i < n; ++i) {
    const TreeBody<Real>& body = tree.bodies[i];
    const JointState<S>& joint = art->joints[i];
    BodyMotion<S>& m = art->motion[i];
    if (body.kind == JointKind::kFree) {
      m.r = ToMat3(joint.rot);
      m.o = Vec3<S>{};
      m.arm = Vec3<S>{};
      m.w = m.r * joint.w;
      m.v = art->root->velocity;
      m.relative = m.w;
      continue;
    }
    const BodyMotion<S>& parent = body.parent < 0 ? world : art->motion[body.parent];
    if (body.kind == JointKind::kSlide) {
      m.r = parent.r;
      m.relative = Vec3<S>{};
      const Vec3<S> axis = HingeAxisInWorld(body, m.r);
      m.arm = axis * joint.angle;
      if (body.parent >= 0) m.arm += parent.r * Broadcast<S>(body.offset);
      m.o = parent.o + m.arm;
      m.w = parent.w;
      m.v = parent.v + Cross(parent.w, m.arm) + axis * joint.w.x;
      continue;
    }
    if (body.kind == JointKind::kBall) {
      m.r = parent.r * ToMat3(joint.rot);
      m.relative = m.r * joint.w;
    } else {
      m.r = TurnHinge(body, parent.r, joint.angle);
      m.relative = HingeAxisInWorld(body, m.r) * joint.w.x;
    }
    m.arm = body.parent < 0 ? Vec3<S>{} : parent.r * Broadcast<S>(body.offset);
    m.o = parent.o + m.arm;
    m.w = parent.w + m.relative;
    m.v = parent.v + Cross(parent.w, m.arm);
  }
}

// Explicit torque of joint i's servo, limit and passive parts in child axes, and the added inertia.
template <class S, class Real>
STRIDE_INLINE void BallTorque(const TreeBody<Real>& body, const JointState<S>& joint,
                              const JointDrive<S>& drive, const Environment<S>& env,
                              Vec3<S>* torque, S* added) {
  const S h = env.h;
  S rate_gain = drive.kd + h * drive.kp;
  const Vec3<S> error = RotationVector(Conjugate(joint.rot) * drive.target);
  Vec3<S> t = drive.torque + error * drive.kp + drive.target_v * drive.kd - joint.w * rate_gain;
  if (body.max_torque > 0) {
    const S scale = Min(S(1), S(body.max_torque) / (Norm(t) + S(1e-6)));
    t *= scale;
    rate_gain *= scale;
  }
  S inertia = h * rate_gain + S(body.armature);
  if (body.has_passive) {
    const S k = S(body.stiffness), gain = S(body.damping) + h * k;
    t -= RotationVector(joint.rot) * k + joint.w * gain;
    inertia += h * gain;
  }
  if (body.limited && env.limits) {
    const Vec3<S> turn = RotationVector(joint.rot);
    const S angle = Norm(turn);
    const S beyond = angle - S(body.upper);
    const auto over = beyond > S(0);
    if (Any(over)) {
      const S k = Select(over, S(kLimitStiffness), S(0));
      const S gain = Select(over, S(kLimitDamping), S(0)) + h * k;
      t -= turn * (k * beyond / (angle + S(1e-9))) + joint.w * gain;
      inertia += h * gain;
    }
  }
  *torque = t;
  *added = inertia;
}

// Of a hinge; the force of a slide likewise.
template <class S, class Real>
STRIDE_INLINE void HingeTorque(const TreeBody<Real>& body, const JointState<S>& joint,
                               const JointDrive<S>& drive, const Environment<S>& env, S* torque,
                               S* added) {
  const S h = env.h;
  S rate_gain = drive.kd + h * drive.kp;
  S t = drive.torque.x + (drive.target.w - joint.angle) * drive.kp + drive.target_v.x * drive.kd -
        joint.w.x * rate_gain;
  if (body.max_torque > 0) {
    const S scale = Min(S(1), S(body.max_torque) / (Abs(t) + S(1e-6)));
    t *= scale;
    rate_gain *= scale;
  }
  S inertia = h * rate_gain + S(body.armature);
  if (body.has_passive) {
    const S k = S(body.stiffness), gain = S(body.damping) + h * k;
    t -= (joint.angle - S(body.spring_angle)) * k + joint.w.x * gain;
    inertia += h * gain;
  }
  if (body.limited && env.limits) {
    const S below = S(body.lower) - joint.angle, above = joint.angle - S(body.upper);
    const auto over = (below > S(0)) | (above > S(0));
    if (Any(over)) {
      const S k = Select(over, S(kLimitStiffness), S(0));
      const S gain = Select(over, S(kLimitDamping), S(0)) + h * k;
      t += k * (Max(below, S(0)) - Max(above, S(0))) - joint.w.x * gain;
      inertia += h * gain;
    }
  }
  *torque = t;
  *added = inertia;
}

// Adds the inertia (a, b, c) and bias (pn, pf) of a body at `arm` from its parent, seen from the
// parent's joint.
template <class S>
STRIDE_INLINE void AddShifted(const Sym3<S>& a, const Mat3<S>& b, const Sym3<S>& c,
                              const Vec3<S>& pn, const Vec3<S>& pf, const Vec3<S>& arm,
                              SpatialInertia<S>* to) {
  // e = b + [arm] c;  the shifted a is a - e [arm] - (b [arm])^T, of which six numbers are needed.
  const Vec3<S> c0{c.xx, c.xy, c.xz}, c1{c.xy, c.yy, c.yz}, c2{c.xz, c.yz, c.zz};
  const Mat3<S> e = b + Mat3<S>::FromColumns(Cross(arm, c0), Cross(arm, c1), Cross(arm, c2));
  const S x = arm.x, y = arm.y, z = arm.z;
  to->a.xx += a.xx - (e.xy * z - e.xz * y) - (b.xy * z - b.xz * y);
  to->a.yy += a.yy - (e.yz * x - e.yx * z) - (b.yz * x - b.yx * z);
  to->a.zz += a.zz - (e.zx * y - e.zy * x) - (b.zx * y - b.zy * x);
  to->a.xy += a.xy - (e.xz * x - e.xx * z) - (b.yy * z - b.yz * y);
  to->a.xz += a.xz - (e.xx * y - e.xy * x) - (b.zy * z - b.zz * y);
  to->a.yz += a.yz - (e.yx * y - e.yy * x) - (b.zz * x - b.zx * z);
  to->b = to->b + e;
  to->c += c;
  to->pf += pf;
  to->pn += pn + Cross(arm, pf);
}

// Own inertia and bias of a body: gravity, gyroscopic terms.
template <class S, class Real>
STRIDE_INLINE void InitBody(const Tree<Real>& tree, const Environment<S>& env, int i,
                            Articulation<S>* art) {
  const TreeBody<Real>& body = tree.bodies[i];
  const BodyMotion<S>& m = art->motion[i];
  ArticulatedBody<S>& ab = art->articulated[i];
  if (body.parent >= 0) {
    const BodyMotion<S>& parent = art->motion[body.parent];
    ab.coriolis_angular = Cross(parent.w, m.relative);
    ab.coriolis_linear = Cross(parent.w, Cross(parent.w, m.arm));
    if (body.kind == JointKind::kSlide) {
      const Vec3<S> way = HingeAxisInWorld(body, m.r) * art->joints[i].w.x;
      ab.coriolis_linear += Cross(parent.w, way) * S(2);
    }
  } else {
    ab.coriolis_angular = ab.coriolis_linear = Vec3<S>{};
  }
  if (body.massless) {
    static_cast<SpatialInertia<S>&>(ab) = {};
    return;
  }
  const Real* in = body.inertia;
  const Sym3<S> inertia{S(in[0]), S(in[1]), S(in[2]), S(in[3]), S(in[4]), S(in[5])};
  const Vec3<S> mc = m.r * Broadcast<S>(body.mass_com);
  const S mass = S(body.mass);
  ab.a = Rotate(m.r, inertia);
  ab.b = Skew(mc);
  ab.c = Sym3<S>::Diagonal(mass);
  ab.pf = Cross(m.w, Cross(m.w, mc));
  ab.pf.z += mass * env.gravity;
  // About the joint, w x (I w) holds the moment of the centripetal force w x (w x mc) too.
  ab.pn = Cross(m.w, ab.a * m.w);
  ab.pn.x += mc.y * env.gravity;
  ab.pn.y -= mc.x * env.gravity;
}

// Own inertia and bias of all bodies, or of those that are loaded: InitBody() and external forces.
template <class S, class Real>
STRIDE_INLINE void InitBodies(const Tree<Real>& tree, const Environment<S>& env,
                              const BodyForce<S>* forces, int force_count, bool only_loaded,
                              Articulation<S>* art) {
  const int n = static_cast<int>(tree.bodies.size());
  for (int i = 0; i < n; ++i) {
    if (!only_loaded || art->articulated[i].loaded) InitBody(tree, env, i, art);
  }
  for (int k = 0; k < force_count; ++k) {
    const BodyForce<S>& f = forces[k];
    ArticulatedBody<S>& ab = art->articulated[f.body];
    if (only_loaded && !ab.loaded) continue;
    const Vec3<S> arm = art->motion[f.body].r * f.point;
    ab.pf -= f.force;
    ab.pn -= f.torque + Cross(arm, f.force);
  }
}

// A free root's acceleration: no force from above, so A alpha + B a = -pn, B^T alpha + C a = -pf.
template <class S>
STRIDE_INLINE void SolveRoot(ArticulatedBody<S>* root) {
  const Sym3<S>& a = root->a;
  const Mat3<S>& b = root->b;
  const Sym3<S> ci = Inverse(root->c);
  const Vec3<S> b0{b.xx, b.xy, b.xz}, b1{b.yx, b.yy, b.yz}, b2{b.zx, b.zy, b.zz};
  const Vec3<S> r0 = ci * b0, r1 = ci * b1, r2 = ci * b2;  // rows of B C^-1
  const Sym3<S> schur{a.xx - Dot(r0, b0), a.xy - Dot(r0, b1), a.xz - Dot(r0, b2),
                      a.yy - Dot(r1, b1), a.yz - Dot(r1, b2), a.zz - Dot(r2, b2)};
  const Vec3<S>& pf = root->pf;
  root->alpha = Inverse(schur) * (Vec3<S>{Dot(r0, pf), Dot(r1, pf), Dot(r2, pf)} - root->pn);
  root->linear = -(ci * (TransposeMul(b, root->alpha) + pf));
}

// Eliminates a body that slides along `axis` (ArticulatedBody); `to`: its parent's inertia, or
// null. As a hinge, with what resists an acceleration along the axis in place of one about it.
template <class S>
void EliminateSlide(const Vec3<S>& axis, const S& force, const S& added, const Vec3<S>& arm,
                    ArticulatedBody<S>* body, SpatialInertia<S>* to) {
  ArticulatedBody<S>& ab = *body;
  const Vec3<S> moment = ab.b * axis, resistance = ab.c * axis;
  const S inverse = S(1) / (Dot(axis, resistance) + added);
  const S u = (force - Dot(axis, ab.pf)) * inverse;
  const Vec3<S> mi = moment * inverse, ri = resistance * inverse;
  if (to) {
    const Sym3<S> a2 = ab.a - Outer(moment) * inverse;
    const Vec3<S> back = -mi;
    const Mat3<S> b2 =
        ab.b + Mat3<S>::FromColumns(back * resistance.x, back * resistance.y, back * resistance.z);
    const Sym3<S> c2 = ab.c - Outer(resistance) * inverse;
    const Vec3<S>&ca = ab.coriolis_angular, &cl = ab.coriolis_linear;
    const Vec3<S> pn = ab.pn + moment * u + a2 * ca + b2 * cl;
    const Vec3<S> pf = ab.pf + resistance * u + TransposeMul(b2, ca) + c2 * cl;
    AddShifted(a2, b2, c2, pn, pf, arm, to);
  }
  ab.pn = mi;
  ab.pf = ri;
  ab.c.xx = inverse;
  ab.u = u;
}

// Eliminates the bodies from the leaves to the root; or only the loaded ones, where the others are
// as they were. Each adds to its parent in the same order either way: a lane's bits must not depend
// on what its neighbours touch.
template <class S, class Real>
STRIDE_INLINE void Eliminate(const Tree<Real>& tree, const Environment<S>& env,
                             const JointDrive<S>* drives, const BodyForce<S>* forces,
                             int force_count, bool only_loaded, Articulation<S>* art) {
  InitBodies(tree, env, forces, force_count, only_loaded, art);
  for (int k = 0; k < art->contact_count; ++k) {
    AddContact(art->contacts[k], env.h, &art->articulated[art->contacts[k].body]);
  }
  for (int i = static_cast<int>(tree.bodies.size()) - 1; i >= 0; --i) {
    const TreeBody<Real>& body = tree.bodies[i];
    const BodyMotion<S>& m = art->motion[i];
    ArticulatedBody<S>& ab = art->articulated[i];
    ArticulatedBody<S>* parent = body.parent >= 0 ? &art->articulated[body.parent] : nullptr;
    // What a loaded body gets from one that is not is needed again.
    const bool keep = parent && parent->loaded && !ab.loaded;
    if (only_loaded && !ab.loaded) {
      if (keep) *parent += ab.handed;
      continue;
    }
    if (body.kind == JointKind::kFree) continue;
    if (keep) ab.handed = {};
    SpatialInertia<S>* to = keep ? &ab.handed : parent;
    const Vec3<S> ca = ab.coriolis_angular, cl = ab.coriolis_linear;
    if (body.kind == JointKind::kBall) {
      Vec3<S> torque;
      S added;
      BallTorque(body, art->joints[i], drives[i], env, &torque, &added);
      const Sym3<S> d = Inverse(ab.a + Sym3<S>::Diagonal(added));
      // A and D^-1 commute (they differ by a multiple of the identity), so their product is
      // symmetric, and A - A D^-1 A = added A D^-1 without cancellation.
      const Sym3<S>& a = ab.a;
      const Sym3<S> k{
          a.xx * d.xx + a.xy * d.xy + a.xz * d.xz, a.xx * d.xy + a.xy * d.yy + a.xz * d.yz,
          a.xx * d.xz + a.xy * d.yz + a.xz * d.zz, a.xy * d.xy + a.yy * d.yy + a.yz * d.yz,
          a.xy * d.xz + a.yy * d.yz + a.yz * d.zz, a.xz * d.xz + a.yz * d.yz + a.zz * d.zz};
      const Mat3<S> w = d * ab.b;
      const Vec3<S> u = m.r * torque - ab.pn;
      const Vec3<S> du = d * u;
      if (parent) {
        const Sym3<S> a2 = k * added;
        const Mat3<S> b2 = w * added;
        const Mat3<S>& b = ab.b;
        const Sym3<S> c2{ab.c.xx - (b.xx * w.xx + b.yx * w.yx + b.zx * w.zx),
                         ab.c.xy - (b.xx * w.xy + b.yx * w.yy + b.zx * w.zy),
                         ab.c.xz - (b.xx * w.xz + b.yx * w.yz + b.zx * w.zz),
                         ab.c.yy - (b.xy * w.xy + b.yy * w.yy + b.zy * w.zy),
                         ab.c.yz - (b.xy * w.xz + b.yy * w.yz + b.zy * w.zz),
                         ab.c.zz - (b.xz * w.xz + b.yz * w.yz + b.zz * w.zz)};
        const Vec3<S> pn = ab.pn + k * u + a2 * ca + b2 * cl;
        const Vec3<S> pf = ab.pf + TransposeMul(b, du) + TransposeMul(b2, ca) + c2 * cl;
        AddShifted(a2, b2, c2, pn, pf, m.arm, to);
      }
      ab.a = k;
      ab.b = w;
      ab.c = d;
      ab.pn = du;
    } else if (body.kind == JointKind::kSlide) {
      S force, added;
      HingeTorque(body, art->joints[i], drives[i], env, &force, &added);
      EliminateSlide(HingeAxisInWorld(body, m.r), force, added, m.arm, &ab, to);
    } else {
      S torque, added;
      HingeTorque(body, art->joints[i], drives[i], env, &torque, &added);
      const Vec3<S> axis = HingeAxisInWorld(body, m.r);
      const Vec3<S> as = ab.a * axis, bs = TransposeMul(ab.b, axis);
      const S inverse = S(1) / (Dot(axis, as) + added);
      const S u = (torque - Dot(axis, ab.pn)) * inverse;
      const Vec3<S> ai = as * inverse, bi = bs * inverse;
      if (parent) {
        const Sym3<S> a2 = ab.a - Outer(as) * inverse;
        const Mat3<S>& b = ab.b;
        const Mat3<S> b2{b.xx - ai.x * bs.x, b.xy - ai.x * bs.y, b.xz - ai.x * bs.z,
                         b.yx - ai.y * bs.x, b.yy - ai.y * bs.y, b.yz - ai.y * bs.z,
                         b.zx - ai.z * bs.x, b.zy - ai.z * bs.y, b.zz - ai.z * bs.z};
        const Sym3<S> c2 = ab.c - Outer(bs) * inverse;
        const Vec3<S> pn = ab.pn + as * u + a2 * ca + b2 * cl;
        const Vec3<S> pf = ab.pf + bs * u + TransposeMul(b2, ca) + c2 * cl;
        AddShifted(a2, b2, c2, pn, pf, m.arm, to);
      }
      ab.pn = ai;
      ab.pf = bi;
      ab.c.xx = inverse;
      ab.u = u;
    }
    if (keep) *parent += ab.handed;
  }
}

// Accelerations of the eliminated bodies from the root to the leaves: of those that are loaded, or
// of the others.
template <class S, class Real>
void Accelerate(const Tree<Real>& tree, bool loaded, Articulation<S>* art) {
  for (int i = 0; i < static_cast<int>(tree.bodies.size()); ++i) {
    const TreeBody<Real>& body = tree.bodies[i];
    ArticulatedBody<S>& ab = art->articulated[i];
    if (ab.loaded != loaded) continue;
    if (body.kind == JointKind::kFree) {
      SolveRoot(&ab);
      continue;
    }
    Vec3<S> alpha = ab.coriolis_angular, linear = ab.coriolis_linear;
    if (body.parent >= 0) {
      const ArticulatedBody<S>& parent = art->articulated[body.parent];
      alpha += parent.alpha;
      linear += parent.linear + Cross(parent.alpha, art->motion[i].arm);
    }
    if (body.kind == JointKind::kBall) {
      const Vec3<S> qdd = ab.pn - ab.a * alpha - ab.b * linear;
      ab.pn = qdd;
      ab.alpha = alpha + qdd;
    } else if (body.kind == JointKind::kSlide) {
      ab.u -= Dot(ab.pn, alpha) + Dot(ab.pf, linear);
      ab.alpha = alpha;
      linear += HingeAxisInWorld(body, art->motion[i].r) * ab.u;
    } else {
      ab.u -= Dot(ab.pn, alpha) + Dot(ab.pf, linear);
      ab.alpha = alpha + HingeAxisInWorld(body, art->motion[i].r) * ab.u;
    }
    ab.linear = linear;
  }
}

// Accelerations of all bodies (ArticulatedBody::alpha, linear), and forces of the contacts, whose
// set is revised until it agrees with them or env.contact_passes are made. A revision changes only
// bodies that are loaded: half of a human's.
template <class S, class Real>
STRIDE_INLINE void Solve(const Tree<Real>& tree, const Environment<S>& env,
                         const JointDrive<S>* drives, const BodyForce<S>* forces, int force_count,
                         Articulation<S>* art) {
  for (int i = 0; i < static_cast<int>(tree.bodies.size()); ++i) art->articulated[i].loaded = false;
  for (int k = 0; k < art->contact_count; ++k) {
    for (int i = art->contacts[k].body; i >= 0 && !art->articulated[i].loaded;
         i = tree.bodies[i].parent) {
      art->articulated[i].loaded = true;
    }
  }
  for (int pass = 0;; ++pass) {
    Eliminate(tree, env, drives, forces, force_count, pass > 0, art);
    if (art->contact_count == 0) break;
    Accelerate(tree, true, art);
    const bool again = ReviseContacts(env, art);
    if (!again || pass >= env.contact_passes - 1) break;
  }
  Accelerate(tree, false, art);
}

// Change of all accelerations by a force on one body, with the servos and ground contacts of the
// last Solve implicit as there. Writes the bodies' changes to `alpha` and `linear` and adds
// everything, times `scale`, to the solution. `moment` and `force`: scratch; all arrays one a body.
template <class S, class Real>
void AddForceResponse(const Tree<Real>& tree, int body, const Vec3<S>& arm, const Vec3<S>& push,
                      const S& scale, Vec3<S>* moment, Vec3<S>* force, Vec3<S>* alpha,
                      Vec3<S>* linear, Articulation<S>* art) {
  const int n = static_cast<int>(tree.bodies.size());
  for (int i = 0; i < n; ++i) moment[i] = force[i] = Vec3<S>{};
  moment[body] = -Cross(arm, push);
  force[body] = -push;
  // Only the bodies between the pushed one and the root hand anything on.
  for (int i = body; tree.bodies[i].parent >= 0; i = tree.bodies[i].parent) {
    const ArticulatedBody<S>& ab = art->articulated[i];
    Vec3<S> m = moment[i], f = force[i];
    if (tree.bodies[i].kind == JointKind::kBall) {
      m -= ab.a * moment[i];
      f -= TransposeMul(ab.b, moment[i]);
    } else {
      const Vec3<S> axis = HingeAxisInWorld(tree.bodies[i], art->motion[i].r);
      const bool slide = tree.bodies[i].kind == JointKind::kSlide;
      const S along = slide ? Dot(axis, force[i]) : Dot(axis, moment[i]);
      m -= ab.pn * along;
      f -= ab.pf * along;
    }
    const int parent = tree.bodies[i].parent;
    force[parent] += f;
    moment[parent] += m + Cross(art->motion[i].arm, f);
  }
  for (int i = 0; i < n; ++i) {
    const TreeBody<Real>& b = tree.bodies[i];
    ArticulatedBody<S>& ab = art->articulated[i];
    if (b.kind == JointKind::kFree) {
      ArticulatedBody<S> root = ab;
      root.pn = moment[i];
      root.pf = force[i];
      SolveRoot(&root);
      alpha[i] = root.alpha;
      linear[i] = root.linear;
    } else {
      alpha[i] = b.parent < 0 ? Vec3<S>{} : alpha[b.parent];
      linear[i] =
          b.parent < 0 ? Vec3<S>{} : linear[b.parent] + Cross(alpha[b.parent], art->motion[i].arm);
      if (b.kind == JointKind::kBall) {
        const Vec3<S> qdd = -(ab.c * moment[i] + ab.a * alpha[i] + ab.b * linear[i]);
        ab.pn += qdd * scale;
        alpha[i] += qdd;
      } else {
        const Vec3<S> axis = HingeAxisInWorld(b, art->motion[i].r);
        const bool slide = b.kind == JointKind::kSlide;
        const S along = slide ? Dot(axis, force[i]) : Dot(axis, moment[i]);
        const S qdd = -(ab.c.xx * along + Dot(ab.pn, alpha[i]) + Dot(ab.pf, linear[i]));
        ab.u += qdd * scale;
        (slide ? linear[i] : alpha[i]) += axis * qdd;
      }
    }
    ab.alpha += alpha[i] * scale;
    ab.linear += linear[i] * scale;
  }
}

// Joint acceleration of body i after Solve, as in State::v: ball in child axes.
template <class S, class Real>
STRIDE_INLINE Vec3<S> JointAcceleration(const TreeBody<Real>& body, const Articulation<S>& art,
                                        int i) {
  if (HasOneAxis(body.kind)) return {art.articulated[i].u, S(0), S(0)};
  const Vec3<S>& world =
      body.kind == JointKind::kFree ? art.articulated[i].alpha : art.articulated[i].pn;
  return TransposeMul(art.motion[i].r, world);
}

}  // namespace stride
