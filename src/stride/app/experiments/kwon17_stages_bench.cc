#include <ctime>

#include <fmt/format.h>

#include "stride/app/bench/bench.h"
#include "stride/controllers/pendulum/defaults.h"
#include "stride/motion/import/motion_source.h"

// A walk in the paper's mode, by stage: what one plan and one program take.
namespace stride::benches::kwon17_stages {
namespace {

double ThreadSeconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

constexpr const char* kStages[] = {"estimate", "predict", "reconstruct", "program"};

}  // namespace

MethodSpeed Measure(const BenchOptions& options) {
  if (options.progress) options.progress("pendulum");
  const MotionSource source = LoadAnyMotion("walk", "kwon17");
  const auto rig = std::make_shared<const PendulumRig>(source.character, source.motion);
  const PendulumConfig config = DefaultConfig(rig->reference, PendulumUse::kSimulator);
  ProgramSimulation simulation(rig, Terrain{}, 1, config);
  WholeBodyQp program(rig->reference.character(), config.body);
  Model<double> model(rig->reference.character());
  WholeBodyTarget target;
  PendulumPlanner::Pose pose;
  const PlannerCommand command{.total = rig->reference.Speed()};
  double seconds[4] = {};
  const auto timed = [&](int stage, const auto& work) {
    const double begin = ThreadSeconds();
    work();
    seconds[stage] += ThreadSeconds() - begin;
  };
  const int steps = static_cast<int>((options.quick ? 1 : 10) * kPlanRate);
  for (int step = 0; step < steps; ++step) {
    const State& state = simulation.GetState();
    PendulumPlanner planner = simulation.GetPlanner();
    model.SetState(state);
    planner.Plan(&model, state, command, {false, false}, &target);
    timed(0, [&] { planner.Estimate(&model, state); });
    timed(1, [&] { planner.Predict(command); });
    timed(2, [&] {
      for (const int ahead : {0, 1}) planner.Reconstruct(ahead, &pose);
    });
    timed(3, [&] {
      program.FindContacts(model, Terrain{}, planner.Stands());
      program.Solve(&model, state, target, {}, 9.81, 1, kPlanStep);
    });
    simulation.Step({}, {});
  }
  MethodSpeed speed{.key = "pendulum",
                    .text = "inverted pendulum and quadratic program, us a step of 1/120 s\n"};
  for (int k = 0; k < 4; ++k) {
    const double us = 1e6 * seconds[k] / steps;
    speed.json[kStages[k]] = us;
    speed.text += fmt::format("  {:<34}{:.1f}\n", kStages[k], us);
  }
  return speed;
}

}  // namespace stride::benches::kwon17_stages
