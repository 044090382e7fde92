#include "stride/controllers/control_graph/fragment_runner.h"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>

#include "stride/core/error.h"
#include "stride/learn/rollout_block.h"
#include "stride/scenario/fall.h"

namespace stride {
namespace {

const FragmentKernel& KernelFor(const char* instruction_set) {
  for (const FragmentKernel* kernel :
       {&FragmentKernelAvx512(), &FragmentKernelAvx2(), &FragmentKernelSse2()}) {
    if (std::strcmp(kernel->instruction_set, instruction_set) == 0) return *kernel;
  }
  STRIDE_CHECK(false);
  std::abort();
}

constexpr int kDriveKp = 10, kDriveKd = 11;  // slots of JointDrive

}  // namespace

FragmentRunner::FragmentRunner(const World& world, const SkillParts& parts,
                               const std::string& instruction_set)
    : batch_(world, instruction_set), parts_(parts), kernel_(&KernelFor(batch_.InstructionSet())) {
  STRIDE_CHECK(kTrialBlock % kernel_->lanes == 0);
  STRIDE_CHECK(world.terrain.kind == Terrain::Kind::kPlane);
  const Character& character = world.actors[0];
  bodies_ = character.BodyCount();
  state_size_ = kRootSlots + kJointSlots * bodies_;
  trunk_ = character.BodyOf(Role::kTrunk);
  trunk_com_ = character.bodies[trunk_].com;
  rest_ = RestState(character);
  rest_.q[0] = rest_.q[1] = 0;
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

void FragmentRunner::Store(int lane, float* state) const {
  const BatchMemory& m = batch_.Memory();
  const int lanes = kernel_->lanes;
  for (int k = 0; k < kRootSlots; ++k) *state++ = m.root[k * lanes + lane];
  for (int k = 0; k < kJointSlots * bodies_; ++k) *state++ = m.joints[k * lanes + lane];
  // Only the height above the plane is kept of the place.
  float* root = state - state_size_;
  const float* g = m.ground;
  root[2] -=
      (g[3 * lanes + lane] - g[lane] * root[0] - g[lanes + lane] * root[1]) / g[2 * lanes + lane];
  root[0] = root[1] = 0;
}

void FragmentRunner::Load(int lane, const float* state) {
  const BatchMemory& m = batch_.Memory();
  const int lanes = kernel_->lanes;
  batch_.SetState(lane, rest_);  // the lane's origin back to that of the world; then the numbers
  for (int k = 0; k < kRootSlots; ++k) m.root[k * lanes + lane] = *state++;
  for (int k = 0; k < kJointSlots * bodies_; ++k) m.joints[k * lanes + lane] = *state++;
}

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
  const VariedWorld world = DrawWorld(variation, conditions_, random);
  batch_.SetConditions(lane, world.conditions);
  const float gain = static_cast<float>(world.gains);
  const BatchMemory& m = batch_.Memory();
  const int lanes = kernel_->lanes;
  for (int i = 0; i < bodies_; ++i) {
    float* drive = m.drives + i * kDriveSlots * lanes + lane;
    drive[kDriveKp * lanes] = gains_[2 * i] * gain;
    drive[kDriveKd * lanes] = gains_[2 * i + 1] * gain;
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
  const float tilt[2] = {Feature(lane, feature::kTilt), Feature(lane, feature::kTilt + 1)};
  return Failed(lane) || IsFallen(kFallFromReference, Feature(lane, feature::kHeight),
                                  border.features[feature::kHeight], TiltSquared(tilt));
}

}  // namespace stride
