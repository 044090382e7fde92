#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <memory>
#include <mutex>
#include <type_traits>

#include <ode/ode.h>

#include "stride/character/rest_pose.h"
#include "stride/sim/lcp_engine.h"

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
constexpr int kTouchesPerPair = 8;  // of two shapes, at most

template <auto destroy>
struct Destroy {
  template <class T>
  void operator()(T* object) const {
    destroy(object);
  }
};
using WorldPointer = std::unique_ptr<std::remove_pointer_t<dWorldID>, Destroy<dWorldDestroy>>;
using SpacePointer = std::unique_ptr<std::remove_pointer_t<dSpaceID>, Destroy<dSpaceDestroy>>;
using ThreadingPointer = std::unique_ptr<std::remove_pointer_t<dThreadingImplementationID>,
                                         Destroy<dThreadingFreeImplementation>>;
using GroupPointer =
    std::unique_ptr<std::remove_pointer_t<dJointGroupID>, Destroy<dJointGroupDestroy>>;

void SetRotation(const Mat3d& r, dMatrix3 out) {
  const double rows[] = {r.xx, r.xy, r.xz, 0, r.yx, r.yy, r.yz, 0, r.zx, r.zy, r.zz, 0};
  std::copy(std::begin(rows), std::end(rows), out);
}
Vec3d ToVec(const dReal* a) { return {a[0], a[1], a[2]}; }
void FromVec(const Vec3d& a, dReal* out) { out[0] = a.x, out[1] = a.y, out[2] = a.z; }

// Set by ODE's messages, of which its solver's giving up is the only one that a step can cause.
thread_local bool lcp_gave_up = false;

class OdeEngine final : public LcpEngine {
 public:
  explicit OdeEngine(const World& world);
  ~OdeEngine() override { ClearParts(); }

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

  void BuildWorld();
  void ClearParts();
  void AddActor(const Character& character);
  void Place() override;
  void PlaceActor(int index);
  void FindActorTouches() override;
  bool SolveTouches(double tie_break) override;
  void AddContactJoints(double tie_break);
  Vec3d EndVelocity(int actor, int body, const Vec3d& position) const;
  void ReadAccelerations(int actor) override;
  void Reset() override;

  // A world's own: ODE's default is one for all worlds, without locks.
  ThreadingPointer threading_;
  WorldPointer ode_;
  GroupPointer contact_group_;
  std::vector<ActorParts> parts_;
  std::vector<dJointFeedback> feedback_;
};

OdeEngine::OdeEngine(const World& world) : LcpEngine(FindEngine("ode"), world) {
  static std::once_flag once;
  std::call_once(once, [] {
    dInitODE2(0);
    dSetMessageHandler([](int, const char*, va_list) { lcp_gave_up = true; });
    // Without it what ODE does not expect (a number that overflows) ends the process.
    dSetDebugHandler([](int, const char*, va_list) { throw Lost(); });
  });
  BuildWorld();
}

// ODE's shapes are made and destroyed with a common store of positions, without locks.
std::mutex shapes_mutex;

void OdeEngine::ClearParts() {
  const std::lock_guard lock(shapes_mutex);
  parts_.clear();
}

// ODE was left in the middle of a step, with jobs open: its world cannot be destroyed, and is given
// up.
void OdeEngine::Reset() {
  static_cast<void>(ode_.release());
  static_cast<void>(threading_.release());
  BuildWorld();
}

void OdeEngine::BuildWorld() {
  ClearParts();
  contact_group_.reset();
  ode_.reset(dWorldCreate());
  threading_.reset(dThreadingAllocateSelfThreadedImplementation());
  dWorldSetStepThreadingImplementation(
      ode_.get(), dThreadingImplementationGetFunctions(threading_.get()), threading_.get());
  dWorldSetCFM(ode_.get(), 0);  // joints are rigid; what gives way says so itself
  contact_group_.reset(dJointGroupCreate(0));
  const std::lock_guard lock(shapes_mutex);
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

// A joint's force as ODE's soft constraint v_end + cfm torque = target (LcpEngine::JointForce).
// Returns what cannot be one, for want of inertia: a torque in child axes.
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
void OdeEngine::PlaceActor(int index) {
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
    const JointForce drive = JointForceOf(actor, static_cast<int>(i));
    const Part& part = parts_[index].parts[i];
    const Vec3d rest = SetMotor(drive.force, drive.inertia, actor.art.joints[i].w, env_.h,
                                DofCount(body.kind), part.motor);
    const Mat3d& r = actor.art.motion[i].r;
    const Vec3d torque =
        body.kind == JointKind::kBall ? r * rest : HingeAxisInWorld(body, r) * rest.x;
    dBodyAddTorque(part.body, torque.x, torque.y, torque.z);
    if (body.parent < 0) continue;
    dBodyAddTorque(parts_[index].parts[body.parent].body, -torque.x, -torque.y, -torque.z);
  }
}

