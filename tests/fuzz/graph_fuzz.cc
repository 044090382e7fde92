// Any bytes: the file of a control graph or one InputError. What was read goes on to places for its
// transitions and to its fragments.
#include <cstddef>
#include <cstdint>
#include <string>

#include "stride/character/library.h"
#include "stride/controllers/control_graph/control_graph.h"
#include "stride/controllers/control_graph/graph_file.h"
#include "stride/core/error.h"
#include "stride/motion/library.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const stride::Character kCharacter = stride::LoadCharacter("liu16");
  static const stride::Motion kWalk = stride::LoadMotion("walk", kCharacter);
  try {
    stride::GraphFile file = stride::ParseGraphFile(
        std::string(reinterpret_cast<const char*>(data), size), "fuzz",
        [](const std::string&) { return [](const stride::GraphNodeSource&) { return kWalk; }; });
    constexpr std::size_t kFew = 4;  // more take long
    if (file.plan.clips.size() > kFew || file.plan.transitions.size() > kFew) return 0;
    stride::ChooseCrossings(kCharacter, {}, &file.plan);
    stride::MakeControlGraph(file.plan, kCharacter, {}, 0.005);
  } catch (const stride::InputError&) {
  }
  return 0;
}
