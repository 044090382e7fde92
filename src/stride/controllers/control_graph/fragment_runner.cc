#include "stride/controllers/control_graph/fragment_runner.h"

#include <chrono>
#include <cmath>

#include "stride/core/error.h"
#include "stride/learn/rollout_block.h"
#include "stride/scenario/fall.h"

namespace stride {

FragmentRunner::FragmentRunner(const World& world, const SkillParts& parts,
                               const std::string& instruction_set)
    : batch_(world, instruction_set),
      parts_(parts),
      kernel_(&FragmentKernels().For(batch_.InstructionSet())),
      features_(kFeatureCount, kernel_->lanes),
      cost_(1, kernel_->lanes),
      actions_(kActionCount, kernel_->lanes),
      base_half_(2, kernel_->lanes) {
  STRIDE_CHECK(kTrialBlock % kernel_->lanes == 0);
  STRIDE_CHECK(world.terrain.kind == Terrain::Kind::kPlane);
  const Character& character = world.actors[0];
  bodies_ = character.BodyCount();
  state_size_ = batch_.StoredSize();
  trunk_ = character.BodyOf(Role::kTrunk);
  trunk_com_ = character.bodies[trunk_].com;
  conditions_ = batch_.DefaultConditions();
  const int lanes = kernel_->lanes;
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
  base_half_.At(0, lane) = static_cast<float>(std::cos(heading / 2));
  base_half_.At(1, lane) = static_cast<float>(std::sin(heading / 2));
}

void FragmentRunner::SetConditions(int lane, const WorldVariation& variation, Random* random) {
  const VariedWorld world = DrawWorld(variation, conditions_, random);
  batch_.SetConditions(lane, world.conditions);
  const float gain = static_cast<float>(world.gains);
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
  const float tilt[2] = {Feature(lane, feature::kTilt), Feature(lane, feature::kTilt + 1)};
  return Failed(lane) || IsFallen(kFallFromReference, Feature(lane, feature::kHeight),
                                  border.features[feature::kHeight], TiltSquared(tilt));
}

}  // namespace stride
