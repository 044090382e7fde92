#pragma once

#include "stride/core/random.h"
#include "stride/sim/batch.h"

// Worlds that differ a little from trial to trial: what is learned then holds in other engines too.
namespace stride {

// How much they may differ, as factors (1: not at all).
struct WorldVariation {
  double stiffness = 3, damping = 2, friction = 1.6;  // of the ground
  double gains = 1.1;                                 // of the servos
  double slope = 0;                                   // rad, up to this, in any direction
};
template <class Visitor>
void VisitConfig(WorldVariation& v, Visitor& visit) {
  visit("vary_stiffness", v.stiffness, {1, 100}, "factor of the ground's stiffness over lanes");
  visit("vary_damping", v.damping, {1, 100}, "factor of the ground's damping over lanes");
  visit("vary_friction", v.friction, {1, 10}, "factor of the friction over lanes");
  visit("vary_gains", v.gains, {1, 3}, "factor of the servos' gains over lanes");
  visit("vary_slope", v.slope, {0, 0.5, "rad"}, "slope of the ground over lanes");
}

inline constexpr WorldVariation kSameWorld = {1, 1, 1, 1, 0};

// A share of the variation: 0 none, 1 all of it.
WorldVariation Narrowed(const WorldVariation& variation, double share);

struct VariedWorld {
  LaneConditions conditions;
  double gains = 1;  // factor of the servos' gains
};
// Factors are drawn evenly in their logarithm.
VariedWorld DrawWorld(const WorldVariation& variation, const LaneConditions& usual, Random* random);

}  // namespace stride
