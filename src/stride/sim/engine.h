#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "stride/sim/world.h"

// The Engine contract: every engine steps the same World, speaks the same State layout, applies the
// same servo, and says what it cannot do. One folder an engine, one line in engines.def.
namespace stride {

// What an engine may be asked for beyond one character on a plane.
enum class Feature { kSeveralActors, kActorContact, kHeightField, kSteps, kSlides, kCount };
const char* FeatureName(Feature feature);

struct EngineInfo {
  std::string name;
  std::string description;
  std::vector<Feature> features;
  std::vector<std::string> limitations;  // sentences for the user
  bool Has(Feature feature) const;
};

// All that a run depends on: engine-specific memory included, so that a restored run repeats bit
// for bit.
struct Snapshot {
  double time = 0;
  std::vector<State> actors;
  std::vector<double> memory;  // meaning known to the engine only
  friend bool operator==(const Snapshot&, const Snapshot&) = default;
};

class Engine {
 public:
  virtual ~Engine() = default;
  Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  virtual const EngineInfo& Info() const = 0;
  virtual const World& GetWorld() const = 0;
  virtual double Time() const = 0;

  virtual void SetState(int actor, const State& state) = 0;
  virtual const State& GetState(int actor) const = 0;

  // Advances by World::time_step. `actuations`: one for each actor.
  virtual void Step(std::span<const Actuation> actuations,
                    std::span<const ExternalForce> forces) = 0;

  // Contacts and their forces during the last step.
  virtual std::span<const Contact> Contacts() const = 0;

  // True once an actor's numbers left the finite range; its state then stays where it was last
  // good.
  virtual bool Failed(int actor) const = 0;

  virtual Snapshot Save() const = 0;
  virtual void Restore(const Snapshot& snapshot) = 0;
};

// All engines, in the order of engines.def.
const std::vector<EngineInfo>& Engines();
const EngineInfo& FindEngine(
    const std::string& name);  // throws InputError with the names there are

// Throws InputError when the engine is unknown, the world is not valid, or it asks for what the
// engine cannot do (naming an engine that can). Actors start in their rest states.
std::unique_ptr<Engine> MakeEngine(const std::string& name, const World& world);

}  // namespace stride
