#include "stride/run/run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stride/controllers/registry.h"
#include "stride/core/error.h"
#include "stride/core/random.h"
#include "stride/dynamics/model.h"
#include "stride/record/world_json.h"
#include "stride/run/balls.h"
#include "stride/run/run_character.h"

namespace stride {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr int kMaxThrownByHand = 8;
constexpr std::size_t kMaxPushesByHand = 64;
constexpr std::size_t kMaxWaiting = 256;
constexpr double kMaxSlope = 80 * std::numbers::pi / 180;
constexpr double kRounding = 1e-9;  // of a time that is a sum of steps, s

OrderedJson ToJsonArray(const Vec3d& v) { return {v.x, v.y, v.z}; }

// A push of the scenario on its way.
struct ScenarioPush {
  Push push;
  int body;
  bool acts = false;
};

struct HandPush {
  RunInput input;
  std::uint32_t end_step;  // the first one it no longer acts in
};

// Height of the lowest contact point above the ground; of the root where there is none.
double Clearance(const Model<double>& model, const Character& character, const Terrain& terrain) {
  double lowest = HUGE_VAL;
  const auto add = [&](const Vec3d& at, double radius) {
    lowest = std::min(lowest, at.z - radius - SurfaceAt(terrain, at.x, at.y).height);
  };
  for (const ContactPoint& point : character.contact_points) {
    add(model.PointPosition(point.body, point.position), point.radius);
  }
  if (character.contact_points.empty()) add(model.Position(0), 0);
  return lowest;
}

void Check(bool good, const std::string& what) {
  if (!good) throw InputError(what);
}

}  // namespace

namespace {

// All of a run that is a value: a branch copies it.
struct RunValues {
  RunSetup setup;
  std::vector<std::string> warnings;
  World world;
  std::vector<DebugChannel> channels;
  int channel_values = 0;

  std::vector<RunCharacter> characters;  // the first actors

  std::uint32_t step = 0, last_step = 0;
  std::vector<ScenarioPush> pushes;
  int pushed_body = 0;
  bool random_push_acts = false;
  std::vector<bool> thrown;       // of the scenario's throws
  std::vector<RunInput> waiting;  // inputs, until the next step
  std::vector<HandPush> hand_pushes;
  int hand_balls = 0, next_hand_ball = 0;

  // Memory of a step.
  std::vector<Actuation> actuations;
  std::vector<ExternalForce> forces;
  State before;                   // of the first character
  std::vector<Contact> contacts;  // of the last step, the character's own first
  std::size_t own_contacts = 0;
  std::vector<RecordedEvent> events;

  std::optional<MetricsMeter> meter;  // made when the world is known
};

}  // namespace

struct Run::Impl : RunValues {
  explicit Impl(const RunSetup& asked);
  Impl(const Impl& other) : RunValues(other), engine(MakeEngine(other.setup.engine, other.world)) {
    engine->Restore(other.engine->Save());
    ReserveMemory();
  }
  void ReserveMemory();
  void MakeCharacters(const std::vector<LoadedCharacter>& loaded);

  void CheckInput(const RunInput& input) const;
  void Step();

  // Parts of a step, in this order.
  void TakeInput(const RunInput& input);
  void TakeCommands();
  void ThrowFromScenario();
  void GatherForces();
  void Measure();

  void ThrowByHand(const RunInput& input);
  void SetSlope(double slope);
  void ChangeWorld(const World& changed, const std::vector<State>& states);
  void AddForce(int actor, int body, const Vec3d& point, const Vec3d& force);
  Vec3d PointInWorld(int actor, int body, const Vec3d& point) const;
  Mat3d RotationOf(int actor, int body) const;
  bool IsCharacter(int actor) const { return actor < static_cast<int>(characters.size()); }
  const Model<double>& ModelNow(int actor) const;  // of a character
  void Report(const char* kind, OrderedJson data = OrderedJson::object());
  std::vector<State> States() const;
  double Time() const { return static_cast<double>(step) * world.time_step; }

