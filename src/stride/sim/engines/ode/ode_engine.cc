#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <type_traits>

#include <ode/ode.h>

#include "stride/character/rest_pose.h"
#include "stride/sim/model_engine.h"

// The Open Dynamics Engine: every body on its own, held together by constraints. One linear
// complementarity problem a step (Dantzig's method, exact) finds the forces of joints, servos,
// limits and contacts together.
//
// Our coordinates stay the truth. Before a step the bodies are placed from them, so that joints are
// never apart and a restored run repeats bit for bit. ODE asks of the velocity at the end of the
// step that it satisfies the joints where they are at its beginning, which leaves out that the
// joints turn meanwhile. So each body gets, with gravity and gyroscopic terms, the force against
// its acceleration at v' = 0 (BodyBiases()): what is left for ODE is the part that v' makes, for
// which that condition is exact, and its velocities are those of v + h v'.
namespace stride::ode_engine {
namespace {

// ODE has no bodies without mass: a link of a chain of hinges gets this share of the mass and
// inertia that hang on it.
constexpr double kLinkShare = 1e-5;
// Room between friction's two bounds, across and along its direction, once it slides: its size is
// then right to 0.5 %.
constexpr double kAcross = 0.1;
constexpr int kTouchesPerPair = 8;  // of two shapes, at most
// Solutions tried where ODE's solver gives up, and by how much depths then differ (relative).
constexpr int kTries = 4;
constexpr double kTieBreak = 1e-7;

template <auto destroy>
struct Destroy {
  template <class T>
  void operator()(T* object) const {
    destroy(object);
  }
};
using WorldPointer = std::unique_ptr<std::remove_pointer_t<dWorldID>, Destroy<dWorldDestroy>>;
using SpacePointer = std::unique_ptr<std::remove_pointer_t<dSpaceID>, Destroy<dSpaceDestroy>>;
using GroupPointer =
    std::unique_ptr<std::remove_pointer_t<dJointGroupID>, Destroy<dJointGroupDestroy>>;

// Set by ODE's messages, of which its solver's giving up is the only one that a step can cause.
thread_local bool lcp_gave_up = false;

void InitLibrary() {
  static std::once_flag once;
  std::call_once(once, [] {
    dInitODE2(0);
    dSetMessageHandler([](int, const char*, va_list) { lcp_gave_up = true; });
    // Without it what ODE does not expect (a number that overflows) ends the process.
    dSetDebugHandler([](int, const char* message, va_list) { throw std::runtime_error(message); });
  });
}

void SetRotation(const Mat3d& r, dMatrix3 out) {
  const double rows[] = {r.xx, r.xy, r.xz, 0, r.yx, r.yy, r.yz, 0, r.zx, r.zy, r.zz, 0};
  std::copy(std::begin(rows), std::end(rows), out);
}
Vec3d ToVec(const dReal* a) { return {a[0], a[1], a[2]}; }
void FromVec(const Vec3d& a, dReal* out) { out[0] = a.x, out[1] = a.y, out[2] = a.z; }

class OdeEngine final : public ModelEngine {
 public:
  explicit OdeEngine(const World& world);

 private:
  // One of our bodies as ODE sees it: its frame is at the centre of mass.
  struct Part {
    dBodyID body;
    dJointID motor = nullptr;  // of its joint; free: none
    Vec3d com;                 // body frame
    int actor, index;          // which it is
  };
  struct ActorParts {
    std::vector<Part> parts;
    SpacePointer space;
  };
  // A touch of two bodies, or of a body and the ground.
  struct Touch {
    int actor, body, other_actor, other_body;  // -1: the ground
    Vec3d position, normal;
    double depth;
    Vec3d drift;         // velocity that the bodies' biases add there
    bool slides;         // friction at `bound` along `along`; else as ODE finds it
    Vec3d along, force;  // force: result, on the first body
    double bound;
  };

