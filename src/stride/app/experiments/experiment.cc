#include "stride/app/experiments/experiment.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/core/hash.h"
#include "stride/core/nearest.h"

namespace stride {

#define STRIDE_EXPERIMENT(paper, name, ...)             \
  namespace experiments::paper##_##name {               \
    std::string Describe();                             \
    Findings Measure(const ExperimentContext& context); \
  }
#include "stride/app/experiments/experiments.def"
#undef STRIDE_EXPERIMENT

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kResultFile = "result.json";
constexpr const char* kMocapVariable = "STRIDE_MOCAP_DIR";

// `name` as in experiments.def, an identifier.
Experiment MakeExperiment(const std::string& paper, std::string name, std::string description,
                          Findings (*run)(const ExperimentContext&), TakenOptions takes) {
  std::replace(name.begin(), name.end(), '_', '-');
  return {paper, std::move(name), std::move(description), run, takes};
}

// Where a run writes until it is whole: beside the folder, gone when the run ends by an error.
class FolderAside {
 public:
  explicit FolderAside(const std::string& folder) : folder_(fs::path(folder).lexically_normal()) {
    if (!folder_.has_filename()) folder_ = folder_.parent_path();  // "results/a/"
    aside_ = folder_.string() + fmt::format(".partial-{}", getpid());
    CheckReplaceable();
    std::error_code error;
    fs::remove_all(aside_, error);
    fs::create_directories(aside_, error);
    if (error) Fail(error);
    NameUnfinishedFolder(aside_);
  }
  ~FolderAside() {
    std::error_code ignored;
    fs::remove_all(aside_, ignored);
    NameUnfinishedFolder("");
  }
  FolderAside(const FolderAside&) = delete;
  FolderAside& operator=(const FolderAside&) = delete;

  std::string Path() const { return aside_.string(); }

  void Finish() const {
    CheckReplaceable();
    const fs::path old = folder_.string() + fmt::format(".old-{}", getpid());
    std::error_code error;
    const bool replaces = fs::exists(folder_, error);
    if (replaces) fs::rename(folder_, old, error);
    if (error) Fail(error);
    fs::rename(aside_, folder_, error);
    if (error) {
      std::error_code ignored;
      if (replaces) fs::rename(old, folder_, ignored);
      Fail(error);
    }
    if (replaces) fs::remove_all(old, error);
  }

 private:
  // Only an older result may go: never somebody's folder that was named by mistake.
  void CheckReplaceable() const {
    std::error_code error;
    if (!fs::exists(folder_, error)) return;
    if (!fs::is_directory(folder_, error)) {
      throw InputError(folder_.string(), 0, "is a file; expected a folder for the result");
    }
    if (!fs::is_empty(folder_, error) && !fs::exists(folder_ / kResultFile, error)) {
      throw InputError(folder_.string(), 0,
                       fmt::format("holds files but no {}; give --out a new or an empty folder, or "
                                   "that of an older result",
                                   kResultFile));
    }
  }
  [[noreturn]] void Fail(const std::error_code& error) const {
    throw InputError(folder_.string(), 0, "cannot be written: " + error.message());
  }

  fs::path folder_, aside_;
};

std::vector<std::string> FilesIn(const std::string& folder) {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), folder).string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string Now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

void CheckFolder(const char* option, const std::string& folder) {
  std::error_code error;
  if (folder.empty() || fs::is_directory(folder, error)) return;
  throw InputError(
      fmt::format("{} is '{}', which is no folder; expected one that exists", option, folder));
}

// Of the options those that the experiment takes.
ReproduceOptions Resolved(const Experiment& experiment, ReproduceOptions options) {
  const char* mocap = std::getenv(kMocapVariable);
  const bool from_environment = options.mocap.empty() && !options.quick && mocap;
  if (from_environment) options.mocap = mocap;
  if (!experiment.takes.mocap) options.mocap.clear();
  if (!experiment.takes.only) options.only.clear();
  if (!experiment.takes.skills) options.skills.clear();
  CheckFolder(from_environment ? kMocapVariable : "--mocap", options.mocap);
  CheckFolder("--skills", options.skills);
  return options;
}

