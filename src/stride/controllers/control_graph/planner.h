#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "stride/controllers/control_graph/fragment_runner.h"
#include "stride/controllers/control_graph/policy.h"

// Sampling control (SAMCON; liu16, Algorithm 1) a few fragments deep from one state: what to do
// now, without anything learned. Runs on threads of its own while the simulation goes on. What
// comes out depends on the seed and the counts, never on the threads. No allocation after
// construction.
namespace stride {

struct PlannerOptions {
  int horizon = 6;  // fragments, at most
  int most_samples = 1000;
  int threads = 1;
  // Widest spread of the actions, rad. The paper's 5 degrees are for paths that may be given up and
  // tried again.
  double sigma = 20 * 3.14159265358979 / 180;
  // How much of a path's earlier cost counts beside that of its last fragment. 1 keeps paths that
  // began well and lead nowhere: walks fell after 10 s.
  double memory = 0.3;
  double smooth = 0.2;  // cost of an action that jumps from fragment to fragment, per rad
  double balance = 10;  // cost of the balance being lost, per m (BalanceError)
  CostWeights weights;
  std::uint64_t seed = 0;
  std::string instruction_set;  // as Batch takes it
};

// The best paths from some state on, the best first: where the next plan begins to search.
struct Plan {
  static constexpr int kPaths = 16;
  static constexpr int kMostFragments = 24;
  float actions[kPaths][kMostFragments][kActionCount] = {};
  float last_action[kActionCount] = {};  // performed before
  float cost = 0;                        // of the best, mean of its fragments (equation 20)
  const float* First() const { return actions[0][0]; }
};

class Planner {
 public:
  // `world`: actors[0] is the character. Where the ground is no plane, it plans on a level one.
  Planner(const World& world, std::shared_ptr<const ControlGraph> graph,
          const PlannerOptions& options);
  // Waits for what the other has begun, and holds the same plan.
  Planner(const Planner& other);
  ~Planner();
  Planner& operator=(const Planner&) = delete;

  struct Task {
    int fragment = 0;      // the first to be planned
    double base = 0;       // heading of the clip's beginning
    int samples = 0;       // a fragment
    int horizon = 0;       // fragments
    std::uint32_t id = 0;  // keys the random numbers
    // Performs the plan's first action before, from the fragment before this one: the plan is made
    // for where that leads, ahead of time.
    bool ahead = false;
    int fragment_before = 0;
  };
  // Starts to improve the plan from a state that stands above the origin, its height that above the
  // ground.
  void Begin(const State& state, const Task& task);
  // The plan, when all that was begun is done.
  const Plan& Finish() const;
  double Seconds() const { return seconds_; }  // the last took, wall clock; after Finish()

 private:
  struct Sample {
    int parent = 0;   // sample of the fragment before
    float score = 0;  // what is compared
    float total = 0;  // cost of the whole path
    float action[kActionCount];
  };

  void Drive();           // thread 0
  void Help(int helper);  // the others
  void Improve();
  void RunAhead();
  void RunStage();                         // all samples of a fragment, over the threads
  void RunBlocks(FragmentRunner* runner);  // until none is left
  void RunBlock(int block, FragmentRunner* runner);
  void Draw(int j, Sample* sample) const;
  void Rank();
  void Resample();
  void TakePaths();
  Sample* Stage(int stage) { return &samples_[static_cast<std::size_t>(stage) * most_]; }
  float* StateAt(std::vector<float>& states, int j) {
    return &states[static_cast<std::size_t>(j) * size_];
  }

  const World world_;
  const std::shared_ptr<const ControlGraph> graph_;
  const PlannerOptions options_;
  const std::vector<std::unique_ptr<FragmentRunner>> runners_;  // one for each thread
  const int lanes_, most_, size_;

  Batch loader_;  // turns states into a lane's numbers

  // The task in work.
  Task task_;
  Plan plan_, improved_;
  int count_ = 0, ranked_ = 0;
  int stage_ = 0, fragment_ = 0;
  double base_ = 0;
  std::vector<float> first_;            // the state all paths begin with
  std::vector<float> states_, starts_;  // at the end of every sample; those of the stage before
  std::vector<Sample> samples_;         // [stage][sample]
  std::vector<int> order_, next_parent_;
  std::vector<double> weights_;
  double seconds_ = 0;

  mutable std::mutex mutex_;
  mutable std::condition_variable done_;
  std::condition_variable driver_wakes_, helpers_wake_, helpers_done_;
  bool busy_ = false, stop_ = false;
  std::uint64_t round_ = 0;  // stages the helpers were woken for
  int helping_ = 0;
  std::atomic<int> next_block_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace stride
