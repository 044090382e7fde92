#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stride/controllers/control_graph/fragment_runner.h"
#include "stride/controllers/control_graph/policy.h"

namespace stride {

// A trial of policies in lanes: pushes, noise and a world that differs from lane to lane.
struct EpisodeOptions {
  double push = 0;            // N, in a random direction at the trunk; drawn up to this size
  double push_seconds = 0.2;  // rounded to fragments
  double push_every = 1;      // s
  double push_least = 0;      // smallest, as a share of the largest
  double push_from = 0, push_to = 1;  // pushes begin in this part of the clip, shares of it
  // How likely each eighth of the directions is, from the heading of the clip on; empty: all alike,
  // from anywhere.
  std::vector<double> push_directions;
  double action_noise = 0;  // rad
  bool vary_world = true;
  bool keep_heading = true;
  WorldVariation variation;
  CostWeights weights;
};

struct EpisodeResult {
  float seconds = 0;   // survived
  float cost = 0;      // mean at the borders it lived through
  bool stood = false;  // to the end
  float base = 0;      // heading of the clip's beginning at the end
  int last_push = -1;  // eighth of the directions; none so far
};
inline constexpr int kPushDirections = 8;
// An index as likely as its weight.
int DrawByWeight(std::span<const double> weights, Random* random);

struct Episode {
  const Policies* policies = nullptr;
  std::uint64_t stream = 0;      // of its random numbers: the same stream meets the same trial
  const float* state = nullptr;  // where it begins; null: as the reference
  float base = 0;                // heading of the clip's beginning there
  float* end_state = nullptr;    // gets the state at the end if it stood
};

// One trial a lane (`episodes` and `results` have FragmentRunner::Lanes() entries), all along the
// same course of fragments, to its end or until they fall.
void RunEpisodes(const ControlGraph& graph, std::span<const int> course,
                 const EpisodeOptions& options, const Episode* episodes, FragmentRunner* runner,
                 EpisodeResult* results);

}  // namespace stride