  void BuildWorld();
  void AddActor(const Character& character);
  void Solve() override;
  void SolveAll();
  void StepBodies();
  void FindActorTouches();
  void AddGroundTouches(int index);
  Vec3d PointVelocity(int actor, int body, const Vec3d& position) const;
  Vec3d PointDrift(int actor, int body, const Vec3d& position) const;
  Vec3d EndVelocity(int actor, int body, const Vec3d& position) const;
  void Place(int index);
  void PlaceAll();
  void AddContactJoints(double tie_break);
  bool Revise(bool only_lower);
  void ReadAccelerations(Actor* actor, const ActorParts& parts);
  void ReadContacts();

  WorldPointer ode_;
  GroupPointer contact_group_;
  std::vector<ActorParts> parts_;
  std::vector<Touch> touches_;
  std::vector<dJointFeedback> feedback_;
};

OdeEngine::OdeEngine(const World& world) : ModelEngine(FindEngine("ode"), world) {
  InitLibrary();
  BuildWorld();
}

void OdeEngine::BuildWorld() {
  parts_.clear();
  contact_group_.reset();
  ode_.reset(dWorldCreate());
  dWorldSetCFM(ode_.get(), 0);  // joints are rigid; what gives way says so itself
  contact_group_.reset(dJointGroupCreate(0));
  for (const Character& character : world_.actors) AddActor(character);
}

// Mass and inertia of a body; for a link without mass a share of what hangs on it.
void SetMass(const Character& character, int index, dBodyID body) {
  int from = index;
  while (character.bodies[from].mass <= 0) ++from;  // in a chain the next body hangs on this one
  const Body& b = character.bodies[from];
  const double share = from == index ? 1 : kLinkShare;
  const Sym3d inertia = from == index ? b.inertia : b.inertia + PointInertia(b.com) * b.mass;
  dMass mass;
  dMassSetParameters(&mass, b.mass * share, 0, 0, 0, inertia.xx * share, inertia.yy * share,
                     inertia.zz * share, inertia.xy * share, inertia.xz * share,
                     inertia.yz * share);
  dBodySetMass(body, &mass);
}

dGeomID MakeGeom(const Shape& shape, const Vec3d& com, dBodyID body, dSpaceID space) {
  const Vec3d& size = shape.size;
  dGeomID geom = nullptr;
  switch (shape.kind) {
    case ShapeKind::kSphere: geom = dCreateSphere(space, size.x); break;
    case ShapeKind::kCapsule: geom = dCreateCapsule(space, size.x, 2 * size.y); break;
    case ShapeKind::kBox: geom = dCreateBox(space, 2 * size.x, 2 * size.y, 2 * size.z); break;
  }
  dGeomSetBody(geom, body);
  const Vec3d offset = shape.center - com;
  dGeomSetOffsetPosition(geom, offset.x, offset.y, offset.z);
  const dQuaternion turn = {shape.rotation.w, shape.rotation.x, shape.rotation.y, shape.rotation.z};
  dGeomSetOffsetQuaternion(geom, turn);
  return geom;
}

void OdeEngine::AddActor(const Character& character) {
  ActorParts actor;
  actor.space.reset(dSimpleSpaceCreate(nullptr));
  const BodyFrames frames = FramesAt(character, ZeroState(character).q);
  for (int i = 0; i < character.BodyCount(); ++i) {
    const Body& b = character.bodies[i];
    Part part{.body = dBodyCreate(ode_.get()),
              .com = b.com,
              .actor = static_cast<int>(parts_.size()),
              .index = i};
    SetMass(character, i, part.body);
    dBodySetGyroscopicMode(part.body, 0);  // part of BodyBiases()
    // In the zero pose all axes are the world's.
    const Vec3d origin = frames.position[i], com = origin + b.com;
    dBodySetPosition(part.body, com.x, com.y, com.z);
    // ODE measures a joint's motion as that of the first body against the second.
    const dBodyID parent = b.parent < 0 ? nullptr : actor.parts[b.parent].body;
    if (b.joint.kind == JointKind::kBall) {
      const dJointID joint = dJointCreateBall(ode_.get(), nullptr);
      dJointAttach(joint, part.body, parent);
      dJointSetBallAnchor(joint, origin.x, origin.y, origin.z);
    } else if (b.joint.kind == JointKind::kHinge) {
      const dJointID joint = dJointCreateHinge(ode_.get(), nullptr);
      dJointAttach(joint, part.body, parent);
      dJointSetHingeAnchor(joint, origin.x, origin.y, origin.z);
      dJointSetHingeAxis(joint, b.joint.axis.x, b.joint.axis.y, b.joint.axis.z);
    }
    if (b.joint.kind != JointKind::kFree) {
      part.motor = dJointCreateAMotor(ode_.get(), nullptr);
      dJointAttach(part.motor, part.body, parent);
      const bool ball = b.joint.kind == JointKind::kBall;
      const Vec3d axes[3] = {ball ? Vec3d{1, 0, 0} : b.joint.axis, {0, 1, 0}, {0, 0, 1}};
      dJointSetAMotorNumAxes(part.motor, DofCount(b.joint.kind));
      for (int k = 0; k < DofCount(b.joint.kind); ++k) {
        dJointSetAMotorAxis(part.motor, k, 1, axes[k].x, axes[k].y, axes[k].z);
      }
    }
    for (const Shape& shape : b.shapes) {
      if (shape.collides) MakeGeom(shape, b.com, part.body, actor.space.get());
    }
    actor.parts.push_back(part);
  }
  parts_.push_back(std::move(actor));
  for (Part& part : parts_.back().parts) dBodySetData(part.body, &part);
}

// Servo, passive parts, limit and armature of a joint: torque = force - inertia v'. As a soft
// constraint of ODE, J v_end + cfm torque = target, that is cfm = h / inertia and
// target = v + cfm force. Returns what cannot be one, for want of inertia: a torque in child axes.
Vec3d SetMotor(const Vec3d& force, double inertia, const Vec3d& v, double h, int axes,
               dJointID motor) {
  const double cfm = inertia > 0 ? h / inertia : 0;
  const Vec3d target = v + force * cfm;
  const double targets[3] = {target.x, target.y, target.z};
  for (int k = 0; k < axes; ++k) {
    const int group = k * dParamGroup;
    dJointSetAMotorParam(motor, dParamFMax + group, inertia > 0 ? dInfinity : 0);
    dJointSetAMotorParam(motor, dParamCFM + group, cfm);
    dJointSetAMotorParam(motor, dParamVel + group, targets[k]);
  }
  return inertia > 0 ? Vec3d{} : force;
}

// Puts an actor's bodies where they are at the beginning of the step, with all that acts on them.
void OdeEngine::Place(int index) {
  Actor& actor = actors_[index];
  const Tree<double>& tree = actor.model.GetTree();
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const Part& part = parts_[index].parts[i];
    const BodyMotion<double>& m = actor.art.motion[i];
    const ArticulatedBody<double>& ab = actor.art.articulated[i];
    const Vec3d arm = m.r * part.com;
    const Vec3d position = actor.art.root->position + m.o + arm;
    const Vec3d velocity = m.v + Cross(m.w, arm);
    dMatrix3 rotation;
    SetRotation(m.r, rotation);
    dBodySetPosition(part.body, position.x, position.y, position.z);
    dBodySetRotation(part.body, rotation);
    dBodySetLinearVel(part.body, velocity.x, velocity.y, velocity.z);
    dBodySetAngularVel(part.body, m.w.x, m.w.y, m.w.z);
    const Vec3d force = -ab.pf, moment = -ab.pn - Cross(arm, force);
    dBodySetForce(part.body, force.x, force.y, force.z);
    dBodySetTorque(part.body, moment.x, moment.y, moment.z);
  }
  // After all bodies are placed: a torque acts on the parent too.
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const TreeBody<double>& body = tree.bodies[i];
    if (body.kind == JointKind::kFree) continue;
    const JointState<double>& joint = actor.art.joints[i];
    Vec3d force;
    double inertia = 0;
    if (body.kind == JointKind::kBall) {
      BallTorque(body, joint, actor.drives[i], env_, &force, &inertia);
    } else {
      HingeTorque(body, joint, actor.drives[i], env_, &force.x, &inertia);
    }
    const Part& part = parts_[index].parts[i];
    const Vec3d rest = SetMotor(force, inertia, joint.w, env_.h, DofCount(body.kind), part.motor);
    const Mat3d& r = actor.art.motion[i].r;
    const Vec3d torque =
        body.kind == JointKind::kBall ? r * rest : HingeAxisInWorld(body, r) * rest.x;
    dBodyAddTorque(part.body, torque.x, torque.y, torque.z);
    if (body.parent < 0) continue;
    dBodyAddTorque(parts_[index].parts[body.parent].body, -torque.x, -torque.y, -torque.z);
  }
}

