#include "stride/app/experiments/kwon17_runs.h"

#include <cmath>
#include <filesystem>

#include "stride/controllers/pendulum/defaults.h"
#include "stride/motion/import/motion_source.h"
#include "stride/scenario/fall.h"
#include "stride/sim/engine.h"

namespace stride::experiments {
namespace {

constexpr double kTurnAhead = 1.5;  // rad, so that the turn never ends
constexpr double kFriction = 1;

// What moves the body: the program itself or an engine.
class Mover {
 public:
  Mover(Kwon17Mode mode, const std::shared_ptr<const PendulumRig>& rig, const Kwon17Trial& trial)
      : trunk_(rig->reference.character().BodyOf(Role::kTrunk)),
        point_(rig->reference.character().bodies[trunk_].com) {
    PendulumConfig config = trial.config.value_or(
        DefaultConfig(rig->reference, mode == Kwon17Mode::kProgram ? PendulumUse::kSimulator
                                                                   : PendulumUse::kTorques));
    if (trial.turn != 0) config.turning = std::fabs(trial.turn);
    World world;
    world.actors = {rig->reference.character()};
    world.time_step = mode == Kwon17Mode::kProgram ? kPlanStep : 1.0 / 960;
    world.friction = kFriction;
    world.terrain.slope = trial.slope * M_PI / 180;
    dt_ = world.time_step;
    if (mode == Kwon17Mode::kProgram) {
      own_ = std::make_unique<ProgramSimulation>(rig, world.terrain, kFriction, config);
      return;
    }
    controller_ = std::make_unique<PendulumController>(world, rig, config);
    engine_ = MakeEngine("native", world);
    engine_->SetState(0, controller_->Start());
    fall_ = std::make_unique<FallDetector>(world.actors[0], world.terrain, controller_->Start());
    actuation_ = Passive(world.actors[0]);
  }

  double TimeStep() const { return dt_; }
  const State& GetState() const { return own_ ? own_->GetState() : engine_->GetState(0); }
  bool Fell() const {
    return own_ ? own_->Fell() : engine_->Failed(0) || fall_->Fallen(engine_->GetState(0));
  }
  void Step(double time, const Command& command, const Vec3d& push) {
    const ExternalForce force{.body = trunk_, .force = push, .point = point_};
    const std::span<const ExternalForce> forces(&force, Norm(push) > 0 ? 1 : 0);
    if (own_) {
      own_->Step(command, forces);
      return;
    }
    controller_->Step({time, engine_->GetState(0), engine_->Contacts()}, command, &actuation_);
    engine_->Step({&actuation_, 1}, forces);
  }

 private:
  int trunk_;
  Vec3d point_;
  double dt_ = 0;
  std::unique_ptr<ProgramSimulation> own_;
  std::unique_ptr<PendulumController> controller_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<FallDetector> fall_;
  Actuation actuation_;
};

double HeadingOf(const State& state) { return NearestHeading(QuatAt(state.q, 3)); }

}  // namespace

const char* NameOf(Kwon17Mode mode) {
  return mode == Kwon17Mode::kProgram ? "paper's mode" : "in the engine";
}

std::shared_ptr<const PendulumRig> Kwon17Clip(const std::string& gait,
                                              const ExperimentContext& context,
                                              Findings* findings) {
  std::string clip = gait;
  CaptureOptions capture;
  if (!context.mocap.empty()) {
    clip = (std::filesystem::path(context.mocap) / "cmu" /
            (gait == "walk" ? "07_01.bvh" : "09_01.bvh"))
               .string();
    capture.loop = true;
  }
  const MotionSource source = LoadAnyMotion(clip, "kwon17", capture);
  findings->inputs.push_back({source.motion.name, InputHash(MotionText(source.motion))});
  return std::make_shared<const PendulumRig>(source.character, source.motion);
}

Kwon17Result Perform(Kwon17Mode mode, const std::shared_ptr<const PendulumRig>& rig,
                     const Kwon17Trial& trial) {
  Mover mover(mode, rig, trial);
  Kwon17Result result;
  Command command;
  command.speed = trial.speed;
  double way = 0, turned = 0, measured = 0, heading = HeadingOf(mover.GetState());
  const int steps = static_cast<int>(std::lround(trial.seconds / mover.TimeStep()));
  for (int k = 0; k < steps && !result.fell; ++k) {
    const double time = k * mover.TimeStep();
    if (trial.turn != 0) {
      command.heading = HeadingOf(mover.GetState()) + std::copysign(kTurnAhead, trial.turn);
    }
    Vec3d force;
    for (const Kwon17Push& push : trial.pushes) {
      if (time < push.at || time >= push.at + push.seconds) continue;
      const double angle = push.degrees * M_PI / 180;
      force += Vec3d{std::cos(angle), std::sin(angle), 0} * push.newtons;
    }
    mover.Step(time, command, force);
    result.seconds = time + mover.TimeStep();
    result.fell = mover.Fell();
    const State& state = mover.GetState();
    const double now = HeadingOf(state);
    if (time > trial.seconds / 3) {
      way += std::hypot(state.v[0], state.v[1]) * mover.TimeStep();
      turned += std::remainder(now - heading, 2 * M_PI);
      measured += mover.TimeStep();
    }
    heading = now;
  }
  if (measured > 0) {
    result.speed = way / measured;
    result.turn = turned / measured;
  }
  return result;
}

}  // namespace stride::experiments
