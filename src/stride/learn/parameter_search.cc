#include "stride/learn/parameter_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "stride/character/character_json.h"
#include "stride/core/error.h"
#include "stride/core/hash.h"
#include "stride/core/random.h"
#include "stride/learn/checkpoint.h"

namespace stride {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kHead[] = "SRCH", kOptimizer[] = "OPTM";

class SearchJob final : public LearningJob {
 public:
  SearchJob(std::vector<SearchStage> stages, std::vector<double> start, const Workers& workers)
      : stages_(std::move(stages)), workers_(workers) {
    found_.push_back(std::move(start));
    Enter();
    std::string begin;
    const std::span<const double> mean = search_.optimizer->Mean();
    PutNumbers(found_[0].data(), found_[0].size(), &begin);
    PutNumbers(mean.data(), mean.size(), &begin);
    start_hash_ = HashOf(begin);
  }

  bool Done() const override { return Stage() + 1 == stages_.size() && StageDone(); }

  Json Advance(const std::function<bool()>&) override {
    if (StageDone()) {
      found_.push_back(Found());
      Enter();
    }
    Optimizer& optimizer = *search_.optimizer;
    const int candidates = optimizer.Population(), trials = search_.trials;
    const std::uint32_t iteration = optimizer.Iteration();
    const std::vector<RolloutResult> results =
        RunTrials(candidates * trials, [&](int k, Rollout* trial) {
          const std::uint64_t stream = StreamOfTrial(iteration, search_.alike ? k % trials : k);
          trial->stream = stream;
          trial->parameters.resize(optimizer.Dimension());
          optimizer.Ask(k / trials, trial->parameters);
          if (search_.complete) trial->parameters = search_.complete(trial->parameters);
          search_.begin(k % trials, stream, trial);
        });
    std::vector<double> returns(candidates, 0);
    double seconds = 0, best = -std::numeric_limits<double>::infinity(), mean = 0;
    for (int k = 0; k < candidates * trials; ++k) {
      returns[k / trials] += search_.value(k % trials, results[k]) / trials;
      seconds += results[k].seconds / (candidates * trials);
    }
    for (const double r : returns) {
      if (!std::isfinite(r)) continue;
      best = std::max(best, r);
      mean += r / candidates;
    }
    optimizer.Tell(returns);
    if (search_.validate_every > 0 &&
        (optimizer.Iteration() % search_.validate_every == 0 || StageDone())) {
      Validate();
    }
    Json line = {{"phase", stages_[Stage()].name},
                 {"iteration", iteration},
                 {"seconds", seconds},
                 {"of", search_.rollouts.scenario.seconds},
                 {"return", optimizer.BestReturn()},  // of all so far: can only rise
                 {"iteration_best", best},
                 {"iteration_mean", mean}};
    history_.push_back(line);
    return line;
  }

  double Progress() const override {
    const double share = StageDone() ? 1
                                     : static_cast<double>(search_.optimizer->Iteration()) /
                                           std::max(1, search_.iterations);
    return (static_cast<double>(Stage()) + share) / static_cast<double>(stages_.size());
  }
  const Json& History() const override { return history_; }
  std::string InstructionSet() const override { return rollouts_[0]->InstructionSet(); }
  long LaneSteps() const override {
    long steps = lane_steps_;
    for (const auto& rollouts : rollouts_) steps += rollouts->LaneSteps();
    return steps;
  }

