#pragma once

#include <type_traits>
#include <vector>

#include "stride/dynamics/model.h"
#include "stride/dynamics/step.h"

// Rigid-body dynamics of the state a Model holds, generic over the scalar:
//     M(q) v' + c(q, v) = tau + J^T f
// v' and tau are in the layout of State::v (a free root: force in world axes, moment in body axes).
// c holds gravity. Armature is part of M; servos, limits, passive springs, dampers and contact are
// not.
namespace stride {

// Row-major.
template <class S>
struct DenseMatrix {
  int rows = 0, cols = 0;
  std::vector<S> data;
  void Resize(int r, int c) {
    rows = r;
    cols = c;
    data.assign(static_cast<std::size_t>(r) * c, S(0));
  }
  S& operator()(int i, int j) { return data[static_cast<std::size_t>(i) * cols + j]; }
  const S& operator()(int i, int j) const { return data[static_cast<std::size_t>(i) * cols + j]; }
};

namespace dynamics_internal {

template <class S>
Environment<S> GravityOnly(const S& gravity) {
  return {gravity, S(0), S(0), S(0), S(0), S(0), false, 1};
}

// Accelerations of all bodies (alpha, linear) from joint accelerations v'.
template <class S>
void SpreadAccelerations(const Tree<double>& tree, const S* vdot, Articulation<S>* art) {
  for (int i = 0; i < static_cast<int>(tree.bodies.size()); ++i) {
    const TreeBody<double>& body = tree.bodies[i];
    const BodyMotion<S>& m = art->motion[i];
    ArticulatedBody<S>& ab = art->articulated[i];
    const S* a = vdot + body.v;
    if (body.kind == JointKind::kFree) {
      ab.linear = {a[0], a[1], a[2]};
      ab.alpha = m.r * Vec3<S>{a[3], a[4], a[5]};
      continue;
    }
    ab.alpha = ab.coriolis_angular;
    ab.linear = ab.coriolis_linear;
    if (body.parent >= 0) {
      const ArticulatedBody<S>& parent = art->articulated[body.parent];
      ab.alpha += parent.alpha;
      ab.linear += parent.linear + Cross(parent.alpha, m.arm);
    }
    ab.alpha += body.kind == JointKind::kBall ? m.r * Vec3<S>{a[0], a[1], a[2]}
                                              : HingeAxisInWorld(body, m.r) * a[0];
  }
}

// Forces and moments of the bodies at their accelerations, gathered towards the root; tau from
// them.
template <class S>
void GatherTorques(const Tree<double>& tree, const S* vdot, Articulation<S>* art, S* tau) {
  for (int i = static_cast<int>(tree.bodies.size()) - 1; i >= 0; --i) {
    const TreeBody<double>& body = tree.bodies[i];
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
    if (body.kind == JointKind::kHinge) {
      t[0] = Dot(HingeAxisInWorld(body, m.r), moment) + S(body.armature) * vdot[body.v];
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
template <class S, class Use>
void ForEachAxis(const TreeBody<double>& body, const BodyMotion<S>& m, Use use) {
  int v = body.v;
  if (body.kind == JointKind::kHinge) {
    use(v, HingeAxisInWorld(body, m.r), false);
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
template <class S>
void Composite(const Tree<double>& tree, Articulation<S>* art) {
  InitBodies<S, double>(tree, GravityOnly(S(0)), nullptr, 0, false, art);
  for (int i = static_cast<int>(tree.bodies.size()) - 1; i > 0; --i) {
    const ArticulatedBody<S>& ab = art->articulated[i];
    AddShifted<S>(ab.a, ab.b, ab.c, Vec3<S>{}, Vec3<S>{}, art->motion[i].arm,
                  &art->articulated[tree.bodies[i].parent]);
  }
}

}  // namespace dynamics_internal

// tau that gives v' (recursive Newton-Euler). With v' = 0: the bias c(q, v).
template <class S>
void InverseDynamics(Model<S>* model, const S& gravity, const S* vdot, const BodyForce<S>* forces,
                     int force_count, S* tau) {
  Articulation<S> art = model->View();
  const Tree<double>& tree = model->GetTree();
  InitBodies(tree, dynamics_internal::GravityOnly(gravity), forces, force_count, false, &art);
  dynamics_internal::SpreadAccelerations(tree, vdot, &art);
  dynamics_internal::GatherTorques(tree, vdot, &art, tau);
}

// v' from tau (articulated bodies).
template <class S>
void ForwardDynamics(Model<S>* model, const S& gravity, const S* tau, const BodyForce<S>* forces,
                     int force_count, S* vdot) {
  Articulation<S> art = model->View();
  const Tree<double>& tree = model->GetTree();
  const int n = model->BodyCount();
  std::vector<JointDrive<S>> drives(n);
  for (int i = 0; i < n; ++i) {
    const TreeBody<double>& body = tree.bodies[i];
    drives[i].target = body.kind == JointKind::kHinge ? Quat<S>{} : Quat<S>::Identity();
    if (body.kind == JointKind::kHinge) drives[i].torque.x = tau[body.v];
    if (body.kind == JointKind::kBall)
      drives[i].torque = {tau[body.v], tau[body.v + 1], tau[body.v + 2]};
  }
  // Passive parts and torque bounds belong to the servo, not to these equations.
  Tree<double> bare = tree;
  for (TreeBody<double>& body : bare.bodies) {
    body.has_passive = false;
    body.max_torque = 0;
  }
  std::vector<BodyForce<S>> all(forces, forces + force_count);
  if (tree.free_root) {
    all.push_back(
        {0, {tau[0], tau[1], tau[2]}, art.motion[0].r * Vec3<S>{tau[3], tau[4], tau[5]}, {}});
  }
  Solve(bare, dynamics_internal::GravityOnly(gravity), drives.data(), all.data(),
        static_cast<int>(all.size()), &art);
  for (int i = 0; i < n; ++i) {
    const TreeBody<double>& body = tree.bodies[i];
    const Vec3<S> a = JointAcceleration(body, art, i);
    S* out = vdot + body.v;
    if (body.kind == JointKind::kHinge) {
      out[0] = a.x;
      continue;
    }
    if (body.kind == JointKind::kFree) {
      const Vec3<S>& linear = art.articulated[0].linear;
      *out++ = linear.x, *out++ = linear.y, *out++ = linear.z;
    }
    out[0] = a.x, out[1] = a.y, out[2] = a.z;
  }
}

// Given accelerations at the actuated joints and external forces: solves the free root's
// acceleration and the torques. `vdot`: in, the joints' part; out, the root's six numbers.
// tau[0..5] come out zero.
template <class S>
void HybridDynamics(Model<S>* model, const S& gravity, const BodyForce<S>* forces, int force_count,
                    S* vdot, S* tau) {
  const Tree<double>& tree = model->GetTree();
  if (tree.free_root) {
    for (int k = 0; k < 6; ++k) vdot[k] = S(0);
    InverseDynamics(model, gravity, vdot, forces, force_count, tau);
    // The root's acceleration must cancel the force and moment left there; the whole moves as one
    // body.
    Articulation<S> art = model->View();
    dynamics_internal::Composite(tree, &art);
    const BodyMotion<S>& m = art.motion[0];
    ArticulatedBody<S>& root = art.articulated[0];
    root.pf = {tau[0], tau[1], tau[2]};
    root.pn = m.r * Vec3<S>{tau[3], tau[4], tau[5]};
    SolveRoot(&root);
    const Vec3<S> alpha = TransposeMul(m.r, root.alpha);
    vdot[0] = root.linear.x, vdot[1] = root.linear.y, vdot[2] = root.linear.z;
    vdot[3] = alpha.x, vdot[4] = alpha.y, vdot[5] = alpha.z;
  }
  InverseDynamics(model, gravity, vdot, forces, force_count, tau);
  if (tree.free_root) {
    for (int k = 0; k < 6; ++k) tau[k] = S(0);  // rounding
  }
}

// M(q), nv x nv (composite bodies).
template <class S>
void MassMatrix(Model<S>* model, DenseMatrix<S>* mass) {
  using dynamics_internal::ForEachAxis;
  Articulation<S> art = model->View();
  const Tree<double>& tree = model->GetTree();
  mass->Resize(tree.nv, tree.nv);
  dynamics_internal::Composite(tree, &art);
  for (int i = 0; i < model->BodyCount(); ++i) {
    const ArticulatedBody<S>& ab = art.articulated[i];
    ForEachAxis(tree.bodies[i], art.motion[i], [&](int column, const Vec3<S>& axis, bool linear) {
      Vec3<S> moment = linear ? ab.b * axis : ab.a * axis;
      const Vec3<S> force = linear ? ab.c * axis : TransposeMul(ab.b, axis);
      for (int j = i; j >= 0; j = tree.bodies[j].parent) {
        ForEachAxis(tree.bodies[j], art.motion[j],
                    [&](int row, const Vec3<S>& other, bool other_linear) {
                      const S value = Dot(other, other_linear ? force : moment);
                      (*mass)(row, column) = value;
                      (*mass)(column, row) = value;
                    });
        moment += Cross(art.motion[j].arm, force);
      }
    });
    for (int k = 0; k < stride::DofCount(tree.bodies[i].kind); ++k) {
      (*mass)(tree.bodies[i].v + k, tree.bodies[i].v + k) += S(tree.bodies[i].armature);
    }
  }
}

// 6 x nv: angular (rows 0-2) and linear (rows 3-5) velocity of a point fixed to a body, in world
// axes, per unit of v.
template <class S>
void PointJacobian(const Model<S>& model, int body, const Vec3<S>& point,
                   DenseMatrix<S>* jacobian) {
  const Tree<double>& tree = model.GetTree();
  jacobian->Resize(6, tree.nv);
  const Vec3<S> at = model.Motion(body).o + model.Motion(body).r * point;
  for (int i = body; i >= 0; i = tree.bodies[i].parent) {
    const BodyMotion<S>& m = model.Motion(i);
    dynamics_internal::ForEachAxis(tree.bodies[i], m,
                                   [&](int column, const Vec3<S>& axis, bool linear) {
                                     const Vec3<S> velocity = linear ? axis : Cross(axis, at - m.o);
                                     const Vec3<S> turn = linear ? Vec3<S>{} : axis;
                                     (*jacobian)(0, column) = turn.x;
                                     (*jacobian)(1, column) = turn.y;
                                     (*jacobian)(2, column) = turn.z;
                                     (*jacobian)(3, column) = velocity.x;
                                     (*jacobian)(4, column) = velocity.y;
                                     (*jacobian)(5, column) = velocity.z;
                                   });
  }
}

// dJ/dt v of the same point: its angular and linear acceleration when v' = 0.
template <class S>
void PointBias(Model<S>* model, int body, const Vec3<S>& point, Vec3<S>* angular, Vec3<S>* linear) {
  Articulation<S> art = model->View();
  const Tree<double>& tree = model->GetTree();
  InitBodies<S, double>(tree, dynamics_internal::GravityOnly(S(0)), nullptr, 0, false, &art);
  const std::vector<S> zero(tree.nv, S(0));
  dynamics_internal::SpreadAccelerations(tree, zero.data(), &art);
  const BodyMotion<S>& m = art.motion[body];
  const Vec3<S> arm = m.r * point;
  *angular = art.articulated[body].alpha;
  *linear = art.articulated[body].linear + Cross(*angular, arm) + Cross(m.w, Cross(m.w, arm));
}

template <class S>
Momentum<S> GetMomentum(Model<S>* model) {
  return MeasureMomentum(model->GetTree(), model->View());
}

template <class S>
Vec3<S> CenterOfMass(Model<S>* model) {
  return model->Root().position + GetMomentum(model).com;
}

// Centroidal momentum matrix A (6 x nv; rows 0-2 angular about the centre of mass, 3-5 linear), so
// that momentum = A v, and its bias A' v (Orin, Goswami, Lee 2013).
template <class S>
void CentroidalMomentum(Model<S>* model, DenseMatrix<S>* matrix, Vec3<S>* angular_bias,
                        Vec3<S>* linear_bias) {
  Articulation<S> art = model->View();
  const Tree<double>& tree = model->GetTree();
  matrix->Resize(6, tree.nv);
  const Vec3<S> com = MeasureMomentum(tree, art).com;
  dynamics_internal::Composite(tree, &art);
  for (int i = 0; i < model->BodyCount(); ++i) {
    const ArticulatedBody<S>& ab = art.articulated[i];
    const BodyMotion<S>& m = art.motion[i];
    dynamics_internal::ForEachAxis(
        tree.bodies[i], m, [&](int column, const Vec3<S>& axis, bool linear) {
          const Vec3<S> force = linear ? ab.c * axis : TransposeMul(ab.b, axis);
          const Vec3<S> moment = (linear ? ab.b * axis : ab.a * axis) + Cross(m.o - com, force);
          (*matrix)(0, column) = moment.x;
          (*matrix)(1, column) = moment.y;
          (*matrix)(2, column) = moment.z;
          (*matrix)(3, column) = force.x;
          (*matrix)(4, column) = force.y;
          (*matrix)(5, column) = force.z;
        });
  }
  // The rate of the momentum when v' = 0 is the sum of the bodies' inertial forces.
  InitBodies<S, double>(tree, dynamics_internal::GravityOnly(S(0)), nullptr, 0, false, &art);
  const std::vector<S> zero(tree.nv, S(0));
  dynamics_internal::SpreadAccelerations(tree, zero.data(), &art);
  *angular_bias = *linear_bias = Vec3<S>{};
  for (int i = 0; i < model->BodyCount(); ++i) {
    const ArticulatedBody<S>& ab = art.articulated[i];
    const Vec3<S> force = ab.pf + TransposeMul(ab.b, ab.alpha) + ab.c * ab.linear;
    *linear_bias += force;
    *angular_bias +=
        ab.pn + ab.a * ab.alpha + ab.b * ab.linear + Cross(art.motion[i].o - com, force);
  }
}

// Kinetic and potential energy (height above z = 0), J.
template <class S>
S KineticEnergy(Model<S>* model) {
  const Tree<double>& tree = model->GetTree();
  S energy(0);
  for (int i = 0; i < model->BodyCount(); ++i) {
    const TreeBody<double>& body = tree.bodies[i];
    const BodyMotion<S>& m = model->Motion(i);
    const double* in = body.inertia;
    const Sym3<S> inertia =
        Rotate(m.r, Sym3<S>{S(in[0]), S(in[1]), S(in[2]), S(in[3]), S(in[4]), S(in[5])});
    const Vec3<S> mc = m.r * Broadcast<S>(body.mass_com);
    energy += S(0.5) * (S(body.mass) * Dot(m.v, m.v) + Dot(m.w, inertia * m.w)) +
              Dot(m.v, Cross(m.w, mc));
    const Vec3<S> rate = model->GetJoint(i).w;
    if (body.kind != JointKind::kFree) energy += S(0.5 * body.armature) * Dot(rate, rate);
  }
  return energy;
}
template <class S>
S PotentialEnergy(Model<S>* model, const S& gravity) {
  return CenterOfMass(model).z * gravity * S(model->GetTree().mass);
}

}  // namespace stride
