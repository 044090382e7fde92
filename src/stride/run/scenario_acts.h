#pragma once

#include <vector>

#include "stride/run/run_stage.h"

// What the scenario does to the characters of a run, when its time comes: pushes and throws.
namespace stride {

class ScenarioActs {
 public:
  explicit ScenarioActs(const RunStage& stage);  // throws InputError: a body that is not there
  // In a step.
  void Throw(RunStage* stage);
  void Push(RunStage* stage);

 private:
  struct PushOnItsWay {
    ::stride::Push push;
    int body;
    bool acts = false;
  };
  void PushAtRandom(RunStage* stage);

  std::vector<PushOnItsWay> pushes_;
  int random_body_;  // of the first character
  bool random_push_acts_ = false;
  std::vector<bool> thrown_;
};

}  // namespace stride