  std::string Checkpoint() const override {
    Json head = {{"version", kCheckpointVersion},
                 {"run", ToJson(Identity())},
                 {"stage", stages_[Stage()].name},
                 {"history", history_},
                 {"found", found_},
                 {"validated", validated_}};
    // No number: nothing has been validated yet.
    if (!validated_.empty()) head["validated_return"] = validated_return_;
    std::string bytes;
    AppendChunk(
        kHead, [&](std::string* to) { *to += head.dump(); }, &bytes);
    AppendChunk(
        kOptimizer, [&](std::string* to) { *to += search_.optimizer->Save(); }, &bytes);
    return bytes;
  }
  void Restore(const std::string& bytes, const std::string& file_name) override {
    CheckpointReader reader(bytes, file_name);
    const Json json = reader.TakeJson(kHead);
    const JsonNode node(json, file_name);
    RunIdentity mine = Identity();
    mine.lengths = LengthsFrom(json);
    reader.Compare(node, mine);
    if (!json.contains("history") || !json["history"].is_array()) reader.Damaged("no history");
    std::vector<std::vector<double>> found;
    for (std::size_t k = 0; k < node["found"].Size(); ++k) {
      found.push_back(node["found"].At(k).Numbers(found_[0].size()));
    }
    if (found.empty() || found.size() > stages_.size()) reader.Damaged("no such stage");
    const std::string stage = node["stage"].Text();
    if (const std::string& ours = stages_[found.size() - 1].name; stage != ours) {
      reader.Refuse(fmt::format("the checkpoint stands in the stage '{}', where this run has '{}'",
                                stage, ours));
    }
    const std::vector<double> validated = node["validated"].Numbers();
    const double validated_return = validated.empty() ? 0 : node["validated_return"].Number();
    try {
      // The first stage is there already.
      if (found != found_) {
        found_ = std::move(found);
        Enter();
      }
      search_.optimizer->Restore(reader.Take(kOptimizer));
    } catch (const InputError& error) {
      reader.Damaged(error.what());
    }
    reader.End();
    if (!validated.empty() &&
        static_cast<int>(validated.size()) != search_.optimizer->Dimension()) {
      reader.Damaged("validated parameters of another size");
    }
    validated_ = validated;
    validated_return_ = validated_return;
    history_ = json["history"];
  }

  LearningResult Result() override {
    return search_.result(Found(), search_.optimizer->BestReturn());
  }

