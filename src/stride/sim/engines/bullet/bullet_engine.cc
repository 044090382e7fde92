#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include <BulletCollision/BroadphaseCollision/btCollisionAlgorithm.h>
#include <BulletCollision/CollisionDispatch/btCollisionDispatcher.h>
#include <BulletCollision/CollisionDispatch/btCollisionObjectWrapper.h>
#include <BulletCollision/CollisionDispatch/btDefaultCollisionConfiguration.h>
#include <BulletCollision/CollisionDispatch/btManifoldResult.h>
#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btCapsuleShape.h>
#include <BulletCollision/CollisionShapes/btSphereShape.h>
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <Eigen/Eigenvalues>

#include "stride/math/rotation.h"
#include "stride/sim/lcp_engine.h"

// Bullet: its articulated bodies (btMultiBody), its collision of shapes, its LCP solver. A step
// takes the velocities that the actors would have without servos and contacts, the response of each
// actor to a unit impulse along every servo and contact, both from btMultiBody, and finds the
// impulses with btDantzigSolver. Bullet's own motors and contacts are not used: its motors have no
// compliance, and its iterations do not converge on stiff servos; nothing is kept from one step to
// the next.
namespace stride::bullet_engine {
namespace {

static_assert(sizeof(btScalar) == sizeof(double), "needs Bullet in double precision");

// Bullet rounds boxes by this where other shapes than boxes meet them, m.
constexpr double kMargin = 0.001;

btVector3 ToBt(const Vec3d& a) { return {a.x, a.y, a.z}; }
btQuaternion ToBt(const Quatd& q) { return {q.x, q.y, q.z, q.w}; }
Vec3d ToVec(const btVector3& a) { return {a.x(), a.y(), a.z()}; }

// Bullet knows diagonal inertias only: a link's axes are the principal ones of our body. This turns
// them into the body's axes.
Mat3d PrincipalAxes(const Sym3d& inertia) {
  const double off = std::fabs(inertia.xy) + std::fabs(inertia.xz) + std::fabs(inertia.yz);
  if (off == 0) return Mat3d::Identity();
  Eigen::Matrix3d m;
  m << inertia.xx, inertia.xy, inertia.xz, inertia.xy, inertia.yy, inertia.yz, inertia.xz,
      inertia.yz, inertia.zz;
  const Eigen::Matrix3d v = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(m).eigenvectors();
  const Vec3d x{v(0, 0), v(1, 0), v(2, 0)}, y{v(0, 1), v(1, 1), v(2, 1)};
  return Mat3d::FromColumns(x, y, Cross(x, y));
}

class BulletEngine final : public LcpEngine {
 public:
  explicit BulletEngine(const World& world);

 private:
  struct Part {
    int link;    // Bullet's, -1: its base
    Mat3d axes;  // link to body
    Vec3d com;   // body frame
  };
  struct PlacedShape {
    int body;
    Vec3d center;
    Quatd rotation;
    double reach;  // radius about its centre that holds it
    std::unique_ptr<btCollisionShape> shape;
    std::unique_ptr<btCollisionObject> object;
  };
  struct BulletActor {
    std::unique_ptr<btMultiBody> body;
    std::vector<Part> parts;
    std::vector<PlacedShape> shapes;
    bool free_root;
    Vec3d root_drift;  // Bullet's base moves with the centre of mass, ours with the joint
    std::vector<double> velocity;  // Bullet's coordinates; at the end of the step
  };
  // One scalar condition: the velocity J v_end + cfm impulse = target, low <= impulse <= high.
  struct Row {
    int actor, other_actor;  // -1: none
    int first, other_first;  // where its numbers begin in jacobians_ and responses_
    double target, cfm, low, high;
    int normal;  // friction: the row that bounds it, for a pyramid; else -1
  };

  BulletActor MakeActor(const Character& character) const;
  void Place() override;
  void PlaceActor(int index);
  void FindActorTouches() override;
  void Collide(int p, int q);
  bool SolveTouches(double tie_break) override;
  void ReadAccelerations(int actor) override;

