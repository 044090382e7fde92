#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "stride/app/bench/bench_import.h"
#include "stride/app/bench/bench_jobs.h"
#include "stride/character/library.h"
#include "stride/character/paper_bodies.h"
#include "stride/core/random.h"
#include "stride/dynamics/rigid_body.h"
#include "stride/sim/batch.h"

// Steps of the disturbed stand (app/bench_jobs.h) in every engine, the functions of the dynamics,
// and the import of a capture (app/bench_import.h). Items are steps of one character or lane, or
// frames: items_per_second is what `stride bench` reports.
namespace stride {
namespace {

StandJob JobOf(const Character& character) {
  StandJob job;
  job.world.actors = {character};
  return job;
}

// Lies still: a push would only roll it over.
StandJob SnakeJob(benchmark::State& bench) {
  StandJob job = JobOf(MakeSnake(static_cast<int>(bench.range(0))));
  job.disturbance.amplitude = 0;
  return job;
}

void RunStand(benchmark::State& bench, StandRunner* runner) {
  long steps = 0;
  for (auto _ : bench) steps += runner->RunInterval();
  bench.SetItemsProcessed(steps);
  bench.counters["resets"] = runner->resets();
}

void NativeStep(benchmark::State& bench) {
  RunStand(bench, MakeEngineRunner(JobOf(LoadCharacter("liu16")), "native").get());
}
void MujocoStep(benchmark::State& bench) {
  RunStand(bench, MakeMujocoRunner(JobOf(LoadCharacter("liu16"))).get());
}
void MujocoEngineStep(benchmark::State& bench) {
  RunStand(bench, MakeEngineRunner(JobOf(LoadCharacter("liu16")), "mujoco").get());
}
void BatchStep(benchmark::State& bench, const std::string& instruction_set) {
  RunStand(bench, MakeBatchRunner(JobOf(LoadCharacter("liu16")), instruction_set).get());
}
void BatchSnake(benchmark::State& bench) {
  RunStand(bench, MakeBatchRunner(SnakeJob(bench)).get());
  bench.SetComplexityN(bench.range(0));
}
void NativeSnake(benchmark::State& bench) {
  RunStand(bench, MakeEngineRunner(SnakeJob(bench), "native").get());
  bench.SetComplexityN(bench.range(0));
}

// A model of liu16 in its rest pose with random velocities.
struct Moving {
  Moving() : character(LoadCharacter("liu16")), model(character), state(RestState(character)) {
    Random random(0);
    for (double& v : state.v) v = random.Normal();
    model.SetState(state);
    in.assign(model.DofCount(), 0.1);
    out.assign(model.DofCount(), 0);
  }
  Character character;
  Model<double> model;
  State state;
  std::vector<double> in, out;
  DenseMatrix<double> matrix;
};

void Kinematics(benchmark::State& bench) {
  Moving m;
  for (auto _ : bench) {
    m.model.SetState(m.state);
    benchmark::ClobberMemory();
  }
}
void InverseDynamicsCall(benchmark::State& bench) {
  Moving m;
  for (auto _ : bench) {
    InverseDynamics<double>(&m.model, 9.81, m.in.data(), nullptr, 0, m.out.data());
    benchmark::DoNotOptimize(m.out.data());
  }
}
void ForwardDynamicsCall(benchmark::State& bench) {
  Moving m;
  for (auto _ : bench) {
    ForwardDynamics<double>(&m.model, 9.81, m.in.data(), nullptr, 0, m.out.data());
    benchmark::DoNotOptimize(m.out.data());
  }
}
void MassMatrixCall(benchmark::State& bench) {
  Moving m;
  for (auto _ : bench) {
    MassMatrix(&m.model, &m.matrix);
    benchmark::DoNotOptimize(m.matrix.data.data());
  }
}
void CentroidalMomentumCall(benchmark::State& bench) {
  Moving m;
  Vec3d angular, linear;
  for (auto _ : bench) {
    CentroidalMomentum(&m.model, &m.matrix, &angular, &linear);
    benchmark::DoNotOptimize(m.matrix.data.data());
  }
}

void ImportCall(benchmark::State& bench) {
  const Character character = LoadCharacter("liu16");
  const CaptureJob job = MakeCaptureJob(character);
  const bool on_ground = bench.range(0) != 0;
  long frames = 0;
  for (auto _ : bench) frames += ImportCapture(job, character, on_ground).FrameCount();
  bench.SetItemsProcessed(frames);
}

BENCHMARK(NativeStep);
BENCHMARK(MujocoStep);
BENCHMARK(MujocoEngineStep);
// Which instruction sets there are is known only when the program runs.
[[maybe_unused]] const bool kBatchRegistered = [] {
  for (const std::string& set : Batch::InstructionSets()) {
    benchmark::RegisterBenchmark(("BatchStep/" + set).c_str(), BatchStep, set);
  }
  return true;
}();
BENCHMARK(BatchSnake)->Arg(10)->Arg(20)->Arg(50)->Arg(100)->Arg(200)->Complexity(benchmark::oN);
BENCHMARK(NativeSnake)->Arg(10)->Arg(20)->Arg(50)->Arg(100)->Arg(200)->Complexity(benchmark::oN);
BENCHMARK(Kinematics);
BENCHMARK(InverseDynamicsCall);
BENCHMARK(ForwardDynamicsCall);
BENCHMARK(MassMatrixCall);
BENCHMARK(CentroidalMomentumCall);
BENCHMARK(ImportCall)->ArgName("on_ground")->Arg(0)->Arg(1);

}  // namespace
}  // namespace stride
