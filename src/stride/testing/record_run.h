#pragma once

#include <utility>
#include <vector>

#include "stride/run/run.h"

namespace stride {

// A run with inputs at their steps, and what a recorder would have kept of it: where it begins, and
// every step.
inline Recording RecordRun(const RunSetup& setup,
                           const std::vector<std::pair<int, RunInput>>& inputs) {
  Run run(setup);
  Recording recording;
  recording.header = run.Header();
  recording.header.sources = run.Sources();
  RecordedFrame frame;
  const auto keep = [&] {
    run.ReadFrame(&frame);
    recording.frames.push_back(frame);
  };
  keep();
  std::size_t next = 0;
  while (!run.Finished()) {
    for (; next < inputs.size() && inputs[next].first == static_cast<int>(run.StepCount()); ++next)
      run.Apply(inputs[next].second);
    run.Step();
    for (const RecordedEvent& event : run.TakeEvents()) recording.events.push_back(event);
    keep();
  }
  return recording;
}

}  // namespace stride
