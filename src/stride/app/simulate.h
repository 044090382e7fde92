#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/run/run.h"

// One run from its beginning to its end: behind `stride simulate`.
namespace stride {

struct SimulateOptions {
  RunSetup setup;
  bool must_obey = false;           // commands that a controller does not take are an error
  std::string record;               // file of the recording; empty: none
  double record_every = 1.0 / 60;   // s of simulated time between its frames, in whole steps
  std::string sheet;                // PNG of what happened; empty: none
  std::string sheet_view = "side";  // side, three-quarter, front, top
  int sheet_cells = 16;
};

struct SimulateResult {
  std::string character, engine, controller;
  nlohmann::ordered_json controller_settings;  // given, or taken from this machine
  std::uint64_t seed = 0;
  double mass = 0;  // kg, with loads and changes
  int dof = 0;
  bool fell = false;              // scenario/fall.h says what a fall is
  bool failed = false;            // the engine lost the character's numbers; the run ended there
  std::optional<double> fell_at;  // s
  int falls = 0, recoveries = 0;  // each time; up again after it
  Metrics metrics;                // until it fell or failed, or the run's end
  double simulated_seconds = 0;   // the run goes on after a fall
  double wall_seconds = 0, realtime_factor = 0;
  long missed_deadlines = 0;          // steps that took longer than the time they simulate
  Vec3d final_root;                   // position of the root's frame at the end of the run, m
  nlohmann::ordered_json settings;    // of the world
  std::vector<std::string> warnings;  // of the readers
  // Of actors 1, 2, ...
  struct Other {
    std::string character, controller;
    std::optional<double> fell_at;  // s
    int falls = 0, recoveries = 0;
    bool failed = false;
    Metrics metrics;
  };
  std::vector<Other> others;
  std::string recording, sheet;  // files that were written; empty: none
};

// Throws InputError for what does not exist or does not fit; a fall is a result.
SimulateResult Simulate(const SimulateOptions& options);
nlohmann::ordered_json ToJson(const SimulateResult& result);

// A recording run again.
struct ReplayResult {
  std::string recording;
  long frames = 0;
  double seconds = 0;
  std::string difference;  // empty: the same bit for bit
};
ReplayResult Replay(const std::string& path);
nlohmann::ordered_json ToJson(const ReplayResult& result);

}  // namespace stride
