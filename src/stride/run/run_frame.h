#pragma once

#include "stride/record/recording.h"
#include "stride/run/run_stage.h"

// What a recording keeps of a run.
namespace stride {

// Key in the header's setup: of the lanes there were, by which what runs in them rounds.
inline constexpr const char* kInstructionSet = "instruction_set";

RecordingHeader HeaderOf(const RunStage& stage);
// What happened in the last step; `frame` keeps its memory.
void ReadFrame(const RunStage& stage, RecordedFrame* frame);

}  // namespace stride
