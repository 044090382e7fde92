#include "stride/sim/model_engine.h"

#include <cmath>

#include "stride/core/error.h"
#include "stride/sim/ground.h"

namespace stride {
namespace {

struct FieldGround {
  static constexpr bool kPlane = false;
  const Terrain* terrain;
  double Height(const Vec3d& x, Vec3d* normal) const {
    return DistanceToGround(*terrain, x, normal);
  }
};

void LoadDrives(const Tree<double>& tree, const Actuation& a,
                std::vector<JointDrive<double>>* drives) {
  for (std::size_t i = 0; i < tree.bodies.size(); ++i) {
    const TreeBody<double>& body = tree.bodies[i];
    if (body.kind == JointKind::kFree) continue;
    JointDrive<double>& drive = (*drives)[i];
    const double* q = &a.target_q[body.q];
    const double* v = &a.target_v[body.v];
    const double* t = &a.torque[body.v];
    if (HasOneAxis(body.kind)) {
      drive = {{q[0], 0, 0, 0}, {v[0], 0, 0}, {t[0], 0, 0}, a.kp[i], a.kd[i]};
    } else {
      drive = {{q[0], q[1], q[2], q[3]}, {v[0], v[1], v[2]}, {t[0], t[1], t[2]}, a.kp[i], a.kd[i]};
    }
  }
}

// False if the servos or the forces hold what is not a number.
bool IsFinite(const std::vector<JointDrive<double>>& drives,
              const std::vector<BodyForce<double>>& forces) {
  double sum = 0;
  for (const JointDrive<double>& d : drives) {
    const Quatd& q = d.target;
    sum += std::fabs(q.w) + std::fabs(q.x) + std::fabs(q.y) + std::fabs(q.z) + Norm(d.target_v) +
           Norm(d.torque) + std::fabs(d.kp) + std::fabs(d.kd);
  }
  for (const BodyForce<double>& f : forces) sum += Norm(f.force) + Norm(f.torque) + Norm(f.point);
  return std::isfinite(sum);
}

}  // namespace

ModelEngine::ModelEngine(const EngineInfo& info, const World& world)
    : info_(info), world_(world), env_{world.gravity,
                                       world.friction,
                                       world.contact.stiffness,
                                       world.contact.damping,
                                       world.contact.stick,
                                       world.time_step,
                                       world.limits,
                                       world.contact.passes} {
  Vec3d normal;
  DistanceToGround(world.terrain, {0, 0, 0}, &normal);
  plane_ = {normal, 0};
  for (const Character& character : world_.actors) {
    actors_.push_back({.model = Model<double>(character),
                       .drives = std::vector<JointDrive<double>>(character.bodies.size()),
                       .state = RestState(character)});
    actors_.back().forces.reserve(8);
    SetState(static_cast<int>(actors_.size()) - 1, actors_.back().state);
  }
}

void ModelEngine::SetState(int index, const State& state) {
  Actor& actor = actors_[index];
  STRIDE_CHECK(state.q.size() == actor.state.q.size() && state.v.size() == actor.state.v.size());
  double sum = 0;
  for (const double a : state.q) sum += std::fabs(a);
  for (const double a : state.v) sum += std::fabs(a);
  actor.failed = !std::isfinite(sum);
  contacts_.clear();
  if (actor.failed) return;
  actor.state = state;
  actor.model.SetState(state);
}

void ModelEngine::Step(std::span<const Actuation> actuations,
                       std::span<const ExternalForce> forces) {
  STRIDE_CHECK(actuations.size() == actors_.size());
  contacts_.clear();
  for (std::size_t k = 0; k < actors_.size(); ++k) {
    Actor& actor = actors_[k];
    LoadDrives(actor.model.GetTree(), actuations[k], &actor.drives);
    actor.forces.clear();
    actor.art = actor.model.View();
    actor.touched = false;
  }
  for (const ExternalForce& f : forces) {
    actors_[f.actor].forces.push_back({f.body, f.force, f.torque, f.point});
  }
  for (Actor& actor : actors_) {
    if (!IsFinite(actor.drives, actor.forces)) actor.failed = true;
  }
  Solve();
  for (std::size_t k = 0; k < actors_.size(); ++k) Finish(static_cast<int>(k));
  time_ += world_.time_step;
}

void ModelEngine::Finish(int index) {
  Actor& actor = actors_[index];
  if (actor.failed) return;
  const Articulation<double>& art = actor.art;
  actor.failed =
      FinishStep(actor.model.GetTree(), env_, actor.forces.data(),
                 static_cast<int>(actor.forces.size()), actor.touched, false, &actor.art);
  actor.model.GetState(actor.state.q.data(), actor.state.v.data());
  for (int k = 0; k < art.contact_count; ++k) {
    const PointContact<double>& c = art.contacts[k];
    if (!c.active) continue;
    contacts_.push_back({index, c.body, -1, -1, c.position, c.normal, c.force, c.depth});
  }
}

void ModelEngine::FindGroundContacts(Actor* actor) const {
  actor->art.contact_count = 0;
  if (!world_.contacts) return;
  const Tree<double>& tree = actor->model.GetTree();
  if (world_.terrain.kind == Terrain::Kind::kPlane) {
    DetectContacts(tree, env_, plane_, false, &actor->art);
  } else {
    DetectContacts(tree, env_, FieldGround{&world_.terrain}, false, &actor->art);
  }
}

Snapshot ModelEngine::Save() const {
  Snapshot snapshot;
  snapshot.time = time_;
  for (const Actor& actor : actors_) {
    snapshot.actors.push_back(actor.state);
    snapshot.memory.push_back(actor.failed);
  }
  return snapshot;
}

void ModelEngine::Restore(const Snapshot& snapshot) {
  if (snapshot.actors.size() != actors_.size() || snapshot.memory.size() != actors_.size()) {
    throw InputError("the snapshot is of another world or engine");
  }
  time_ = snapshot.time;
  for (std::size_t k = 0; k < actors_.size(); ++k) {
    SetState(static_cast<int>(k), snapshot.actors[k]);
    actors_[k].failed = snapshot.memory[k] != 0;
  }
}

}  // namespace stride
