#include "stride/sim/engines/native/actor_contacts.h"
#include "stride/sim/engines/native/rigid_ground.h"
#include "stride/sim/model_engine.h"

// The reference: the same step as the lanes, in double, one actor after the other.
namespace stride::native_engine {
namespace {

class NativeEngine final : public ModelEngine {
 public:
  explicit NativeEngine(const World& world)
      : ModelEngine(FindEngine("native"), world),
        actor_contacts_(world.actors),
        touched_(world.actors.size(), false) {}

 private:
  void Solve() override;

  ActorContacts actor_contacts_;
  std::vector<ActorParts> parts_;
  std::vector<bool> touched_;
};

void NativeEngine::Solve() {
  const int count = static_cast<int>(actors_.size());
  for (Actor& actor : actors_) {
    if (actor.failed) continue;
    FindGroundContacts(&actor);
    const Tree<double>& tree = actor.model.GetTree();
    if (IsRigid(env_)) {
      SolveOnRigidGround(tree, env_, actor.drives.data(), actor.forces, &actor.art);
    } else {
      stride::Solve(tree, env_, actor.drives.data(), actor.forces.data(),
                    static_cast<int>(actor.forces.size()), &actor.art);
    }
  }
  if (count == 1 || !world_.contacts) return;
  parts_.clear();
  for (int k = 0; k < count; ++k) {
    const Actor& actor = actors_[k];
    parts_.push_back({&world_.actors[k], &actor.model.GetTree(), actor.art, !actor.failed});
  }
  touched_.assign(count, false);
  actor_contacts_.Solve(world_, &parts_, &touched_, &contacts_);
  for (int k = 0; k < count; ++k) {
    if (!touched_[k]) continue;
    Actor& actor = actors_[k];
    actor.touched = true;
    // The ground now carries what leans on this actor too.
    for (int i = 0; i < actor.art.contact_count; ++i) {
      UpdateContactForce(env_, actor.art, &actor.art.contacts[i]);
    }
  }
}

}  // namespace

EngineInfo Describe() {
  return {"native",
          "stride's own dynamics in double: the reference for the lanes",
          {Feature::kSeveralActors, Feature::kActorContact, Feature::kHeightField, Feature::kSteps,
           Feature::kSlides},
          {"a body does not collide with other bodies of its own character",
           "characters touch the ground with their contact points only",
           "at an impact friction may pass its bound for a step (contact.passes)",
           "boxes touch each other with their corners: crossing edges pass through"}};
}

std::unique_ptr<Engine> Make(const World& world) { return std::make_unique<NativeEngine>(world); }

}  // namespace stride::native_engine