  void AddServoRows(int index);
  void AddTouchRows(const Touch& touch, double tie_break);
  int AddSide(int actor);
  void FillPointJacobian(int actor, int body, const Vec3d& position, const Vec3d& direction,
                         double* jacobian);
  void PushRow(const Row& row);
  void FindGroups();
  bool SolveGroup(int group, double tie_break);
  bool SolveRows();
  double Velocity(const Row& row) const;

  int Size(int actor) const { return 6 + bullet_actors_[actor].body->getNumDofs(); }

  std::vector<BulletActor> bullet_actors_;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDantzigSolver solver_;
  std::vector<int> groups_;  // per actor
  std::vector<Row> rows_;    // of one group
  std::vector<double> jacobians_, responses_;
  btMatrixXu matrix_;
  btVectorXu right_, impulses_, low_, high_;
  btAlignedObjectArray<int> dependencies_;
  btAlignedObjectArray<btScalar> scratch_r_;
  btAlignedObjectArray<btVector3> scratch_v_;
  btAlignedObjectArray<btMatrix3x3> scratch_m_;
};

BulletEngine::BulletEngine(const World& world)
    : LcpEngine(FindEngine("bullet"), world), dispatcher_(&configuration_) {
  for (const Character& character : world_.actors) bullet_actors_.push_back(MakeActor(character));
}

std::unique_ptr<btCollisionShape> MakeShape(const Shape& shape) {
  const Vec3d& size = shape.size;
  switch (shape.kind) {
    case ShapeKind::kSphere: return std::make_unique<btSphereShape>(size.x);
    case ShapeKind::kCapsule: return std::make_unique<btCapsuleShapeZ>(size.x, 2 * size.y);
    case ShapeKind::kBox: break;
  }
  auto box = std::make_unique<btBoxShape>(ToBt(size));
  box->setMargin(kMargin);
  return box;
}

double Reach(const Shape& shape) {
  switch (shape.kind) {
    case ShapeKind::kSphere: return shape.size.x;
    case ShapeKind::kCapsule: return shape.size.x + shape.size.y;
    case ShapeKind::kBox: break;
  }
  return Norm(shape.size);
}

BulletEngine::BulletActor BulletEngine::MakeActor(const Character& character) const {
  BulletActor actor;
  const Body& root = character.bodies[0];
  actor.free_root = root.joint.kind == JointKind::kFree;
  const int first_link = actor.free_root ? 1 : 0;
  for (int i = 0; i < character.BodyCount(); ++i) {
    const Body& b = character.bodies[i];
    actor.parts.push_back({i - first_link, PrincipalAxes(b.inertia), b.com});
    for (const Shape& shape : b.shapes) {
      if (!shape.collides) continue;
      PlacedShape placed{.body = i,
                         .center = shape.center,
                         .rotation = shape.rotation,
                         .reach = Reach(shape),
                         .shape = MakeShape(shape),
                         .object = std::make_unique<btCollisionObject>()};
      placed.object->setCollisionShape(placed.shape.get());
      actor.shapes.push_back(std::move(placed));
    }
  }
  const auto moments = [&](int i) {
    const Sym3d& inertia = character.bodies[i].inertia;
    const Mat3d& p = actor.parts[i].axes;
    return btVector3(Dot(p.Col0(), inertia * p.Col0()), Dot(p.Col1(), inertia * p.Col1()),
                     Dot(p.Col2(), inertia * p.Col2()));
  };
  const int links = character.BodyCount() - first_link;
  actor.body = std::make_unique<btMultiBody>(links, actor.free_root ? root.mass : 0,
                                             actor.free_root ? moments(0) : btVector3(0, 0, 0),
                                             !actor.free_root, false);
  for (int i = first_link; i < character.BodyCount(); ++i) {
    const Body& b = character.bodies[i];
    const Part& part = actor.parts[i];
    const Part parent = b.parent < 0 ? Part{-1, Mat3d::Identity(), {}} : actor.parts[b.parent];
    const btQuaternion turn = ToBt(FromMat3(Transpose(part.axes) * parent.axes));
    const btVector3 to_joint =
        b.parent < 0 ? btVector3(0, 0, 0) : ToBt(TransposeMul(parent.axes, b.offset - parent.com));
    const btVector3 to_com = ToBt(TransposeMul(part.axes, b.com));
    if (b.joint.kind == JointKind::kBall) {
      actor.body->setupSpherical(part.link, b.mass, moments(i), parent.link, turn, to_joint,
                                 to_com);
    } else {
      actor.body->setupRevolute(part.link, b.mass, moments(i), parent.link, turn,
                                ToBt(TransposeMul(part.axes, b.joint.axis)), to_joint, to_com);
    }
  }
  actor.body->finalizeMultiDof();
  actor.body->setLinearDamping(0);
  actor.body->setAngularDamping(0);
  actor.body->setMaxCoordinateVelocity(1e30);
  if (!actor.free_root) actor.body->setBasePos(ToBt(root.offset));
  actor.velocity.resize(6 + actor.body->getNumDofs());
  return actor;
}

// An actor as it is, with all that acts on it but servos and contacts; then, in `velocity`, what
// becomes of its velocities.
void BulletEngine::PlaceActor(int index) {
  const Actor& actor = actors_[index];
  BulletActor& bullet = bullet_actors_[index];
  btMultiBody& body = *bullet.body;
  const Tree<double>& tree = actor.model.GetTree();
  const Articulation<double>& art = actor.art;
  body.clearForcesAndTorques();
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const BodyMotion<double>& m = art.motion[i];
    const JointState<double>& joint = art.joints[i];
    const Part& part = bullet.parts[i];
    const btVector3 weight(0, 0, -tree.bodies[i].mass * env_.gravity);
    if (part.link < 0) {
      const Vec3d arm = m.r * part.com;
      body.setBasePos(ToBt(art.root->position + arm));
      body.setWorldToBaseRot(ToBt(Conjugate(FromMat3(m.r * part.axes))));
      body.setBaseVel(ToBt(m.v + Cross(m.w, arm)));
      body.setBaseOmega(ToBt(m.w));
      body.addBaseForce(weight);
      bullet.root_drift = Cross(m.w, Cross(m.w, arm)) * env_.h;
      continue;
    }
    body.addLinkForce(part.link, weight);
    const JointForce drive = JointForceOf(actor, static_cast<int>(i));
    const Vec3d torque = drive.inertia > 0 ? Vec3d{} : drive.force;
    if (tree.bodies[i].kind == JointKind::kBall) {
      const Vec3d turn = TransposeMul(part.axes, Vec3d{joint.rot.x, joint.rot.y, joint.rot.z});
      const Vec3d w = TransposeMul(part.axes, joint.w), t = TransposeMul(part.axes, torque);
      const double q[4] = {turn.x, turn.y, turn.z, joint.rot.w};
      const double v[3] = {w.x, w.y, w.z}, force[3] = {t.x, t.y, t.z};
      body.setJointPosMultiDof(part.link, q);
      body.setJointVelMultiDof(part.link, v);
      body.addJointTorqueMultiDof(part.link, force);
    } else {
      body.setJointPos(part.link, joint.angle);
      body.setJointVel(part.link, joint.w.x);
      body.addJointTorque(part.link, torque.x);
    }
  }
  for (const BodyForce<double>& f : actor.forces) {
    const Part& part = bullet.parts[f.body];
    const Vec3d torque = f.torque + Cross(art.motion[f.body].r * (f.point - part.com), f.force);
    if (part.link < 0) {
      body.addBaseForce(ToBt(f.force));
      body.addBaseTorque(ToBt(torque));
    } else {
      body.addLinkForce(part.link, ToBt(f.force));
      body.addLinkTorque(part.link, ToBt(torque));
    }
  }
  body.computeAccelerationsArticulatedBodyAlgorithmMultiDof(env_.h, scratch_r_, scratch_v_,
                                                            scratch_m_, false, false, false);
  std::copy_n(body.getVelocityVector(), bullet.velocity.size(), bullet.velocity.begin());
}

void BulletEngine::Place() {
  for (std::size_t k = 0; k < actors_.size(); ++k) {
    if (!actors_[k].failed) PlaceActor(static_cast<int>(k));
  }
}

void BulletEngine::FindActorTouches() {
  for (std::size_t k = 0; k < actors_.size(); ++k) {
    const Articulation<double>& art = actors_[k].art;
    for (const PlacedShape& shape : bullet_actors_[k].shapes) {
      const BodyMotion<double>& m = art.motion[shape.body];
      const Quatd turn = FromMat3(m.r) * shape.rotation;
      shape.object->setWorldTransform(
          btTransform(ToBt(turn), ToBt(art.root->position + m.o + m.r * shape.center)));
    }
  }
  for (int p = 0; p < static_cast<int>(actors_.size()); ++p) {
    for (int q = p + 1; q < static_cast<int>(actors_.size()); ++q) {
      if (!actors_[p].failed && !actors_[q].failed) Collide(p, q);
    }
  }
}

// Takes the touches that Bullet finds as they come, in place of Bullet's memory of them.
class TouchTaker final : public btManifoldResult {
 public:
  using btManifoldResult::btManifoldResult;
  struct Found {
    Vec3d position, normal;  // normal: from the second object towards the first
    double depth;
  };
  std::vector<Found> found;