  std::unique_ptr<Engine> engine;
};

Run::Impl::Impl(const RunSetup& asked) {
  setup = asked;
  const Scenario& scenario = setup.scenario;
  Validate(scenario);
  if (!setup.others.empty()) CharactersFromJson(ToJson(setup)["others"], "others");  // checks them
  const std::vector<CharacterSetup> all = CharactersOf(setup);
  for (const CharacterSetup& each : all) FindController(each.controller);  // before files are read
  FindEngine(setup.engine);
  world = scenario.world;
  std::vector<LoadedCharacter> loaded;
  for (const CharacterSetup& each : all) {
    loaded.push_back(Load(each, &warnings));
    if (loaded.size() == 1) ApplyChanges(scenario, &loaded[0].character);
    world.actors.push_back(loaded.back().character);
  }
  for (const Throw& each : scenario.throws) world.actors.push_back(MakeThrownBall(each.mass));
  engine = MakeEngine(setup.engine, world);  // checks the world before anything is made from it
  MakeCharacters(loaded);
  for (std::size_t k = 0; k < world.actors.size(); ++k) {
    const int actor = static_cast<int>(k);
    actuations.push_back(Passive(world.actors[k]));
    engine->SetState(actor, IsCharacter(actor) ? characters[k].Start()
                                               : ParkedBall(world.actors[k], world.terrain, actor));
  }
  before = characters[0].Start();
  meter.emplace(world, before);

  last_step = static_cast<std::uint32_t>(
      std::clamp(std::round(scenario.seconds / world.time_step), 1.0, 4e9));
  pushed_body = PushedBody(world.actors[0]);
  for (const Push& push : scenario.pushes) {
    const int body = push.body.empty()
                         ? pushed_body
                         : ScenarioBody(world.actors[0], push.body, "pushes (--push)");
    pushes.push_back({push, body});
  }
  thrown.resize(scenario.throws.size(), false);
  ReserveMemory();
  TakeCommands();  // what is commanded from the beginning is known before the first step
  for (RunCharacter& character : characters) character.UseCommand(character.Start());
}

void Run::Impl::MakeCharacters(const std::vector<LoadedCharacter>& loaded) {
  std::vector<CharacterSetup> setups = CharactersOf(setup);
  for (std::size_t k = 0; k < loaded.size(); ++k) {
    try {
      characters.emplace_back(static_cast<int>(k), loaded[k], world, &setups[k], &warnings);
    } catch (const InputError& error) {
      if (k == 0) throw;
      throw InputError(fmt::format("others[{}]: {}", k - 1, error.what()));
    }
    (k == 0 ? setup.controller_config : setup.others[k - 1].controller_config) =
        setups[k].controller_config;
  }
  channels = characters[0].GetController().Channels();
  for (const DebugChannel& channel : channels) channel_values += ValueCount(channel.kind);
}

void Run::Impl::ReserveMemory() {
  forces.reserve(world.actors[0].bodies.size() + kMaxThrownByHand + setup.scenario.throws.size());
  contacts.reserve(256);
}

