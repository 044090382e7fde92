#include "stride/core/error.h"
#include "stride/sim/batch.h"
#include "stride/sim/batch_contacts.h"
#include "stride/sim/engine.h"

// The lanes behind the Engine contract: one world in all lanes, read from the first. For checks and
// comparisons; who wants many rollouts uses Batch.
namespace stride::batch_engine {
namespace {

class BatchEngine final : public Engine {
 public:
  explicit BatchEngine(const World& world)
      : info_(FindEngine("batch")), world_(world), batch_(world) {
    batch_.GetState(0, &state_);
  }

  const EngineInfo& Info() const override { return info_; }
  const World& GetWorld() const override { return world_; }
  double Time() const override { return time_; }

  void SetState(int actor, const State& state) override {
    STRIDE_CHECK(actor == 0);
    for (int lane = 0; lane < batch_.Lanes(); ++lane) batch_.SetState(lane, state);
    batch_.GetState(0, &state_);
    contacts_.clear();
  }
  const State& GetState(int) const override { return state_; }

  void Step(std::span<const Actuation> actuations, std::span<const ExternalForce> forces) override {
    STRIDE_CHECK(actuations.size() == 1);
    batch_.ClearForces();
    for (int lane = 0; lane < batch_.Lanes(); ++lane) {
      batch_.SetActuation(lane, actuations[0]);
      for (const ExternalForce& force : forces) batch_.SetForce(lane, force);
    }
    batch_.Step(1);
    batch_.GetState(0, &state_);
    time_ += world_.time_step;
    ReadContacts(batch_, 0, world_.actors[0], &contacts_);
  }

  std::span<const Contact> Contacts() const override { return contacts_; }
  bool Failed(int) const override { return batch_.Failed(0); }

  Snapshot Save() const override { return {time_, {state_}, batch_.SaveLane(0)}; }
  void Restore(const Snapshot& snapshot) override {
    for (int lane = 0; lane < batch_.Lanes(); ++lane) batch_.RestoreLane(lane, snapshot.memory);
    batch_.GetState(0, &state_);
    time_ = snapshot.time;
    contacts_.clear();
  }

 private:
  const EngineInfo& info_;
  World world_;
  Batch batch_;
  State state_;
  double time_ = 0;
  std::vector<Contact> contacts_;
};

}  // namespace

EngineInfo Describe() {
  return {"batch",
          "the lanes that learning runs on (float, SIMD), seen through one of them",
          {Feature::kHeightField, Feature::kSteps, Feature::kSlides},
          {"one actor in a world: no other characters, balls or boxes",
           "a body does not collide with other bodies of its own character",
           "characters touch the ground with their contact points only",
           "at an impact friction may pass its bound for a step (contact.passes)"}};
}

std::unique_ptr<Engine> Make(const World& world) { return std::make_unique<BatchEngine>(world); }

}  // namespace stride::batch_engine
