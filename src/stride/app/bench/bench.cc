#include "stride/app/bench/bench.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>
#include <thread>

#include <time.h>

#include "stride/app/bench/bench_import.h"
#include "stride/app/bench/bench_jobs.h"
#include "stride/character/library.h"
#include "stride/character/paper_bodies.h"
#include "stride/controllers/registry.h"
#include "stride/core/random.h"
#include "stride/dynamics/rigid_body.h"
#include "stride/learn/lane_driver.h"
#include "stride/scenario/placement.h"
#include "stride/sim/batch.h"

namespace stride {

#define STRIDE_BENCH(name)                          \
  namespace benches::name {                         \
  MethodSpeed Measure(const BenchOptions& options); \
  }
#include "stride/app/bench/benches.def"
#undef STRIDE_BENCH

namespace {

constexpr MethodSpeed (*kMethodBenches[])(const BenchOptions&) = {
#define STRIDE_BENCH(name) benches::name::Measure,
#include "stride/app/bench/benches.def"
#undef STRIDE_BENCH
};

double ProcessorSeconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
double WallSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Rate {
  long count = 0;
  double per_second = 0;
};
// Calls `work`, which says how much it did, until `seconds` of `clock` have passed.
template <class Clock, class Work>
Rate Measure(const Clock& clock, double seconds, const Work& work) {
  const double start = clock();
  Rate rate;
  double elapsed = 0;
  do {
    rate.count += work();
    elapsed = clock() - start;
  } while (elapsed < seconds);
  rate.per_second = static_cast<double>(rate.count) / elapsed;
  return rate;
}

// Measures several runners in turns, so that what else the machine does meets them all, and takes
// the median of each.
std::vector<BenchResult::Stand> MeasureInTurns(
    const std::vector<std::unique_ptr<StandRunner>>& runners, int rounds, double seconds,
    double time_step) {
  std::vector<std::vector<double>> rates(runners.size());
  std::vector<BenchResult::Stand> stands(runners.size());
  for (const auto& runner : runners) runner->RunInterval();  // warm caches
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < runners.size(); ++i) {
      const Rate rate =
          Measure(ProcessorSeconds, seconds, [&] { return runners[i]->RunInterval(); });
      rates[i].push_back(rate.per_second);
      stands[i].simulated_seconds += static_cast<double>(rate.count) * time_step;
    }
  }
  for (std::size_t i = 0; i < runners.size(); ++i) {
    stands[i].steps_per_second = Median(rates[i]);
    stands[i].realtime_factor = stands[i].steps_per_second * time_step;
    stands[i].resets = runners[i]->resets();
  }
  return stands;
}

void MeasureStand(const StandJob& job, bool quick, BenchResult* result) {
  const MujocoSettings settings;
  std::vector<std::unique_ptr<StandRunner>> runners;
  runners.push_back(MakeBatchRunner(job));
  runners.push_back(MakeEngineRunner(job, "native"));
  runners.push_back(MakeMujocoRunner(job, settings));
  runners.push_back(MakeEngineRunner(job, "mujoco"));
  result->rounds = quick ? 7 : 21;
  const auto stands =
      MeasureInTurns(runners, result->rounds, quick ? 0.08 : 0.2, job.world.time_step);
  result->batch = stands[0];
  result->native = stands[1];
  result->mujoco = stands[2];
  result->mujoco_engine = stands[3];
  result->mujoco_settings = Describe(settings);
  const Batch batch(job.world);
  result->instruction_set = batch.InstructionSet();
  result->lanes = batch.Lanes();
}

void MeasureInstructionSets(const StandJob& job, bool quick, BenchResult* result) {
  std::vector<std::unique_ptr<StandRunner>> runners;
  for (const std::string& set : Batch::InstructionSets()) {
    result->instruction_sets.push_back({set, Batch(job.world, set).Lanes(), 0});
    runners.push_back(MakeBatchRunner(job, set));
  }
  const auto stands =
      MeasureInTurns(runners, quick ? 3 : 9, quick ? 0.05 : 0.1, job.world.time_step);
  for (std::size_t i = 0; i < stands.size(); ++i) {
    result->instruction_sets[i].steps_per_second = stands[i].steps_per_second;
  }
}

void MeasureGrowth(const StandJob& stand, bool quick, BenchResult* result) {
  for (const int links : {10, 20, 50, 100, 200}) {
    StandJob job = stand;
    job.world.actors = {MakeSnake(links)};
    job.disturbance.amplitude = 0;  // lies still: a push would only roll it over
    std::vector<std::unique_ptr<StandRunner>> runners;
    runners.push_back(MakeBatchRunner(job));
    runners.push_back(MakeEngineRunner(job, "native"));
    const auto stands =
        MeasureInTurns(runners, quick ? 3 : 9, quick ? 0.03 : 0.1, job.world.time_step);
    const double batch = stands[0].steps_per_second, native = stands[1].steps_per_second;
    result->growth.push_back({links, batch, 1e9 / (batch * links), native, 1e9 / (native * links)});
  }
}

