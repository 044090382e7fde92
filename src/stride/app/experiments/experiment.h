#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/draw/plot.h"

// Experiments: a paper's figure beside ours. Behind `stride reproduce`. One file an experiment in
// app/experiments/, one line in experiments.def.
namespace stride {

// One figure of an experiment.
struct Row {
  std::string name;
  std::optional<double> paper;
  std::string paper_text;  // where the paper's figure is no number; empty: it gives none
  double ours = 0;
  std::string unit;
  std::optional<bool> met;  // none: reported without a verdict
  std::string note;         // what was asked for, and under which conditions
  friend bool operator==(const Row&, const Row&) = default;
};

// What an experiment depends on besides its config, with a hash to tell versions apart.
struct ExperimentInput {
  std::string name, hash;
};
std::string InputHash(std::string_view bytes);  // FNV-1a, 64 bits, as hexadecimal digits

struct ExperimentContext {
  std::uint64_t seed = 0;
  int threads = 0;     // 0: all cores
  bool quick = false;  // shorter runs, for tests; what they change is said in the rows' notes
  // Options that some experiments take (TakenOptions); empty: not given.
  std::string mocap;              // folder of motion capture
  std::vector<std::string> only;  // parts of the experiment, by name
  std::string skills;             // folder of skills learned before
  std::string folder;  // where recordings and histories go; made before, becomes the result folder
  std::function<void(const std::string&)> progress;  // may be empty

  void Tell(const std::string& what) const {
    if (progress) progress(what);
  }
};

// What an experiment found.
struct Findings {
  std::vector<Row> rows;
  std::vector<Plot> plots;
  std::vector<ExperimentInput> inputs;
  nlohmann::ordered_json config = nlohmann::ordered_json::object();  // as resolved
};

// Which options an experiment takes besides those that all have.
struct TakenOptions {
  bool mocap = false, only = false, skills = false;
};

struct Experiment {
  std::string paper, name, description;
  Findings (*run)(const ExperimentContext& context) = nullptr;
  TakenOptions takes = {};
  std::string FullName() const { return paper + "/" + name; }
};

const std::vector<Experiment>& Experiments();
// "PAPER/NAME", or "PAPER" for all of its experiments. Throws InputError with the names there are.
std::vector<Experiment> FindExperiments(const std::string& name);
// "liu16/table2, liu16/kick-push": those that take an option, such as &TakenOptions::mocap.
std::string ExperimentsTaking(bool TakenOptions::*option);

struct ReproduceOptions {
  std::string experiment;  // "PAPER" or "PAPER/NAME"
  // Folder of the result; of a whole paper, the folder that gets one for each experiment. Empty:
  // results/PAPER-NAME.
  std::string out;
  std::uint64_t seed = 0;
  int threads = 0;
  bool quick = false;
  // As in ExperimentContext. No `mocap`: the environment's STRIDE_MOCAP_DIR, except for quick runs,
  // which are the same everywhere.
  std::string mocap;
  std::vector<std::string> only;
  std::string skills;
  std::function<void(const std::string&)> progress;
};

// One experiment that ran, and its folder: result.json (all of this) and what it recorded.
struct ExperimentResult {
  std::string experiment, description;
  std::uint64_t seed = 0;
  bool quick = false;
  Findings findings;
  std::string folder;
  std::vector<std::string> files;  // in the folder, besides result.json
  std::string version, date, command;
  double wall_seconds = 0;

  int Met() const;
  int Total() const;  // rows with a verdict
};

// Runs one experiment, with those of the options that it takes. Its folder appears whole or not at
// all, and takes the place of an older result; a folder that holds anything else is refused
// (InputError).
ExperimentResult RunExperiment(const Experiment& experiment, const ReproduceOptions& options,
                               const std::string& folder);
// All that `options.experiment` names. Throws InputError for an option that none of them takes.
std::vector<ExperimentResult> Reproduce(const ReproduceOptions& options);

nlohmann::ordered_json ToJson(const Row& row);
// "experiment", "seed", "rows", "met", "total" and what else is known of it; with plots:
// result.json.
nlohmann::ordered_json ToJson(const ExperimentResult& result, bool with_plots);
// The same keys for all experiments of a paper: the rows one after the other, each with its
// "experiment".
nlohmann::ordered_json ToJson(const std::string& paper,
                              const std::vector<ExperimentResult>& results);

}  // namespace stride
