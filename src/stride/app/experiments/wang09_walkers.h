#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "stride/app/experiments/experiment.h"
#include "stride/run/run_setup.h"

// Walkers, and skills of other methods, learned for an experiment as `stride learn` would, and runs
// of them.
namespace stride::experiments {

struct WalkerRequest {
  std::string name;                        // of the skill and its file
  std::string character;                   // "wang09-tall"; empty: the method's own choice
  std::string input = {};                  // what it learns from, for a method that takes any
  std::vector<std::string> settings = {};  // "key=value"
  std::map<std::string, std::vector<std::string>> options = {};
  std::uint64_t seed = 0;
  std::string method = "walker";
  std::vector<std::string> quick = {};  // settings of quick runs; empty: those of walkers
};

struct ObtainedWalker {
  std::string file;
  double learn_seconds = 0;  // NaN: learned before
  std::string shortfall;     // what it does not do that was asked for
  nlohmann::ordered_json metrics;
  // Of the metrics: "figures.speed".
  double Metric(const std::string& path) const;
};

// Learned, or taken from the folder of skills learned before.
ObtainedWalker ObtainWalker(const WalkerRequest& request, const ExperimentContext& context);

// What the paper has: its nine terms, no second stage.
inline const std::vector<std::string> kNaturalOnly = {"robust_iterations=0", "command_iterations=0",
                                                      "without_human=true", "without_soft=true"};
// Does not just fit the ten seconds of one run.
inline const std::vector<std::string> kSteady = {"steady_iterations=100"};
std::vector<std::string> Join(const std::vector<std::string>& a, const std::vector<std::string>& b);

struct WalkRun {
  double seconds = 0;  // until it fell, or all that was asked for
  bool fell = false;
  double speed = 0, step_length = 0;  // m/s along the path, m ahead
};
// In the native engine, in the world that the skill wishes for.
RunSetup WalkSetup(const std::string& skill, double seconds);
WalkRun Walk(const RunSetup& setup);

// Table 1: columns of forces for the eight directions.
inline constexpr std::array<const char*, 8> kPushDirectionNames = {"1,0",  "1,1",   "0,1",  "-1,1",
                                                                   "-1,0", "-1,-1", "0,-1", "1,-1"};

}  // namespace stride::experiments