void OdeEngine::PlaceAll() {
  for (std::size_t k = 0; k < actors_.size(); ++k) {
    if (!actors_[k].failed) Place(static_cast<int>(k));
  }
}

Vec3d OdeEngine::PointVelocity(int actor, int body, const Vec3d& position) const {
  const Articulation<double>& art = actors_[actor].art;
  const BodyMotion<double>& m = art.motion[body];
  return m.v + Cross(m.w, position - art.root->position - m.o);
}

// What a point's velocity gains in a step when v' = 0, which ODE does not see.
Vec3d OdeEngine::PointDrift(int actor, int body, const Vec3d& position) const {
  const Articulation<double>& art = actors_[actor].art;
  const BodyMotion<double>& m = art.motion[body];
  const ArticulatedBody<double>& ab = art.articulated[body];
  const Vec3d arm = position - art.root->position - m.o;
  return (ab.linear + Cross(ab.alpha, arm) + Cross(m.w, Cross(m.w, arm))) * env_.h;
}

void OdeEngine::AddGroundTouches(int index) {
  const Articulation<double>& art = actors_[index].art;
  for (int k = 0; k < art.contact_count; ++k) {
    const PointContact<double>& c = art.contacts[k];
    touches_.push_back({.actor = index,
                        .body = c.body,
                        .other_actor = -1,
                        .other_body = -1,
                        .position = c.position,
                        .normal = c.normal,
                        .depth = c.depth,
                        .drift = PointDrift(index, c.body, c.position),
                        .along = c.slip});
  }
}

