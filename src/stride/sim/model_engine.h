#pragma once

#include <vector>

#include "stride/dynamics/model.h"
#include "stride/dynamics/step.h"
#include "stride/sim/engine.h"

namespace stride {

// What engines share that keep their actors in our coordinates: the state is a Model, the servo is
// that of dynamics/, positions follow from accelerations. An engine of this kind says how forces
// become accelerations, and needs no memory of its own from one step to the next.
class ModelEngine : public Engine {
 public:
  const EngineInfo& Info() const final { return info_; }
  const World& GetWorld() const final { return world_; }
  double Time() const final { return time_; }
  void SetState(int actor, const State& state) final;
  const State& GetState(int actor) const final { return actors_[actor].state; }
  void Step(std::span<const Actuation> actuations, std::span<const ExternalForce> forces) final;
  std::span<const Contact> Contacts() const final { return contacts_; }
  bool Failed(int actor) const final { return actors_[actor].failed; }
  Snapshot Save() const final;
  void Restore(const Snapshot& snapshot) final;

 protected:
  struct Actor {
    Model<double> model;
    std::vector<JointDrive<double>> drives;
    std::vector<BodyForce<double>> forces;
    State state;
    Articulation<double> art;  // of this step
    bool failed = false;
    bool touched = false;  // by another actor, in this step
  };

  ModelEngine(const EngineInfo& info, const World& world);

  // Accelerations of the actors that have not failed, where FinishStep() reads them; forces of
  // their contacts with the ground in art.contacts; contacts between actors in contacts_, and
  // `touched` of those that have any.
  virtual void Solve() = 0;

  // Contact points against the ground, into art.contacts.
  void FindGroundContacts(Actor* actor) const;

  const EngineInfo& info_;
  World world_;
  Environment<double> env_;
  PlaneGround<double> plane_;  // where the terrain is one
  std::vector<Actor> actors_;
  std::vector<Contact> contacts_;

 private:
  void Finish(int index);

  double time_ = 0;
};

}  // namespace stride
