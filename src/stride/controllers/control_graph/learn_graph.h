#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stride/controllers/control_graph/clip_skill.h"
#include "stride/controllers/control_graph/graph_file.h"
#include "stride/controllers/control_graph/graph_learner.h"
#include "stride/learn/learning_job.h"

// From a file of clips and transitions to one skill that can do all of them: behind `stride learn
// graph`.
namespace stride {

struct LearnGraphRequest {
  std::string file;       // docs/formats.md
  std::string motions;    // folder of the motions it names; empty: that of the file
  std::string character;  // empty: the file's, else liu16
  std::string picture;    // SVG of the graph with the robustness of each node; empty: none
  GraphLearnOptions options;
  std::uint64_t seed = 0;
  std::string out;
};

// Throws InputError: bad input.
std::unique_ptr<LearningJob> MakeGraphJob(const LearnGraphRequest& request, const Workers& workers,
                                          std::vector<std::string>* warnings);
LearningMethod GraphMethod();

// Reads a graph file: motions are built-in names, or files in a folder (empty: beside it).
// Transitions get places.
GraphFile ReadGraphFile(const std::string& path, const std::string& motions,
                        const std::string& character, const ClipOptions& clip,
                        std::vector<std::string>* warnings);

}  // namespace stride
