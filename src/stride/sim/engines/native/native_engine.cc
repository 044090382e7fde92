#include <algorithm>
#include <cmath>

#include "stride/core/error.h"
#include "stride/dynamics/model.h"
#include "stride/dynamics/step.h"
#include "stride/sim/engine.h"
#include "stride/sim/engines/native/actor_contacts.h"
#include "stride/sim/ground.h"

// The reference: the same step as the lanes, in double, one actor after the other.
namespace stride::native_engine {
namespace {

struct FieldGround {
  static constexpr bool kPlane = false;
  const Terrain* terrain;
  double Height(const Vec3d& x, Vec3d* normal) const {
    return DistanceToGround(*terrain, x, normal);
  }
};

class NativeEngine final : public Engine {
 public:
  explicit NativeEngine(const World& world)
      : info_(FindEngine("native")),
        world_(world),
        env_{world.gravity,         world.friction,      world.contact.stiffness,
             world.contact.damping, world.contact.stick, world.time_step,
             world.limits,          world.contact.passes},
        actor_contacts_(world.actors),
        touched_(world.actors.size(), false) {
    Vec3d normal;
    DistanceToGround(world.terrain, {0, 0, 0}, &normal);
    plane_ = {normal, 0};
    for (const Character& character : world_.actors) {
      actors_.push_back({Model<double>(character),
                         std::vector<JointDrive<double>>(character.bodies.size()),
                         {},
                         RestState(character),
                         false});
      actors_.back().forces.reserve(8);
      SetState(static_cast<int>(actors_.size()) - 1, actors_.back().state);
    }
  }

  const EngineInfo& Info() const override { return info_; }
  const World& GetWorld() const override { return world_; }
  double Time() const override { return time_; }

  void SetState(int index, const State& state) override {
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
  const State& GetState(int actor) const override { return actors_[actor].state; }

  void Step(std::span<const Actuation> actuations, std::span<const ExternalForce> forces) override;

  std::span<const Contact> Contacts() const override { return contacts_; }
  bool Failed(int actor) const override { return actors_[actor].failed; }

  Snapshot Save() const override {
    Snapshot snapshot;
    snapshot.time = time_;
    for (const Actor& actor : actors_) {
      snapshot.actors.push_back(actor.state);
      snapshot.memory.push_back(actor.failed);
    }
    return snapshot;
  }
  void Restore(const Snapshot& snapshot) override {
    if (snapshot.actors.size() != actors_.size() || snapshot.memory.size() != actors_.size()) {
      throw InputError("the snapshot is of another world or engine");
    }
    time_ = snapshot.time;
    for (std::size_t k = 0; k < actors_.size(); ++k) {
      SetState(static_cast<int>(k), snapshot.actors[k]);
      actors_[k].failed = snapshot.memory[k] != 0;
    }
  }

 private:
  struct Actor {
    Model<double> model;
    std::vector<JointDrive<double>> drives;
    std::vector<BodyForce<double>> forces;
    State state;
    bool failed;
  };

  void SolveActor(int index);
  void FinishActor(int index);

  const EngineInfo& info_;
  World world_;
  Environment<double> env_;
  PlaneGround<double> plane_;
  std::vector<Actor> actors_;
  ActorContacts actor_contacts_;
  std::vector<ActorParts> parts_;
  std::vector<bool> touched_;
  std::vector<Contact> contacts_;
  double time_ = 0;
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
    if (body.kind == JointKind::kHinge) {
      drive = {{q[0], 0, 0, 0}, {v[0], 0, 0}, {t[0], 0, 0}, a.kp[i], a.kd[i]};
    } else {
      drive = {{q[0], q[1], q[2], q[3]}, {v[0], v[1], v[2]}, {t[0], t[1], t[2]}, a.kp[i], a.kd[i]};
    }
  }
}

void NativeEngine::Step(std::span<const Actuation> actuations,
                        std::span<const ExternalForce> forces) {
  STRIDE_CHECK(actuations.size() == actors_.size());
  contacts_.clear();
  for (std::size_t k = 0; k < actors_.size(); ++k) {
    LoadDrives(actors_[k].model.GetTree(), actuations[k], &actors_[k].drives);
    actors_[k].forces.clear();
  }
  for (const ExternalForce& f : forces) {
    actors_[f.actor].forces.push_back({f.body, f.force, f.torque, f.point});
  }
  const int count = static_cast<int>(actors_.size());
  parts_.clear();
  for (int k = 0; k < count; ++k) SolveActor(k);
  std::fill(touched_.begin(), touched_.end(), false);
  if (count > 1 && world_.contacts) actor_contacts_.Solve(world_, &parts_, &touched_, &contacts_);
  for (int k = 0; k < count; ++k) FinishActor(k);
  time_ += world_.time_step;
}

void NativeEngine::SolveActor(int index) {
  Actor& actor = actors_[index];
  const Tree<double>& tree = actor.model.GetTree();
  parts_.push_back({&world_.actors[index], &tree, actor.model.View(), !actor.failed});
  if (actor.failed) return;
  Articulation<double>& art = parts_.back().art;
  const int force_count = static_cast<int>(actor.forces.size());
  if (world_.terrain.kind == Terrain::Kind::kPlane) {
    SolveStep(tree, env_, plane_, world_.contacts, actor.drives.data(), actor.forces.data(),
              force_count, false, &art);
  } else {
    SolveStep(tree, env_, FieldGround{&world_.terrain}, world_.contacts, actor.drives.data(),
              actor.forces.data(), force_count, false, &art);
  }
}

void NativeEngine::FinishActor(int index) {
  Actor& actor = actors_[index];
  if (actor.failed) return;
  Articulation<double>& art = parts_[index].art;
  if (touched_[index]) {
    // The ground now carries what leans on this actor too.
    for (int k = 0; k < art.contact_count; ++k) UpdateContactForce(env_, art, &art.contacts[k]);
  }
  actor.failed = FinishStep(actor.model.GetTree(), env_, actor.forces.data(),
                            static_cast<int>(actor.forces.size()), touched_[index], false, &art);
  actor.model.GetState(actor.state.q.data(), actor.state.v.data());
  for (int k = 0; k < art.contact_count; ++k) {
    const PointContact<double>& c = art.contacts[k];
    if (!c.active) continue;
    contacts_.push_back({index, c.body, -1, -1, c.position, c.normal, c.force, c.depth});
  }
}

}  // namespace

EngineInfo Describe() {
  return {"native",
          "stride's own dynamics in double: the reference for the lanes",
          {Feature::kSeveralActors, Feature::kActorContact, Feature::kHeightField, Feature::kSteps},
          {"a body does not collide with other bodies of its own character",
           "characters touch the ground with their contact points only",
           "at an impact friction may pass its bound for a step (contact.passes)",
           "boxes touch each other with their corners: crossing edges pass through"}};
}

std::unique_ptr<Engine> Make(const World& world) { return std::make_unique<NativeEngine>(world); }

}  // namespace stride::native_engine