// The work on several threads is measured by wall time: that is what a user of threads waits for.
double ThreadedStepsPerSecond(const StandJob& job, int threads, int lanes, double seconds) {
  std::vector<double> rates(threads);
  std::vector<std::thread> pool;
  for (int k = 0; k < threads; ++k) {
    pool.emplace_back([&, k] {
      const auto runner = MakeBatchRunner(job, "", k * lanes);
      runner->RunInterval();
      rates[k] = Measure(WallSeconds, seconds, [&] { return runner->RunInterval(); }).per_second;
    });
  }
  for (std::thread& thread : pool) thread.join();
  double sum = 0;
  for (const double rate : rates) sum += rate;
  return sum;
}

void MeasureThreads(const StandJob& job, bool quick, BenchResult* result) {
  const int most = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::vector<int> counts;
  for (int threads = 1; threads < most; threads *= 2) counts.push_back(threads);
  counts.push_back(most);
  const int rounds = quick ? 3 : 5;
  std::vector<std::vector<double>> rates(counts.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      rates[i].push_back(ThreadedStepsPerSecond(job, counts[i], result->lanes, quick ? 0.1 : 0.2));
    }
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    result->threads.push_back({counts[i], Median(rates[i])});
  }
}

// The controller `hold`, which does next to nothing: what remains is what driving lanes costs.
void MeasureControlledLanes(const World& world, bool quick, BenchResult* result) {
  ControllerInput input;
  input.world = world;
  input.stand = StandOn(world.actors[0], world.terrain);
  const ControllerInfo& hold = FindController("hold");
  const LaneDriverMaker makers[] = {DriveByProgram(hold.lanes(input)),
                                    DriveByClones(world.actors[0], [&](std::span<const double>) {
                                      return MakeController("hold", input);
                                    })};
  std::vector<double> rates[2];
  std::unique_ptr<Batch> batches[2];
  std::unique_ptr<LaneDriver> drivers[2];
  for (int k = 0; k < 2; ++k) {
    batches[k] = std::make_unique<Batch>(world);
    drivers[k] = makers[k](*batches[k]);
  }
  const std::vector<std::span<const double>> none(batches[0]->Lanes());
  for (int round = 0; round < (quick ? 3 : 9); ++round) {
    for (int k = 0; k < 2; ++k) {
      Batch& batch = *batches[k];
      for (int lane = 0; lane < batch.Lanes(); ++lane) batch.SetState(lane, input.stand);
      drivers[k]->Begin(none, &batch);
      double time = 0;
      rates[k].push_back(Measure(ProcessorSeconds, quick ? 0.05 : 0.2, [&] {
                           constexpr int kSteps = 20;
                           for (int step = 0; step < kSteps; ++step, time += world.time_step) {
                             drivers[k]->Step(time, &batch);
                             batch.Step(1);
                           }
                           return static_cast<long>(kSteps) * batch.Lanes();
                         }).per_second);
    }
  }
  result->lane_program_steps_per_second = Median(rates[0]);
  result->lane_adapter_steps_per_second = Median(rates[1]);
}

void MeasureLayers(const Character& character, std::uint64_t seed, bool quick,
                   BenchResult* result) {
  Model<double> model(character);
  State state = RestState(character);
  Random random(seed);
  for (double& v : state.v) v = random.Normal();
  model.SetState(state);
  const int nv = model.DofCount();
  std::vector<double> in(nv, 0.1), out(nv);
  DenseMatrix<double> matrix;
  Vec3d angular, linear;
  const auto measure = [&](const char* name, const std::function<void()>& call) {
    constexpr int kCalls = 100;
    std::vector<double> micros;
    for (int round = 0; round < (quick ? 3 : 9); ++round) {
      const Rate rate = Measure(ProcessorSeconds, 0.02, [&] {
        for (int i = 0; i < kCalls; ++i) call();
        return kCalls;
      });
      micros.push_back(1e6 / rate.per_second);
    }
    result->layers.push_back({name, Median(micros)});
  };
  measure("kinematics", [&] { model.SetState(state); });
  measure("inverse_dynamics",
          [&] { InverseDynamics<double>(&model, 9.81, in.data(), nullptr, 0, out.data()); });
  measure("forward_dynamics",
          [&] { ForwardDynamics<double>(&model, 9.81, in.data(), nullptr, 0, out.data()); });
  measure("mass_matrix", [&] { MassMatrix(&model, &matrix); });
  measure("centroidal_momentum", [&] { CentroidalMomentum(&model, &matrix, &angular, &linear); });
}

