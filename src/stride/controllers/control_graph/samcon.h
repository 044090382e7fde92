#pragma once

#include <functional>
#include <span>
#include <vector>

#include "stride/controllers/control_graph/fragment_runner.h"
#include "stride/controllers/control_graph/policy.h"

// Sampling control (SAMCON), guided by policies (liu16, Algorithm 1): many short rollouts of every
// fragment, of which the good ones go on.
namespace stride {

struct SamplingOptions {
  int samples = 200;        // a fragment (paper: 1000 in the first pass, 200 later)
  int elites = 0;           // kept of them; 0: a fifth
  double action_noise = 0;  // sigma_epsilon, rad; unknown to the policy (paper: 3 degrees)
  double first_sigma = 5 * 3.14159265358979 / 180;  // sigma_0 (paper: 5 degrees)
  double min_sigma = 0.5 * 3.14159265358979 / 180;
  // Rate at which the sampling distribution of a fragment moves to what was chosen there (later
  // improvements of SAMCON evolve it pass by pass; a loop allows it visit by visit). 0: fixed.
  double adapt = 0;
  bool keep_heading = true;  // or go wherever the character faces
  CostWeights weights;
  WorldVariation variation;
  bool vary_world = false;
  int max_retries = 10;      // roll-backs before the pass is given up
  int rollback = 12;         // fragments (paper: 25 to 50)
  double failure_cost = 12;  // of the best sample: the pass has lost the motion
  int known = 0;  // policies before this are known: performed, not sampled (liu16, Section 6.2)
  const State* start = nullptr;  // at the course's beginning; null: the reference's
};

// One state-action pair of the best path, for regression; of a mirrored fragment seen in the
// mirror.
struct SamplePair {
  int policy = 0;
  float features[kFeatureCount];
  float action[kActionCount];
};

struct SamplingPath {
  bool complete = false;
  int fragments = 0;              // reached
  double mean_cost = 0;           // of the best path
  std::vector<SamplePair> pairs;  // one for each fragment
  std::vector<float> states;      // at the end of each, FragmentRunner::StateSize() floats
  std::vector<float> bases;       // heading of the clip's beginning there
  std::vector<int> next;          // fragment that begins there
  std::vector<float> costs;       // there
  Policies adapted;               // with the offsets and sigmas of the evolved distribution
  long samples = 0;               // fragments simulated
  int retries = 0;                // roll-backs
};

// One path along a course of fragments. `stream` keys all random numbers. `stop` is asked before
// every fragment; a true answer ends the path early.
SamplingPath SampleCourse(const ControlGraph& graph, std::span<const int> course,
                          const Policies& policies, const SamplingOptions& options,
                          std::uint64_t stream, FragmentRunner* runner,
                          const std::function<bool()>& stop = {});

// Policies that do nothing, exploring with `sigma`.
Policies NoFeedback(const ControlGraph& graph, double sigma);

}  // namespace stride
