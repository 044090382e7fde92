#include "stride/sim/engines/native/rigid_ground.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace stride::native_engine {
namespace {

// What a contact adds to the inertia of its body, from which on the ground is rigid: 6 kg with the
// usual contact, 500 kg with that of engines of hard contact.
constexpr double kRigidMass = 50;  // kg
// Solutions of a step at most, times contact.passes: loads and friction settle together.
constexpr int kMorePasses = 4;

// As ReviseContacts, both ways. True if another solution is needed.
bool Revise(const Environment<double>& env, Articulation<double>* art) {
  bool again = false;
  for (int k = 0; k < art->contact_count; ++k) {
    PointContact<double>& c = art->contacts[k];
    UpdateContactForce(env, *art, &c);
    if (!c.active) continue;
    const double load = Dot(c.normal, c.force);
    if (load < 0) {
      c.active = false;
      again = true;
      continue;
    }
    const Vec3d friction = c.force - c.normal * load;
    const double size = Norm(friction), bound = env.friction * load;
    if (size > bound * kFrictionTolerance + kFrictionSlack) {
      c.slip_gain = 0;
      c.drag = friction * (bound / size);
      again = true;
      continue;
    }
    if (c.slip_gain == env.stick) continue;
    const ArticulatedBody<double>& body = art->articulated[c.body];
    const Vec3d change = (body.linear + Cross(body.alpha, c.arm) + c.centripetal) * env.h;
    const Vec3d slip = c.slip + change - c.normal * Dot(c.normal, change);  // in the end
    const bool too_little = size * kFrictionTolerance + kFrictionSlack < bound;
    if (c.slip_gain == 0 && Dot(slip, c.drag) > 0) {
      c.slip_gain = env.stick;
      c.drag = {};
    } else if (too_little && c.slip_gain > 0) {
      c.slip_gain = std::min(env.stick, c.slip_gain * bound / std::max(size, 1e-9));
    } else if (too_little) {
      c.drag = slip * (-bound / std::max(Norm(slip), 1e-9));
    } else {
      continue;
    }
    again = true;
  }
  return again;
}

}  // namespace

bool IsRigid(const Environment<double>& env) {
  return env.h * (env.damping + env.h * env.stiffness) > kRigidMass;
}

void SolveOnRigidGround(const Tree<double>& tree, const Environment<double>& env,
                        const JointDrive<double>* drives,
                        const std::vector<BodyForce<double>>& forces, Articulation<double>* art) {
  for (ArticulatedBody<double>& body : std::span(art->articulated, tree.bodies.size())) {
    body.loaded = false;
  }
  for (int k = 0; k < art->contact_count; ++k) {
    for (int i = art->contacts[k].body; i >= 0; i = tree.bodies[i].parent) {
      art->articulated[i].loaded = true;
    }
  }
  const int count = static_cast<int>(forces.size()), most = kMorePasses * env.contact_passes;
  for (int pass = 1;; ++pass) {
    Eliminate(tree, env, drives, forces.data(), count, pass > 1, art);
    Accelerate(tree, true, art);
    if (!Revise(env, art) || pass >= most) break;
  }
  Accelerate(tree, false, art);
}

}  // namespace stride::native_engine
