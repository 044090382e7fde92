#include "stride/scenario/variation.h"

#include <cmath>
#include <numbers>

namespace stride {

WorldVariation Narrowed(const WorldVariation& variation, double share) {
  WorldVariation narrowed = variation;
  for (double* factor :
       {&narrowed.stiffness, &narrowed.damping, &narrowed.friction, &narrowed.gains}) {
    *factor = std::pow(*factor, share);
  }
  narrowed.slope *= share;
  return narrowed;
}

VariedWorld DrawWorld(const WorldVariation& variation, const LaneConditions& usual,
                      Random* random) {
  const auto factor = [&](double range) { return std::pow(range, random->Uniform(-1, 1)); };
  VariedWorld world{.conditions = usual};
  LaneConditions& c = world.conditions;
  c.contact.stiffness *= factor(variation.stiffness);
  c.contact.damping *= factor(variation.damping);
  c.friction *= factor(variation.friction);
  if (variation.slope > 0) {
    c.slope = variation.slope * random->Uniform();
    c.slope_heading = random->Uniform(0, 2 * std::numbers::pi);
  }
  world.gains = factor(variation.gains);
  return world;
}

}  // namespace stride
