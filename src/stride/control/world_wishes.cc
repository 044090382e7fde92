#include "stride/control/world_wishes.h"

#include <algorithm>

#include "stride/sim/world_config.h"

namespace stride {

WorldWishes Join(const WorldWishes& first, const WorldWishes& second) {
  return {.time_step = first.time_step ? first.time_step : second.time_step,
          .contact = first.contact ? first.contact : second.contact};
}

void Grant(const WorldWishes& wishes, std::span<const std::string> chosen, World* world) {
  World wished = *world;
  if (wishes.time_step) wished.time_step = *wishes.time_step;
  if (wishes.contact) wished.contact = *wishes.contact;
  const ConfigFields from = FieldsOf(&wished), to = FieldsOf(world);
  for (std::size_t k = 0; k < to.size(); ++k) {
    if (std::find(chosen.begin(), chosen.end(), to[k].key) != chosen.end()) continue;
    std::visit(
        [&](auto* value) {
          *value = *std::get<std::remove_reference_t<decltype(value)>>(from[k].value);
        },
        to[k].value);
  }
}

}  // namespace stride
