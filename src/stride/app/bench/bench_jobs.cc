#include "stride/app/bench/bench_jobs.h"

#include <cmath>

#include "stride/scenario/fall.h"
#include "stride/sim/batch.h"
#include "stride/sim/engine.h"

namespace stride {
namespace {

ExternalForce PushOn(const Character& character, const Vec3d& force) {
  const int body = PushedBody(character);
  return {.body = body, .force = force, .point = character.bodies[body].com};
}

class EngineRunner final : public StandRunner {
 public:
  EngineRunner(const StandJob& job, const std::string& engine)
      : job_(job),
        character_(job_.world.actors[0]),
        rest_(RestState(character_)),
        fall_(character_, job.world.terrain, rest_),
        hold_{HoldPose(character_, character_.rest_q)},
        engine_(MakeEngine(engine, job.world)) {}

  long RunInterval() override {
    const int steps = job_.StepsPerInterval();
    const ExternalForce push = PushOn(character_, DisturbanceAt(job_.disturbance, interval_++));
    for (int i = 0; i < steps; ++i) engine_->Step(hold_, {&push, 1});
    if (engine_->Failed(0) || fall_.Fallen(engine_->GetState(0))) {
      engine_->SetState(0, rest_);
      ++resets_;
    }
    return steps;
  }

 private:
  StandJob job_;
  const Character& character_;
  State rest_;
  FallDetector fall_;
  std::vector<Actuation> hold_;
  std::unique_ptr<Engine> engine_;
};

class BatchRunner final : public StandRunner {
 public:
  BatchRunner(const StandJob& job, const std::string& instruction_set, int first_lane)
      : job_(job),
        character_(job_.world.actors[0]),
        rest_(RestState(character_)),
        state_(rest_),
        fall_(character_, job.world.terrain, rest_),
        batch_(job.world, instruction_set),
        first_lane_(first_lane) {
    const Actuation hold = HoldPose(character_, character_.rest_q);
    for (int lane = 0; lane < batch_.Lanes(); ++lane) batch_.SetActuation(lane, hold);
  }

  long RunInterval() override {
    const int steps = job_.StepsPerInterval();
    for (int lane = 0; lane < batch_.Lanes(); ++lane) {
      batch_.SetForce(
          lane, PushOn(character_, DisturbanceAt(job_.disturbance, interval_, first_lane_ + lane)));
    }
    ++interval_;
    batch_.Step(steps);
    for (int lane = 0; lane < batch_.Lanes(); ++lane) {
      batch_.GetState(lane, &state_);
      if (!batch_.Failed(lane) && !fall_.Fallen(state_)) continue;
      batch_.SetState(lane, rest_);
      ++resets_;
    }
    return static_cast<long>(steps) * batch_.Lanes();
  }

 private:
  StandJob job_;
  const Character& character_;
  State rest_, state_;
  FallDetector fall_;
  Batch batch_;
  int first_lane_;
};

}  // namespace

int StandJob::StepsPerInterval() const {
  return static_cast<int>(std::lround(disturbance.interval / world.time_step));
}

std::unique_ptr<StandRunner> MakeEngineRunner(const StandJob& job, const std::string& engine) {
  return std::make_unique<EngineRunner>(job, engine);
}

std::unique_ptr<StandRunner> MakeBatchRunner(const StandJob& job,
                                             const std::string& instruction_set, int first_lane) {
  return std::make_unique<BatchRunner>(job, instruction_set, first_lane);
}

}  // namespace stride