 private:
  std::size_t Stage() const { return found_.size() - 1; }
  // The lengths of the stages from where the checkpoint stands on, but for those that had a part in
  // what was found before: the run then is what it would have been with more from the start.
  std::vector<std::string> LengthsFrom(const Json& head) const {
    const bool known = head.contains("found") && head["found"].is_array();
    const std::size_t found = known ? head["found"].size() : 0, over = found > 0 ? found - 1 : 0;
    std::vector<std::string> before, lengths;
    for (std::size_t k = 0; k < stages_.size(); ++k) {
      std::vector<std::string>& to = k < over ? before : lengths;
      const std::string& length = stages_[k].length;
      if (length.empty() || std::find(to.begin(), to.end(), length) != to.end()) continue;
      if (std::find(before.begin(), before.end(), length) == before.end()) to.push_back(length);
    }
    return lengths;
  }
  void Enter() {
    search_ = stages_[Stage()].make(found_);
    validated_.clear();
    lane_steps_ = LaneSteps();
    rollouts_.clear();
    rollouts_.push_back(std::make_unique<Rollouts>(search_.rollouts, workers_));
    for (const RolloutSetup& other : search_.others) {
      rollouts_.push_back(std::make_unique<Rollouts>(other, workers_));
    }
  }
  // Trial k is a candidate's trial k % search_.trials, and run in that one's setup.
  std::vector<RolloutResult> RunTrials(int count,
                                       const std::function<void(int, Rollout*)>& trial) const {
    if (rollouts_.size() == 1) return rollouts_[0]->Run(count, trial);
    std::vector<RolloutResult> results(count);
    std::vector<int> chosen;
    for (std::size_t s = 0; s < rollouts_.size(); ++s) {
      chosen.clear();
      for (int k = 0; k < count; ++k) {
        if (search_.setup(k % search_.trials) == static_cast<int>(s)) chosen.push_back(k);
      }
      std::vector<RolloutResult> part = rollouts_[s]->Run(
          static_cast<int>(chosen.size()), [&](int i, Rollout* one) { trial(chosen[i], one); });
      for (std::size_t i = 0; i < chosen.size(); ++i) results[chosen[i]] = std::move(part[i]);
    }
    return results;
  }
  void Validate() {
    constexpr std::uint32_t kIteration = 0xffffffff;
    const std::span<const double> mean = search_.optimizer->Mean();
    const std::vector<RolloutResult> results =
        RunTrials(search_.validation_trials, [&](int k, Rollout* trial) {
          trial->stream = StreamOfTrial(kIteration, k);
          trial->parameters.assign(mean.begin(), mean.end());
          if (search_.complete) trial->parameters = search_.complete(trial->parameters);
          search_.begin(k % search_.trials, trial->stream, trial);
        });
    double value = 0;
    for (int k = 0; k < search_.validation_trials; ++k) {
      value += search_.value(k % search_.trials, results[k]) / search_.validation_trials;
    }
    if (!std::isfinite(value) || (!validated_.empty() && value <= validated_return_)) return;
    validated_.assign(mean.begin(), mean.end());
    validated_return_ = value;
  }
  bool StageDone() const {
    return static_cast<int>(search_.optimizer->Iteration()) >= search_.iterations ||
           search_.optimizer->Converged();
  }
  std::vector<double> Found() const {
    const Optimizer& optimizer = *search_.optimizer;
    const std::span<const double> found = !validated_.empty() ? std::span<const double>(validated_)
                                          : search_.noisy || optimizer.Best().empty()
                                              ? optimizer.Mean()
                                              : optimizer.Best();
    return search_.complete ? search_.complete(found)
                            : std::vector<double>(found.begin(), found.end());
  }
  // The same for any number of threads and ranks.
  std::uint64_t StreamOfTrial(std::uint32_t iteration, int trial) const {
    const auto words = Philox(
        {static_cast<std::uint32_t>(search_.seed), static_cast<std::uint32_t>(search_.seed >> 32),
         iteration, static_cast<std::uint32_t>(trial)},
        {0x5ea4c4u, 0});
    return (std::uint64_t{words[0]} << 32) | words[1];
  }
  RunIdentity Identity() const {
    return {.kind = search_.method,
            .input = search_.input,
            .input_hash = search_.input_hash + start_hash_,
            .character = search_.rollouts.character.name,
            .body_hash = HashOf(ToJson(search_.rollouts.character).dump()),
            .seed = search_.seed,
            .instruction_set = rollouts_[0]->InstructionSet(),
            .settings = search_.settings};
  }

  std::vector<SearchStage> stages_;
  std::string start_hash_;  // of what it begins with: a skill that another one replaced
  const Workers& workers_;
  // The start, then what each stage has found: one more than there are stages behind.
  std::vector<std::vector<double>> found_;
  ParameterSearch search_;
  std::vector<std::unique_ptr<Rollouts>> rollouts_;
  long lane_steps_ = 0;            // of the stages before
  std::vector<double> validated_;  // best of this stage; empty: none yet
  double validated_return_ = 0;
  Json history_ = Json::array();
};

}  // namespace

std::unique_ptr<LearningJob> MakeParameterSearch(ParameterSearch search, const Workers& workers) {
  // A stage is made once, or again by Restore before anything has been told.
  auto only = std::make_shared<ParameterSearch>(std::move(search));
  const std::string length = only->length;
  return std::make_unique<SearchJob>(
      std::vector<SearchStage>{
          {"search", length,
           [only](const std::vector<std::vector<double>>&) { return std::move(*only); }}},
      std::vector<double>{}, workers);
}

std::unique_ptr<LearningJob> MakeStagedSearch(std::vector<SearchStage> stages,
                                              std::vector<double> start, const Workers& workers) {
  return std::make_unique<SearchJob>(std::move(stages), std::move(start), workers);
}

}  // namespace stride
