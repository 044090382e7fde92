#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <nlohmann/json.hpp>

#include "stride/controllers/control_graph/episode.h"
#include "stride/controllers/control_graph/samcon.h"
#include "stride/learn/checkpoint.h"
#include "stride/learn/workers.h"
#include "stride/optim/evolution_strategy.h"

// From a clip to a skill: open-loop sampling, guided learning (liu16, Algorithm 2), then evolution
// of all gains. One iteration after the other; between two of them all that is known is one value,
// which is the checkpoint.
namespace stride {

struct LearnOptions {
  double fragment = 0.1;  // s (paper: 0.1)
  double lead = 0.9;      // of the servo's lag; the paper has none
  bool symmetric = false;
  bool keep_heading = true;

  int chains = 8;  // independent paths; each gives one pair for every visit of a fragment
  int first_samples = 600, first_cycles = 8;  // open loop (paper: 1000 samples)
  int guided_iterations = 8;                  // at most (paper: 20)
  double guided_enough = 4;                   // s stood under small pushes: on to the evolution
  int guided_samples = 200;                   // more as long as paths are lost (paper: 200)
  int guided_pairs = 160;                     // for each policy (paper: 200)
  double first_sigma_deg = 10;                // more where paths are lost (paper: 5)
  // Exploration never gets less than this: without it the regression sees less and less of what it
  // is to answer, and policies get worse from the seventh iteration on (paper: none).
  double least_sigma_deg = 5;
  // Heading among what the regression explains: it then steers by chance, and falls.
  bool guided_heading = false;
  double action_noise_deg = 3;  // (paper: 3)

  int evolve_iterations = 20;
  int evolve_pairs = 512;
  double evolve_sigma = 0.02, evolve_rate = 0.8;  // at most; step for each unit of sigma
  double evolve_top = 0.5;    // share of the pairs that make the step, by the better of the two
  double evolve_average = 0;  // last share of the iterations, whose mean is the result
  double evolve_seconds = 6;  // of an episode
  double evolve_push = 200;   // N, largest; grows to it from 40 as the skill gets better
  double evolve_push_every = 1;
  double evolve_push_least = 0;                     // smallest, as a share of the largest
  double evolve_push_from = 0, evolve_push_to = 1;  // begin in this part of the clip
  double evolve_cost = 0.1;  // return lost for each unit of cost, as a share of the seconds
  double evolve_turn = 1;    // rad, that half of the trials are turned away from their heading
  double evolve_focus = 0;   // share of the trials drawn by where falls were seen
  double smooth = 1.5;       // fragments over which perturbations of gains are alike

