#pragma once

#include "stride/controllers/pendulum/pendulum.h"

namespace stride {

// What the program's result is used for.
enum class PendulumUse {
  kTorques,    // in an engine: PendulumController
  kSimulator,  // the paper's: ProgramSimulation
};

// Settings that were found for a clip of this kind, walking or with times in flight, and this use.
PendulumConfig DefaultConfig(const PendulumReference& clip, PendulumUse use);
// The same for what is performed once: with flights, on hands or on feet alone.
PendulumConfig DefaultConfig(const PerformanceReference& clip, PendulumUse use);

}  // namespace stride