void Run::Impl::CheckInput(const RunInput& input) const {
  const auto bounded = [](const Vec3d& v, double most) { return Norm(v) <= most; };  // no NaN
  switch (input.kind) {
    case RunInput::Kind::kPush: {
      const int actors = static_cast<int>(world.actors.size());
      Check(input.actor >= 0 && input.actor < actors,
            fmt::format("push: there is no actor {}; expected 0 to {}", input.actor, actors - 1));
      const int bodies = world.actors[input.actor].BodyCount();
      Check(input.body >= 0 && input.body < bodies,
            fmt::format("push: there is no body {}; expected 0 to {}", input.body, bodies - 1));
      Check(bounded(input.vector, 1e6) && bounded(input.point, 100) && input.duration > 0 &&
                input.duration <= 3600,
            "push: expected a force of at most 1e6 N, a point within 100 m of the body and a "
            "duration of more than 0 and at most 3600 s");
      Check(hand_pushes.size() + waiting.size() < kMaxPushesByHand,
            fmt::format("push: more than {} at once; wait for some to end", kMaxPushesByHand));
      return;
    }
    case RunInput::Kind::kThrow: {
      Check(bounded(input.point, 1e4) && bounded(input.vector, 100) && input.mass >= 1e-3 &&
                input.mass <= 1e3,
            "throw: expected a place within 10000 m, at most 100 m/s and 0.001 to 1000 kg");
      const EngineInfo& info = FindEngine(setup.engine);
      Check(info.Has(Feature::kSeveralActors) && info.Has(Feature::kActorContact),
            fmt::format("throw: the engine '{}' cannot do several actors; use another one",
                        setup.engine));
      return;
    }
    case RunInput::Kind::kCommand:
      Check(input.actor >= 0 && IsCharacter(input.actor),
            fmt::format("command: actor {} is no character; expected 0 to {}", input.actor,
                        characters.size() - 1));
      Check(std::fabs(input.command.speed.value_or(0)) <= 100 &&
                std::fabs(input.command.heading.value_or(0)) <= 1e6 &&
                std::fabs(input.command.point.value_or(GroundPoint{}).x) <= 1e4 &&
                std::fabs(input.command.point.value_or(GroundPoint{}).y) <= 1e4,
            "command: expected a speed of at most 100 m/s, a finite heading, a point within "
            "10000 m");
      return;
    case RunInput::Kind::kFriction:
      Check(input.value >= 0 && input.value <= 100,
            fmt::format("friction is {}; expected 0 to 100", input.value));
      return;
    case RunInput::Kind::kSlope:
      Check(world.terrain.kind == Terrain::Kind::kPlane,
            "slope: the ground is no plane; start with a plane to tilt it");
      Check(std::fabs(input.value) <= kMaxSlope,
            fmt::format("slope is {} rad; expected at most 80 degrees", input.value));
      return;
  }
}

void Run::Impl::TakeInput(const RunInput& input) {
  const OrderedJson data = {{"input", ToJson(input)}};
  switch (input.kind) {
    case RunInput::Kind::kPush: {
      const double steps = std::max(1.0, std::ceil(input.duration / world.time_step - kRounding));
      hand_pushes.push_back({input, step + static_cast<std::uint32_t>(std::min(steps, 1e9))});
      Report("push", data);
      return;
    }
    case RunInput::Kind::kThrow:
      ThrowByHand(input);
      Report("throw", data);
      return;
    case RunInput::Kind::kCommand: Report("command", data); return;  // taken by Apply
    case RunInput::Kind::kFriction: {
      World changed = world;
      changed.friction = input.value;
      ChangeWorld(changed, States());
      break;
    }
    case RunInput::Kind::kSlope: SetSlope(input.value); break;
  }
  Report(
      "world",
      {{"input", data["input"]}, {"friction", world.friction}, {"terrain", ToJson(world.terrain)}});
}

void Run::Impl::ThrowByHand(const RunInput& input) {
  const int first = static_cast<int>(characters.size() + thrown.size());
  const State state = FlyingBall(input.point, input.vector);
  if (hand_balls == kMaxThrownByHand) {
    engine->SetState(first + next_hand_ball, state);
    next_hand_ball = (next_hand_ball + 1) % kMaxThrownByHand;
    return;
  }
  ++hand_balls;
  World changed = world;
  changed.actors.push_back(MakeThrownBall(input.mass));
  std::vector<State> states = States();
  states.push_back(state);
  ChangeWorld(changed, states);
  actuations.push_back(Passive(world.actors.back()));
  Report("actor", {{"character", ToJson(world.actors.back())}});
}