  double weight_heading = 12;  // in the cost (ours)
  double weight_velocity = 4;  // in the cost (paper: 0.1)
  WorldVariation variation;
};
template <class Visitor>
void VisitConfig(LearnOptions& o, Visitor& visit) {
  visit("fragment", o.fragment, {0.02, 1, "s"}, "length of a control fragment (paper: 0.1)");
  visit("lead", o.lead, {0, 2}, "how far servo targets run ahead, in units of the servo's lag");
  visit("symmetric", o.symmetric, "the second half cycle uses the policies of the first, mirrored");
  visit("keep_heading", o.keep_heading,
        "feedback on the heading; off: goes where it faces, as in the paper");
  visit("chains", o.chains, {1, 1024}, "independent sampled paths");
  visit("first_samples", o.first_samples, {8, 100000},
        "samples a fragment, open loop (paper: 1000)");
  visit("first_cycles", o.first_cycles, {2, 1000}, "cycles a path, open loop");
  visit("guided_iterations", o.guided_iterations, {0, 100},
        "of guided learning, at most (paper: 20)");
  visit("guided_enough", o.guided_enough, {0, 1000, "s"},
        "seconds stood under small pushes that end guided learning early");
  visit("guided_samples", o.guided_samples, {8, 100000},
        "samples a fragment, guided; more as long as paths are lost (paper: 200)");
  visit("guided_pairs", o.guided_pairs, {20, 100000},
        "for the regression of each policy (paper: 200)");
  visit("first_sigma_deg", o.first_sigma_deg, {0.1, 45, "deg"},
        "exploration at first; more where the clip is lost (paper: 5)");
  visit("least_sigma_deg", o.least_sigma_deg, {0, 45, "deg"},
        "exploration at least, in guided learning");
  visit("guided_heading", o.guided_heading,
        "guided learning keeps the heading and learns to; else steering is found afterwards");
  visit("action_noise_deg", o.action_noise_deg, {0, 20, "deg"}, "noise on actions (paper: 3)");
  visit("evolve_iterations", o.evolve_iterations, {0, 10000}, "of the evolution of the gains");
  visit("evolve_pairs", o.evolve_pairs, {4, 100000}, "mirrored pairs an iteration");
  visit("evolve_sigma", o.evolve_sigma, {1e-5, 1},
        "largest size of perturbations, in scaled gains");
  visit("evolve_rate", o.evolve_rate, {1e-3, 10},
        "step along the gradient, for each unit of sigma");
  visit("evolve_top", o.evolve_top, {0.01, 1},
        "share of the pairs that make the step, by the better of the two");
  visit("evolve_average", o.evolve_average, {0, 1},
        "last share of the iterations; the mean of their gains is the result");
  visit("evolve_seconds", o.evolve_seconds, {0.5, 120, "s"}, "length of a trial");
  visit("evolve_push", o.evolve_push, {0, 2000, "N"},
        "largest random push of a trial, 0.2 s; grows up to it");
  visit("evolve_push_every", o.evolve_push_every, {0.3, 60, "s"}, "time between pushes");
  visit("evolve_push_least", o.evolve_push_least, {0, 1},
        "smallest push of a trial, as a share of the largest");
  visit("evolve_push_from", o.evolve_push_from, {0, 1},
        "pushes of a trial begin in the part of the clip from this share of it");
  visit("evolve_push_to", o.evolve_push_to, {0, 1}, "up to this one");
  visit("evolve_cost", o.evolve_cost, {0, 1}, "weight of the tracking cost against survival");
  visit("evolve_turn", o.evolve_turn, {0, 3, "rad"},
        "how far half of the trials begin turned away from the heading they are to keep");
  visit("evolve_focus", o.evolve_focus, {0, 1},
        "share of the pushes and of the starts of trials drawn by where falls were seen");
  visit("smooth", o.smooth, {0, 20}, "fragments over which perturbations are alike");
  visit("weight_heading", o.weight_heading, {0, 100}, "of the heading in the cost (ours)");
  visit("weight_velocity", o.weight_velocity, {0, 100}, "of the velocity in the cost (paper: 0.1)");
  VisitConfig(o.variation, visit);
}

enum class LearnPhase { kOpenLoop, kGuided, kEvolve, kDone };

// All that learning has found so far.
struct LearnState {
  LearnPhase phase = LearnPhase::kOpenLoop;
  int iteration = 0;  // within the phase
  Policies policies;
  std::vector<float> borders;  // refined reference features, kFeatureCount for each border
  // States along the last paths, where trials begin: border, heading, FragmentRunner::StateSize()
  // floats each.
  std::vector<int> pool_fragment;
  std::vector<float> pool_base, pool_states;
  // Open loop: exploration now, rad, and whether half of the paths were complete.
  double first_sigma = 0;
  bool followed = false;
  // Guided learning: samples a fragment now; the share of noise and variation; and the best
  // policies so far with the seconds they stood.
  int samples = 0;
  double disturbance = 1;
  Policies best;
  double best_seconds = -1;
  int stale = 0;  // iterations since they became clearly better
  // Evolution: the trials' pushes now, N, and the size of perturbations.
  double push = 0, sigma = 0;
  EvolutionState evolution;
  std::vector<float> average;  // of the last parameters
  // Share of the trials that fell, lately: by the direction of the last push, by the segment in
  // which they began.
  std::vector<double> direction_falls, start_falls;
  nlohmann::ordered_json history = nlohmann::ordered_json::array();
};

// What learning begins with.
struct LearnStart {
  // Policies, borders and pool of a graph that is the beginning of this one; or nothing.
  LearnState from;
  int known = 0;  // the first of the policies, which stay as they are
  LearnPhase phase = LearnPhase::kOpenLoop;
  int entry = 0;  // fragment at which courses begin
  // Where they begin, in the axes of its border; empty: as the reference. If the entry cannot be
  // reached again, a course is one pass.
  std::vector<State> states;
  std::string hash;  // of another skill that it begins with, for checkpoints
};

class Learner {
 public:
  // `instruction_set`: as Batch takes it. Throws InputError where the graph has an end.
  Learner(const ControlGraph& graph, const LearnOptions& options, std::uint64_t seed,
          const Workers& workers, const LearnStart& start = {},
          const std::string& instruction_set = "");
  ~Learner();

  bool Done() const { return state_.phase == LearnPhase::kDone; }
  int TotalIterations() const;
  int DoneIterations() const;
  // One iteration; what it found, as a line of the history. `stop` asks to give up early: the
  // iteration then counts for nothing and null is returned.
  nlohmann::ordered_json Advance(const std::function<bool()>& stop = {});

  const LearnState& Known() const { return state_; }
  // Where a performance begins well: a state in which rounds began, in the axes of the clip.
  State Start() const;

  // How it goes slower and faster; none for graphs and for what stays where it is.
  Pace FindPace() const;

