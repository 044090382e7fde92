#pragma once

#include <memory>
#include <vector>

#include "stride/sim/engine.h"

namespace stride {

struct EngineEntry {
  EngineInfo info;
  std::unique_ptr<Engine> (*make)(const World&);
};

// The engines of engines.def that the program links. The library stride_sim has the table of those
// that need no other library; what links the target stride_engines has the table of all in its
// place.
const std::vector<EngineEntry>& EngineTable();

}  // namespace stride
