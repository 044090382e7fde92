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
  SearchJob(ParameterSearch search, const Workers& workers)
      : search_(std::move(search)), rollouts_(search_.rollouts, workers) {}

  bool Done() const override {
    return static_cast<int>(search_.optimizer->Iteration()) >= search_.iterations ||
           search_.optimizer->Converged();
  }

  Json Advance(const std::function<bool()>&) override {
    Optimizer& optimizer = *search_.optimizer;
    const int candidates = optimizer.Population(), trials = search_.trials;
    const std::uint32_t iteration = optimizer.Iteration();
    const std::vector<RolloutResult> results =
        rollouts_.Run(candidates * trials, [&](int k, Rollout* trial) {
          const std::uint64_t stream = StreamOfTrial(iteration, k);
          search_.begin(stream, trial);
          trial->stream = stream;
          trial->parameters.resize(optimizer.Dimension());
          optimizer.Ask(k / trials, trial->parameters);
        });
    std::vector<double> returns(candidates, 0);
    double seconds = 0, best = -std::numeric_limits<double>::infinity(), mean = 0;
    for (int k = 0; k < candidates * trials; ++k) {
      returns[k / trials] += search_.value(results[k]) / trials;
      seconds += results[k].seconds / (candidates * trials);
    }
    for (const double r : returns) {
      if (!std::isfinite(r)) continue;
      best = std::max(best, r);
      mean += r / candidates;
    }
    optimizer.Tell(returns);
    Json line = {{"phase", "search"},
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
    return Done() ? 1
                  : static_cast<double>(search_.optimizer->Iteration()) /
                        std::max(1, search_.iterations);
  }
  const Json& History() const override { return history_; }
  std::string InstructionSet() const override { return rollouts_.InstructionSet(); }
  long LaneSteps() const override { return rollouts_.LaneSteps(); }

  std::string Checkpoint() const override {
    const Json head = {
        {"version", kCheckpointVersion}, {"run", ToJson(Identity())}, {"history", history_}};
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
    reader.Compare(JsonNode(json, file_name), Identity());
    if (!json.contains("history") || !json["history"].is_array()) reader.Damaged("no history");
    try {
      search_.optimizer->Restore(reader.Take(kOptimizer));
    } catch (const InputError& error) {
      reader.Damaged(error.what());
    }
    reader.End();
    history_ = json["history"];
  }

  LearningResult Result() override {
    const Optimizer& optimizer = *search_.optimizer;
    const std::span<const double> found =
        search_.noisy || optimizer.Best().empty() ? optimizer.Mean() : optimizer.Best();
    return search_.result(found, optimizer.BestReturn());
  }

 private:
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
            .input_hash = search_.input_hash,
            .character = search_.rollouts.character.name,
            .body_hash = HashOf(ToJson(search_.rollouts.character).dump()),
            .seed = search_.seed,
            .instruction_set = rollouts_.InstructionSet(),
            .settings = search_.settings};
  }

  ParameterSearch search_;
  Rollouts rollouts_;
  Json history_ = Json::array();
};

}  // namespace

std::unique_ptr<LearningJob> MakeParameterSearch(ParameterSearch search, const Workers& workers) {
  return std::make_unique<SearchJob>(std::move(search), workers);
}

}  // namespace stride