void OdeEngine::FindActorTouches() {
  // ODE keeps scratch memory a thread for its collisions.
  dAllocateODEDataForThread(dAllocateMaskAll);
  const auto collide = [](void* self, dGeomID first, dGeomID second) {
    OdeEngine& engine = *static_cast<OdeEngine*>(self);
    const Part& a = *static_cast<const Part*>(dBodyGetData(dGeomGetBody(first)));
    const Part& b = *static_cast<const Part*>(dBodyGetData(dGeomGetBody(second)));
    dContactGeom found[kTouchesPerPair];
    const int count = dCollide(first, second, kTouchesPerPair, found, sizeof(dContactGeom));
    for (int k = 0; k < count; ++k) {
      const Vec3d position = ToVec(found[k].pos), normal = ToVec(found[k].normal);
      const Vec3d relative = engine.PointVelocity(a.actor, a.index, position) -
                             engine.PointVelocity(b.actor, b.index, position);
      engine.touches_.push_back({.actor = a.actor,
                                 .body = a.index,
                                 .other_actor = b.actor,
                                 .other_body = b.index,
                                 .position = position,
                                 .normal = normal,
                                 .depth = found[k].depth,
                                 .drift = engine.PointDrift(a.actor, a.index, position) -
                                          engine.PointDrift(b.actor, b.index, position),
                                 .along = relative - normal * Dot(normal, relative)});
    }
  };
  for (std::size_t p = 0; p < actors_.size(); ++p) {
    for (std::size_t q = p + 1; q < actors_.size(); ++q) {
      if (actors_[p].failed || actors_[q].failed) continue;
      dSpaceCollide2(reinterpret_cast<dGeomID>(parts_[p].space.get()),
                     reinterpret_cast<dGeomID>(parts_[q].space.get()), this, collide);
    }
  }
}

