#include "stride/scenario/ground.h"

#include <cmath>

#include "stride/core/random.h"

namespace stride {

Terrain RandomField(std::uint64_t seed, double amplitude) {
  constexpr double kHalfSide = 10, kLevelRadius = 1;
  Terrain terrain;
  terrain.kind = Terrain::Kind::kHeightField;
  terrain.x0 = terrain.y0 = -kHalfSide;
  terrain.cell = 0.5;
  terrain.nx = terrain.ny = 1 + static_cast<int>(std::lround(2 * kHalfSide / terrain.cell));
  Random random(seed);
  for (int iy = 0; iy < terrain.ny; ++iy) {
    for (int ix = 0; ix < terrain.nx; ++ix) {
      const double height = random.Uniform(-amplitude, amplitude);
      const double from_origin =
          std::hypot(terrain.x0 + ix * terrain.cell, terrain.y0 + iy * terrain.cell);
      terrain.heights.push_back(from_origin > kLevelRadius ? height : 0);
    }
  }
  return terrain;
}

}  // namespace stride
