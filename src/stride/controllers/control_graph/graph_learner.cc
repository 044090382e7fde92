#include "stride/controllers/control_graph/graph_learner.h"

#include <algorithm>
#include <numeric>

#include "stride/controllers/control_graph/checkpoint.h"
#include "stride/controllers/control_graph/falls.h"
#include "stride/core/config.h"

namespace stride {
namespace {

constexpr char kHead[] = "GRPH", kStage[] = "STAG";  // chunks of a checkpoint

}  // namespace

GraphLearner::GraphLearner(const ControlGraph& graph, const GraphLearnOptions& options,
                           std::uint64_t seed, const Workers& workers,
                           const std::string& instruction_set)
    : graph_(graph),
      options_(options),
      seed_(seed),
      workers_(workers),
      instruction_set_(instruction_set),
      stages_(Stages(graph)) {
  BeginStage({});
}

std::string GraphLearner::StageName() const {
  if (stage_ >= static_cast<int>(stages_.size())) return "whole graph";
  const int begin = stage_ == 0 ? 0 : stages_[stage_ - 1].segments;
  std::string name;
  for (int s = begin; s < stages_[stage_].segments; ++s) {
    name += (name.empty() ? "" : ", ") + graph_.segments[s].name;
  }
  return name;
}

void GraphLearner::BeginStage(const LearnState& known) {
  LearnStart start;
  start.from = known;
  start.from.best.clear();
  LearnOptions options = options_.stage;
  if (stage_ < static_cast<int>(stages_.size())) {
    const GraphStage& stage = stages_[stage_];
    const ControlGraph part = Prefix(graph_, stage.segments);
    start.known = static_cast<int>(known.policies.size());
    start.entry = stage.entry;
    // Gaits are steered afterwards, as skills of one clip are; what stands, and what leads from one
    // clip to another, keeps its heading from the start.
    for (int s = stage_ == 0 ? 0 : stages_[stage_ - 1].segments; s < stage.segments; ++s) {
      options.guided_heading = options.guided_heading || !IsGait(graph_.segments[s]);
    }
    const Fragment& entry = part.fragments[stage.entry];
    if (part.segments[entry.segment].rises) {
      World world;
      world.actors = {graph_.character};
      world.contact.passes = 2;
      world.time_step = graph_.time_step;
      FragmentRunner runner(world, graph_.parts, instruction_set_);
      // All ways to rise are there to be the nearest.
      start.states = CollectFalls(graph_, known, entry.segment, options_.falls,
                                  seed_ + 1000 + stage_, &runner);
      const Segment& segment = part.segments[entry.segment];
      options.evolve_seconds =
          std::max(options.evolve_seconds, (segment.end - segment.begin) * graph_.time_step + 3);
    }
    learner_ =
        std::make_unique<Learner>(part, options, seed_ + stage_, workers_, start, instruction_set_);
  } else {
    options.evolve_iterations = options_.whole_iterations;
    options.evolve_pairs = options_.whole_pairs;
    options.evolve_average = options_.whole_average;
    options.evolve_focus = options_.whole_focus;
    start.phase = LearnPhase::kEvolve;
    learner_ = std::make_unique<Learner>(graph_, options, seed_ + stage_, workers_, start,
                                         instruction_set_);
  }
}

double GraphLearner::Progress() const {
  if (Done()) return 1;
  return (stage_ + static_cast<double>(learner_->DoneIterations()) /
                       std::max(1, learner_->TotalIterations())) /
         TotalStages();
}

nlohmann::ordered_json GraphLearner::Advance(const std::function<bool()>& stop) {
  nlohmann::ordered_json line = {{"stage", StageName()}};
  const nlohmann::ordered_json found = learner_->Advance(stop);
  if (found.is_null()) return found;
  line.update(found);
  history_.push_back(line);
  if (learner_->Done()) {
    ++stage_;
    if (!Done()) {
      lane_steps_ += learner_->LaneSteps();
      BeginStage(LearnState(learner_->Known()));
    }
  }
  return line;
}

State GraphLearner::Start() const { return learner_->Start(); }

std::vector<double> GraphLearner::Robustness(double seconds, double push, int trials) const {
  std::vector<double> shares;
  for (const Segment& segment : graph_.segments) {
    shares.push_back(
        std::min(1.0, learner_->Try(seconds, push, true, trials, segment.first).seconds / seconds));
  }
  return shares;
}

double GraphLearner::RandomWalkSeconds(double seconds, double push, int trials) const {
  return learner_->Try(seconds, push, push > 0, trials).seconds;
}

std::string GraphLearner::Checkpoint() const {
  const nlohmann::ordered_json head = {
      {"version", kCheckpointVersion},
      {"run",
       ToJson(IdentityOf(graph_, seed_, learner_->InstructionSet(), ConfigToJson(options_)))},
      {"stage", stage_},
      {"history", history_}};
  std::string bytes;
  AppendChunk(
      kHead, [&](std::string* to) { *to += head.dump(); }, &bytes);
  AppendChunk(
      kStage, [&](std::string* to) { *to += learner_->Checkpoint(); }, &bytes);
  return bytes;
}

void GraphLearner::Restore(const std::string& bytes, const std::string& file_name) {
  CheckpointReader reader(bytes, file_name);
  const nlohmann::ordered_json json = reader.TakeJson(kHead);
  const JsonNode head(json, file_name);
  RunIdentity mine = IdentityOf(graph_, seed_, learner_->InstructionSet(), ConfigToJson(options_));
  mine.lengths = {"whole_iterations"};
  reader.Compare(head, mine);
  const int stage = head["stage"].Int(0, TotalStages());
  if (!json.contains("history") || !json["history"].is_array()) reader.Damaged("no history");
  const std::string stage_bytes(reader.Take(kStage));
  reader.End();
  // What a stage begins with is in the checkpoint of its learner.
  stage_ = std::min(stage, TotalStages() - 1);
  LearnState known;
  if (stage_ > 0 && stage_ < static_cast<int>(stages_.size())) {
    known.policies.resize(Prefix(graph_, stages_[stage_ - 1].segments).policies);
  }
  BeginStage(known);
  learner_->Restore(stage_bytes, file_name);
  // Where a stage is done, the next one has begun; the last one is done with all, or made longer.
  const bool done = stage == TotalStages();
  const bool longer = done && options_.whole_iterations >
                                  head["run"]["settings"]["whole_iterations"].Int(0, 1 << 30);
  if (learner_->Done() != (done && !longer)) reader.Damaged("its stage is another");
  if (!longer) stage_ = stage;
  history_ = json["history"];
}

}  // namespace stride
