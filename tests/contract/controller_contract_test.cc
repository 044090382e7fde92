// What every controller must do on every engine, whichever they are. Iterates over the registries:
// a new one is tested without a line here.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/controllers/registry.h"
#include "stride/controllers/skill_library.h"
#include "stride/core/error.h"
#include "stride/core/random.h"
#include "stride/learn/lane_driver.h"
#include "stride/motion/library.h"
#include "stride/scenario/fall.h"
#include "stride/scenario/placement.h"
#include "stride/sim/batch.h"
#include "stride/sim/engine.h"

namespace {
std::atomic<long> allocations{0};

void* Allocate(std::size_t size, std::size_t alignment) {
  ++allocations;
  void* memory =
      alignment <= alignof(std::max_align_t)
          ? std::malloc(size)
          : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}
}  // namespace

// Both come from malloc; GCC sees only the one that it has inlined.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
// Counted in the whole binary.
void* operator new(std::size_t size) { return Allocate(size, 1); }
void* operator new[](std::size_t size) { return Allocate(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace stride {
namespace {

// Channels that say something only while it happens, which no short run brings about.
bool SometimesEmpty(const std::string& channel) { return channel == "from node"; }

bool AllFinite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

// What a controller says it can do, on its own body or on another.
ControllerInput ExampleOf(const ControllerInfo& info, const std::string& character = "") {
  const ControllerInfo::Example& example = info.example;
  ControllerInput input;
  if (!example.skill.empty()) {
    // A skill brings its own character.
    input.skill = std::make_shared<const Skill>(LoadSkill(example.skill));
    input.world.actors = {input.skill->character};
  } else {
    input.world.actors = {LoadCharacter(character.empty() ? example.character : character)};
  }
  input.config = example.config;
  Grant(input.skill ? Join(input.skill->wishes, info.wishes) : info.wishes, {}, &input.world);
  input.stand = StandOn(input.world.actors[0], input.world.terrain);
  if (!example.motion.empty()) {
    input.motions.push_back(LoadMotion(example.motion, input.world.actors[0]));
  }
  return input;
}

// One character under a controller, pushed about a little.
struct Trial {
  Trial(const std::string& engine_name, const std::string& controller_name,
        const std::string& character)
      : engine_name(engine_name) {
    const ControllerInput input = ExampleOf(FindController(controller_name), character);
    world = input.world;
    controller = MakeController(controller_name, input);
    engine = MakeEngine(engine_name, world);
    engine->SetState(0, controller->Start());
    actuations = {Passive(world.actors[0])};
    contacts.reserve(1000);
  }
  Trial(const Trial& other)
      : engine_name(other.engine_name),
        world(other.world),
        controller(other.controller->Clone()),
        engine(MakeEngine(other.engine_name, other.world)),
        actuations(other.actuations),
        contacts(other.contacts),
        step(other.step) {
    engine->Restore(other.engine->Save());
  }

  void Control() {
    const Command command{.speed = step < 50 ? 1.0 : 0.5, .heading = 0.2};
    controller->Step({step * world.time_step, engine->GetState(0), contacts}, command,
                     &actuations[0]);
  }
  void Step() {
    Control();
    const ExternalForce push = {.force = {0, step % 40 < 10 ? 30.0 : 0.0, 0}};
    engine->Step(actuations, {&push, 1});
    contacts.assign(engine->Contacts().begin(), engine->Contacts().end());
    ++step;
  }

  std::string engine_name;
  World world;
  std::unique_ptr<Controller> controller;
  std::unique_ptr<Engine> engine;
  std::vector<Actuation> actuations;
  std::vector<Contact> contacts;
  int step = 0;
};

class ControllerTest : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  Trial Make(const std::string& character = "") const {
    return Trial(std::get<1>(GetParam()), std::get<0>(GetParam()), character);
  }
};

TEST_P(ControllerTest, StartsInAValidState) {
  const Trial trial = Make();
  const Character& character = trial.world.actors[0];
  const State start = trial.controller->Start(), rest = RestState(character);
  ASSERT_EQ(start.q.size(), rest.q.size());
  ASSERT_EQ(start.v.size(), rest.v.size());
  EXPECT_TRUE(AllFinite(start.q) && AllFinite(start.v));
  const Layout layout = LayoutOf(character);
  for (int i = 0; i < character.BodyCount(); ++i) {
    const JointKind kind = character.bodies[i].joint.kind;
    if (kind == JointKind::kHinge) continue;
    const double* q = &start.q[layout.q[i] + (kind == JointKind::kFree ? 3 : 0)];
    EXPECT_NEAR(Norm(Vec3d{q[1], q[2], q[3]}) * Norm(Vec3d{q[1], q[2], q[3]}) + q[0] * q[0], 1,
                1e-6)
        << character.bodies[i].name;
  }
  EXPECT_FALSE(trial.engine->Failed(0));
}

TEST_P(ControllerTest, StaysFiniteAndKeepsTheActuationsSizes) {
  for (const char* character : {"", "kwon17"}) {
    Trial trial = Make(character);
    const Actuation sizes = Passive(trial.world.actors[0]);
    for (int i = 0; i < 400; ++i) {
      trial.Step();
      const Actuation& a = trial.actuations[0];
      ASSERT_EQ(a.target_q.size(), sizes.target_q.size());
      ASSERT_EQ(a.target_v.size(), sizes.target_v.size());
      ASSERT_EQ(a.kp.size(), sizes.kp.size());
      ASSERT_EQ(a.kd.size(), sizes.kd.size());
      ASSERT_EQ(a.torque.size(), sizes.torque.size());
      ASSERT_TRUE(AllFinite(a.target_q) && AllFinite(a.target_v) && AllFinite(a.kp) &&
                  AllFinite(a.kd) && AllFinite(a.torque))
          << "step " << i;
      ASSERT_TRUE(AllFinite(trial.engine->GetState(0).q)) << "step " << i;
      if (const State* reference = trial.controller->Reference()) {
        ASSERT_EQ(reference->q.size(), sizes.target_q.size());
        ASSERT_TRUE(AllFinite(reference->q)) << "step " << i;
      }
    }
    EXPECT_FALSE(trial.engine->Failed(0));
  }
}

// Bodies of other forms, where it accepts them; where not, it says why.
TEST_P(ControllerTest, DrivesOtherBodiesOrSaysWhyNot) {
  const ControllerInfo& info = FindController(std::get<0>(GetParam()));
  if (info.needs_skill) {
    EXPECT_FALSE(info.example.skill.empty());
    return;  // a skill is of one body
  }
  for (const char* character : {"biped", "tripod", "snake"}) {
    const Character body = LoadCharacter(character);
    const std::string why = info.refuses ? info.refuses(body) : "";
    if (!why.empty()) {
      ControllerInput input;
      input.world.actors = {body};
      input.stand = StandOn(body, input.world.terrain);
      for (int k = 0; k < info.min_motions; ++k) input.motions.push_back({.character = body.name});
      try {
        MakeController(info.name, input);
        ADD_FAILURE() << character << " was not refused";
      } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
      }
      continue;
    }
    Trial trial = Make(character);
    for (int i = 0; i < 200; ++i) trial.Step();
    EXPECT_TRUE(AllFinite(trial.engine->GetState(0).q)) << character;
    EXPECT_FALSE(trial.engine->Failed(0)) << character;
  }
}

TEST_P(ControllerTest, ACloneGoesOnBitForBit) {
  Trial trial = Make();
  for (int i = 0; i < 60; ++i) trial.Step();
  Trial clone(trial);
  for (int i = 0; i < 100; ++i) {
    trial.Step();
    clone.Step();
    ASSERT_EQ(trial.actuations[0].target_q, clone.actuations[0].target_q) << "step " << i;
    ASSERT_EQ(trial.actuations[0].torque, clone.actuations[0].torque) << "step " << i;
    ASSERT_TRUE(trial.engine->GetState(0) == clone.engine->GetState(0)) << "step " << i;
  }
}

TEST_P(ControllerTest, AStepAllocatesNothing) {
  Trial trial = Make();
  for (int i = 0; i < 20; ++i) trial.Step();
  long during = 0;
  for (int i = 0; i < 100; ++i) {
    const long before = allocations;
    trial.Control();
    during += allocations - before;
    trial.Step();
  }
  EXPECT_EQ(during, 0);
}

// Every channel is written at some time, with finite numbers, and nothing behind the last one.
TEST_P(ControllerTest, FillsItsChannels) {
  Trial trial = Make();
  int values = 0;
  std::vector<std::string> names;
  for (const DebugChannel& channel : trial.controller->Channels()) {
    EXPECT_FALSE(channel.name.empty());
    EXPECT_EQ(std::count(names.begin(), names.end(), channel.name), 0) << channel.name << " twice";
    for (int k = 0; k < ValueCount(channel.kind); ++k) names.push_back(channel.name);
    values += ValueCount(channel.kind);
  }
  std::vector<char> written(values, 0);
  for (int i = 0; i < 300; ++i) {
    trial.Step();
    std::vector<float> read(values + 1, std::numeric_limits<float>::quiet_NaN());
    read.back() = -7;
    trial.controller->ReadChannels({read.data(), static_cast<std::size_t>(values)});
    EXPECT_EQ(read.back(), -7);
    for (int k = 0; k < values; ++k) {
      EXPECT_FALSE(std::isinf(read[k])) << names[k];
      if (!std::isnan(read[k])) written[k] = 1;
    }
  }
  for (int k = 0; k < values; ++k) {
    if (SometimesEmpty(names[k])) continue;
    EXPECT_TRUE(written[k]) << names[k] << " was never written";
  }
}

// A second under control in lanes against the same second in double: by the lane program where
// there is one, and by clones. Float and double drift apart, the more so the less stable what is
// driven: how far the reference itself goes astray from a start that is off by 0.1 mm/s, which is
// what rounding adds up to, says how much. A wrong sign goes further.
class LanesTest : public testing::TestWithParam<std::string> {};

TEST_P(LanesTest, AControlledSecondIsThatOfTheReference) {
  const ControllerInfo& info = FindController(GetParam());
  const ControllerInput input = ExampleOf(info);
  const Character& character = input.world.actors[0];
  const auto make = [&](std::span<const double>) { return MakeController(info.name, input); };
  std::vector<LaneDriverMaker> makers = {DriveByClones(character, make)};
  std::vector<double> parameters;
  if (info.lanes) {
    const std::shared_ptr<const LaneProgram> program = info.lanes(input);
    makers.push_back(DriveByProgram(program));
    parameters = program->OwnParameters();
  }

  const Command command{.speed = 1.0, .heading = 0.1};
  const int steps = static_cast<int>(std::lround(1 / input.world.time_step));
  const auto perform = [&](double off) {
    const std::unique_ptr<Controller> reference = make({});
    const std::unique_ptr<Engine> engine = MakeEngine("native", input.world);
    State start = reference->Start();
    Random random(7);
    for (double& v : start.v) v += off * random.Normal();
    engine->SetState(0, start);
    std::vector<Actuation> actuations = {Passive(character)};
    std::vector<Contact> contacts;
    for (int step = 0; step < steps; ++step) {
      reference->Step({step * input.world.time_step, engine->GetState(0), contacts}, command,
                      &actuations[0]);
      engine->Step(actuations, {});
      contacts.assign(engine->Contacts().begin(), engine->Contacts().end());
    }
    return engine->GetState(0);
  };
  const auto largest_difference = [](const State& a, const State& b) {
    double largest = 0;
    for (std::size_t k = 0; k < a.q.size(); ++k) {
      largest = std::max(largest, std::fabs(a.q[k] - b.q[k]));
    }
    return largest;
  };
  const State expected = perform(0);
  const double astray = std::max(largest_difference(perform(1e-4), expected),
                                 largest_difference(perform(-1e-4), expected));
  const double allowed = 0.01 + 2 * astray;

  for (const LaneDriverMaker& maker : makers) {
    Batch batch(input.world);
    const std::unique_ptr<LaneDriver> driver = maker(batch);
    for (int lane = 0; lane < batch.Lanes(); ++lane) {
      batch.SetState(lane, make({})->Start());
      driver->SetCommand(lane, command);
    }
    const std::vector<std::span<const double>> own(batch.Lanes(), parameters);
    driver->Begin(own, &batch);
    for (int step = 0; step < steps; ++step) {
      driver->Step(step * input.world.time_step, &batch);
      batch.Step(1);
    }
    State state;
    for (const int lane : {0, batch.Lanes() - 1}) {
      batch.GetState(lane, &state);
      ASSERT_FALSE(batch.Failed(lane));
      EXPECT_LT(largest_difference(state, expected), allowed) << info.name;
    }
  }
}

std::vector<std::string> ControllerNames() {
  std::vector<std::string> names;
  for (const ControllerInfo& info : Controllers()) names.push_back(info.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, LanesTest, testing::ValuesIn(ControllerNames()),
                         [](const auto& info) { return info.param; });

// Every skill that is shipped stands in every engine.
class SkillTest : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(SkillTest, StandsTwentySeconds) {
  const auto& [name, engine_name] = GetParam();
  ControllerInput input;
  input.skill = std::make_shared<const Skill>(LoadSkill(name));
  input.world.actors = {input.skill->character};
  const ControllerInfo& info = FindController(input.skill->controller);
  Grant(Join(input.skill->wishes, info.wishes), {}, &input.world);
  input.stand = StandOn(input.world.actors[0], input.world.terrain);
  const std::unique_ptr<Controller> controller = MakeController(info.name, input);
  const std::unique_ptr<Engine> engine = MakeEngine(engine_name, input.world);
  const State start = controller->Start();
  engine->SetState(0, start);
  FallDetector fall(input.world.actors[0], input.world.terrain, start);
  std::vector<Actuation> actuations = {Passive(input.world.actors[0])};
  std::vector<Contact> contacts;
  for (double time = 0; time < 20; time += input.world.time_step) {
    controller->Step({time, engine->GetState(0), contacts}, {}, &actuations[0]);
    engine->Step(actuations, {});
    contacts.assign(engine->Contacts().begin(), engine->Contacts().end());
    ASSERT_FALSE(fall.Fallen(engine->GetState(0))) << "fell at " << time << " s";
  }
}

std::vector<std::tuple<std::string, std::string>> SkillsInEngines() {
  std::vector<std::tuple<std::string, std::string>> pairs;
  for (const SkillInfo& skill : BuiltInSkills()) {
    for (const EngineInfo& engine : Engines()) pairs.emplace_back(skill.name, engine.name);
  }
  return pairs;
}
INSTANTIATE_TEST_SUITE_P(All, SkillTest, testing::ValuesIn(SkillsInEngines()),
                         [](const auto& info) {
                           std::string name =
                               std::get<0>(info.param) + "_" + std::get<1>(info.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(AllocationCounter, Counts) {
  const long before = allocations;
  std::vector<double> memory(100, 1.0);
  EXPECT_GT(allocations, before);
  EXPECT_EQ(memory.size(), 100u);
}

std::vector<std::tuple<std::string, std::string>> Pairs() {
  std::vector<std::tuple<std::string, std::string>> pairs;
  for (const ControllerInfo& controller : Controllers()) {
    for (const EngineInfo& engine : Engines()) pairs.emplace_back(controller.name, engine.name);
  }
  return pairs;
}

INSTANTIATE_TEST_SUITE_P(All, ControllerTest, testing::ValuesIn(Pairs()), [](const auto& info) {
  std::string name = std::get<0>(info.param) + "_" + std::get<1>(info.param);
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

}  // namespace
}  // namespace stride
