// What every controller must do on every engine, whichever they are. Iterates over the registries:
// a new one is tested without a line here.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <new>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "stride/character/library.h"
#include "stride/controllers/skill_library.h"
#include "stride/controllers/registry.h"
#include "stride/motion/library.h"
#include "stride/scenario/placement.h"
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

bool AllFinite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

// One character under a controller, pushed about a little.
struct Trial {
  Trial(const std::string& engine_name, const std::string& controller_name,
        const std::string& character)
      : engine_name(engine_name) {
    ControllerInput input;
    input.world.actors = {LoadCharacter(character)};
    if (FindController(controller_name).needs_skill) {
      // A skill brings its own character.
      input.skill = std::make_shared<const Skill>(LoadSkill("walk"));
      input.world.actors = {input.skill->character};
    }
    input.stand = StandOn(input.world.actors[0], input.world.terrain);
    const int motions = FindController(controller_name).min_motions;
    for (int i = 0; i < motions; ++i) {
      input.motions.push_back(LoadMotion("walk", input.world.actors[0]));
    }
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
  Trial Make(const std::string& character = "liu16") const {
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
  for (const char* character : {"liu16", "kwon17"}) {
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

TEST_P(ControllerTest, FillsItsChannels) {
  Trial trial = Make();
  trial.Step();
  int values = 0;
  for (const DebugChannel& channel : trial.controller->Channels()) {
    EXPECT_FALSE(channel.name.empty());
    values += ValueCount(channel.kind);
  }
  // A guard behind the last value: ReadChannels must not write there.
  std::vector<float> read(values + 1, -7);
  trial.controller->ReadChannels({read.data(), static_cast<std::size_t>(values)});
  EXPECT_EQ(read.back(), -7);
}

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
