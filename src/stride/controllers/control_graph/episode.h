#pragma once

#include <cstdint>
#include <span>

#include "stride/controllers/control_graph/fragment_runner.h"
#include "stride/controllers/control_graph/policy.h"
#include "stride/learn/rollout_block.h"
#include "stride/scenario/push.h"

namespace stride {

// A trial of policies in lanes: pushes, noise and a world that differs from lane to lane.
struct EpisodeOptions {
  TrialPushes pushes;       // at the trunk; their times are rounded to fragments
  double action_noise = 0;  // rad
  bool vary_world = true;
  bool keep_heading = true;
  double shown_heading = 0;  // rad off; what policies see where none is kept
  double turned = 0;         // rad at most, that half of the trials begin off their heading
  WorldVariation variation;
  CostWeights weights;
};

struct EpisodeResult {
  float seconds = 0;   // survived
  float cost = 0;      // mean at the borders it lived through
  float speed = 0;     // m/s along the way of its clips, mean at those borders
  bool stood = false;  // to the end
  float base = 0;      // heading of the clip's beginning at the end
  int last_push = -1;  // eighth of the directions; none so far
};

struct Episode {
  const Policies* policies = nullptr;
  std::uint64_t stream = 0;      // of its random numbers: the same stream meets the same trial
  const float* state = nullptr;  // where it begins; null: as the reference
  float base = 0;                // heading of the clip's beginning there
  float* end_state = nullptr;    // gets the state at the end if it stood
};

// A block of trials (`episodes` and `results` have kTrialBlock entries), all along the same course
// of fragments, to its end or until they fall. What comes out of a trial depends neither on its
// neighbours nor on what the runner did before.
void RunEpisodes(const ControlGraph& graph, std::span<const int> course,
                 const EpisodeOptions& options, const Episode* episodes, FragmentRunner* runner,
                 EpisodeResult* results);

}  // namespace stride
