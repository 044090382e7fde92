#include "stride/learn/rollouts.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <tbb/enumerable_thread_specific.h>

#include "stride/character/rest_pose.h"
#include "stride/core/error.h"
#include "stride/scenario/lane_meter.h"
#include "stride/scenario/metrics.h"
#include "stride/sim/lane_floats.h"
#include "stride/sim/lanes.h"

namespace stride {
namespace {

World WorldOf(const RolloutSetup& setup) {
  World world = setup.scenario.world;
  world.actors = {setup.character};
  return world;
}

// Numbers of a result of fixed size, for other ranks.
struct ResultHead {
  double seconds, forwards, sideways, joint_power, cost_of_transport;
  int fell, failed;
};

// One thread's batch with its driver and meter.
class Runner {
 public:
  explicit Runner(const RolloutSetup& setup)
      : scenario_(setup.scenario),
        character_(setup.character),
        batch_(WorldOf(setup), setup.instruction_set),
        driver_(setup.driver(batch_)),
        meter_(LaneMeterKernels().For(batch_.InstructionSet())),
        facts_(MeterFactsOf(setup.character)),
        usual_(batch_.DefaultConditions()),
        pushed_(PushedBody(setup.character)),
        pushed_com_(setup.character.bodies[pushed_].com),
        mass_(batch_.GetTree().mass),
        slots_(kMeterSlots, batch_.Lanes()),
        steps_(std::max(1L, std::lround(setup.scenario.seconds / setup.scenario.world.time_step))) {
    for (const Push& push : scenario_.pushes) {
      bodies_.push_back(push.body.empty()
                            ? pushed_
                            : ScenarioBody(setup.character, push.body, "pushes of a rollout"));
    }
  }

  int Lanes() const { return batch_.Lanes(); }
  const Batch& GetBatch() const { return batch_; }
  int Values() const { return driver_->Values(); }

  // As many trials as there are lanes; those from `count` on are left out.
  void Run(const Rollout* trials, int count, RolloutResult* results) {
    const int lanes = batch_.Lanes();
    Begin(trials, count);
    std::vector<char> over(lanes, 0);
    int running = count;
    const double h = scenario_.world.time_step;
    std::vector<std::size_t> next_command(lanes, 0);
    std::vector<Command> commands;
    for (int lane = 0; lane < lanes; ++lane) {
      commands.push_back(trials[std::min(lane, count - 1)].command);
    }
    for (long step = 0; step < steps_ && running > 0; ++step) {
      const double time = static_cast<double>(step) * h;
      for (int lane = 0; lane < count; ++lane) {
        const bool own = !trials[lane].commands.empty();
        const std::vector<TimedCommand>& timed = own ? trials[lane].commands : scenario_.commands;
        const double delay = own ? 0 : trials[lane].command_delay;
        while (next_command[lane] < timed.size() &&
               timed[next_command[lane]].at + delay <= time + 1e-9) {
          const TimedCommand& next = timed[next_command[lane]++];
          if (next.speed) commands[lane].speed = next.speed;
          if (next.heading) commands[lane].heading = next.heading;
          if (next.style) commands[lane].style = *next.style;
          driver_->SetCommand(lane, commands[lane]);
        }
      }
      ApplyPushes(trials, count, time);
      driver_->Step(time, &batch_);
      batch_.Step(1);
      meter_.add(facts_, batch_.GetTree(), batch_.Memory(), slots_.data());
      for (int lane = 0; lane < count; ++lane) {
        if (over[lane]) continue;
        const bool failed = batch_.Failed(lane), fell = slots_.At(kMeterFallen, lane) != 0;
        const bool last = step + 1 == steps_;
        if (!failed && !fell && !last) continue;
        over[lane] = 1;
        --running;
        End(trials[lane], lane, static_cast<double>(step + 1) * h, fell, failed, &results[lane]);
        batch_.Freeze(lane);
      }
    }
  }

 private:
  void Begin(const Rollout* trials, int count) {
    std::vector<std::span<const double>> parameters;
    for (int lane = 0; lane < batch_.Lanes(); ++lane) {
      const Rollout& trial = trials[std::min(lane, count - 1)];
      const LaneConditions conditions = trial.conditions.value_or(usual_);
      batch_.SetConditions(lane, conditions);
      if (scenario_.world.terrain.kind == Terrain::Kind::kPlane) {
        driver_->SetSlope(lane, conditions.slope, conditions.slope_heading);
      }
      batch_.SetState(lane, trial.start);
      driver_->SetCommand(lane, trial.command);
      parameters.emplace_back(trial.parameters);
    }
    driver_->Begin(parameters, &batch_);
    meter_.begin(facts_, batch_.GetTree(), batch_.Memory(), slots_.data());
    for (int lane = count; lane < batch_.Lanes(); ++lane) batch_.Freeze(lane);
  }

  void ApplyPushes(const Rollout* trials, int count, double time) {
    if (scenario_.pushes.empty() && !scenario_.random_pushes && scenario_.disturbance == 0) return;
    batch_.ClearForces();
    for (int lane = 0; lane < count; ++lane) {
      if (!trials[lane].pushed) continue;
      Vec3d at_trunk{};
      for (std::size_t k = 0; k < bodies_.size(); ++k) {
        const Push& push = scenario_.pushes[k];
        if (!ActsAt(push, time)) continue;
        const Vec3d force = Vec3d{std::cos(push.heading), std::sin(push.heading), 0} * push.force;
        if (bodies_[k] == pushed_) {
          at_trunk += force;
        } else {
          batch_.SetForce(lane, {.body = bodies_[k], .force = force});
        }
      }
      if (scenario_.random_pushes) {
        at_trunk += RandomPushAt(*scenario_.random_pushes, time, trials[lane].stream);
      }
      if (scenario_.disturbance > 0) {
        const Disturbance disturbance{.amplitude = scenario_.disturbance,
                                      .seed = trials[lane].stream};
        at_trunk +=
            DisturbanceAt(disturbance, static_cast<int>(time / disturbance.interval + 1e-9));
      }
      if (at_trunk != Vec3d{}) {
        batch_.SetForce(lane, {.body = pushed_, .force = at_trunk, .point = pushed_com_});
      }
    }
  }

