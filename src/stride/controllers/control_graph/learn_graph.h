#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/controllers/control_graph/graph_file.h"
#include "stride/controllers/control_graph/graph_learner.h"

// From a file of clips and transitions to one skill that can do all of them: behind `stride learn
// graph`.
namespace stride {

struct LearnGraphRequest {
  std::string file;       // docs/formats.md
  std::string motions;    // folder of the motions it names; empty: that of the file
  std::string character;  // empty: the file's, else liu16
  std::string out;        // the skill file; beside it OUT.checkpoint and OUT.history.jsonl
  std::string picture;    // SVG of the graph with the robustness of each node; empty: none
  bool resume = false;
  GraphLearnOptions options;
  std::uint64_t seed = 0;
  int threads = 0;
  std::function<bool()> stop;  // asked often; true: stop with the last checkpoint
  bool quiet = false;
};

struct LearnGraphResult {
  bool stopped = false, leader = true;
  std::string name, character, out;
  std::uint64_t seed = 0;
  int nodes = 0, transitions = 0, fragments = 0, policies = 0, stages = 0, iterations = 0;
  double wall_seconds = 0, lane_steps_per_second = 0;
  int threads = 1, ranks = 1;
  nlohmann::ordered_json metrics, settings;
  std::vector<std::string> warnings;
};

// Throws InputError: bad input, a checkpoint of another run. Files appear whole or not at all.
LearnGraphResult LearnGraph(const LearnGraphRequest& request);
nlohmann::ordered_json ToJson(const LearnGraphResult& result);

// Reads a graph file: motions are built-in names, or files in a folder (empty: beside it).
// Transitions get places.
GraphFile ReadGraphFile(const std::string& path, const std::string& motions,
                        const std::string& character, const ClipOptions& clip,
                        std::vector<std::string>* warnings);

}  // namespace stride
