#include "stride/run/run_stage.h"

#include <utility>

#include <fmt/format.h>

#include "stride/control/world_wishes.h"
#include "stride/controllers/registry.h"
#include "stride/core/error.h"
#include "stride/record/world_json.h"
#include "stride/run/balls.h"
#include "stride/run/run_input.h"
#include "stride/sim/world_config.h"

namespace stride {

using OrderedJson = nlohmann::ordered_json;

RunStage::RunStage(const RunSetup& asked) : setup(asked) {
  Validate(setup);
  const Scenario& scenario = setup.scenario;
  for (const CharacterSetup& each : setup.characters) {
    FindController(each.controller);  // before files are read
  }
  FindEngine(setup.engine);
  world = scenario.world;
  std::vector<LoadedCharacter> named;
  for (std::size_t k = 0; k < setup.characters.size(); ++k) {
    named.push_back(Load(setup, k, &warnings));
    world.actors.push_back(named.back().character);
  }
  loaded = std::make_shared<const std::vector<LoadedCharacter>>(std::move(named));
  ApplyChanges(scenario, &world.actors[0]);
  GrantWishes();
  for (const Throw& each : scenario.throws) world.actors.push_back(MakeThrownBall(each.mass));
  engine = MakeEngine(setup.engine, world);  // checks the world before anything is made from it
  MakeCharacters();
  for (std::size_t k = 0; k < world.actors.size(); ++k) {
    const int actor = static_cast<int>(k);
    actuations.push_back(Passive(world.actors[k]));
    engine->SetState(actor, IsCharacter(actor) ? characters[k].Start()
                                               : ParkedBall(world.actors[k], world.terrain, actor));
  }
  ReserveMemory();
  TakeCommands();  // what is commanded from the beginning is known before the first step
  for (RunCharacter& character : characters) character.UseCommand(character.Start());
}

RunStage::RunStage(const RunStage& other)
    : setup(other.setup),
      warnings(other.warnings),
      unobeyed(other.unobeyed),
      loaded(other.loaded),
      world(other.world),
      engine(MakeEngine(setup.engine, world)),
      characters(other.characters),
      step(other.step),
      actuations(other.actuations),
      forces(other.forces),
      contacts(other.contacts),
      events(other.events) {
  engine->Restore(other.engine->Save());
  ReserveMemory();
}

// The first character's wishes are granted where the user left it open; who wants another world is
// told. From then on the setup says what was taken.
void RunStage::GrantWishes() {
  const std::vector<std::string> chosen = ChosenSettings(setup.scenario);
  for (std::size_t k = 0; k < loaded->size(); ++k) {
    WorldWishes wishes = FindController(setup.characters[k].controller).wishes;
    if (const Skill* skill = loaded->at(k).skill.get()) wishes = Join(skill->wishes, wishes);
    if (k == 0) {
      Grant(wishes, chosen, &world);
      continue;
    }
    World wished = world;
    Grant(wishes, chosen, &wished);
    if (wished == world) continue;
    warnings.push_back(fmt::format(
        "characters[{}]: '{}' was made for a time step of {:g} s and its own contact model; this "
        "world has {:g} s, as the first character wants it",
        k, setup.characters[k].controller, wished.time_step, world.time_step));
  }
  setup.scenario.world.time_step = world.time_step;
  setup.scenario.world.contact = world.contact;
  setup.scenario.world.friction = world.friction;
  setup.scenario.world.terrain = world.terrain;
  setup.scenario.chosen = {kChosenGround};
  for (const ConfigField& field : FieldsOf(&setup.scenario.world)) {
    setup.scenario.chosen.push_back(field.key);
  }
}

void RunStage::MakeCharacters() {
  for (std::size_t k = 0; k < loaded->size(); ++k) {
    const int actor = static_cast<int>(k);
    try {
      LoadedCharacter changed = loaded->at(k);
      changed.character = world.actors[k];
      characters.emplace_back(actor, changed, world, CommandsOf(setup, actor), &setup.characters[k],
                              &warnings);
    } catch (const InputError& error) {
      if (loaded->size() == 1) throw;
      throw InputError(fmt::format("characters[{}]: {}", k, error.what()));
    }
    CheckCommands(actor);
  }
}

// What a character will be told to go at or to, and cannot.
void RunStage::CheckCommands(int actor) {
  const Controller& controller = characters[actor].GetController();
  const std::string& name = setup.characters[actor].controller;
  const std::optional<SpeedRange> range = controller.Speeds();
  for (const TimedCommand& command : CommandsOf(setup, actor)) {
    if ((command.heading || command.point) && !controller.Turns()) {
      unobeyed.push_back(fmt::format(
          "a heading is commanded at {:g} s; '{}' does not turn on command", command.at, name));
    }
    if (!command.speed) continue;
    const double speed = *command.speed;
    constexpr double kNear = 1e-3;
    if (!controller.TakesSpeed()) {
      unobeyed.push_back(
          fmt::format("a speed is commanded at {:g} s; '{}' takes none", command.at, name));
      continue;
    }
    if (!range) continue;
    if (speed == 0 ? !range->stops : speed < range->least - kNear || speed > range->most + kNear) {
      warnings.push_back(fmt::format(
          "{:g} m/s are commanded at {:g} s; '{}' goes at {:.2f} to {:.2f} m/s{}: it will do what "
          "it can",
          speed, command.at, name, range->least, range->most, range->stops ? " or stops" : ""));
    }
  }
}

void RunStage::ReserveMemory() {
  std::size_t bodies = 0;
  for (const Character& actor : world.actors) bodies += actor.bodies.size();
  forces.reserve(bodies);
  contacts.reserve(256);
}

std::vector<State> RunStage::States() const {
  std::vector<State> states;
  for (std::size_t k = 0; k < world.actors.size(); ++k) {
    states.push_back(engine->GetState(static_cast<int>(k)));
  }
  return states;
}

Mat3d RunStage::RotationOf(int actor, int body) const {
  const State& state = engine->GetState(actor);
  if (IsCharacter(actor)) return characters[actor].ModelAt(state).Motion(body).r;
  return ToMat3(Quatd{state.q[3], state.q[4], state.q[5], state.q[6]});  // a ball: one free body
}

Vec3d RunStage::PointInWorld(int actor, int body, const Vec3d& point) const {
  const State& state = engine->GetState(actor);
  if (IsCharacter(actor)) return characters[actor].ModelAt(state).PointPosition(body, point);
  return Vec3d{state.q[0], state.q[1], state.q[2]} + RotationOf(actor, body) * point;
}

void RunStage::Report(const char* kind, OrderedJson data) {
  events.push_back({step, Time(), kind, std::move(data)});
}

void RunStage::TakeCommands() {
  for (std::size_t k = 0; k < characters.size(); ++k) {
    RunCharacter& character = characters[k];
    while (character.TakeCommand(Time())) {
      OrderedJson data = ToJson(RunInput{.kind = RunInput::Kind::kCommand,
                                         .actor = static_cast<int>(k),
                                         .command = character.command});
      data.erase("kind");
      Report("command", std::move(data));
    }
  }
}

// One force for each body, since an engine may take no more: a second one joins the first, with the
// moment it has about the first one's point.
void RunStage::AddForce(int actor, int body, const Vec3d& point, const Vec3d& force) {
  for (ExternalForce& other : forces) {
    if (other.actor != actor || other.body != body) continue;
    if (point != other.point) {
      other.torque += Cross(RotationOf(actor, body) * (point - other.point), force);
    }
    other.force += force;
    return;
  }
  forces.push_back({.actor = actor, .body = body, .force = force, .point = point});
}

void RunStage::Advance() {
  for (std::size_t k = 0; k < characters.size(); ++k) {
    if (characters[k].Failed()) continue;
    characters[k].Act(Time(), engine->GetState(static_cast<int>(k)), &actuations[k]);
  }
  engine->Step(actuations, forces);
  for (std::size_t k = 0; k < characters.size(); ++k) {
    if (characters[k].Failed() || !engine->Failed(static_cast<int>(k))) continue;
    characters[k].Fail();
    Report("failed", {{"actor", k}});
  }
  if (characters[0].Failed()) return;
  ++step;
  ShareContacts();
  for (std::size_t k = 0; k < characters.size(); ++k) {
    if (characters[k].Failed()) continue;
    const State& state = engine->GetState(static_cast<int>(k));
    characters[k].Measure(state, actuations[k]);
    const RunCharacter::Balance balance = characters[k].Watch(Time(), state);
    if (balance == RunCharacter::Balance::kFalls) Report("fall", {{"actor", k}});
    if (balance == RunCharacter::Balance::kRises) Report("up", {{"actor", k}});
  }
}

// Those of actor 0 first: the order that recordings have had from the beginning.
void RunStage::ShareContacts() {
  contacts.clear();
  for (const Contact& contact : engine->Contacts()) {
    if (contact.actor == 0) contacts.push_back(contact);
  }
  if (world.actors.size() > 1) {
    for (const Contact& contact : engine->Contacts()) {
      if (contact.actor != 0) contacts.push_back(contact);
    }
  }
  for (RunCharacter& character : characters) character.ClearContacts();
  for (const Contact& contact : contacts) {
    if (IsCharacter(contact.actor)) characters[contact.actor].AddContact(contact);
    if (contact.other_actor >= 0 && IsCharacter(contact.other_actor)) {
      Contact other = contact;
      std::swap(other.actor, other.other_actor);
      std::swap(other.body, other.other_body);
      other.normal = -other.normal;
      other.force = -other.force;
      characters[contact.other_actor].AddContact(other);
    }
  }
}

void RunStage::ChangeWorld(const World& changed, const std::vector<State>& states) {
  std::unique_ptr<Engine> next = MakeEngine(setup.engine, changed);
  for (std::size_t k = 0; k < states.size(); ++k) next->SetState(static_cast<int>(k), states[k]);
  engine = std::move(next);
  world = changed;
}

void RunStage::AddBall(const Character& ball, const State& state) {
  World changed = world;
  changed.actors.push_back(ball);
  std::vector<State> states = States();
  states.push_back(state);
  ChangeWorld(changed, states);
  actuations.push_back(Passive(ball));
  ReserveMemory();
  Report(kActorEvent, {{"character", ToJson(ball)}});
}

}  // namespace stride