  void End(const Rollout& trial, int lane, double seconds, bool fell, bool failed,
           RolloutResult* result) {
    batch_.GetState(lane, &result->end);
    result->seconds = seconds;
    result->fell = fell;
    result->failed = failed;
    const Vec3d way = RootFrameAt(character_, result->end.q).offset -
                      RootFrameAt(character_, trial.start.q).offset;
    result->forwards = way.x;
    result->sideways = way.y;
    result->joint_power = slots_.At(kMeterWork, lane) / seconds;
    const double speed = std::hypot(result->forwards, result->sideways) / seconds;
    result->cost_of_transport =
        CostOfTransport(result->joint_power, mass_, scenario_.world.gravity, speed);
    result->values.resize(driver_->Values());
    driver_->Measure(lane, &batch_, result->values);
  }

  Scenario scenario_;
  Character character_;
  Batch batch_;
  std::unique_ptr<LaneDriver> driver_;
  const LaneMeterKernel& meter_;
  LaneMeterFacts facts_;
  LaneConditions usual_;
  int pushed_;
  Vec3d pushed_com_;
  double mass_;
  LaneFloats slots_;  // of the meter
  long steps_;
  std::vector<int> bodies_;  // of the scenario's pushes
};

}  // namespace

struct Rollouts::Impl {
  RolloutSetup setup;
  const Workers& workers;
  tbb::enumerable_thread_specific<Runner> runners;
};

Rollouts::Rollouts(const RolloutSetup& setup, const Workers& workers)
    : impl_(new Impl{setup, workers,
                     tbb::enumerable_thread_specific<Runner>([setup] { return Runner(setup); })}) {
  const Scenario& scenario = setup.scenario;
  Validate(scenario);
  if (!scenario.throws.empty() || !scenario.loads.empty() || !scenario.changes.empty()) {
    throw InputError(
        "rollouts of learning take no throws, loads or changes of the body; change the character "
        "instead");
  }
  impl_->runners.local();  // checks what can be checked
}

Rollouts::~Rollouts() = default;

const char* Rollouts::InstructionSet() const {
  return impl_->runners.local().GetBatch().InstructionSet();
}

std::vector<RolloutResult> Rollouts::Run(int count,
                                         const std::function<void(int, Rollout*)>& trial) const {
  const Layout layout = LayoutOf(impl_->setup.character);
  const int numbers = impl_->runners.local().Values() + layout.nq + layout.nv;
  const std::size_t record = sizeof(ResultHead) + numbers * sizeof(double);
  const int blocks = (count + kTrialBlock - 1) / kTrialBlock;
  std::string bytes(static_cast<std::size_t>(blocks) * kTrialBlock * record, '\0');
  impl_->workers.Map(
      blocks, kTrialBlock * record,
      [&](int block, char* out) {
        Runner& runner = impl_->runners.local();
        const int here = std::min(kTrialBlock, count - block * kTrialBlock);
        std::vector<Rollout> trials(here);
        std::vector<RolloutResult> results(here);
        for (int k = 0; k < here; ++k) trial(block * kTrialBlock + k, &trials[k]);
        for (int first = 0; first < here; first += runner.Lanes()) {
          runner.Run(&trials[first], std::min(runner.Lanes(), here - first), &results[first]);
        }
        for (int k = 0; k < here; ++k, out += record) {
          const RolloutResult& r = results[k];
          const ResultHead head{r.seconds,           r.forwards, r.sideways, r.joint_power,
                                r.cost_of_transport, r.fell,     r.failed};
          std::memcpy(out, &head, sizeof head);
          char* at = out + sizeof head;
          for (const std::vector<double>* list : {&r.values, &r.end.q, &r.end.v}) {
            at = std::copy_n(reinterpret_cast<const char*>(list->data()),
                             list->size() * sizeof(double), at);
          }
        }
      },
      bytes.data());
  std::vector<RolloutResult> results(count);
  for (int k = 0; k < count; ++k) {
    const char* at = bytes.data() + k * record;
    ResultHead head;
    std::memcpy(&head, at, sizeof head);
    at += sizeof head;
    RolloutResult& r = results[k];
    r = {.seconds = head.seconds,
         .fell = head.fell != 0,
         .failed = head.failed != 0,
         .forwards = head.forwards,
         .sideways = head.sideways,
         .joint_power = head.joint_power,
         .cost_of_transport = head.cost_of_transport};
    r.values.resize(numbers - layout.nq - layout.nv);
    r.end.q.resize(layout.nq);
    r.end.v.resize(layout.nv);
    for (std::vector<double>* list : {&r.values, &r.end.q, &r.end.v}) {
      std::copy_n(at, list->size() * sizeof(double), reinterpret_cast<char*>(list->data()));
      at += list->size() * sizeof(double);
    }
    lane_steps_ += std::lround(r.seconds / impl_->setup.scenario.world.time_step);
  }
  return results;
}

}  // namespace stride