void RefuseWhatNoneTakes(const std::vector<Experiment>& experiments,
                         const ReproduceOptions& options) {
  const auto refuse = [&](bool given, const char* name, bool TakenOptions::*option) {
    if (!given || std::any_of(experiments.begin(), experiments.end(),
                              [&](const Experiment& e) { return e.takes.*option; })) {
      return;
    }
    throw InputError(fmt::format("{} does not take {}; leave it out, or run one that does: {}",
                                 options.experiment, name, ExperimentsTaking(option)));
  };
  refuse(!options.mocap.empty(), "--mocap", &TakenOptions::mocap);
  refuse(!options.only.empty(), "--only", &TakenOptions::only);
  refuse(!options.skills.empty(), "--skills", &TakenOptions::skills);
}

// A word as a shell takes it.
std::string Quoted(const std::string& word) {
  const auto plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           std::string_view("_-./,:+=@%").find(c) != std::string_view::npos;
  };
  if (std::all_of(word.begin(), word.end(), plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string CommandOf(const Experiment& experiment, const ReproduceOptions& options) {
  std::string command =
      fmt::format("stride reproduce {} --seed {}", experiment.FullName(), options.seed);
  if (options.threads > 0) command += fmt::format(" --threads {}", options.threads);
  if (options.quick) command += " --quick";
  if (!options.mocap.empty()) command += " --mocap " + Quoted(options.mocap);
  if (!options.only.empty()) {
    command += " --only " + Quoted(fmt::format("{}", fmt::join(options.only, ",")));
  }
  if (!options.skills.empty()) command += " --skills " + Quoted(options.skills);
  return command;
}

Json RowsJson(const std::vector<Row>& rows) {
  Json list = Json::array();
  for (const Row& row : rows) list.push_back(ToJson(row));
  return list;
}

}  // namespace

std::string InputHash(std::string_view bytes) { return HashOf(bytes); }

const std::vector<Experiment>& Experiments() {
  static const std::vector<Experiment> experiments = {
#define STRIDE_EXPERIMENT(paper, name, ...)                              \
  MakeExperiment(#paper, #name, experiments::paper##_##name::Describe(), \
                 &experiments::paper##_##name::Measure, TakenOptions{__VA_ARGS__}),
#include "stride/app/experiments/experiments.def"
#undef STRIDE_EXPERIMENT
  };
  return experiments;
}

std::vector<Experiment> FindExperiments(const std::string& name) {
  std::vector<Experiment> found;
  std::vector<std::string> names;
  for (const Experiment& experiment : Experiments()) {
    names.push_back(experiment.FullName());
    if (name == experiment.paper || name == names.back()) found.push_back(experiment);
  }
  if (found.empty()) {
    throw InputError(fmt::format("there is no experiment '{}'; expected a paper or one of: {}{}",
                                 name, fmt::join(names, ", "), DidYouMean(name, names)));
  }
  return found;
}

std::string ExperimentsTaking(bool TakenOptions::*option) {
  std::vector<std::string> names;
  for (const Experiment& experiment : Experiments()) {
    if (experiment.takes.*option) names.push_back(experiment.FullName());
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

int ExperimentResult::Met() const {
  return static_cast<int>(std::count_if(findings.rows.begin(), findings.rows.end(),
                                        [](const Row& row) { return row.met.value_or(false); }));
}
int ExperimentResult::Total() const {
  return static_cast<int>(std::count_if(findings.rows.begin(), findings.rows.end(),
                                        [](const Row& row) { return row.met.has_value(); }));
}

ExperimentResult RunExperiment(const Experiment& experiment, const ReproduceOptions& all_options,
                               const std::string& folder) {
  const ReproduceOptions options = Resolved(experiment, all_options);
  const FolderAside aside(folder);
  const auto start = std::chrono::steady_clock::now();
  ExperimentResult result{.experiment = experiment.FullName(),
                          .description = experiment.description,
                          .seed = options.seed,
                          .quick = options.quick,
                          .folder = folder,
                          .version = STRIDE_VERSION,
                          .date = Now(),
                          .command = CommandOf(experiment, options)};
  result.findings = experiment.run({.seed = options.seed,
                                    .threads = options.threads,
                                    .quick = options.quick,
                                    .mocap = options.mocap,
                                    .only = options.only,
                                    .skills = options.skills,
                                    .folder = aside.Path(),
                                    .progress = options.progress});
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  result.wall_seconds = wall.count();
  result.files = FilesIn(aside.Path());
  WriteFileWhole(aside.Path() + "/" + kResultFile, ToJson(result, true).dump(2) + "\n");
  aside.Finish();
  return result;
}

std::vector<ExperimentResult> Reproduce(const ReproduceOptions& options) {
  std::vector<ExperimentResult> results;
  const bool whole_paper = options.experiment.find('/') == std::string::npos;
  const std::vector<Experiment> experiments = FindExperiments(options.experiment);
  RefuseWhatNoneTakes(experiments, options);
  for (const Experiment& experiment : experiments) {
    std::string folder = options.out;
    if (folder.empty() || whole_paper) {
      folder = fmt::format("{}/{}-{}", folder.empty() ? "results" : folder, experiment.paper,
                           experiment.name);
    }
    if (options.progress) options.progress(experiment.FullName() + ": " + experiment.description);
    results.push_back(RunExperiment(experiment, options, folder));
  }
  return results;
}

nlohmann::ordered_json ToJson(const Row& row) {
  Json json = {{"name", row.name}};
  json["paper"] = row.paper                ? Json(*row.paper)
                  : row.paper_text.empty() ? Json(nullptr)
                                           : Json(row.paper_text);
  json["ours"] = std::isfinite(row.ours) ? Json(row.ours) : Json(nullptr);
  json["unit"] = row.unit;
  json["met"] = row.met ? Json(*row.met) : Json(nullptr);
  json["note"] = row.note;
  return json;
}

nlohmann::ordered_json ToJson(const ExperimentResult& r, bool with_plots) {
  Json inputs = Json::array();
  for (const ExperimentInput& input : r.findings.inputs) {
    inputs.push_back({{"name", input.name}, {"hash", input.hash}});
  }
  Json json = {{"experiment", r.experiment},
               {"description", r.description},
               {"seed", r.seed},
               {"rows", RowsJson(r.findings.rows)},
               {"met", r.Met()},
               {"total", r.Total()},
               {"quick", r.quick},
               {"version", r.version},
               {"date", r.date},
               {"command", r.command},
               {"wall_seconds", r.wall_seconds},
               {"inputs", inputs},
               {"config", r.findings.config},
               {"files", r.files}};
  if (!with_plots) {
    json["folder"] = r.folder;
    return json;
  }
  json["plots"] = Json::array();
  for (const Plot& plot : r.findings.plots) json["plots"].push_back(ToJson(plot));
  return json;
}

nlohmann::ordered_json ToJson(const std::string& paper,
                              const std::vector<ExperimentResult>& results) {
  Json rows = Json::array(), experiments = Json::array();
  int met = 0, total = 0;
  for (const ExperimentResult& result : results) {
    for (Json row : RowsJson(result.findings.rows)) {
      row["experiment"] = result.experiment;
      rows.push_back(std::move(row));
    }
    met += result.Met();
    total += result.Total();
    experiments.push_back(ToJson(result, false));
  }
  return {{"experiment", paper}, {"seed", results.empty() ? 0 : results[0].seed},
          {"rows", rows},        {"met", met},
          {"total", total},      {"experiments", experiments}};
}

}  // namespace stride
