#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stride/character/character.h"
#include "stride/core/random.h"

// Pushes: horizontal forces on a body of a character, its trunk unless another is named.
namespace stride {

struct Push {
  double force = 0;     // N
  double heading = 0;   // where it pushes to, rad from +X (forwards) towards +Y (left)
  double at = 0;        // s
  double duration = 0;  // s
  std::string body;     // a body's name or a role; empty: PushedBody()
  int repeats = 1;      // in all; the later ones follow after `every` each
  double every = 0;     // s
  int actor = 0;        // who is pushed
  friend bool operator==(const Push&, const Push&) = default;
};
// Whether it acts during the step that begins at `time`.
bool ActsAt(const Push& push, double time);

// The push test of liu16: a push every so often in a random horizontal direction, its size drawn
// from a normal distribution that widens with the seconds elapsed.
struct RandomPushes {
  double duration = 0.2;    // s (paper: 0.2)
  double every = 2;         // s (paper: 2)
  double sigma = 0;         // N
  double sigma_growth = 1;  // N for each second elapsed (the paper does not give its own)
  double jitter = 0;        // s, that each may begin later, so that none meets a gait's rhythm
  double sideways = 0;      // share of them that go straight to the left or right (+-Y)
  friend bool operator==(const RandomPushes&, const RandomPushes&) = default;
};
// What acts during the step that begins at `time`, N. `sample` tells runs of one seed apart.
Vec3d RandomPushAt(const RandomPushes& pushes, double time, std::uint64_t seed, int sample = 0);

// A push without end that takes a new random heading, and a new force up to `amplitude`, every
// `interval`.
struct Disturbance {
  double amplitude = 0;   // N
  double interval = 0.2;  // s
  std::uint64_t seed = 0;
};
// `sample` tells runs under the same disturbance apart: lanes, for instance.
Vec3d DisturbanceAt(const Disturbance& disturbance, int interval_index, int sample = 0);

// Pushes of the trials that teach: one after the other, each in a random direction and of a random
// size.
struct TrialPushes {
  double force = 0;         // N, largest
  double seconds = 0.2;     // each lasts
  double every = 1;         // s
  double least = 0;         // smallest, as a share of the largest
  double from = 0, to = 1;  // they begin in this part of what is performed, shares of it
  // How likely each of the kPushDirections is; empty: all alike, from anywhere.
  std::vector<double> directions;
};
// Eighths of a turn, from the heading of what is performed on to the left.
inline constexpr int kPushDirections = 8;

struct TrialPush {
  double force = 0;    // N
  double heading = 0;  // rad, in the world
  int direction = 0;   // eighth
};
// `base`: heading of what is performed, in the world.
TrialPush DrawPush(const TrialPushes& pushes, double base, Random* random);

// An index as likely as its weight.
int DrawByWeight(std::span<const double> weights, Random* random);

// The body that is pushed: the trunk, or the root of a character that has none.
int PushedBody(const Character& character);

}  // namespace stride