  // `on_second`: on the surface of the second object.
  void addContactPoint(const btVector3& normal, const btVector3& on_second,
                       btScalar distance) override {
    if (distance >= 0) return;
    // Where one of Bullet's algorithms changes the two objects' order, its manifold has them so.
    const bool swapped = m_manifoldPtr->getBody0() != m_body0Wrap->getCollisionObject();
    const double sign = swapped ? -1 : 1;
    found.push_back(
        {ToVec(on_second + normal * (0.5 * distance)), ToVec(normal) * sign, -distance});
  }
};

void BulletEngine::Collide(int p, int q) {
  for (const PlacedShape& a : bullet_actors_[p].shapes) {
    for (const PlacedShape& b : bullet_actors_[q].shapes) {
      const btVector3 apart =
          a.object->getWorldTransform().getOrigin() - b.object->getWorldTransform().getOrigin();
      if (apart.length() > a.reach + b.reach) continue;
      const btCollisionObjectWrapper first(nullptr, a.shape.get(), a.object.get(),
                                           a.object->getWorldTransform(), -1, -1);
      const btCollisionObjectWrapper second(nullptr, b.shape.get(), b.object.get(),
                                            b.object->getWorldTransform(), -1, -1);
      btCollisionAlgorithm* algorithm =
          dispatcher_.findAlgorithm(&first, &second, nullptr, BT_CONTACT_POINT_ALGORITHMS);
      TouchTaker taker(&first, &second);
      algorithm->processCollision(&first, &second, btDispatcherInfo(), &taker);
      algorithm->~btCollisionAlgorithm();
      dispatcher_.freeCollisionAlgorithm(algorithm);
      for (const TouchTaker::Found& touch : taker.found) {
        AddActorTouch(p, a.body, q, b.body, touch.position, touch.normal, touch.depth);
      }
    }
  }
}

int BulletEngine::AddSide(int actor) {
  const int first = static_cast<int>(jacobians_.size());
  jacobians_.resize(first + Size(actor), 0.0);
  responses_.resize(first + Size(actor), 0.0);
  return first;
}

void BulletEngine::PushRow(const Row& row) {
  for (const auto& [actor, first] :
       {std::pair{row.actor, row.first}, std::pair{row.other_actor, row.other_first}}) {
    if (actor < 0) continue;
    bullet_actors_[actor].body->calcAccelerationDeltasMultiDof(
        &jacobians_[first], &responses_[first], scratch_r_, scratch_v_);
  }
  rows_.push_back(row);
}

void BulletEngine::AddServoRows(int index) {
  const Actor& actor = actors_[index];
  const BulletActor& bullet = bullet_actors_[index];
  for (std::size_t i = 0; i < bullet.parts.size(); ++i) {
    const Part& part = bullet.parts[i];
    if (part.link < 0) continue;
    const JointForce drive = JointForceOf(actor, static_cast<int>(i));
    if (!(drive.inertia > 0)) continue;
    const bool ball = actor.model.GetTree().bodies[i].kind == JointKind::kBall;
    const double cfm = env_.h / drive.inertia;
    Vec3d target = actor.art.joints[i].w + drive.force * cfm;
    if (ball) target = TransposeMul(part.axes, target);
    const double targets[3] = {target.x, target.y, target.z};
    for (int k = 0; k < (ball ? 3 : 1); ++k) {
      Row row{index,        -1,           AddSide(index), -1, targets[k],
              cfm / env_.h, -BT_INFINITY, BT_INFINITY,    -1};
      jacobians_[row.first + 6 + bullet.body->getLink(part.link).m_dofOffset + k] = 1;
      PushRow(row);
    }
  }
}

void BulletEngine::FillPointJacobian(int actor, int body, const Vec3d& position,
                                     const Vec3d& direction, double* jacobian) {
  const BulletActor& bullet = bullet_actors_[actor];
  bullet.body->fillContactJacobianMultiDof(bullet.parts[body].link, ToBt(position), ToBt(direction),
                                           jacobian, scratch_r_, scratch_v_, scratch_m_);
}

// Spring and damper of ContactModel across, viscous friction along the touch.
void BulletEngine::AddTouchRows(const Touch& touch, double tie_break) {
  Vec3d first, second;
  Tangents(touch, &first, &second);
  const Vec3d directions[3] = {touch.normal, first, second};
  Vec3d drift = touch.drift - bullet_actors_[touch.actor].root_drift;
  if (touch.other_actor >= 0) drift += bullet_actors_[touch.other_actor].root_drift;
  const double rate = env_.damping + env_.h * env_.stiffness;
  const int normal = static_cast<int>(rows_.size());
  for (int k = 0; k < 3; ++k) {
    Row row{.actor = touch.actor, .other_actor = touch.other_actor, .normal = -1};
    row.first = AddSide(touch.actor);
    row.other_first = touch.other_actor < 0 ? -1 : AddSide(touch.other_actor);
    FillPointJacobian(touch.actor, touch.body, touch.position, directions[k],
                      &jacobians_[row.first]);
    if (touch.other_actor >= 0) {
      FillPointJacobian(touch.other_actor, touch.other_body, touch.position, -directions[k],
                        &jacobians_[row.other_first]);
    }
    row.target = -Dot(directions[k], drift);
    row.cfm = 1 / (env_.h * (k == 0 ? rate : env_.stick));
    if (k == 0) {
      row.target += env_.stiffness * touch.depth * (1 + tie_break * normal) / rate;
      row.low = 0;
      row.high = BT_INFINITY;
    } else if (touch.slides) {
      row.high = touch.bound * env_.h * (k == 1 ? kAlong : kAcross);
      row.low = -row.high;
    } else {
      row.high = env_.friction;
      row.low = -row.high;
      row.normal = normal;
    }
    PushRow(row);
  }
}

double BulletEngine::Velocity(const Row& row) const {
  double sum = 0;
  for (const auto& [actor, first] :
       {std::pair{row.actor, row.first}, std::pair{row.other_actor, row.other_first}}) {
    if (actor < 0) continue;
    const std::vector<double>& v = bullet_actors_[actor].velocity;
    for (std::size_t i = 0; i < v.size(); ++i) sum += jacobians_[first + i] * v[i];
  }
  return sum;
}

bool BulletEngine::SolveRows() {
  const int n = static_cast<int>(rows_.size());
  matrix_.resize(n, n);
  right_.resize(n);
  impulses_.resize(n);
  low_.resize(n);
  high_.resize(n);
  dependencies_.resize(n);
  const auto coupling = [&](const Row& a, const Row& b) {
    double sum = 0;
    for (const auto& [actor_a, first_a] :
         {std::pair{a.actor, a.first}, std::pair{a.other_actor, a.other_first}}) {
      for (const auto& [actor_b, first_b] :
           {std::pair{b.actor, b.first}, std::pair{b.other_actor, b.other_first}}) {
        if (actor_a < 0 || actor_a != actor_b) continue;
        const double* j = &jacobians_[first_a];
        const double* r = &responses_[first_b];
        for (int i = 0; i < Size(actor_a); ++i) sum += j[i] * r[i];
      }
    }
    return sum;
  };
  for (int i = 0; i < n; ++i) {
    const Row& row = rows_[i];
    for (int k = 0; k <= i; ++k) {
      const double value = coupling(row, rows_[k]) + (k == i ? row.cfm : 0);
      matrix_.setElem(i, k, value);
      matrix_.setElem(k, i, value);
    }
    right_[i] = row.target - Velocity(row);
    impulses_[i] = 0;
    low_[i] = row.low;
    high_[i] = row.high;
    dependencies_[i] = row.normal;
  }
  if (n > 0 && !solver_.solveMLCP(matrix_, right_, impulses_, low_, high_, dependencies_, 0)) {
    return false;
  }
  for (int i = 0; i < n; ++i) {
    const Row& row = rows_[i];
    for (const auto& [actor, first] :
         {std::pair{row.actor, row.first}, std::pair{row.other_actor, row.other_first}}) {
      if (actor < 0) continue;
      std::vector<double>& v = bullet_actors_[actor].velocity;
      for (std::size_t k = 0; k < v.size(); ++k) v[k] += responses_[first + k] * impulses_[i];
    }
  }
  return true;
}

// Actors that touch each other, directly or through others, have the same number.
void BulletEngine::FindGroups() {
  groups_.resize(actors_.size());
  std::iota(groups_.begin(), groups_.end(), 0);
  for (const Touch& touch : touches_) {
    if (touch.other_actor < 0) continue;
    const int from = groups_[touch.other_actor], to = groups_[touch.actor];
    std::replace(groups_.begin(), groups_.end(), from, to);
  }
}

bool BulletEngine::SolveTouches(double tie_break) {
  FindGroups();
  bool solved = true;
  for (int group = 0; group < static_cast<int>(actors_.size()); ++group) {
    solved = SolveGroup(group, tie_break) && solved;
  }
  return solved;
}

bool BulletEngine::SolveGroup(int group, double tie_break) {
  rows_.clear();
  jacobians_.clear();
  responses_.clear();
  for (std::size_t k = 0; k < actors_.size(); ++k) {
    if (groups_[k] == group && !actors_[k].failed) AddServoRows(static_cast<int>(k));
  }
  std::size_t row = rows_.size();
  for (const Touch& touch : touches_) {
    if (groups_[touch.actor] == group) AddTouchRows(touch, tie_break);
  }
  if (!SolveRows()) return false;
  for (Touch& touch : touches_) {
    if (groups_[touch.actor] != group) continue;
    Vec3d directions[3] = {touch.normal};
    Tangents(touch, &directions[1], &directions[2]);
    touch.force = touch.slip = {};
    for (const Vec3d& direction : directions) {
      touch.force += direction * (impulses_[static_cast<int>(row)] / env_.h);
      touch.slip += direction * Velocity(rows_[row]);
      ++row;
    }
    // To our coordinates, as Touch::drift is.
    touch.slip -= bullet_actors_[touch.actor].root_drift;
    if (touch.other_actor >= 0) touch.slip += bullet_actors_[touch.other_actor].root_drift;
  }
  return true;
}

void BulletEngine::ReadAccelerations(int index) {
  const BulletActor& bullet = bullet_actors_[index];
  const Tree<double>& tree = actors_[index].model.GetTree();
  Articulation<double>& art = actors_[index].art;
  const double rate = 1 / env_.h;
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const Part& part = bullet.parts[i];
    const BodyMotion<double>& m = art.motion[i];
    ArticulatedBody<double>& ab = art.articulated[i];
    if (part.link < 0) {
      const double* v = bullet.velocity.data();
      const Vec3d w{v[0], v[1], v[2]}, arm = m.r * part.com;
      ab.alpha = (w - m.w) * rate;
      ab.linear = (Vec3d{v[3], v[4], v[5]} - bullet.root_drift - Cross(w, arm) - m.v) * rate;
      continue;
    }
    const double* v = &bullet.velocity[6 + bullet.body->getLink(part.link).m_dofOffset];
    if (tree.bodies[i].kind == JointKind::kBall) {
      ab.pn = m.r * (part.axes * Vec3d{v[0], v[1], v[2]} - art.joints[i].w) * rate;
    } else {
      ab.u = (v[0] - art.joints[i].w.x) * rate;
    }
  }
}

}  // namespace

EngineInfo Describe() {
  return {"bullet",
          "Bullet 3.24: its articulated bodies, collision and LCP solver",
          {Feature::kSeveralActors, Feature::kActorContact, Feature::kHeightField, Feature::kSteps},
          {"a body does not collide with other bodies of its own character",
           "characters touch the ground with their contact points only",
           "actors that touch are one problem: a heap of six humans runs slower than real time"}};
}

std::unique_ptr<Engine> Make(const World& world) { return std::make_unique<BulletEngine>(world); }

}  // namespace stride::bullet_engine