// The compliant contact of ContactModel: spring and damper as ODE's ERP and CFM, viscous friction
// below the bound as its slip.
void OdeEngine::AddContactJoints(double tie_break) {
  dJointGroupEmpty(contact_group_.get());
  feedback_.resize(touches_.size());
  const double rate = env_.damping + env_.h * env_.stiffness;
  for (std::size_t k = 0; k < touches_.size(); ++k) {
    const Touch& touch = touches_[k];
    dContact contact = {};
    dSurfaceParameters& surface = contact.surface;
    surface.mode = dContactMu2 | dContactFDir1 | dContactSoftERP | dContactSoftCFM |
                   dContactMotion1 | dContactMotion2 | dContactMotionN | dContactSlip1 |
                   dContactSlip2 | (touch.slides ? dContactApprox0 : dContactApprox1);
    surface.mu = touch.slides ? touch.bound : env_.friction;
    surface.mu2 = touch.slides ? touch.bound * kAcross : env_.friction;
    surface.soft_erp = env_.h * env_.stiffness / rate;
    surface.soft_cfm = 1 / rate;
    surface.slip1 = surface.slip2 = 1 / env_.stick;
    // Any direction will do for what does not slip.
    const double slip = Norm(touch.along);
    const Vec3d other = std::fabs(touch.normal.x) < 0.7 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
    const Vec3d first =
        slip > 1e-9 ? touch.along * (1 / slip) : Normalized(Cross(touch.normal, other));
    surface.motionN = -Dot(touch.normal, touch.drift);
    surface.motion1 = -Dot(first, touch.drift);
    surface.motion2 = -Dot(Cross(touch.normal, first), touch.drift);
    FromVec(first, contact.fdir1);
    FromVec(touch.position, contact.geom.pos);
    FromVec(touch.normal, contact.geom.normal);
    contact.geom.depth = touch.depth * (1 + tie_break * k);
    const dJointID joint = dJointCreateContact(ode_.get(), contact_group_.get(), &contact);
    dJointAttach(
        joint, parts_[touch.actor].parts[touch.body].body,
        touch.other_actor < 0 ? nullptr : parts_[touch.other_actor].parts[touch.other_body].body);
    dJointSetFeedback(joint, &feedback_[k]);
  }
}

// Velocity at the end of the step, of a point that was at `position` at its beginning.
Vec3d OdeEngine::EndVelocity(int actor, int body, const Vec3d& position) const {
  const Articulation<double>& art = actors_[actor].art;
  const BodyMotion<double>& m = art.motion[body];
  const Part& part = parts_[actor].parts[body];
  return ToVec(dBodyGetLinearVel(part.body)) +
         Cross(ToVec(dBodyGetAngularVel(part.body)),
               position - art.root->position - m.o - m.r * part.com);
}

