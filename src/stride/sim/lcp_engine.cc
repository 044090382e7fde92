#include "stride/sim/lcp_engine.h"

#include <algorithm>
#include <cmath>

namespace stride {
namespace {

// Solutions tried where the solver gives up (one step in a thousand of a fall), and by how much
// depths then differ (relative).
constexpr int kTries = 4;
constexpr double kTieBreak = 1e-7;

}  // namespace

LcpEngine::JointForce LcpEngine::JointForceOf(const Actor& actor, int body) const {
  const TreeBody<double>& b = actor.model.GetTree().bodies[body];
  JointForce out;
  if (b.kind == JointKind::kBall) {
    BallTorque(b, actor.art.joints[body], actor.drives[body], env_, &out.force, &out.inertia);
  } else if (b.kind == JointKind::kHinge) {
    HingeTorque(b, actor.art.joints[body], actor.drives[body], env_, &out.force.x, &out.inertia);
  }
  return out;
}

Vec3d LcpEngine::PointVelocity(int actor, int body, const Vec3d& position) const {
  const Articulation<double>& art = actors_[actor].art;
  const BodyMotion<double>& m = art.motion[body];
  return m.v + Cross(m.w, position - art.root->position - m.o);
}

Vec3d LcpEngine::PointDrift(int actor, int body, const Vec3d& position) const {
  const Articulation<double>& art = actors_[actor].art;
  const BodyMotion<double>& m = art.motion[body];
  const ArticulatedBody<double>& ab = art.articulated[body];
  const Vec3d arm = position - art.root->position - m.o;
  return (ab.linear + Cross(ab.alpha, arm) + Cross(m.w, Cross(m.w, arm))) * env_.h;
}

void LcpEngine::AddGroundTouches(int actor) {
  const Articulation<double>& art = actors_[actor].art;
  for (int k = 0; k < art.contact_count; ++k) {
    const PointContact<double>& c = art.contacts[k];
    touches_.push_back({.actor = actor,
                        .body = c.body,
                        .position = c.position,
                        .normal = c.normal,
                        .depth = c.depth,
                        .drift = PointDrift(actor, c.body, c.position),
                        .along = c.slip});
  }
}

void LcpEngine::AddActorTouch(int actor, int body, int other_actor, int other_body,
                              const Vec3d& position, const Vec3d& normal, double depth) {
  const Vec3d relative =
      PointVelocity(actor, body, position) - PointVelocity(other_actor, other_body, position);
  touches_.push_back(
      {.actor = actor,
       .body = body,
       .other_actor = other_actor,
       .other_body = other_body,
       .position = position,
       .normal = normal,
       .depth = depth,
       .drift = PointDrift(actor, body, position) - PointDrift(other_actor, other_body, position),
       .along = relative - normal * Dot(normal, relative)});
}

void LcpEngine::Tangents(const Touch& touch, Vec3d* first, Vec3d* second) {
  const double slip = Norm(touch.along);
  const Vec3d& n = touch.normal;
  // Any direction will do for what does not slip.
  const Vec3d other = std::fabs(n.x) < 0.7 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
  *first = slip > 1e-9 ? touch.along * (1 / slip) : Normalized(Cross(n, other));
  *second = Cross(n, *first);
}

// Where friction leaves the cone, or a contact slides with less than it could have, friction gets
// its direction and, as its bound, what the normal force of this solution allows. True if another
// solution is needed.
bool LcpEngine::Revise(bool only_lower) {
  bool again = false;
  for (Touch& touch : touches_) {
    const double normal = Dot(touch.normal, touch.force);
    const Vec3d friction = touch.force - touch.normal * normal;
    const Vec3d slip =
        touch.slip + touch.drift - touch.normal * Dot(touch.normal, touch.slip + touch.drift);
    const double size = Norm(friction), bound = env_.friction * std::max(normal, 0.0);
    const bool beyond = size > bound * kFrictionTolerance + kFrictionSlack;
    const bool slides = env_.stick * Norm(slip) > size * kFrictionTolerance + kFrictionSlack;
    const bool too_little = slides && size * kFrictionTolerance + kFrictionSlack < bound;
    if (!beyond && (!too_little || only_lower)) continue;
    touch.along = slides ? slip : friction;
    touch.bound = bound;
    touch.slides = true;
    again = true;
  }
  return again;
}

void LcpEngine::SolveWithoutTies() {
  for (int tries = 0; tries < kTries; ++tries) {
    Place();
    if (SolveTouches(tries * kTieBreak)) return;
  }
}

void LcpEngine::ReadContacts() {
  std::size_t k = 0;
  for (Actor& actor : actors_) {
    if (actor.failed) continue;
    for (int i = 0; i < actor.art.contact_count; ++i, ++k) {
      PointContact<double>& c = actor.art.contacts[i];
      c.force = touches_[k].force;
      c.active = Dot(c.normal, c.force) > 0;
    }
  }
  for (; k < touches_.size(); ++k) {
    const Touch& t = touches_[k];
    actors_[t.actor].touched = actors_[t.other_actor].touched = true;
    if (!(Dot(t.normal, t.force) > 0)) continue;
    contacts_.push_back(
        {t.actor, t.body, t.other_actor, t.other_body, t.position, t.normal, t.force, t.depth});
  }
}

void LcpEngine::Solve() {
  try {
    SolveAll();
  } catch (const Lost&) {
    for (Actor& actor : actors_) actor.failed = true;
    Reset();
  }
}

void LcpEngine::SolveAll() {
  touches_.clear();
  const int count = static_cast<int>(actors_.size());
  for (int k = 0; k < count; ++k) {
    Actor& actor = actors_[k];
    if (actor.failed) continue;
    FindGroundContacts(&actor);
    BodyBiases(actor.model.GetTree(), env_.gravity, actor.forces.data(),
               static_cast<int>(actor.forces.size()), &actor.art);
    AddGroundTouches(k);
  }
  if (count > 1 && world_.contacts) {
    Place();
    FindActorTouches();
  }
  for (int pass = 1;; ++pass) {
    SolveWithoutTies();
    // Raising some bounds and lowering others may go on for ever; lowering alone comes to an end.
    const bool only_lower = pass >= env_.contact_passes;
    if (!Revise(only_lower) || pass >= 2 * env_.contact_passes) break;
  }
  for (int k = 0; k < count; ++k) {
    if (!actors_[k].failed) ReadAccelerations(k);
  }
  ReadContacts();
}

}  // namespace stride
