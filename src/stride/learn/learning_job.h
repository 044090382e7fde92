#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/learn/workers.h"

// How a method learns, for all methods alike: a job that goes on iteration by iteration, and what
// the command line needs to know to make one. Progress, history, checkpoints, --resume, Ctrl-C,
// ranks and seeds are written once, in learning_run.h.
namespace stride {

// What came out of a job.
struct LearningResult {
  // Rows for people, and the same for machines (--json).
  std::vector<std::pair<std::string, std::string>> lines;
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  // What to write, by path; the first is OUT. Each appears whole or not at all.
  std::vector<std::pair<std::string, std::string>> files;
  // Why this is not what was asked for: the best so far is written all the same, and the program
  // says so and fails. Empty: all is well.
  std::string shortfall;
};

class LearningJob {
 public:
  virtual ~LearningJob() = default;

  virtual bool Done() const = 0;
  // One iteration, on all ranks together; what it found, as a line of the history. `stop` asks to
  // give up early: the iteration then counts for nothing and null is returned.
  virtual nlohmann::ordered_json Advance(const std::function<bool()>& stop) = 0;
  virtual double Progress() const = 0;  // 0 to 1
  // All lines so far, those before a resume included.
  virtual const nlohmann::ordered_json& History() const = 0;

  // All that is known between two iterations, as bytes with a checksum; empty: a job too short for
  // checkpoints. Restore throws InputError for a damaged one, or one of another run.
  virtual std::string Checkpoint() const = 0;
  virtual void Restore(const std::string& bytes, const std::string& file_name) = 0;

  // Of its lanes: ranks of another one would come to other numbers.
  virtual std::string InstructionSet() const = 0;
  virtual long LaneSteps() const = 0;  // simulated so far in this process' view of the run
  // Once it is done. Called on all ranks: what it measures is shared work.
  virtual LearningResult Result() = 0;
};

// What a user asks for.
struct LearningRequest {
  std::string input;      // what is learned from: a clip, a file, a skill; empty: nothing
  std::string character;  // built-in name or file; empty: the method's own choice
  std::string out;        // the file to write; beside it OUT.checkpoint and OUT.history.jsonl
  std::string name;       // of the skill; empty: the method's own choice
  std::uint64_t seed = 0;
  std::map<std::string, std::vector<std::string>> options;  // of the method, by name; flags: empty
  std::vector<std::string> settings;                        // "key=value"

  bool Has(const std::string& option) const { return options.contains(option); }
  // The last one given; empty: none was.
  std::string Text(const std::string& option) const {
    const auto found = options.find(option);
    return found == options.end() || found->second.empty() ? "" : found->second.back();
  }
  // Throws InputError where one of these settings is given, which `why` leaves without effect: "the
  // optimizer is cma".
  void RefuseSettings(std::initializer_list<const char*> keys, const std::string& why) const;
};

// An option of a method besides those that all have.
struct LearningOption {
  enum class Kind { kText, kList, kFlag, kSetting, kOutput };  // kOutput: a file to write
  std::string name, help;                                      // "range": --range
  Kind kind = Kind::kText;
  std::string
      value;  // the default, for the help text; kSetting: the key of the setting it stands for
};

// A subcommand of `stride learn`.
struct LearningMethod {
  std::string name, summary;
  std::string input, input_help;  // what LearningRequest::input is called; empty: it takes none
  bool makes_motion = false;      // OUT is a motion file instead of a skill
  std::vector<std::string> examples;
  std::vector<LearningOption> options;
  nlohmann::ordered_json (*schema)() = nullptr;  // of its settings (core/config.h)
  // Throws InputError. `warnings`: of the readers. The workers outlive the job.
  std::unique_ptr<LearningJob> (*make)(const LearningRequest& request, const Workers& workers,
                                       std::vector<std::string>* warnings) = nullptr;
};

}  // namespace stride
