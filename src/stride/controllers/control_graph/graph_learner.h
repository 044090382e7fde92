#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stride/controllers/control_graph/graph_plan.h"
#include "stride/controllers/control_graph/learner.h"

// A whole control graph, stage by stage (progressive learning, liu16, Section 6.2): loops alone,
// transitions between them, other clips, ways to rise from real falls; then evolution of all gains
// together.
namespace stride {

struct GraphLearnOptions {
  LearnOptions stage;
  int whole_iterations = 80;  // of the evolution over the whole graph
  int whole_pairs = 2048;
  double whole_average = 0.5;  // last share of the iterations, whose mean is the result
  double whole_focus = 0.3;    // LearnOptions::evolve_focus
  int falls = 1024;            // tries for each way to rise
};
template <class Visitor>
void VisitConfig(GraphLearnOptions& o, Visitor& visit) {
  VisitConfig(o.stage, visit);
  visit("whole_iterations", o.whole_iterations, {0, 10000},
        "of the evolution of all gains together");
  visit("whole_pairs", o.whole_pairs, {4, 100000}, "mirrored pairs of an iteration of that");
  visit("whole_average", o.whole_average, {0, 1},
        "last share of those iterations; the mean of their gains is the result");
  visit("whole_focus", o.whole_focus, {0, 1},
        "share of their trials drawn by where falls were seen");
  visit("falls", o.falls, {8, 1000000}, "falls tried for each way to rise");
}

class GraphLearner {
 public:
  // `instruction_set`: as Batch takes it. Throws InputError where the graph has an end.
  GraphLearner(const ControlGraph& graph, const GraphLearnOptions& options, std::uint64_t seed,
               const Workers& workers, const std::string& instruction_set = "");

  bool Done() const { return stage_ > static_cast<int>(stages_.size()); }
  int TotalStages() const { return static_cast<int>(stages_.size()) + 1; }
  int DoneStages() const { return stage_; }
  // 0 to 1 of all that there is to do.
  double Progress() const;
  // One iteration of a stage; a line of the history. Null if `stop` asked to give up.
  nlohmann::ordered_json Advance(const std::function<bool()>& stop = {});

  const LearnState& Known() const { return learner_->Known(); }
  State Start() const;  // at the first clip's beginning, in its axes
  const nlohmann::ordered_json& History() const { return history_; }
  long LaneSteps() const { return lane_steps_ + learner_->LaneSteps(); }
  const char* InstructionSet() const { return learner_->InstructionSet(); }
  const ControlGraph& Graph() const { return graph_; }

  // Share of the time stood of trials of `seconds` that begin in each segment, under pushes.
  std::vector<double> Robustness(double seconds, double push, int trials) const;
  // Seconds stood on random walks from the first clip on, mean of trials.
  double RandomWalkSeconds(double seconds, double push, int trials) const;

  // As those of Learner.
  std::string Checkpoint() const;
  void Restore(const std::string& bytes, const std::string& file_name);

 private:
  void BeginStage(const LearnState& known);
  std::string StageName() const;

  ControlGraph graph_;
  GraphLearnOptions options_;
  std::uint64_t seed_;
  const Workers& workers_;
  std::string instruction_set_;
  std::vector<GraphStage> stages_;
  int stage_ = 0;  // the last of all: the whole graph
  std::unique_ptr<Learner> learner_;
  nlohmann::ordered_json history_ = nlohmann::ordered_json::array();
  long lane_steps_ = 0;
};

}  // namespace stride
