// Compiled twice: into stride_sim, and with STRIDE_ALL_ENGINES into what links stride_engines,
// where it stands in for the library's.
#include "stride/sim/engine_table.h"

namespace stride {

#define STRIDE_ENGINE(engine)                         \
  namespace engine##_engine {                         \
    EngineInfo Describe();                            \
    std::unique_ptr<Engine> Make(const World& world); \
  }
#include "stride/sim/engines/engines.def"
#undef STRIDE_ENGINE

const std::vector<EngineEntry>& EngineTable() {
  static const std::vector<EngineEntry> entries = {
#define STRIDE_ENGINE(engine) {engine##_engine::Describe(), engine##_engine::Make},
#include "stride/sim/engines/engines.def"
#undef STRIDE_ENGINE
  };
  return entries;
}

}  // namespace stride
