#pragma once

#include <optional>
#include <span>
#include <string>

#include "stride/sim/world.h"

namespace stride {

// The world that a controller or a skill works best in. What the user has chosen wins.
struct WorldWishes {
  std::optional<double> time_step;  // s
  std::optional<ContactModel> contact;
  std::optional<double> friction;
  std::optional<double> slope;  // rad, of a plane that rises ahead
  friend bool operator==(const WorldWishes&, const WorldWishes&) = default;
};

// What `first` leaves open, `second` decides: a skill before its controller.
WorldWishes Join(const WorldWishes& first, const WorldWishes& second);

// `chosen`: keys of the world's settings that the user gave ("time_step", "contact.stiffness";
// "terrain" for the ground).
void Grant(const WorldWishes& wishes, std::span<const std::string> chosen, World* world);

}  // namespace stride
