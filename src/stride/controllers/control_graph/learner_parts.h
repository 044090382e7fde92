#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <tbb/enumerable_thread_specific.h>

#include "stride/controllers/control_graph/learner.h"
#include "stride/core/random.h"

// What the parts of the learner share.
namespace stride {

struct Learner::Runners {
  tbb::enumerable_thread_specific<FragmentRunner> local;
};

inline constexpr int kOpenLoopTries = 3;
inline constexpr double kFirstPush = 40;  // N, of the evolution
inline constexpr double kDegree = 3.14159265358979 / 180;

// What one unit of each feature is worth when gains are perturbed: its usual spread.
inline constexpr float kFeatureScale[kFeatureCount] = {.1f,  .1f,         // tilt
                                                       .03f,              // height
                                                       .03f, .03f, .03f,  // centre
                                                       .2f,  .2f,  .2f,   // velocity
                                                       .08f, .05f, .05f,  // left foot
                                                       .08f, .05f, .05f,  // right foot
                                                       .1f,  .1f,  .1f,   // spin
                                                       .1f};              // heading

// Gains and offsets of a policy as numbers for the evolution.
inline constexpr int kPolicySize = kActionCount * (kFeatureCount + 1);
inline void Pack(std::span<const FragmentPolicy> policies, std::vector<float>* out) {
  out->clear();
  for (const FragmentPolicy& p : policies) {
    for (int a = 0; a < kActionCount; ++a) {
      for (int k = 0; k < kFeatureCount; ++k) out->push_back(p.gains[a][k] * kFeatureScale[k]);
      out->push_back(p.offset[a]);
    }
  }
}
inline void Unpack(std::span<const float> in, std::span<FragmentPolicy> policies) {
  const float* at = in.data();
  for (FragmentPolicy& p : policies) {
    for (int a = 0; a < kActionCount; ++a) {
      for (int k = 0; k < kFeatureCount; ++k) p.gains[a][k] = *at++ / kFeatureScale[k];
      p.offset[a] = *at++;
    }
  }
}

// What random numbers are for. The values are part of what a seed means.
enum class StreamUse : std::uint32_t {
  kOpenLoopPath = 0,
  kGuidedPath = 1,
  kPerturbation = 100,
  kTrialCourse = 101,  // of a block of trials
  kTrial = 102,        // what a trial meets: its world, pushes and noise
  kSteering = 104,     // answers to a heading, tried
  kPool = 103,         // which states of the pool are replaced
  kTry = 200,          // as kTrial, of Learner::Try
  kTryCourse = 201,
};

// Iterations of trials that belong to none of the evolution.
inline constexpr std::uint64_t kGuidedTrials = 1u << 31, kSteeringTrials = (1u << 31) + 1,
                               kPaceTrials = (1u << 31) + 2;

// A stream of its own for each (use, iteration, index).
inline std::uint64_t StreamOf(std::uint64_t seed, StreamUse use, std::uint64_t iteration,
                              std::uint64_t index) {
  const auto a = Philox({static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                         static_cast<std::uint32_t>(use), static_cast<std::uint32_t>(iteration)},
                        {static_cast<std::uint32_t>(index), 0x5eedu});
  return (std::uint64_t{a[0]} << 32) | a[1];
}

}  // namespace stride