// ODE bounds friction by a pyramid and by the normal force there is without friction. Where the
// result leaves the cone, or a contact slides with less than it could have, friction gets its
// direction and, as its bound, what the normal force of this solution allows. True if another
// solution is needed.
bool OdeEngine::Revise(bool only_lower) {
  bool again = false;
  for (std::size_t k = 0; k < touches_.size(); ++k) {
    Touch& touch = touches_[k];
    touch.force = ToVec(feedback_[k].f1);
    const double normal = Dot(touch.normal, touch.force);
    const Vec3d friction = touch.force - touch.normal * normal;
    Vec3d velocity = touch.drift + EndVelocity(touch.actor, touch.body, touch.position);
    if (touch.other_actor >= 0) {
      velocity -= EndVelocity(touch.other_actor, touch.other_body, touch.position);
    }
    const Vec3d slip = velocity - touch.normal * Dot(touch.normal, velocity);
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

void OdeEngine::ReadAccelerations(Actor* actor, const ActorParts& parts) {
  const Tree<double>& tree = actor->model.GetTree();
  Articulation<double>& art = actor->art;
  const double rate = 1 / env_.h;
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const TreeBody<double>& body = tree.bodies[i];
    const BodyMotion<double>& m = art.motion[i];
    ArticulatedBody<double>& ab = art.articulated[i];
    const Vec3d w = ToVec(dBodyGetAngularVel(parts.parts[i].body));
    if (body.kind == JointKind::kFree) {
      const Vec3d v = ToVec(dBodyGetLinearVel(parts.parts[i].body));
      ab.alpha = (w - m.w) * rate;
      ab.linear = (v - Cross(w, m.r * parts.parts[i].com) - m.v) * rate;
      continue;
    }
    const Vec3d parent_w =
        body.parent < 0 ? Vec3d{} : ToVec(dBodyGetAngularVel(parts.parts[body.parent].body));
    const Vec3d acceleration = (w - parent_w - m.relative) * rate;
    if (body.kind == JointKind::kBall) {
      ab.pn = acceleration;
    } else {
      ab.u = Dot(HingeAxisInWorld(body, m.r), acceleration);
    }
  }
}

void OdeEngine::ReadContacts() {
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

// One solution. In a tie between contacts Dantzig's method may give up and leave the rest without
// force (one step in a thousand of a fall): depths that differ a little break the tie.
void OdeEngine::StepBodies() {
  for (int tries = 0; tries < kTries; ++tries) {
    PlaceAll();
    AddContactJoints(tries * kTieBreak);
    lcp_gave_up = false;
    dWorldStep(ode_.get(), env_.h);
    if (!lcp_gave_up) return;
  }
}

void OdeEngine::Solve() {
  try {
    SolveAll();
  } catch (const std::runtime_error&) {
    // ODE does not say on whose account, and was left in the middle of a step.
    for (Actor& actor : actors_) actor.failed = true;
    BuildWorld();
  }
}

void OdeEngine::SolveAll() {
  touches_.clear();
  for (std::size_t k = 0; k < actors_.size(); ++k) {
    Actor& actor = actors_[k];
    for (const Part& part : parts_[k].parts) {
      (actor.failed ? dBodyDisable : dBodyEnable)(part.body);
    }
    if (actor.failed) continue;
    FindGroundContacts(&actor);
    BodyBiases(actor.model.GetTree(), env_.gravity, actor.forces.data(),
               static_cast<int>(actor.forces.size()), &actor.art);
    AddGroundTouches(static_cast<int>(k));
  }
  if (actors_.size() > 1 && world_.contacts) {
    PlaceAll();
    FindActorTouches();
  }
  for (int pass = 1;; ++pass) {
    StepBodies();
    // Raising some bounds and lowering others may go on for ever; lowering alone comes to an end.
    const bool only_lower = pass >= env_.contact_passes;
    if (!Revise(only_lower) || pass >= 2 * env_.contact_passes) break;
  }
  for (std::size_t k = 0; k < actors_.size(); ++k) {
    if (!actors_[k].failed) ReadAccelerations(&actors_[k], parts_[k]);
  }
  ReadContacts();
}

}  // namespace

EngineInfo Describe() {
  return {"ode",
          "Open Dynamics Engine 0.16: bodies held together by constraints, one LCP a step",
          {Feature::kSeveralActors, Feature::kActorContact, Feature::kHeightField, Feature::kSteps},
          {"a body does not collide with other bodies of its own character",
           "characters touch the ground with their contact points only",
           "an engine error (numbers that overflow) is every actor's, not only the culprit's"}};
}

std::unique_ptr<Engine> Make(const World& world) { return std::make_unique<OdeEngine>(world); }

}  // namespace stride::ode_engine
