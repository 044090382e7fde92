#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "stride/learn/learning_job.h"
#include "stride/learn/rollouts.h"
#include "stride/optim/optimizer.h"

// Learning as a search: an optimiser asks for parameters of a controller, rollouts tell what they
// are worth. A job like any other, the same bits over lanes x threads x ranks and after a resume.
namespace stride {

struct ParameterSearch {
  std::string method;  // of the learning method, for checkpoints of another
  std::string input;   // what is learned from, if anything: name, and a hash of its contents
  std::string input_hash;
  RolloutSetup rollouts;
  // Further bodies or scenarios that some trials are of: setup(index) of a candidate's trial says
  // which, 0 is `rollouts`. Null: all are of that.
  std::vector<RolloutSetup> others;
  std::function<int(int index)> setup;
  std::unique_ptr<Optimizer> optimizer;
  int iterations = 100;  // at most; fewer if the optimiser converges
  std::string length;    // as SearchStage::length
  int trials = 1;        // of each candidate; its return is their mean
  // Trials differ from iteration to iteration (pushes, worlds): the best candidate may just have
  // been lucky, and where the search stands in the end is the result.
  bool noisy = false;
  // All candidates of an iteration meet the same trials: their ranks then say more about them and
  // less about their luck.
  bool alike = false;
  // Of a noisy search: every so many iterations, where it stands is tried in that many trials,
  // always the same; the best place so far is the result. 0: where it stands in the end is.
  int validate_every = 0, validation_trials = 256;
  std::uint64_t seed = 0;
  nlohmann::ordered_json settings;  // for checkpoints of other settings

  // All parameters from those that are searched for; null: these are all. What is tried, handed on
  // from stage to stage and reported is complete.
  std::function<std::vector<double>(std::span<const double> found)> complete;

  // Fills in the rest of a trial whose parameters are there: start and conditions, from the trial's
  // own stream. `index`: which of the candidate's trials it is.
  std::function<void(int index, std::uint64_t stream, Rollout* trial)> begin;
  // What a trial was worth, more is better.
  std::function<double(int index, const RolloutResult& result)> value;
  // What came out. Called on all ranks.
  std::function<LearningResult(std::span<const double> parameters, double best_return)> result;
};

std::unique_ptr<LearningJob> MakeParameterSearch(ParameterSearch search, const Workers& workers);

// One search after the other, each from what the one before has found: harder and harder worlds,
// say. Their methods, inputs, seeds and settings must be the same; the last one's result counts.
struct SearchStage {
  std::string name;  // "slope 3", for the history
  // The setting that says how many iterations it has, if only the number of iterations follows
  // from it: with more of it, a checkpoint of this stage is gone on from.
  std::string length;
  // From the parameters of the start and what each stage before has found; the last ones are where
  // it begins.
  std::function<ParameterSearch(const std::vector<std::vector<double>>& found)> make;
};
std::unique_ptr<LearningJob> MakeStagedSearch(std::vector<SearchStage> stages,
                                              std::vector<double> start, const Workers& workers);

}  // namespace stride