// The plane turns about the origin: who stands on it is lifted with it.
void Run::Impl::SetSlope(double slope) {
  World changed = world;
  changed.terrain.slope = slope;
  std::vector<State> states = States();
  for (std::size_t k = 0; k < states.size(); ++k) {
    const Character& actor = world.actors[k];
    if (actor.bodies[0].joint.kind != JointKind::kFree) continue;
    Model<double> placed(actor);
    placed.SetState(states[k]);
    states[k].q[2] +=
        Clearance(placed, actor, world.terrain) - Clearance(placed, actor, changed.terrain);
  }
  ChangeWorld(changed, states);
  for (RunCharacter& character : characters) character.ChangeGround(world.terrain);
  meter->ChangeGround(world.terrain);
}

void Run::Impl::ChangeWorld(const World& changed, const std::vector<State>& states) {
  std::unique_ptr<Engine> next = MakeEngine(setup.engine, changed);
  for (std::size_t k = 0; k < states.size(); ++k) next->SetState(static_cast<int>(k), states[k]);
  engine = std::move(next);
  world = changed;
}

std::vector<State> Run::Impl::States() const {
  std::vector<State> states;
  for (std::size_t k = 0; k < world.actors.size(); ++k) {
    states.push_back(engine->GetState(static_cast<int>(k)));
  }
  return states;
}

