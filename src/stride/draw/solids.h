#pragma once

#include <vector>

#include "stride/character/character.h"
#include "stride/draw/image.h"
#include "stride/draw/render.h"

// Solids in the world and where rays meet them.
namespace stride {

// A capsule (a sphere if both ends are the same) or a box.
struct Solid {
  bool is_box = false;
  Vec3d a, b;  // capsule: centres of its ends; box: the ends of its longest axis, for its shadow
  double radius = 0;                   // capsule; box: of its shadow
  Vec3d center;                        // box
  Mat3d rotation = Mat3d::Identity();  // box axes to world
  Vec3d half;                          // box
  Color color;
};

// A ray's origin and direction (any length); false if the solid is missed or behind the origin.
struct RayHit {
  double t = 0;  // in lengths of the direction
  Vec3d normal;  // unit, outward
};
bool Intersect(const Solid& solid, const Vec3d& origin, const Vec3d& direction, RayHit* hit);

// A figure's shapes in its pose and colours.
void AddSolids(const Figure& figure, std::vector<Solid>* solids);

}  // namespace stride
