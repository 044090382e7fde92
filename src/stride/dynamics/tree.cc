#include "stride/dynamics/tree.h"

#include <cmath>

#include "stride/core/error.h"

namespace stride {
namespace {

HingeAxis ClassifyAxis(const Vec3d& a) {
  // Exactly on a coordinate axis, or general: an almost aligned axis must not be snapped.
  if (std::fabs(a.x) == 1) return HingeAxis::kX;
  if (std::fabs(a.y) == 1) return HingeAxis::kY;
  if (std::fabs(a.z) == 1) return HingeAxis::kZ;
  return HingeAxis::kGeneral;
}

}  // namespace

template <class Real>
Tree<Real> BuildTree(const Character& character) {
  const Layout layout = LayoutOf(character);
  Tree<Real> tree;
  tree.nq = layout.nq;
  tree.nv = layout.nv;
  const auto real = [](double a) { return static_cast<Real>(a); };
  for (int i = 0; i < character.BodyCount(); ++i) {
    const Body& body = character.bodies[i];
    const Joint& joint = body.joint;
    TreeBody<Real> b{};
    b.parent = body.parent;
    b.kind = joint.kind;
    b.hinge = ClassifyAxis(joint.axis);
    b.massless = body.mass == 0;
    b.limited = joint.limited && joint.kind != JointKind::kFree;
    b.has_passive = joint.kind != JointKind::kFree && (joint.damping != 0 || joint.stiffness != 0);
    b.q = layout.q[i];
    b.v = layout.v[i];
    const double axis[3] = {joint.axis.x, joint.axis.y, joint.axis.z};
    const double offset[3] = {body.offset.x, body.offset.y, body.offset.z};
    const Vec3d mc = body.com * body.mass;
    const double mass_com[3] = {mc.x, mc.y, mc.z};
    for (int k = 0; k < 3; ++k) {
      b.axis[k] = real(axis[k]);
      b.offset[k] = real(offset[k]);
      b.mass_com[k] = real(mass_com[k]);
    }
    const Sym3d about_origin = body.inertia + PointInertia(body.com) * body.mass;
    const double inertia[6] = {about_origin.xx, about_origin.xy, about_origin.xz,
                               about_origin.yy, about_origin.yz, about_origin.zz};
    for (int k = 0; k < 6; ++k) b.inertia[k] = real(inertia[k]);
    b.mass = real(body.mass);
    b.armature = real(joint.kind == JointKind::kFree ? 0 : joint.armature);
    b.damping = real(joint.damping);
    b.stiffness = real(joint.stiffness);
    b.spring_angle = real(joint.spring_angle);
    b.lower = real(joint.lower);
    b.upper = real(joint.upper);
    b.max_torque = real(joint.max_torque);
    b.first_point = static_cast<int>(tree.points.size());
    for (int k = 0; k < static_cast<int>(character.contact_points.size()); ++k) {
      const ContactPoint& point = character.contact_points[k];
      if (point.body != i) continue;
      tree.points.push_back(
          {i,
           {real(point.position.x), real(point.position.y), real(point.position.z)},
           real(point.radius),
           k});
    }
    b.points = static_cast<int>(tree.points.size()) - b.first_point;
    tree.mass += b.mass;
    tree.bodies.push_back(b);
  }
  STRIDE_CHECK(!tree.bodies.empty());
  tree.free_root = tree.bodies[0].kind == JointKind::kFree;
  return tree;
}

template Tree<double> BuildTree<double>(const Character&);
template Tree<float> BuildTree<float>(const Character&);

}  // namespace stride