void Run::Impl::TakeCommands() {
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

void Run::Impl::ThrowFromScenario() {
  for (std::size_t k = 0; k < thrown.size(); ++k) {
    const Throw& each = setup.scenario.throws[k];
    if (thrown[k] || Time() + kRounding < each.at) continue;
    thrown[k] = true;
    Random random(setup.seed, 0, static_cast<std::uint32_t>(k));
    const double heading = each.heading.value_or(random.Uniform(0, 2 * std::numbers::pi));
    const Vec3d target = PointInWorld(0, pushed_body, world.actors[0].bodies[pushed_body].com);
    const State ball = AimedBall(each, target, heading, world.gravity);
    const std::size_t actor = characters.size() + k;
    engine->SetState(static_cast<int>(actor), ball);
    Report("throw", {{"actor", actor},
                     {"mass", each.mass},
                     {"from", {ball.q[0], ball.q[1], ball.q[2]}},
                     {"velocity", {ball.v[0], ball.v[1], ball.v[2]}}});
  }
}

void Run::Impl::GatherForces() {
  forces.clear();
  const double time = Time();
  const Character& character = world.actors[0];
  for (ScenarioPush& each : pushes) {
    const bool acted = each.acts;
    each.acts = ActsAt(each.push, time);
    if (!each.acts) continue;
    const Vec3d force =
        Vec3d{std::cos(each.push.heading), std::sin(each.push.heading), 0} * each.push.force;
    AddForce(0, each.body, character.bodies[each.body].com, force);
    if (acted) continue;
    Report("push", {{"actor", 0},
                    {"body", each.body},
                    {"force", ToJsonArray(force)},
                    {"duration", each.push.duration}});
  }
  const Vec3d middle = character.bodies[pushed_body].com;
  if (setup.scenario.random_pushes) {
    const RandomPushes& random = *setup.scenario.random_pushes;
    const Vec3d force = RandomPushAt(random, time, setup.seed);
    const bool acts = force != Vec3d{};
    if (acts) AddForce(0, pushed_body, middle, force);
    if (acts && !random_push_acts) {
      Report("push", {{"actor", 0},
                      {"body", pushed_body},
                      {"force", ToJsonArray(force)},
                      {"duration", random.duration}});
    }
    random_push_acts = acts;
  }
  if (setup.scenario.disturbance > 0) {
    const Disturbance disturbance{.amplitude = setup.scenario.disturbance, .seed = setup.seed};
    const int interval = static_cast<int>((time + kRounding) / disturbance.interval);
    AddForce(0, pushed_body, middle, DisturbanceAt(disturbance, interval));
  }
  std::erase_if(hand_pushes, [&](const HandPush& push) { return push.end_step <= step; });
  for (const HandPush& push : hand_pushes) {
    AddForce(push.input.actor, push.input.body, push.input.point, push.input.vector);
  }
}

// One force for each body, since an engine may take no more: a second one joins the first, with the
// moment it has about the first one's point.
void Run::Impl::AddForce(int actor, int body, const Vec3d& point, const Vec3d& force) {
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

const Model<double>& Run::Impl::ModelNow(int actor) const {
  return characters[actor].ModelAt(engine->GetState(actor));
}

Mat3d Run::Impl::RotationOf(int actor, int body) const {
  if (IsCharacter(actor)) return ModelNow(actor).Motion(body).r;
  const std::vector<double>& q = engine->GetState(actor).q;
  return ToMat3(Quatd{q[3], q[4], q[5], q[6]});
}

Vec3d Run::Impl::PointInWorld(int actor, int body, const Vec3d& point) const {
  if (IsCharacter(actor)) return ModelNow(actor).PointPosition(body, point);
  const std::vector<double>& q = engine->GetState(actor).q;  // a ball: one free body
  return Vec3d{q[0], q[1], q[2]} + RotationOf(actor, body) * point;
}

void Run::Impl::Step() {
  if (characters[0].Failed()) return;
  for (const RunInput& input : waiting) TakeInput(input);
  waiting.clear();
  TakeCommands();
  ThrowFromScenario();
  GatherForces();
  for (std::size_t k = 0; k < characters.size(); ++k) {
    if (characters[k].Failed()) continue;
    characters[k].Act(Time(), engine->GetState(static_cast<int>(k)), contacts, own_contacts,
                      &actuations[k]);
  }
  before = engine->GetState(0);
  engine->Step(actuations, forces);
  for (std::size_t k = 0; k < characters.size(); ++k) {
    if (characters[k].Failed() || !engine->Failed(static_cast<int>(k))) continue;
    characters[k].Fail();
    Report("failed", {{"actor", k}});
  }
  if (characters[0].Failed()) return;
  ++step;
  Measure();
}

void Run::Impl::Measure() {
  contacts.clear();
  for (const Contact& contact : engine->Contacts()) {
    if (contact.actor == 0) contacts.push_back(contact);
  }
  own_contacts = contacts.size();
  if (world.actors.size() > 1) {
    for (const Contact& contact : engine->Contacts()) {
      if (contact.actor != 0) contacts.push_back(contact);
    }
  }
  if (!characters[0].FellAt()) {
    meter->Add(before, engine->GetState(0), actuations[0], {contacts.data(), own_contacts},
               characters[0].GetController().Reference());
  }
  for (std::size_t k = 0; k < characters.size(); ++k) {
    if (characters[k].Failed()) continue;
    if (characters[k].Falls(Time(), engine->GetState(static_cast<int>(k)))) {
      Report("fall", {{"actor", k}});
    }
  }
}

void Run::Impl::Report(const char* kind, OrderedJson data) {
  events.push_back({step, Time(), kind, std::move(data)});
}

Run::Run(const RunSetup& setup) : impl_(std::make_unique<Impl>(setup)) {}
Run::Run(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Run::~Run() = default;
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;

void Run::Apply(const RunInput& input) {
  impl_->CheckInput(input);
  Check(impl_->waiting.size() < kMaxWaiting,
        fmt::format("more than {} inputs before the next step", kMaxWaiting));
  impl_->waiting.push_back(input);
  if (input.kind == RunInput::Kind::kCommand) {
    impl_->characters[input.actor].command = input.command;
  }
}

void Run::Step() { impl_->Step(); }

bool Run::Finished() const {
  return impl_->step >= impl_->last_step || Failed() ||
         (Fell() && impl_->setup.scenario.stop_at_fall);
}
bool Run::Fell(int actor) const { return FellAt(actor).has_value(); }
bool Run::Failed(int actor) const { return impl_->characters.at(actor).Failed(); }
std::optional<double> Run::FellAt(int actor) const { return impl_->characters.at(actor).FellAt(); }
int Run::Falls(int actor) const { return impl_->characters.at(actor).FallCount(); }
int Run::CharacterCount() const { return static_cast<int>(impl_->characters.size()); }
const Controller& Run::ControllerOf(int actor) const {
  return impl_->characters.at(actor).GetController();
}
double Run::Time() const { return impl_->Time(); }
std::uint32_t Run::StepCount() const { return impl_->step; }
const RunSetup& Run::Setup() const { return impl_->setup; }
const World& Run::GetWorld() const { return impl_->world; }
const State& Run::ActorState(int actor) const { return impl_->engine->GetState(actor); }
const Command& Run::CurrentCommand(int actor) const { return impl_->characters.at(actor).command; }
const std::vector<std::string>& Run::Warnings() const { return impl_->warnings; }
Metrics Run::Measure() const { return impl_->meter->Result(); }

RecordingHeader Run::Header() const {
  const RunSetup& setup = impl_->setup;
  RecordingHeader header;
  const std::string& name = setup.scenario.name;
  header.title = fmt::format("{} on {}{}", setup.controller, impl_->world.actors[0].name,
                             name.empty() ? "" : ": " + name);
  header.engine = setup.engine;
  header.controller = setup.controller;
  header.motion = fmt::format("{}", fmt::join(setup.motions, ", "));
  header.seed = setup.seed;
  header.world = impl_->world;
  header.frame_interval = impl_->world.time_step;
  for (const DebugChannel& channel : impl_->channels) {
    header.channels.push_back({channel.name, channel.unit, ValueCount(channel.kind)});
  }
  header.styles = impl_->characters[0].GetController().Styles();
  header.graph = impl_->characters[0].GetController().Graph();
  header.version = STRIDE_VERSION;
  header.setup = ToJson(setup);
  return header;
}

void Run::ReadFrame(RecordedFrame* frame) const {
  const auto floats = [](const Vec3d& v) {
    return std::array<float, 3>{static_cast<float>(v.x), static_cast<float>(v.y),
                                static_cast<float>(v.z)};
  };
  const auto number = [](const std::optional<double>& value) {
    return value ? static_cast<float>(*value) : std::numeric_limits<float>::quiet_NaN();
  };
  const Impl& run = *impl_;
  frame->step = run.step;
  frame->time = run.Time();
  frame->actors.resize(run.world.actors.size());
  for (std::size_t k = 0; k < frame->actors.size(); ++k) {
    frame->actors[k] = run.engine->GetState(static_cast<int>(k));
  }
  frame->target_q.clear();
  const std::vector<double>& kp = run.actuations[0].kp;
  if (std::any_of(kp.begin(), kp.end(), [](double gain) { return gain > 0; })) {
    frame->target_q = run.actuations[0].target_q;
  }
  frame->reference.clear();
  const RunCharacter& first = run.characters[0];
  if (const State* reference = first.GetController().Reference()) frame->reference = reference->q;
  frame->contacts.clear();
  for (const Contact& c : run.contacts) {
    frame->contacts.push_back(
        {c.actor, c.body, c.other_actor, c.other_body, floats(c.position), floats(c.force)});
  }
  frame->forces.clear();
  for (const ExternalForce& f : run.forces) {
    frame->forces.push_back(
        {f.actor, f.body, floats(run.PointInWorld(f.actor, f.body, f.point)), floats(f.force)});
  }
  frame->speed = number(first.UsedCommand().speed);
  frame->heading = number(first.UsedCommand().heading);
  frame->style = first.UsedCommand().style;
  frame->channels.assign(run.channel_values, std::numeric_limits<float>::quiet_NaN());
  first.GetController().ReadChannels(frame->channels);
}

std::vector<RecordedEvent> Run::TakeEvents() { return std::exchange(impl_->events, {}); }

Run Run::Branch() const { return Run(std::make_unique<Impl>(*impl_)); }

}  // namespace stride