void OdeEngine::Place() {
  for (std::size_t k = 0; k < actors_.size(); ++k) {
    for (const Part& part : parts_[k].parts) {
      (actors_[k].failed ? dBodyDisable : dBodyEnable)(part.body);
    }
    if (!actors_[k].failed) PlaceActor(static_cast<int>(k));
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
      engine.AddActorTouch(a.actor, a.index, b.actor, b.index, ToVec(found[k].pos),
                           ToVec(found[k].normal), found[k].depth);
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
    surface.mu = touch.slides ? touch.bound * kAlong : env_.friction;
    surface.mu2 = touch.slides ? touch.bound * kAcross : env_.friction;
    surface.soft_erp = env_.h * env_.stiffness / rate;
    surface.soft_cfm = 1 / rate;
    surface.slip1 = surface.slip2 = 1 / env_.stick;
    Vec3d first, second;
    Tangents(touch, &first, &second);
    surface.motionN = -Dot(touch.normal, touch.drift);
    surface.motion1 = -Dot(first, touch.drift);
    surface.motion2 = -Dot(second, touch.drift);
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

bool OdeEngine::SolveTouches(double tie_break) {
  AddContactJoints(tie_break);
  lcp_gave_up = false;
  dWorldStep(ode_.get(), env_.h);
  for (std::size_t k = 0; k < touches_.size(); ++k) {
    Touch& touch = touches_[k];
    touch.force = ToVec(feedback_[k].f1);
    touch.slip = EndVelocity(touch.actor, touch.body, touch.position);
    if (touch.other_actor >= 0) {
      touch.slip -= EndVelocity(touch.other_actor, touch.other_body, touch.position);
    }
  }
  return !lcp_gave_up;
}

void OdeEngine::ReadAccelerations(int actor) {
  const Tree<double>& tree = actors_[actor].model.GetTree();
  Articulation<double>& art = actors_[actor].art;
  const std::vector<Part>& parts = parts_[actor].parts;
  const double rate = 1 / env_.h;
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const TreeBody<double>& body = tree.bodies[i];
    const BodyMotion<double>& m = art.motion[i];
    ArticulatedBody<double>& ab = art.articulated[i];
    const Vec3d w = ToVec(dBodyGetAngularVel(parts[i].body));
    if (body.kind == JointKind::kFree) {
      const Vec3d v = ToVec(dBodyGetLinearVel(parts[i].body));
      ab.alpha = (w - m.w) * rate;
      ab.linear = (v - Cross(w, m.r * parts[i].com) - m.v) * rate;
      continue;
    }
    const Vec3d parent_w =
        body.parent < 0 ? Vec3d{} : ToVec(dBodyGetAngularVel(parts[body.parent].body));
    const Vec3d acceleration = (w - parent_w - m.relative) * rate;
    if (body.kind == JointKind::kBall) {
      ab.pn = acceleration;
    } else {
      ab.u = Dot(HingeAxisInWorld(body, m.r), acceleration);
    }
  }
}

}  // namespace

EngineInfo Describe() {
  return {"ode",
          "Open Dynamics Engine 0.16: bodies held together by constraints, one LCP a step",
          {Feature::kSeveralActors, Feature::kActorContact, Feature::kHeightField, Feature::kSteps},
          {"a body does not collide with other bodies of its own character",
           "characters touch the ground with their contact points only",
           "numbers that overflow are every actor's failure, not only the culprit's",
           "actors that touch are one problem: a heap of six humans runs slower than real time"}};
}

std::unique_ptr<Engine> Make(const World& world) { return std::make_unique<OdeEngine>(world); }

}  // namespace stride::ode_engine
