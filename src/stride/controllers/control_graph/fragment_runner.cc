#include "stride/controllers/control_graph/fragment_runner.h"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <numbers>

#include "stride/core/error.h"

namespace stride {

FragmentRunner::FragmentRunner(const World& world, const SkillParts& parts)
    : batch_(world), parts_(parts), kernel_(&FragmentKernels().For(batch_.InstructionSet())) {
  STRIDE_CHECK(world.terrain.kind == Terrain::Kind::kPlane);
  const Character& character = world.actors[0];
  bodies_ = character.BodyCount();
  state_size_ = batch_.StoredSize();
  trunk_ = character.BodyOf(Role::kTrunk);
  trunk_com_ = character.bodies[trunk_].com;
  conditions_ = batch_.DefaultConditions();
  const int lanes = kernel_->lanes;
  const int floats = (kFeatureCount + 1 + kActionCount + 2) * lanes;
  block_.reset(
      static_cast<float*>(std::aligned_alloc(64, (floats * sizeof(float) + 63) / 64 * 64)));
  if (!block_) throw std::bad_alloc();
  std::memset(block_.get(), 0, floats * sizeof(float));
  features_.at = block_.get();
  cost_.at = features_.at + kFeatureCount * lanes;
  actions_.at = cost_.at + lanes;
  base_half_.at = actions_.at + kActionCount * lanes;
  base_.assign(lanes, 0);
  Actuation servos = Passive(character);
  for (int i = 0; i < bodies_; ++i) {
    servos.kp[i] = character.bodies[i].joint.kp;
    servos.kd[i] = character.bodies[i].joint.kd;
    gains_.push_back(static_cast<float>(servos.kp[i]));
    gains_.push_back(static_cast<float>(servos.kd[i]));
  }
  for (int lane = 0; lane < lanes; ++lane) {
    batch_.SetActuation(lane, servos);
    SetBase(lane, 0);
    SetPush(lane, 0, 0);
  }
}

void FragmentRunner::Store(int lane, float* state) const { batch_.Store(lane, state); }
void FragmentRunner::Load(int lane, const float* state) { batch_.Load(lane, state); }

void FragmentRunner::Load(int lane, const State& state) {
  State here = state;
  here.q[0] = here.q[1] = 0;
  batch_.SetState(lane, here);
}

State FragmentRunner::Read(int lane) const {
  State state;
  batch_.GetState(lane, &state);
  return state;
}

void FragmentRunner::SetBase(int lane, double heading) {
  base_[lane] = heading;
  base_half_[lane] = static_cast<float>(std::cos(heading / 2));
  base_half_[kernel_->lanes + lane] = static_cast<float>(std::sin(heading / 2));
}

void FragmentRunner::SetConditions(int lane, const WorldVariation& variation, Random* random) {
  const auto factor = [&](double range) { return std::pow(range, random->Uniform(-1, 1)); };
  LaneConditions c = conditions_;
  c.contact.stiffness *= factor(variation.stiffness);
  c.contact.damping *= factor(variation.damping);
  c.friction *= factor(variation.friction);
  if (variation.slope > 0) {
    c.slope = variation.slope * random->Uniform();
    c.slope_heading = random->Uniform(0, 2 * std::numbers::pi);
  }
  batch_.SetConditions(lane, c);
  const float gain = static_cast<float>(factor(variation.gains));
  for (int i = 0; i < bodies_; ++i) {
    batch_.SetGains(lane, i, gains_[2 * i] * gain, gains_[2 * i + 1] * gain);
  }
}

void FragmentRunner::SetPush(int lane, double x, double y) {
  ExternalForce push;
  push.body = trunk_;
  push.force = {x, y, 0};
  push.point = trunk_com_;
  batch_.SetForce(lane, push);
}

void FragmentRunner::Judge(const BorderReference& border, const CostWeights& weights,
                           bool with_cost) {
  kernel_->judge(batch_.GetTree(), batch_.Memory(), parts_, border, weights, base_half_.data(),
                 features_.data(), with_cost ? cost_.data() : nullptr);
}

void FragmentRunner::Run(const ControlGraph& graph, int fragment) {
  RunSteps(graph, graph.fragments[fragment].begin, graph.fragments[fragment].end);
}

void FragmentRunner::RunSteps(const ControlGraph& graph, int begin, int end) {
  for (int step = begin; step < end; ++step) {
    kernel_->aim(batch_.GetTree(), batch_.Memory(), parts_, graph.Target(step), actions_.data());
    if (!physics_seconds_) {
      batch_.Step(1);
      continue;
    }
    const auto start = std::chrono::steady_clock::now();
    batch_.Step(1);
    *physics_seconds_ +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
}

bool FragmentRunner::Fallen(int lane, const BorderReference& border) const {
  constexpr float kHeight = static_cast<float>(kFallenHeight);
  constexpr float kTilt = static_cast<float>(kFallenTilt);
  const float x = Feature(lane, 0), y = Feature(lane, 1), z = Feature(lane, 2);
  return Failed(lane) || !(z > kHeight * border.features[2]) || !(x * x + y * y < kTilt * kTilt);
}

}  // namespace stride
