#include "stride/run/crowd.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "stride/core/error.h"
#include "stride/core/random.h"

namespace stride {
namespace {

constexpr double kApart = 1.5;       // between neighbours on the circle, m
constexpr double kMinRadius = 2;     // m
constexpr double kPlaceOff = 0.3;    // along the radius, m
constexpr double kHeadingOff = 0.1;  // rad

}  // namespace

void AddCrowd(int count, RunSetup* setup) {
  const int most = static_cast<int>(kMaxCharacters);
  if (count < 2 || count > most) {
    throw InputError(fmt::format("--crowd is {}; expected 2 to {} characters", count, most));
  }
  const double radius = std::max(kMinRadius, kApart * count / (2 * std::numbers::pi));
  CharacterSetup first = setup->characters.at(0);
  first.commands = CommandsOf(*setup, 0);
  const double c = std::cos(first.heading), s = std::sin(first.heading);
  for (int k = 1; k < count; ++k) {
    Random random(setup->seed, 0, static_cast<std::uint32_t>(k));
    const double towards = 2 * std::numbers::pi * k / count;  // to the middle, from the first's
    const double distance = radius + random.Uniform(-kPlaceOff, kPlaceOff);
    const double ahead = radius - distance * std::cos(towards),
                 left = -distance * std::sin(towards);
    CharacterSetup other = first;
    other.x = first.x + c * ahead - s * left;
    other.y = first.y + s * ahead + c * left;
    const double turn =
        std::remainder(towards + random.Uniform(-kHeadingOff, kHeadingOff), 2 * std::numbers::pi);
    other.heading = first.heading + turn;
    // A command is meant from where the character looks.
    for (TimedCommand& command : other.commands) {
      if (command.heading) *command.heading += turn;
    }
    setup->characters.push_back(std::move(other));
  }
}

}  // namespace stride
