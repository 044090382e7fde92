#pragma once

#include <span>
#include <string>
#include <vector>

#include "stride/controllers/simbicon/walker_program.h"
#include "stride/learn/learning_job.h"
#include "stride/learn/skill.h"

// What the controller `walker` and its learning share.
namespace stride {

WalkerProgram MakeWalkerProgram(const World& world, const State& stand);

// The start state that the parameters describe (Section 3 of wang09), on the ground at the origin.
State WalkerStart(const Character& character, const Terrain& terrain,
                  std::span<const double> parameters);

// A skill's payload: {"parameters": {name: value}, "own_speed": m/s}.
struct Walker {
  std::vector<double> parameters;
  double own_speed = 0;  // m/s
};
nlohmann::ordered_json PayloadOf(const Walker& walker);
Walker WalkerOf(const Skill& skill);  // throws InputError

LearningMethod WalkerLearning();

}  // namespace stride
