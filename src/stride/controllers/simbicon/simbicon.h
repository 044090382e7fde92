#pragma once

#include <span>
#include <string>
#include <vector>

#include "stride/controllers/simbicon/simbicon_program.h"
#include "stride/learn/learning_job.h"
#include "stride/learn/skill.h"

// What the controller `simbicon` and its learning share.
namespace stride {

// A parameter's name, where the search begins, how far it looks at first and its bounds.
struct SimbiconParameterInfo {
  const char* name;
  const char* unit;
  double start, scale, lower, upper;
};
SimbiconParameterInfo SimbiconInfoOf(int index, const std::string& gait);
std::vector<double> SimbiconStartParameters(const std::string& gait);

SimbiconProgram MakeSimbiconProgram(const World& world, const State& stand);

// What a skill holds besides its parameters: how the program was set when they were found.
struct SimbiconHeld {
  std::string gait = "walk";
  double load_sharing = 0, torque_limit = 0;
};
bool SimbiconRuns(const std::string& gait);
void SetHeld(const SimbiconHeld& held, SimbiconProgram* program);

// A skill's payload: {"gait", "load_sharing", "torque_limit", "parameters": {name: value}}.
nlohmann::ordered_json SimbiconPayload(const SimbiconHeld& held,
                                       std::span<const double> parameters);
SimbiconHeld SimbiconHeldOf(const Skill& skill);               // throws InputError
std::vector<double> SimbiconParametersOf(const Skill& skill);  // throws InputError

LearningMethod SimbiconLearning();

}  // namespace stride
