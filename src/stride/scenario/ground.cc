#include "stride/scenario/ground.h"

#include <cmath>

#include "stride/core/random.h"
#include "stride/scenario/option_syntax.h"

namespace stride {

Terrain RandomField(std::uint64_t seed, double amplitude, double half_side) {
  constexpr double kLevelRadius = 1;
  Terrain terrain;
  terrain.kind = Terrain::Kind::kHeightField;
  terrain.x0 = terrain.y0 = -half_side;
  terrain.cell = 0.5;
  terrain.nx = terrain.ny = 1 + static_cast<int>(std::lround(2 * half_side / terrain.cell));
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

Terrain ParseTerrain(const std::string& text, const char* option) {
  const OptionSyntax syntax = {
      option, "plane, steps:RISE,DEPTH,COUNT[,START] or field:SEED,AMPLITUDE (metres)",
      "steps:0.1,0.3,5"};
  const std::size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const std::string list = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (kind == "plane" && colon == std::string::npos) return {};
  if (kind == "steps") {
    const std::vector<double> n = syntax.Numbers(list, 3, 4, text);
    if (n[2] < 0 || n[2] > 1000 || n[2] != std::floor(n[2])) {
      syntax.Refuse(text, "does not have a whole number of steps from 0 to 1000");
    }
    Terrain terrain;
    terrain.kind = Terrain::Kind::kSteps;
    terrain.step_rise = n[0];
    terrain.step_depth = n[1];
    terrain.step_count = static_cast<int>(n[2]);
    if (n.size() == 4) terrain.step_start = n[3];
    return terrain;
  }
  if (kind == "field") {
    const std::vector<double> n = syntax.Numbers(list, 2, 2, text);
    if (n[0] < 0 || n[0] > 1e15 || n[0] != std::floor(n[0])) {
      syntax.Refuse(text, "does not have a whole number of 0 to 1e15 as its seed");
    }
    if (n[1] < 0 || n[1] > 10) syntax.Refuse(text, "does not have an amplitude of 0 to 10 m");
    return RandomField(static_cast<std::uint64_t>(n[0]), n[1]);
  }
  syntax.Refuse(text, "is no kind of ground");
}

}  // namespace stride
