#pragma once

#include "stride/dynamics/articulated_body.h"

// Contact of a body's points with the ground: compliant, implicit in the velocity at the end of the
// step (docs/physics.md).
namespace stride {

// Share of a landing's explicit normal force that is believed when bounding friction: the implicit
// solution is smaller by effective mass / (effective mass + h (h k + d)), about this for a human
// foot.
constexpr double kImpactShare = 0.25;
// Friction may pass its bound by this factor before another pass is made.
constexpr double kFrictionTolerance = 1.02;
constexpr double kFrictionSlack = 0.5;  // N

template <class S>
STRIDE_INLINE Vec3<S> ContactGain(const PointContact<S>& c, const S& normal_gain,
                                  const S& slip_gain, const Vec3<S>& u) {
  return u * slip_gain + c.normal * ((normal_gain - slip_gain) * Dot(c.normal, u));
}

// Explicit part of a contact's force: what it is if the point does not accelerate.
template <class S>
STRIDE_INLINE Vec3<S> ExplicitForce(const PointContact<S>& c, const S& h) {
  return c.normal * c.normal_force - c.slip * c.slip_gain + c.drag -
         ContactGain(c, c.normal_gain * h, c.slip_gain * h, c.centripetal);
}

// A contact enters its body as an added inertia at the point and an explicit force.
template <class S>
STRIDE_INLINE void AddContact(const PointContact<S>& c, const S& h, SpatialInertia<S>* to) {
  const S zero(0);
  const S kn = Select(c.active, c.normal_gain * h, zero);
  const S kt = Select(c.active, c.slip_gain * h, zero);
  const Sym3<S> k = Sym3<S>::Diagonal(kt) + Outer(c.normal) * (kn - kt);
  const Vec3<S> f = ExplicitForce(c, h) * Select(c.active, S(1), zero);
  // As AddShifted, for an inertia that is nothing but k: b gains e = [arm] k, a gains -e [arm].
  const S x = c.arm.x, y = c.arm.y, z = c.arm.z;
  const Mat3<S> e{y * k.xz - z * k.xy, y * k.yz - z * k.yy, y * k.zz - z * k.yz,
                  z * k.xx - x * k.xz, z * k.xy - x * k.yz, z * k.xz - x * k.zz,
                  x * k.xy - y * k.xx, x * k.yy - y * k.xy, x * k.yz - y * k.xz};
  to->a.xx += e.xz * y - e.xy * z;
  to->a.xy += e.xx * z - e.xz * x;
  to->a.xz += e.xy * x - e.xx * y;
  to->a.yy += e.yx * z - e.yz * x;
  to->a.yz += e.yy * x - e.yx * y;
  to->a.zz += e.zy * x - e.zx * y;
  to->b = to->b + e;
  to->c += k;
  to->pf -= f;
  to->pn -= Cross(c.arm, f);
}

// Contact points against the ground; fills art->contacts. Lanes that are frozen have none: what
// lies there would cost the others further passes.
template <class S, class Real, class Ground>
STRIDE_INLINE void DetectContacts(const Tree<Real>& tree, const Environment<S>& env,
                                  const Ground& ground, const Mask<S>& frozen,
                                  Articulation<S>* art) {
  art->contact_count = 0;
  const int n = static_cast<int>(tree.bodies.size());
  for (int i = 0; i < n; ++i) {
    const TreeBody<Real>& body = tree.bodies[i];
    if (body.points == 0) continue;
    const BodyMotion<S>& m = art->motion[i];
    Vec3<S> normal_in_body;
    S height;  // of the body's origin above the plane
    if constexpr (Ground::kPlane) {
      normal_in_body = TransposeMul(m.r, ground.normal);
      height = Dot(ground.normal, art->root->position + m.o) - ground.distance;
    }
    for (int k = body.first_point; k < body.first_point + body.points; ++k) {
      const TreePoint<Real>& point = tree.points[k];
      const Vec3<S> position = Broadcast<S>(point.position);
      const S radius = S(point.radius);
      Vec3<S> normal, arm;
      S depth;
      if constexpr (Ground::kPlane) {
        depth = radius - height - Dot(normal_in_body, position);
        if (!Any((depth > S(0)) & !frozen)) continue;
        normal = ground.normal;
        arm = m.r * position;
      } else {
        arm = m.r * position;
        depth = radius - ground.Height(art->root->position + m.o + arm, &normal);
        if (!Any((depth > S(0)) & !frozen)) continue;
      }
      PointContact<S>& c = art->contacts[art->contact_count];
      c.arm = arm - normal * radius;
      const Vec3<S> spin = Cross(m.w, c.arm);
      const Vec3<S> velocity = m.v + spin;
      const S vn = Dot(normal, velocity);
      const S gain = env.damping + env.h * env.stiffness;
      const S spring = env.stiffness * depth;
      c.normal_force = spring - gain * vn;
      c.active = (depth > S(0)) & (c.normal_force > S(0)) & !frozen;
      if (!Any(c.active)) continue;
      c.point = k;
      c.body = i;
      c.normal = normal;
      c.position = art->root->position + m.o + c.arm;
      c.depth = depth;
      c.slip = velocity - normal * vn;
      c.drag = Vec3<S>{};
      c.centripetal = Cross(m.w, spin);
      c.normal_gain = gain;
      const S believed = Select(vn < S(0), S(kImpactShare), S(1));
      const S bound = env.friction * Max(spring - gain * vn * believed, S(0));
      c.slip_gain = Min(env.stick, bound / (Norm(c.slip) + S(1e-9)));
      ++art->contact_count;
    }
  }
}

// Force of a contact by the present solution.
template <class S>
STRIDE_INLINE void UpdateContactForce(const Environment<S>& env, const Articulation<S>& art,
                                      PointContact<S>* c) {
  const ArticulatedBody<S>& ab = art.articulated[c->body];
  const Vec3<S> acceleration = ab.linear + Cross(ab.alpha, c->arm);
  const Vec3<S> f = ExplicitForce(*c, env.h) -
                    ContactGain(*c, c->normal_gain * env.h, c->slip_gain * env.h, acceleration);
  c->force = f * Select(c->active, S(1), S(0));
}

// Forces of the contacts after a solution; true if the set has to change (then it has been
// changed). What would pull lets go. Where viscous friction passes the Coulomb bound the contact
// slides, faster at the end of the step than at its start: there friction at its bound, against the
// slip, is explicit and still stable.
template <class S>
STRIDE_INLINE bool ReviseContacts(const Environment<S>& env, Articulation<S>* art) {
  bool again = false;
  for (int k = 0; k < art->contact_count; ++k) {
    PointContact<S>& c = art->contacts[k];
    UpdateContactForce(env, *art, &c);
    const S fn = Dot(c.normal, c.force);
    const auto pulls = c.active & (fn < S(0));
    const Vec3<S> tangential = c.force - c.normal * fn;
    const S ft = Norm(tangential);
    const S bound = env.friction * Max(fn, S(0));
    const auto slides = c.active & (ft > bound * S(kFrictionTolerance) + S(kFrictionSlack));
    if (Any(pulls | slides)) {
      again = true;
      c.active = c.active & !pulls;
      c.slip_gain = Select(slides, S(0), c.slip_gain);
      const S scale = bound / (ft + S(1e-9));
      c.drag = {Select(slides, tangential.x * scale, c.drag.x),
                Select(slides, tangential.y * scale, c.drag.y),
                Select(slides, tangential.z * scale, c.drag.z)};
    }
  }
  return again;
}

}  // namespace stride