  // The whole state as checked bytes. Restore throws InputError for what is damaged, and for what
  // another run made: another motion, body, seed, setting or instruction set.
  std::string Checkpoint() const;
  void Restore(const std::string& bytes, const std::string& file_name);

  // Seconds survived, mean over trials; from the entry on, or from another fragment.
  struct Trial {
    double seconds = 0, cost = 0;
    double speed = 0;  // m/s, along the clip's way
  };
  Trial Try(double seconds, double push, bool vary_world, int trials, int entry = -1) const;
  long LaneSteps() const { return lane_steps_; }
  const ControlGraph& Graph() const { return graph_; }
  const char* InstructionSet() const;

 private:
  struct Runners;  // one for each thread

  // An iteration of sampling (learner_sampling.cc), and its steps.
  nlohmann::ordered_json Sample(const std::function<bool()>& stop);
  struct Sampled {
    int paths = 0, complete = 0;
    int fragments = 0;  // reached, of all paths
    double cost = 0;    // sum over them
    long samples = 0;
    std::vector<SamplePair> pairs;
    nlohmann::ordered_json lost_before = nlohmann::ordered_json::object();  // paths by segment
  };
  SamplingOptions SamplingNow() const;
  int SamplingCycles() const;
  std::vector<std::string> SamplePaths(const std::function<bool()>& stop) const;
  Sampled TakePaths(const std::vector<std::string>& paths);
  nlohmann::ordered_json HistoryLine(const Sampled& sampled) const;
  void ExploreWider();
  void FitOpenLoop(const std::vector<SamplePair>& pairs);
  void RefineBorders();
  void FitGuided(const std::vector<SamplePair>& pairs);
  void AdaptEffort(const Sampled& sampled);
  void KeepTheBest(nlohmann::ordered_json* line);

  // An iteration of the evolution (learner_evolution.cc).
  nlohmann::ordered_json Evolve();
  void Average();
  EpisodeOptions TrialOptions() const;
  // Trials from states of the pool; `group` neighbours meet the same trial. `policies` fills in
  // those of trial i.
  struct TrialResult {
    EpisodeResult episode;
    int begun = 0, next = 0;   // first fragment, and the one that would have followed
    std::vector<float> state;  // at the end, if it stood and states were asked for
  };
  std::vector<TrialResult> RunTrials(int count, int group, std::uint64_t key, bool with_states,
                                     const EpisodeOptions& options,
                                     const std::function<void(int, Policies*)>& policies) const;
  double StandingSeconds(std::uint64_t key, std::vector<TrialResult>* results = nullptr) const;
  void RefreshPool(const std::vector<TrialResult>& results);
  void NoteFalls(const std::vector<TrialResult>& results);
  // `used`: of each policy that is not known; the others stay.
  void Perturb(const std::vector<char>& used, Random* random, std::span<float> out) const;
  bool GuidedEnough() const;
  void ApplyBorders();
  double Survived(double push) const;  // N
  int FirstAveraged(int all) const;    // of so many iterations of the evolution
  int FragmentsIn(double seconds) const;
  int StartInPool(int entry) const;
  bool IsNew(int fragment) const { return graph_.fragments[fragment].policy >= known_; }
  bool LearnsOneGait() const;
  std::vector<int> SamplingCourse(int cycles, Random* random) const;
  // That of a block of trials (kTrialBlock), and the fragment after its last.
  std::vector<int> TrialCourse(std::uint64_t key, int block, Random* random) const;
  std::vector<std::vector<char>> PoliciesOnCourses(int blocks) const;
  std::vector<std::vector<char>> PoliciesUsed(const std::vector<TrialResult>& results) const;
  RunIdentity Identity() const;
  void Begin(const LearnStart& start);
  void BeginEvolution();
  // What actions do to where it goes and how fast (learner_steering.cc).
  EpisodeOptions SteeringTrials() const;
  Eigen::VectorXd ResponseTo(
      std::uint64_t key, const EpisodeOptions& options,
      const std::function<void(FragmentPolicy*, int action, float change)>& apply,
      const std::function<double(const EpisodeResult&)>& measure) const;
  void FindSteering();
  void ClearPoolOfNew();

  LearnOptions options_;
  std::uint64_t seed_;
  const Workers& workers_;
  ControlGraph graph_;
  std::string start_hash_;
  int known_ = 0, known_borders_ = 0, new_fragments_ = 0, entry_ = 0;
  std::vector<State> entry_states_;
  bool one_pass_ = false;          // the entry cannot be reached again
  std::vector<int> to_new_;        // of each fragment, how many on to one that is not known
  std::vector<int> trial_starts_;  // fragments at which trials begin
  std::vector<int> segment_end_;   // of each policy: one past the last of its segment
  World world_;
  LearnState state_;
  int state_size_ = 0;
  std::unique_ptr<Runners> runners_;
  mutable long lane_steps_ = 0;
};

}  // namespace stride
