#pragma once

#include <cstdint>
#include <vector>

#include "stride/run/run_input.h"
#include "stride/run/run_stage.h"

// What a person does to a run: pushes, throws, commands, another ground, other curves.
namespace stride {

class HandInputs {
 public:
  // Acts from the next step on; a command or a curve is known at once. Throws InputError for what
  // cannot be.
  void Add(const RunInput& input, RunStage* stage);
  // In a step: what was added since the last one, then the forces of the pushes that go on.
  void Take(RunStage* stage);
  void Push(RunStage* stage);

 private:
  struct HandPush {
    RunInput input;
    std::uint32_t end_step;  // the first one it no longer acts in
  };
  void Check(const RunInput& input, const RunStage& stage) const;
  void CheckPush(const RunInput& input, const RunStage& stage) const;
  void TakeOne(const RunInput& input, RunStage* stage);
  void Throw(const RunInput& input, RunStage* stage);

  std::vector<RunInput> waiting_;
  std::vector<HandPush> pushes_;
  int balls_ = 0, next_ball_ = 0;
};

}  // namespace stride
