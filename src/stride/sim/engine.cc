#include "stride/sim/engine.h"

#include <algorithm>
#include <cmath>

#include "stride/core/error.h"
#include "stride/core/nearest.h"
#include "stride/sim/engine_table.h"

namespace stride {

namespace {

const EngineEntry& FindEntry(const std::string& name) {
  std::vector<std::string> names;
  for (const EngineEntry& entry : EngineTable()) {
    if (entry.info.name == name) return entry;
    names.push_back(entry.info.name);
  }
  throw InputError(NotAmong("engine", name, names));
}

void Require(const EngineEntry& entry, Feature feature) {
  if (entry.info.Has(feature)) return;
  std::string others;
  for (const EngineEntry& other : EngineTable()) {
    if (other.info.Has(feature)) others += (others.empty() ? "" : " or ") + other.info.name;
  }
  throw InputError("the engine '" + entry.info.name + "' cannot do " + FeatureName(feature) +
                   "; use --engine " + others);
}

void ValidateWorld(const World& world) {
  if (world.actors.empty()) throw InputError("the world is empty; expected at least one actor");
  for (const Character& actor : world.actors) Validate(actor);
  Validate(world.terrain);
  const auto check = [](bool good, const char* what, double value, const char* expected) {
    if (!good) {
      throw InputError(std::string(what) + " is " + std::to_string(value) + "; expected " +
                       expected);
    }
  };
  check(std::isfinite(world.friction) && world.friction >= 0 && world.friction <= 100, "friction",
        world.friction, "a coefficient from 0 to 100");
  check(std::isfinite(world.gravity) && std::fabs(world.gravity) <= 1000, "gravity", world.gravity,
        "m/s^2, at most 1000");
  check(world.time_step >= 1e-6 && world.time_step <= 0.1, "the time step", world.time_step,
        "seconds from 0.000001 to 0.1");
  check(world.contact.stiffness > 0 && world.contact.stiffness < 1e9, "contact stiffness",
        world.contact.stiffness, "N/m, positive, below 1e9");
  check(world.contact.damping >= 0 && world.contact.damping < 1e7, "contact damping",
        world.contact.damping, "N s/m from 0 to 1e7");
  check(world.contact.passes >= 1 && world.contact.passes <= 100, "contact passes",
        world.contact.passes, "1 to 100");
  check(world.contact.stick > 0 && world.contact.stick < 1e8, "contact stick", world.contact.stick,
        "N s/m, positive, below 1e8");
}

}  // namespace

const char* FeatureName(Feature feature) {
  switch (feature) {
    case Feature::kSeveralActors: return "several actors";
    case Feature::kActorContact: return "contact between actors";
    case Feature::kHeightField: return "height fields";
    case Feature::kSteps: return "steps";
    case Feature::kSlides: return "joints that slide";
    case Feature::kCount: break;
  }
  return "?";
}

bool EngineInfo::Has(Feature feature) const {
  return std::find(features.begin(), features.end(), feature) != features.end();
}

const std::vector<EngineInfo>& Engines() {
  static const std::vector<EngineInfo> infos = [] {
    std::vector<EngineInfo> all;
    for (const EngineEntry& entry : EngineTable()) all.push_back(entry.info);
    return all;
  }();
  return infos;
}

const EngineInfo& FindEngine(const std::string& name) { return FindEntry(name).info; }

std::unique_ptr<Engine> MakeEngine(const std::string& name, const World& world) {
  const EngineEntry& entry = FindEntry(name);
  ValidateWorld(world);
  if (world.actors.size() > 1) {
    Require(entry, Feature::kSeveralActors);
    if (world.contacts) Require(entry, Feature::kActorContact);
  }
  if (world.terrain.kind == Terrain::Kind::kHeightField) Require(entry, Feature::kHeightField);
  if (world.terrain.kind == Terrain::Kind::kSteps) Require(entry, Feature::kSteps);
  for (const Character& actor : world.actors) {
    for (const Body& body : actor.bodies) {
      if (body.joint.kind == JointKind::kSlide) Require(entry, Feature::kSlides);
    }
  }
  return entry.make(world);
}

}  // namespace stride
