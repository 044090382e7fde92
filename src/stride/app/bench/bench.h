#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace stride {

struct BenchOptions {
  bool quick = false;  // a few seconds instead of a minute
  std::uint64_t seed = 0;
  std::string program;  // path of stride, which mpirun starts; empty: no ranks are measured
  std::function<void(const std::string&)> progress;  // told what is being measured
};

// What a method says of its own speed (benches.def).
struct MethodSpeed {
  std::string key;  // in the JSON
  nlohmann::ordered_json json;
  std::string text;
};

// Speeds are steps (of one character, or of one lane) a second of processor time on one core,
// unless said otherwise: a loaded machine then changes them less than wall time would.
struct BenchResult {
  // The stand of bench_jobs.h: liu16, 5 ms, measured in turns in one run; medians of the rounds.
  struct Stand {
    double steps_per_second = 0, realtime_factor = 0;
    double simulated_seconds = 0;
    int resets = 0;  // falls and failures over the whole measurement
  };
  std::string character;
  double time_step = 0;
  int rounds = 0;
  Stand batch, native, mujoco, mujoco_engine;  // the last: MuJoCo behind the Engine contract
  std::string mujoco_settings;
  std::string instruction_set;
  int lanes = 0;

  // Lane steps a second of each instruction set that this processor has.
  struct Lanes {
    std::string instruction_set;
    int lanes = 0;
    double steps_per_second = 0;
  };
  std::vector<Lanes> instruction_sets;

  // Snakes of more and more links. Nanoseconds a step and link: constant where the cost is linear.
  struct Growth {
    int links = 0;
    double batch_steps_per_second = 0, batch_ns_per_link = 0;
    double native_steps_per_second = 0, native_ns_per_link = 0;
  };
  std::vector<Growth> growth;

  // Batches on 1, 2, ... threads at once; lane steps a second of wall time, all together.
  struct Threads {
    int threads = 0;
    double steps_per_second = 0;
  };
  std::vector<Threads> threads;

  // Functions of the dynamics in double, one call, microseconds.
  struct Layer {
    std::string name;
    double microseconds = 0;
  };
  std::vector<Layer> layers;

  // Frames a second of a capture of import_joints joints, from BVH text in memory to a clean
  // motion: read and retargeted, and with the feet put on the ground as well.
  int import_joints = 0, import_frames = 0;
  double retarget_frames_per_second = 0, import_frames_per_second = 0;

  // The controller `hold` in lanes, lane steps a second with the physics: as a lane program, and by
  // clones.
  double lane_program_steps_per_second = 0, lane_adapter_steps_per_second = 0;

  std::vector<MethodSpeed> methods;  // by wall time

  double BatchToMujoco() const { return batch.steps_per_second / mujoco.steps_per_second; }
  double NativeToMujoco() const { return native.steps_per_second / mujoco.steps_per_second; }
};

BenchResult RunBench(const BenchOptions& options);
nlohmann::ordered_json ToJson(const BenchResult& result);

}  // namespace stride