void MeasureImport(const Character& character, bool quick, BenchResult* result) {
  const CaptureJob job = MakeCaptureJob(character);
  result->import_joints = job.joints;
  result->import_frames = job.frames;
  std::vector<double> retarget, whole;
  for (int round = 0; round < (quick ? 5 : 15); ++round) {
    for (const bool on_ground : {false, true}) {
      const Rate rate = Measure(ProcessorSeconds, quick ? 0.05 : 0.2, [&] {
        return ImportCapture(job, character, on_ground).FrameCount();
      });
      (on_ground ? whole : retarget).push_back(rate.per_second);
    }
  }
  result->retarget_frames_per_second = Median(retarget);
  result->import_frames_per_second = Median(whole);
}

}  // namespace

BenchResult RunBench(const BenchOptions& options) {
  const auto tell = [&](const char* what) {
    if (options.progress) options.progress(what);
  };
  BenchResult result;
  StandJob job;
  job.world.actors = {LoadCharacter("liu16")};
  job.disturbance.seed = options.seed;
  result.character = job.world.actors[0].name;
  result.time_step = job.world.time_step;

  tell("a disturbed stand in lanes, native and MuJoCo");
  MeasureStand(job, options.quick, &result);
  tell("instruction sets");
  MeasureInstructionSets(job, options.quick, &result);
  tell("growth with bodies");
  MeasureGrowth(job, options.quick, &result);
  tell("growth with threads");
  MeasureThreads(job, options.quick, &result);
  tell("dynamics");
  MeasureLayers(job.world.actors[0], options.seed, options.quick, &result);
  tell("import of motion capture");
  MeasureImport(job.world.actors[0], options.quick, &result);
  tell("a controller in lanes");
  MeasureControlledLanes(job.world, options.quick, &result);
  for (const auto& measure : kMethodBenches) {
    tell("learning");
    result.methods.push_back(measure(options));
  }
  return result;
}

nlohmann::ordered_json ToJson(const BenchResult& r) {
  using Json = nlohmann::ordered_json;
  Json json = {{"batch_steps_per_second_per_core", r.batch.steps_per_second},
               {"batch_realtime_factor_per_core", r.batch.realtime_factor},
               {"native_realtime_factor", r.native.realtime_factor},
               {"mujoco_realtime_factor", r.mujoco.realtime_factor},
               {"mujoco_engine_realtime_factor", r.mujoco_engine.realtime_factor},
               {"batch_to_mujoco", r.BatchToMujoco()},
               {"native_to_mujoco", r.NativeToMujoco()},
               {"mujoco_settings", r.mujoco_settings},
               {"instruction_set", r.instruction_set},
               {"lanes", r.lanes},
               {"character", r.character},
               {"time_step", r.time_step},
               {"rounds", r.rounds}};
  const auto held = [](const BenchResult::Stand& stand) {
    return Json{{"simulated_seconds", stand.simulated_seconds}, {"resets", stand.resets}};
  };
  json["held"] = {{"batch", held(r.batch)},
                  {"native", held(r.native)},
                  {"mujoco", held(r.mujoco)},
                  {"mujoco_engine", held(r.mujoco_engine)}};
  json["instruction_sets"] = Json::array();
  for (const BenchResult::Lanes& set : r.instruction_sets) {
    json["instruction_sets"].push_back({{"instruction_set", set.instruction_set},
                                        {"lanes", set.lanes},
                                        {"steps_per_second", set.steps_per_second}});
  }
  json["bodies"] = Json::array();
  for (const BenchResult::Growth& g : r.growth) {
    json["bodies"].push_back({{"links", g.links},
                              {"batch_steps_per_second", g.batch_steps_per_second},
                              {"batch_ns_per_link", g.batch_ns_per_link},
                              {"native_steps_per_second", g.native_steps_per_second},
                              {"native_ns_per_link", g.native_ns_per_link}});
  }
  json["threads"] = Json::array();
  for (const BenchResult::Threads& t : r.threads) {
    json["threads"].push_back({{"threads", t.threads}, {"steps_per_second", t.steps_per_second}});
  }
  for (const BenchResult::Layer& layer : r.layers) {
    json["microseconds"][layer.name] = layer.microseconds;
  }
  json["import_joints"] = r.import_joints;
  json["import_frames"] = r.import_frames;
  json["retarget_frames_per_second"] = r.retarget_frames_per_second;
  json["import_frames_per_second"] = r.import_frames_per_second;
  json["lane_program_steps_per_second"] = r.lane_program_steps_per_second;
  json["lane_adapter_steps_per_second"] = r.lane_adapter_steps_per_second;
  for (const MethodSpeed& method : r.methods) json[method.key] = method.json;
  return json;
}

}  // namespace stride
