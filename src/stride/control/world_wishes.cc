#include "stride/control/world_wishes.h"

#include <algorithm>

#include "stride/sim/world_config.h"

namespace stride {

WorldWishes Join(const WorldWishes& first, const WorldWishes& second) {
  return {.time_step = first.time_step ? first.time_step : second.time_step,
          .contact = first.contact ? first.contact : second.contact,
          .friction = first.friction ? first.friction : second.friction,
          .slope = first.slope ? first.slope : second.slope};
}

void Grant(const WorldWishes& wishes, std::span<const std::string> chosen, World* world) {
  World wished = *world;
  if (wishes.time_step) wished.time_step = *wishes.time_step;
  if (wishes.contact) wished.contact = *wishes.contact;
  if (wishes.friction) wished.friction = *wishes.friction;
  const auto is_chosen = [&](const std::string& key) {
    return std::find(chosen.begin(), chosen.end(), key) != chosen.end();
  };
  if (wishes.slope && world->terrain == Terrain() && !is_chosen("terrain")) {
    world->terrain.slope = *wishes.slope;
  }
  const ConfigFields from = FieldsOf(&wished), to = FieldsOf(world);
  for (std::size_t k = 0; k < to.size(); ++k) {
    if (is_chosen(to[k].key)) continue;
    std::visit(
        [&](auto* value) {
          *value = *std::get<std::remove_reference_t<decltype(value)>>(from[k].value);
        },
        to[k].value);
  }
}

}  // namespace stride
