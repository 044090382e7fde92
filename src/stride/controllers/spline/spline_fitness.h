#pragma once

#include <span>
#include <string>
#include <vector>

#include "stride/controllers/spline/spline_meter.h"
#include "stride/learn/rollouts.h"

// What a gait is worth: the fitness functions of section IV by name. Larger is better.
namespace stride {

// What a trial asked for.
struct SplineTrial {
  double seconds = 10;
  double height = 1;   // of the centre of mass at the start, m
  double goal = 5;     // where to be in the end, m ahead
  bool stops = false;  // it is told to stop, and should stand still from SplineMeter::still_from on
  double stop_at = 0;  // s
};

struct SplineFitness {
  std::string name, help;
  double (*value)(const RolloutResult& result, const SplineTrial& trial);
  bool stops = false;  // the last phase of its evolution is told to stop
};
// By name: distance, wander, goal (the paper's own three phases), speed, fnd, dfnd, dfndf, dfndfa,
// dfndfo (Reeve's), path (Ziegler and Banzhaf's), static, wave, jump,
// turn.
const std::vector<SplineFitness>& SplineFitnesses();
const SplineFitness& FindSplineFitness(const std::string& name);  // throws InputError

}  // namespace stride
